#include "solver/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "solver/search.h"
#include "solver/table.h"

namespace quarto {
namespace {

using solver::Goal;
using solver::Interrupt;
using solver::Searcher;
using solver::State;
using solver::Stopped;
using solver::Table;
using Clock = std::chrono::steady_clock;

// What is to be found for one position that is not over: its value for the player to act lies in low..high.
struct Unit {
  explicit Unit(const Position& p) : position(p) {}

  Position position;
  Value low = Value::loss, high = Value::win;
  int workers = 0;  // threads on it now
  // By goal: the question is answered, so that others who work on it may stop.
  std::array<std::atomic<bool>, 2> answered{};

  bool solved() const { return low == high; }
  std::optional<Value> value() const { return solved() ? std::optional(low) : std::nullopt; }
  Goal question() const { return low == Value::loss ? Goal::draw : Goal::win; }
  std::atomic<bool>& answered_to(Goal goal) { return answered[static_cast<std::size_t>(goal)]; }
};
using Units = std::deque<Unit>;  // atomics do not move

// One searcher for each thread, kept between calls.
template <Rules kRules>
using Searchers = std::deque<Searcher<kRules>>;

// Several positions, solved by several threads. A thread takes the unsolved position with the fewest threads on it and
// asks whether its player gets at least a draw, then whether he wins. With fewer positions than threads, several ask
// the same question: they try moves in different orders and profit from each other through the table; the first answer
// counts.
class Job {
 public:
  Job(Units& units, const SolveLimits& limits) : units_(units), stop_(limits.stop), shown_nodes_(limits.nodes) {
    if (limits.time.count() > 0) deadline_ = Clock::now() + limits.time;
  }

  // Returns the nodes of all threads. An exception of any thread ends the job and is thrown on.
  template <Rules kRules>
  std::uint64_t run(Searchers<kRules>& searchers) {
    const auto body = [this](Searcher<kRules>& searcher) {
      try {
        const std::uint64_t before = searcher.nodes();
        work(searcher);
        nodes_ += searcher.nodes() - before;
      } catch (...) {
        const std::lock_guard lock(mutex_);
        failure_ = std::current_exception();
        finished_ = true;
        for (Unit& unit : units_) unit.answered[0] = unit.answered[1] = true;
      }
    };
    {
      std::vector<std::jthread> others;
      for (std::size_t i = 1; i < searchers.size(); ++i) others.emplace_back(body, std::ref(searchers[i]));
      body(searchers.front());
    }
    if (failure_) std::rethrow_exception(failure_);
    return nodes_;
  }

 private:
  template <Rules kRules>
  void work(Searcher<kRules>& searcher) {
    while (Unit* unit = take()) {
      const auto [position, goal] = question_of(*unit);
      const Interrupt interrupt{stop_, &unit->answered_to(goal), shown_nodes_, deadline_};
      std::optional<bool> holds;
      try {
        const State<kRules> state = State<kRules>::of(position);
        holds = position.has_hand() ? searcher.placer_reaches(state, position.hand(), goal, interrupt)
                                    : searcher.giver_reaches(state, goal, interrupt);
      } catch (const Stopped&) {
        // No answer: another thread's, or none within the limits.
      }
      leave(*unit, goal, holds);
    }
  }

  Unit* take() {
    const std::lock_guard lock(mutex_);
    if (finished_) return nullptr;
    Unit* chosen = nullptr;
    for (Unit& unit : units_) {
      if (!unit.solved() && (chosen == nullptr || unit.workers < chosen->workers)) chosen = &unit;
    }
    if (chosen != nullptr) ++chosen->workers;
    return chosen;
  }

  std::pair<Position, Goal> question_of(const Unit& unit) {
    const std::lock_guard lock(mutex_);
    return {unit.position, unit.question()};
  }

