#include "solver/prover.h"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "solver/search.h"
#include "solver/table.h"

namespace quarto {
namespace {

using solver::Goal;
using solver::Limited;
using solver::Searcher;
using solver::State;
using solver::Table;

constexpr std::size_t kLeastTable = std::size_t{16} << 10, kMostTable = std::size_t{512} << 10;

class SolverProver final : public Prover {
 public:
  using Prover::bounds;

  explicit SolverProver(std::size_t table_bytes) : table_(table_bytes) {}

  void forget() override {
    searches_.for_each([](auto& search) {
      if (search) search->forget();
    });
  }

  ValueBounds bounds(const Position& position, std::uint64_t nodes, ValueBounds known) override {
    return searches_.visit(position.rules(),
                           [&](auto& search) { return bounds_by(made(search), position, nodes, known); });
  }

  Value ceiling(const Position& position, std::uint64_t nodes) override {
    const auto wins =
        searches_.visit(position.rules(), [&](auto& search) { return ask(made(search), position, Goal::win, nodes); });
    return wins == false ? Value::draw : Value::win;
  }

 private:
  template <Rules kRules>
  using Search = Searcher<kRules, Limited>;
  template <Rules kRules>
  using MaybeSearch = std::optional<Search<kRules>>;

  template <Rules kRules>
  Search<kRules>& made(std::optional<Search<kRules>>& mine) {
    // Names cost as much as a small search, so they are computed only for boards that are searched.
    if (!mine) mine.emplace(table_, nullptr, SearchIdeas{.table_from = 7, .probe_first = false});
    return *mine;
  }

  // Nothing, if the nodes do not suffice.
  template <Rules kRules>
  static std::optional<bool> ask(Search<kRules>& searcher, const Position& position, Goal goal, std::uint64_t nodes) {
    static constexpr solver::Interrupt kNever{};
    searcher.budget() = {.nodes = 0, .limit = nodes, .out = false};
    const State<kRules> state = State<kRules>::of(position);
    const bool reached = position.has_hand() ? searcher.placer_reaches(state, position.hand(), goal, kNever)
                                             : searcher.giver_reaches(state, goal, kNever);
    return searcher.budget().exhausted() ? std::nullopt : std::optional(reached);
  }

  template <Rules kRules>
  static ValueBounds bounds_by(Search<kRules>& searcher, const Position& position, std::uint64_t nodes,
                               ValueBounds known) {
    if (known.exact()) return known;
    if (known.low == Value::loss) {
      const auto holds = ask(searcher, position, Goal::draw, nodes);
      if (holds == false) return ValueBounds::exactly(Value::loss);
      if (holds) known.low = Value::draw;
    }
    if (known.high == Value::win) {
      const auto wins = ask(searcher, position, Goal::win, nodes);
      if (wins == true) return ValueBounds::exactly(Value::win);
      if (wins == false) known.high = Value::draw;
    }
    return known;
  }

  Table table_;
  ForEachRules<MaybeSearch> searches_;
};

// Provers that are not in use, by the size of their tables. A new one costs as much time as a few dozen questions,
// since the system clears its memory page by page, and a search is often made for one position.
class IdleProvers {
 public:
  std::unique_ptr<SolverProver> take(std::size_t table_bytes) {
    const std::lock_guard lock(mutex_);
    auto& idle = idle_[table_bytes];
    if (idle.empty()) return nullptr;
    std::unique_ptr<SolverProver> prover = std::move(idle.back());
    idle.pop_back();
    held_ -= table_bytes;
    return prover;
  }
  void give_back(std::size_t table_bytes, std::unique_ptr<SolverProver> prover) {
    const std::lock_guard lock(mutex_);
    auto& idle = idle_[table_bytes];
    if (held_ + table_bytes > kMostHeld) return;
    try {
      idle.push_back(std::move(prover));
      held_ += table_bytes;
    } catch (const std::bad_alloc&) {
      // It is one prover less to reuse.
    }
  }

 private:
  static constexpr std::size_t kMostHeld = std::size_t{64} << 20;  // bytes of tables
  std::mutex mutex_;
  std::size_t held_ = 0;
  std::map<std::size_t, std::vector<std::unique_ptr<SolverProver>>> idle_;
};

IdleProvers& idle_provers() {
  static auto& all = *new IdleProvers;  // never destroyed: searches may outlive other static objects
  return all;
}

class BorrowedProver final : public Prover {
 public:
  explicit BorrowedProver(std::size_t table_bytes)
      : table_bytes_(table_bytes), prover_(idle_provers().take(table_bytes)) {
    if (!prover_) prover_ = std::make_unique<SolverProver>(table_bytes);
  }
  ~BorrowedProver() override {
    prover_->forget();
    idle_provers().give_back(table_bytes_, std::move(prover_));
  }
  void forget() override { prover_->forget(); }
  ValueBounds bounds(const Position& position, std::uint64_t nodes, ValueBounds known) override {
    return prover_->bounds(position, nodes, known);
  }
  Value ceiling(const Position& position, std::uint64_t nodes) override { return prover_->ceiling(position, nodes); }

 private:
  std::size_t table_bytes_;
  std::unique_ptr<SolverProver> prover_;
};

}  // namespace

std::unique_ptr<Prover> make_prover(int nodes) {
  return std::make_unique<BorrowedProver>(
      std::clamp(std::bit_ceil(static_cast<std::size_t>(nodes) * 256), kLeastTable, kMostTable));
}

}  // namespace quarto
