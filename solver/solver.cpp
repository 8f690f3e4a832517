#include "solver/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/parallel.h"
#include "solver/book.h"
#include "solver/distance.h"
#include "solver/search.h"
#include "solver/table.h"

namespace quarto {
namespace {

using solver::DistanceSearch;
using solver::Goal;
using solver::Interrupt;
using solver::Searcher;
using solver::State;
using solver::Stopped;
using solver::Table;
using Clock = std::chrono::steady_clock;

// The work for one position that is not over: its value for the player to act is in low..high.
struct Unit {
  explicit Unit(const Position& p) : position(p) {}

  Position position;
  Value low = Value::loss, high = Value::win;
  int workers = 0;  // threads that search it now
  // By goal: the question is answered, so other threads that search it may stop.
  std::array<std::atomic<bool>, 2> answered{};

  bool solved() const { return low == high; }
  std::optional<Value> value() const { return solved() ? std::optional(low) : std::nullopt; }
  Goal question() const { return low == Value::loss ? Goal::draw : Goal::win; }
  std::atomic<bool>& answered_to(Goal goal) { return answered[static_cast<std::size_t>(goal)]; }
};
using Units = std::deque<Unit>;  // a deque, because atomics cannot be moved

// One searcher per thread, kept between calls.
template <Rules kRules>
using Searchers = std::deque<Searcher<kRules>>;

template <Rules kRules>
using MaybeDistanceSearch = std::optional<DistanceSearch<kRules>>;

Clock::time_point deadline_of(const SolveLimits& limits) {
  return limits.time.count() > 0 ? Clock::now() + limits.time : Clock::time_point::max();
}

// Solves several positions with several threads. A thread takes the next position and decides whether its player gets
// at least a draw, then whether that player wins. When all positions are taken, the thread joins the position with the
// fewest threads. Threads on the same question divide the moves (busy.h) and share results through the table; the first
// answer counts.
class Job {
 public:
  Job(Units& units, const SolveLimits& limits)
      : units_(units), stop_(limits.stop), progress_(limits.progress), deadline_(deadline_of(limits)) {}

  // Returns the nodes of all threads. An exception in any thread ends the job and is rethrown.
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
      const auto others = start_helpers(1, searchers.size(), [&](std::size_t i) { body(searchers[i]); });
      body(searchers.front());
    }
    if (failure_) std::rethrow_exception(failure_);
    return nodes_;
  }

 private:
  template <Rules kRules>
  void work(Searcher<kRules>& searcher) {
    while (Unit* unit = take()) {
      while (const auto goal = question_of(*unit)) {
        const Interrupt interrupt{stop_, &unit->answered_to(*goal), progress_, deadline_};
        std::optional<bool> holds;
        try {
          const Position& position = unit->position;
          const State<kRules> state = State<kRules>::of(position);
          holds = position.has_hand() ? searcher.placer_reaches(state, position.hand(), *goal, interrupt)
                                      : searcher.giver_reaches(state, *goal, interrupt);
        } catch (const Stopped&) {
          // Another thread has the answer, or the limits have ended the search.
        }
        answer(*unit, *goal, holds);
      }
      const std::lock_guard lock(mutex_);
      --unit->workers;
    }
  }

  Unit* take() {
    const std::lock_guard lock(mutex_);
    if (finished_) return nullptr;
    Unit* chosen = nullptr;
    if (next_ < units_.size()) {
      chosen = &units_[next_++];
    } else {
      while (first_open_ < units_.size() && units_[first_open_].solved()) ++first_open_;
      for (std::size_t i = first_open_; i < units_.size(); ++i) {
        Unit& unit = units_[i];
        if (!unit.solved() && (chosen == nullptr || unit.workers < chosen->workers)) chosen = &unit;
      }
    }
    if (chosen != nullptr) ++chosen->workers;
    return chosen;
  }

  std::optional<Goal> question_of(const Unit& unit) {
    const std::lock_guard lock(mutex_);
    return finished_ || unit.solved() ? std::nullopt : std::optional(unit.question());
  }

  void answer(Unit& unit, Goal goal, std::optional<bool> holds) {
    const std::lock_guard lock(mutex_);
    if (unit.answered_to(goal)) return;
    if (!holds) {
      finished_ = true;  // the limits have ended the job
      return;
    }
    unit.answered_to(goal) = true;
    if (goal == Goal::draw) {
      (*holds ? unit.low : unit.high) = *holds ? Value::draw : Value::loss;
    } else {
      (*holds ? unit.low : unit.high) = *holds ? Value::win : Value::draw;
    }
    if (progress_) progress_->positions += unit.solved();
  }

  Units& units_;
  const std::atomic<bool>* stop_;
  SolveProgress* progress_;
  const Clock::time_point deadline_;
  std::mutex mutex_;  // guards the members below and the units (`answered` is written under it and read without it)
  std::size_t next_ = 0, first_open_ = 0;
  bool finished_ = false;
  std::exception_ptr failure_;
  std::atomic<std::uint64_t> nodes_ = 0;
};