  void leave(Unit& unit, Goal goal, std::optional<bool> holds) {
    const std::lock_guard lock(mutex_);
    --unit.workers;
    if (unit.answered_to(goal)) return;
    if (!holds) {
      finished_ = true;  // the limits ended it
      return;
    }
    unit.answered_to(goal) = true;
    if (goal == Goal::draw) {
      (*holds ? unit.low : unit.high) = *holds ? Value::draw : Value::loss;
    } else {
      (*holds ? unit.low : unit.high) = *holds ? Value::win : Value::draw;
    }
  }

  Units& units_;
  const std::atomic<bool>* stop_;
  std::atomic<std::uint64_t>* shown_nodes_;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::mutex mutex_;  // protects the units (`answered` is written under it and read anywhere), finished_ and failure_
  bool finished_ = false;
  std::exception_ptr failure_;
  std::atomic<std::uint64_t> nodes_ = 0;
};

}  // namespace

struct Solver::Impl {
  explicit Impl(const SolverOptions& o) : options(o), table(o.table_bytes) {}

  template <Rules kRules>
  std::uint64_t run(Units& units, Searchers<kRules>& searchers, const SolveLimits& limits) {
    while (searchers.size() < static_cast<std::size_t>(options.threads)) {
      searchers.emplace_back(table, static_cast<std::uint32_t>(searchers.size()), options.table_from);
    }
    return Job(units, limits).run(searchers);
  }

  // Finds the values of positions that are not over, all under the same rules.
  SolveStats solve(Units& units, const SolveLimits& limits) {
    const Clock::time_point start = Clock::now();
    SolveStats stats;
    if (!units.empty()) {
      stats.nodes =
          units.front().position.rules() == Rules::lines ? run(units, lines, limits) : run(units, squares, limits);
    }
    stats.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return stats;
  }

  SolverOptions options;
  Table table;
  Searchers<Rules::lines> lines;
  Searchers<Rules::squares> squares;
};

Solver::Solver(const SolverOptions& options) {
  if (options.threads < 1) throw SolverError(fmt::format("threads: {} is less than 1", options.threads));
  if (options.table_from < 2 || options.table_from > Searcher<Rules::lines>::kMostTableFrom) {
    throw SolverError(
        fmt::format("table_from: {} is not 2..{}", options.table_from, Searcher<Rules::lines>::kMostTableFrom));
  }
  impl_ = std::make_unique<Impl>(options);
}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

void Solver::clear() { impl_->table.clear(); }

Solution Solver::solve(const Position& position, const SolveLimits& limits) {
  if (position.is_terminal()) return {position.terminal_value(), {}};
  Units units;
  units.emplace_back(position);
  Solution solution;
  solution.stats = impl_->solve(units, limits);
  solution.value = units.front().value();
  return solution;
}

MoveSolution Solver::solve_moves(const Position& position, const SolveLimits& limits) {
  MoveSolution solution;
  if (position.is_terminal()) {
    solution.value = position.terminal_value();
    return solution;
  }
  // After a place the same player is to act, after a give the other one: the sign changes across a give only.
  const auto for_mover = [&position](std::optional<Value> v) {
    return v && position.phase() == Phase::give ? std::optional(-*v) : v;
  };
  Units units;
  std::vector<std::size_t> moves;
  for (const int m : BitsOf(position.legal_moves())) {
    const Position next = position.after({position.phase(), static_cast<std::uint8_t>(m)});
    if (next.is_terminal()) {
      solution.values[static_cast<std::size_t>(m)] = for_mover(next.terminal_value());
    } else {
      units.emplace_back(next);
      moves.push_back(static_cast<std::size_t>(m));
    }
  }
  solution.stats = impl_->solve(units, limits);
  for (std::size_t i = 0; i < moves.size(); ++i) solution.values[moves[i]] = for_mover(units[i].value());

  bool all = true;
  std::optional<Value> best;
  for (const int m : BitsOf(position.legal_moves())) {
    const auto value = solution.values[static_cast<std::size_t>(m)];
    all = all && value;
    if (value && (!best || *value > *best)) best = value;
  }
  if (all || best == Value::win) solution.value = best;
  return solution;
}

}  // namespace quarto
