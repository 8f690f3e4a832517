// The search. For a board at which a piece must be given, it proves or refutes by exhaustive search "the giver gets at
// least a draw" or "the giver wins".
//
// The giver reaches a goal if, after some safe piece, the opponent has no good square: no square after which the
// opponent, who gives next, reaches the opposite goal ("wins" against our draw, "gets at least a draw" against our
// win). So placing is a loop inside one node, each question assigns draws to one side, and the question alternates from
// node to node.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "solver/busy.h"
#include "solver/endgame.h"
#include "solver/solver.h"
#include "solver/state.h"
#include "solver/table.h"

namespace quarto::solver {

// Thrown by a search that was told to stop. It has stored no incomplete result.
struct Stopped {};

// The conditions for stopping. Each pointer may be null.
struct Interrupt {
  const std::atomic<bool>* user = nullptr;      // SolveLimits::stop
  const std::atomic<bool>* finished = nullptr;  // another thread has the answer
  SolveProgress* progress = nullptr;            // SolveLimits::progress
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  bool due() const {
    return (user && user->load(std::memory_order_relaxed)) || (finished && finished->load(std::memory_order_relaxed)) ||
           (deadline != std::chrono::steady_clock::time_point::max() && std::chrono::steady_clock::now() >= deadline);
  }
};

// The searcher of one thread. Threads may share the table.
template <Rules kRules>
class Searcher {
 public:
  // The threads share `busy`; null for a single thread. ideas.table_from is at most kMostTableFrom.
  Searcher(Table& table, BusySet* busy, const SearchIdeas& ideas);
  static constexpr int kMostTableFrom = 9;

  // True if the giver reaches `goal`. The state must have no winner. Throws Stopped.
  bool giver_reaches(const State<kRules>& state, Goal goal, const Interrupt& interrupt);
  // True if the player with `piece` in hand, who places it and gives next, reaches `goal`. The piece must be neither on
  // the board nor left.
  bool placer_reaches(const State<kRules>& state, Piece piece, Goal goal, const Interrupt& interrupt);

  std::uint64_t nodes() const { return budget_.nodes; }

 private:
  // A board after a placement that does not decide the question at once.
  struct Child {
    State<kRules> state;
    Name name;  // set for boards that are stored in the table
    Mask safe;
    std::uint16_t order;
  };
  // The children for one piece: children_[empty squares][first .. first + count).
  struct Group {
    std::uint16_t first, count;
    std::uint32_t order;
  };
  enum class Outlook { held, refuted, open };

  // Adds to `out` the boards after placing `piece` whose search decides whether one of them reaches `goal` for the
  // placer. refuted: one does; held: none does.
  Outlook expand(const State<kRules>& state, Piece piece, Goal goal, std::vector<Child>& out);
  bool search(const State<kRules>& state, Mask safe, Goal goal);
  void name_children(std::vector<Child>& children, std::size_t first);
  Outlook consult_table(Child* pool, Group& group, Goal goal, bool named);
  bool search_group(const Child* pool, const Group& group, Goal goal, bool named);
  bool search_child(const Child& child, Goal goal);
  bool left_to_others(const Child& child) const;
  Name name(const Child& child) const;
  Facts find(const Child& child, const Name& name);
  void add(const Child& child, const Name& name, Facts facts, std::uint64_t effort);
  void start(const Interrupt& interrupt);
  void check_interrupt();

  const Geometry<kRules>& geometry_;
  Table& table_;
  BusySet* busy_;
  const SearchIdeas ideas_;
  const Reductions reductions_;
  const bool names_early_;  // names are computed for all children, before any is searched
  const Interrupt* interrupt_ = nullptr;
  Unlimited budget_;
  std::uint64_t reported_nodes_ = 0;
  std::array<std::vector<Child>, kSquares + 1> children_;  // by number of empty squares of the parent
};

}  // namespace quarto::solver
