// The search: proof by exhaustion of "the giver gets at least a draw" or "the giver wins", for a board at which a piece
// must be given.
//
// The giver reaches a goal if some safe piece leaves the opponent no good square: no square after which the opponent,
// now the giver, reaches the opposite goal ("wins" against our draw, "gets at least a draw" against our win). Placing
// is a loop inside one node, draws belong to one side in each question, and the question flips from node to node.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "solver/busy.h"
#include "solver/solver.h"
#include "solver/state.h"
#include "solver/table.h"

namespace quarto::solver {

// Thrown out of a search that was told to stop. Nothing half-known has been stored.
struct Stopped {};

// When to give up. Any of the flags may be null.
struct Interrupt {
  const std::atomic<bool>* user = nullptr;      // SolveLimits::stop
  const std::atomic<bool>* finished = nullptr;  // somebody else has the answer
  SolveProgress* progress = nullptr;            // SolveLimits::progress
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  bool due() const {
    return (user && user->load(std::memory_order_relaxed)) || (finished && finished->load(std::memory_order_relaxed)) ||
           (deadline != std::chrono::steady_clock::time_point::max() && std::chrono::steady_clock::now() >= deadline);
  }
};

// One thread's searcher; the table may be shared with others.
template <Rules kRules>
class Searcher {
 public:
  // `busy` is shared with the other threads; null if there are none. ideas.table_from is at most kMostTableFrom.
  Searcher(Table& table, BusySet* busy, const SearchIdeas& ideas);
  static constexpr int kMostTableFrom = 7;

  // Questions about a state without a winner; `goal` is the giver's. Throws Stopped.
  bool giver_reaches(const State<kRules>& state, Goal goal, const Interrupt& interrupt);
  // The player with `piece` in hand, which is neither on the board nor left, places it and is then the giver.
  bool placer_reaches(const State<kRules>& state, Piece piece, Goal goal, const Interrupt& interrupt);

  std::uint64_t nodes() const { return nodes_; }

 private:
  // A board after a placement that settles nothing at once.
  struct Child {
    State<kRules> state;
    Name name;  // of boards that are kept in the table
    Mask safe;
    std::uint16_t order;
  };
  // The children after one piece, in children_[empty squares][first .. first + count).
  struct Group {
    std::uint16_t first, count;
    std::uint32_t order;
  };
  enum class Outlook { held, refuted, open };

  // Adds to `out` the boards after placing `piece` that must be searched to know whether one of them reaches `goal`
  // for the placer: refuted, one does; held, none does.
  Outlook expand(const State<kRules>& state, Piece piece, Goal goal, std::vector<Child>& out);
  bool search(const State<kRules>& state, Mask safe, Goal goal);
  void name_children(std::vector<Child>& children, std::size_t first);
  Outlook consult_table(Child* pool, Group& group, Goal goal, bool named);
  bool search_group(const Child* pool, const Group& group, Goal goal, bool named);
  bool search_child(const Child& child, Goal goal);
  bool left_to_others(const Child& child) const;
  Facts find(const Child& child);
  void add(const Child& child, Facts facts, std::uint64_t effort);
  void start(const Interrupt& interrupt);
  void check_interrupt();

  const Geometry<kRules>& geometry_;
  Table& table_;
  BusySet* busy_;
  const SearchIdeas ideas_;
  const Reductions reductions_;
  const Interrupt* interrupt_ = nullptr;
  std::uint64_t nodes_ = 0, reported_nodes_ = 0;
  int until_check_ = 1;
  std::array<std::vector<Child>, kSquares + 1> children_;  // by number of empty squares of the parent
};

}  // namespace quarto::solver