// The successors of a position, which determine its value. Those that need a search have an index into the units.
class Successors {
 public:
  Successors(const Position& position, const Books& books, Units& units) : position_(position), units_(units) {
    for (const Move m : position.moves()) {
      const Position next = position.after(m);
      const auto known = next.is_terminal() ? next.terminal_value() : books.find(next);
      if (known) {
        known_[m.index] = known;
      } else {
        unit_[m.index] = units.size();
        units.emplace_back(next);
      }
    }
  }

  // Call after the units were searched.
  MoveSolution solution() const {
    MoveSolution solution;
    if (position_.is_terminal()) {
      solution.value = position_.terminal_value();
      return solution;
    }
    bool all = true;
    std::optional<Value> best;
    for (const Move m : position_.moves()) {
      const std::size_t i = m.index;
      auto value = known_[i] ? known_[i] : units_[unit_[i]].value();
      // After a place the same player acts, after a give the other one, so the sign changes across a give only.
      if (value && position_.phase() == Phase::give) value = -*value;
      solution.values[i] = value;
      all = all && value;
      if (value && (!best || *value > *best)) best = value;
    }
    if (all || best == Value::win) solution.value = best;
    return solution;
  }

 private:
  const Position& position_;
  const Units& units_;
  std::array<std::optional<Value>, kMoves> known_{};
  std::array<std::size_t, kMoves> unit_{};
};

constexpr int kMostRounds = kSquares / 2;

// In every round all the moves that are open: so the short distances are found first. Throws Stopped, and SolverError
// for values that are wrong.
template <Rules kRules>
void find_distances(DistanceSearch<kRules>& search, const Position& position, const MoveSolution& solution,
                    const Interrupt& interrupt, MoveDistances& found) {
  Mask open = 0;
  for (const Move m : position.moves()) {
    if (solution.values[m.index].value_or(Value::draw) != Value::draw) open |= static_cast<Mask>(1U << m.index);
  }
  for (int rounds = 0; open != 0 && rounds <= kMostRounds; ++rounds) {
    for (const int i : BitsOf(open)) {
      const auto at = static_cast<std::size_t>(i);
      const bool wins = solution.values[at] == Value::win;
      const Move m{position.phase(), static_cast<std::uint8_t>(i)};
      if (!search.ends_within(position, m, wins, rounds, interrupt)) continue;
      found.placements[at] = search.placements_before(position, wins) + 2 * rounds;
      open &= static_cast<Mask>(~(1U << i));
    }
  }
  if (open != 0) throw SolverError("distances of values that are not the position's");
}

// The same of the best move alone; which moves win need not be known.
template <Rules kRules>
int find_distance(DistanceSearch<kRules>& search, const Position& position, bool wins, const Interrupt& interrupt) {
  for (int rounds = 0;; ++rounds) {
    bool all = true, any = false;
    for (const Move m : position.moves()) {
      const bool ends = search.ends_within(position, m, wins, rounds, interrupt);
      all = all && ends;
      any = any || ends;
      if (wins ? any : !all) break;
    }
    if (wins ? any : all) return search.placements_before(position, wins) + 2 * rounds;
  }
}

// The shortest win or the longest loss, where all moves that it depends on are known.
std::optional<int> best_of(const Position& position, const MoveSolution& solution, const MoveDistances& found) {
  std::optional<int> best;
  if (!solution.value || *solution.value == Value::draw) return best;
  const bool wins = *solution.value == Value::win;
  for (const Move m : position.moves()) {
    const auto& value = solution.values[m.index];
    const auto& placements = found.placements[m.index];
    if (!value || (!wins && !placements)) return std::nullopt;
    if (*value == *solution.value && placements)
      best = !best ? *placements : wins ? std::min(*best, *placements) : std::max(*best, *placements);
  }
  return best;
}

}  // namespace

struct Solver::Impl {
  explicit Impl(const SolverOptions& o) : options(o), table(o.table_bytes, o.checked) {}

  template <Rules kRules>
  std::uint64_t run(Units& units, Searchers<kRules>& mine, const SolveLimits& limits) {
    while (mine.size() < static_cast<std::size_t>(options.threads)) {
      mine.emplace_back(table, options.threads > 1 ? &busy : nullptr, options.ideas);
    }
    return Job(units, limits).run(mine);
  }

  // Finds the values of positions that are not over. All must have the same rules.
  SolveStats solve(Units& units, const SolveLimits& limits) {
    const Clock::time_point start = Clock::now();
    SolveStats stats;
    for (const Unit& unit : units) {
      if (unit.position.rules() != units.front().position.rules())
        throw SolverError("positions of two rule sets at once");
    }
    if (!units.empty()) {
      stats.nodes =
          searchers.visit(units.front().position.rules(), [&](auto& mine) { return run(units, mine, limits); });
    }
    stats.seconds = seconds_since(start);
    return stats;
  }

  // f(search, interrupt), for these rules.
  template <class F>
  auto with_distances(const Position& position, const SolveLimits& limits, const F& f) {
    const Interrupt interrupt{limits.stop, nullptr, limits.progress, deadline_of(limits)};
    return distance_searches.visit(position.rules(), [&](auto& search) {
      if (!search) search.emplace(table, options.ideas, options.table_bytes);
      return f(*search, interrupt);
    });
  }

  std::optional<Value> without_search(const Position& position) const {
    if (position.is_terminal()) return position.terminal_value();
    return options.books.find(position);
  }

  SolverOptions options;
  Table table;
  solver::BusySet busy;
  ForEachRules<Searchers> searchers;
  ForEachRules<MaybeDistanceSearch> distance_searches;
};

std::optional<Move> first_keeping_move(const Position& position, const MoveSolution& solution) {
  if (!solution.value) return std::nullopt;
  for (const Move m : position.moves()) {
    if (solution.values[m.index] == solution.value) return m;
  }
  return std::nullopt;
}

Solver::Solver(const SolverOptions& options) {
  if (options.threads < 1) throw SolverError(fmt::format("threads: {} is less than 1", options.threads));
  const int from = options.ideas.table_from;
  if (from < 2 || from > Searcher<Rules::lines>::kMostTableFrom) {
    throw SolverError(fmt::format("table_from: {} is not 2..{}", from, Searcher<Rules::lines>::kMostTableFrom));
  }
  impl_ = std::make_unique<Impl>(options);
}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

void Solver::clear() {
  impl_->table.clear();
  impl_->distance_searches.for_each([](auto& search) { search.reset(); });
}

TableUse Solver::table_use() const {
  return {impl_->table.bytes(), impl_->table.fill(), impl_->table.probes(), impl_->table.false_matches()};
}

Solution Solver::solve(const Position& position, const SolveLimits& limits) {
  if (const auto known = impl_->without_search(position)) return {known, {}};
  Units units;
  units.emplace_back(position);
  Solution solution;
  solution.stats = impl_->solve(units, limits);
  solution.value = units.front().value();
  return solution;
}

std::vector<std::optional<Value>> Solver::solve_all(std::span<const Position> positions, const SolveLimits& limits) {
  std::vector<std::optional<Value>> values(positions.size());
  Units units;
  std::vector<std::size_t> searched;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    values[i] = impl_->without_search(positions[i]);
    if (values[i]) continue;
    units.emplace_back(positions[i]);
    searched.push_back(i);
  }
  impl_->solve(units, limits);
  for (std::size_t i = 0; i < searched.size(); ++i) values[searched[i]] = units[i].value();
  return values;
}

MoveSolution Solver::solve_moves(const Position& position, const SolveLimits& limits) {
  Units units;
  const Successors successors(position, impl_->options.books, units);
  const SolveStats stats = impl_->solve(units, limits);
  MoveSolution solution = successors.solution();
  if (!solution.value) solution.value = impl_->without_search(position);
  solution.stats = stats;
  return solution;
}

MoveDistances Solver::distances(const Position& position, const MoveSolution& solution, const SolveLimits& limits) {
  const auto start = Clock::now();
  MoveDistances found;
  impl_->with_distances(position, limits, [&](auto& search, const Interrupt& interrupt) {
    const std::uint64_t before = search.nodes();
    try {
      find_distances(search, position, solution, interrupt, found);
    } catch (const Stopped&) {
      found.complete = false;
    }
    found.stats.nodes = search.nodes() - before;
  });
  found.stats.seconds = seconds_since(start);
  for (const Move m : position.moves()) found.complete = found.complete && solution.values[m.index];
  found.best = best_of(position, solution, found);
  return found;
}

std::optional<int> Solver::distance(const Position& position, const SolveLimits& limits) {
  if (position.is_terminal()) return position.is_won() ? std::optional(0) : std::nullopt;
  const auto start = Clock::now();
  const auto value = solve(position, limits).value;
  if (!value || *value == Value::draw) return std::nullopt;
  try {
    return impl_->with_distances(position, limits.left_since(start), [&](auto& search, const Interrupt& interrupt) {
      return std::optional(find_distance(search, position, *value == Value::win, interrupt));
    });
  } catch (const Stopped&) {
    return std::nullopt;
  }
}

std::vector<MoveSolution> Solver::solve_moves_of_all(std::span<const Position> positions, const SolveLimits& limits) {
  Units units;
  std::vector<Successors> successors;
  for (const Position& p : positions) successors.emplace_back(p, impl_->options.books, units);
  impl_->solve(units, limits);
  std::vector<MoveSolution> solutions;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    solutions.push_back(successors[i].solution());
    if (!solutions[i].value) solutions[i].value = impl_->without_search(positions[i]);
  }
  return solutions;
}

std::pair<MoveSolution, MoveDistances> solve_with_distances(Solver& solver, const Position& position,
                                                            const SolveLimits& limits) {
  const auto start = Clock::now();
  MoveSolution solution = solver.solve_moves(position, limits);
  MoveDistances distances = solver.distances(position, solution, limits.left_since(start));
  return {std::move(solution), distances};
}

}  // namespace quarto
