#include "solver/search.h"

#include <algorithm>
#include <tuple>

namespace quarto::solver {
namespace {

// Threads share the search of boards with at least this many empty squares, which takes some 50 microseconds or more.
// Smaller ones have no names (SearchIdeas::table_from).
constexpr int kSharedFrom = 9;

}  // namespace

template <Rules kRules>
Searcher<kRules>::Searcher(Table& table, BusySet* busy, const SearchIdeas& ideas)
    : geometry_(Geometry<kRules>::get()),
      table_(table),
      busy_(busy),
      ideas_(ideas),
      reductions_{ideas.idle_squares, ideas.symmetries, ideas.alike_pieces},
      names_early_(ideas.probe_first || busy) {}

template <Rules kRules>
void Searcher<kRules>::start(const Interrupt& interrupt) {
  interrupt_ = &interrupt;
  check_interrupt();
}

template <Rules kRules>
void Searcher<kRules>::check_interrupt() {
  if (interrupt_->progress) {
    interrupt_->progress->nodes.fetch_add(nodes() - reported_nodes_, std::memory_order_relaxed);
  }
  reported_nodes_ = nodes();
  if (interrupt_->due()) throw Stopped{};
}

template <Rules kRules>
Name Searcher<kRules>::name(const Child& child) const {
  return name_of<kRules>(canonical_state(child.state, geometry_, reductions_));
}

template <Rules kRules>
Facts Searcher<kRules>::find(const Child& child, const Name& name) {
  if (!table_.checked()) return table_.find(name);
  return table_.find(name, canonical_state(child.state, geometry_, reductions_));
}

template <Rules kRules>
void Searcher<kRules>::add(const Child& child, const Name& name, Facts facts, std::uint64_t effort) {
  if (!table_.checked()) return table_.add(name, facts, effort);
  table_.add(name, canonical_state(child.state, geometry_, reductions_), facts, effort);
}

template <Rules kRules>
bool Searcher<kRules>::giver_reaches(const State<kRules>& state, Goal goal, const Interrupt& interrupt) {
  start(interrupt);
  State<kRules> trimmed = state;
  if (ideas_.trim) trimmed.trim(geometry_);
  const Mask safe = trimmed.safe();
  if (trimmed.left == 0 || trimmed.dead()) return goal == Goal::draw;
  if (safe == 0) return false;
  return search(trimmed, safe, goal);
}

template <Rules kRules>
bool Searcher<kRules>::placer_reaches(const State<kRules>& state, Piece piece, Goal goal, const Interrupt& interrupt) {
  start(interrupt);
  // There is one empty square more than pieces left, so the children use their own level of the pool, above those of
  // the search below.
  auto& pool = children_[static_cast<std::size_t>(std::popcount(state.empty))];
  pool.clear();
  if (kPiecesWithAny[(state.alive & state.gaps.equal_to(1)).any()] & bit(piece)) return true;
  if (state.left == 0) return goal == Goal::draw;  // the board is full after this placement
  const Outlook outlook = expand(state, piece, goal, pool);
  if (outlook != Outlook::open) return outlook == Outlook::refuted;
  Group group{0, static_cast<std::uint16_t>(pool.size()), 0};
  const bool named = std::popcount(state.empty) - 1 >= ideas_.table_from;
  if (named && names_early_) name_children(pool, 0);
  const Outlook known = consult_table(pool.data(), group, goal, named);
  if (known != Outlook::open) return known == Outlook::refuted;
  return search_group(pool.data(), group, goal, named);
}

template <Rules kRules>
auto Searcher<kRules>::expand(const State<kRules>& state, Piece piece, Goal goal, std::vector<Child>& out) -> Outlook {
  const std::size_t first = out.size();
  const int empty = std::popcount(state.empty) - 1;
  const Placement<kRules> placement(state, piece, geometry_);
  Mask worth_trying = state.empty;
  if (ideas_.idle_squares) {  // squares on no live line are interchangeable
    const Mask idle = static_cast<Mask>(state.empty & ~geometry_.squares_on(state.alive.nonzero()));
    worth_trying = static_cast<Mask>(state.empty & ~(idle & (idle - 1)));
  }
  Child child;
  for (const int s : BitsOf(worth_trying)) {
    child.state = ideas_.trim ? placement.trimmed_on(s, geometry_) : placement.on(s, geometry_);
    child.safe = child.state.safe();
    if (child.safe == 0) continue;  // the placer must give a losing piece
    if (known_by_count(empty, goal) || child.state.dead()) {
      if (holds_by_count(goal)) return Outlook::refuted;  // because no line is alive
      continue;
    }
    const int first_key = ideas_.order ? std::popcount(child.safe) : 0;
    child.order = static_cast<std::uint16_t>((first_key << 4) | ((s * 7) & 15));
    out.push_back(child);
  }
  return out.size() == first ? Outlook::held : Outlook::open;
}

template <Rules kRules>
void Searcher<kRules>::name_children(std::vector<Child>& children, std::size_t first) {
  for (std::size_t i = first; i < children.size(); ++i) {
    children[i].name = name(children[i]);
    table_.prefetch(children[i].name);
  }
}

// Removes the children that are known not to reach the goal and sorts the others.
template <Rules kRules>
auto Searcher<kRules>::consult_table(Child* pool, Group& group, Goal goal, bool named) -> Outlook {
  Child* children = pool + group.first;
  if (named && ideas_.probe_first) {
    std::uint16_t kept = 0;
    for (std::uint16_t i = 0; i < group.count; ++i) {
      const Facts facts = find(children[i], children[i].name);
      if (facts.knows(goal)) {
        if (facts.holds(goal)) return Outlook::refuted;
        continue;
      }
      if (kept != i) children[kept] = children[i];
      ++kept;
    }
    if (kept == 0) return Outlook::held;
    group.count = kept;
  }
  std::sort(children, children + group.count, [](const Child& a, const Child& b) { return a.order < b.order; });
  group.order = group.count;
  return Outlook::open;
}

template <Rules kRules>
bool Searcher<kRules>::left_to_others(const Child& child) const {
  return busy_ != nullptr && std::popcount(child.state.empty) >= kSharedFrom && busy_->holds(child.name);
}

// True if a child that is stored in the table reaches the goal.
template <Rules kRules>
bool Searcher<kRules>::search_child(const Child& child, Goal goal) {
  const Name name = names_early_ ? child.name : this->name(child);
  const Facts facts = find(child, name);  // the search of a sibling may have stored it
  if (facts.knows(goal)) return facts.holds(goal);
  const BusySet::Mark mark(std::popcount(child.state.empty) >= kSharedFrom ? busy_ : nullptr, name);
  const std::uint64_t before = nodes();
  const bool holds = search(child.state, child.safe, goal);
  add(child, name, Facts::of(goal, holds), nodes() - before);
  return holds;
}

// True if one of the children reaches the goal.
template <Rules kRules>
bool Searcher<kRules>::search_group(const Child* pool, const Group& group, Goal goal, bool named) {
  std::uint32_t deferred = 0;
  for (std::uint16_t i = 0; i < group.count; ++i) {
    const Child& child = pool[group.first + i];
    if (!named) {
      if (endgame<kMostTableFrom - 1>(child.state, child.safe, goal, geometry_, budget_)) return true;
    } else if (i > 0 && left_to_others(child)) {
      deferred |= 1U << i;
    } else if (search_child(child, goal)) {
      return true;
    }
  }
  for (; deferred != 0; deferred &= deferred - 1) {
    if (search_child(pool[group.first + std::countr_zero(deferred)], goal)) return true;
  }
  return false;
}

template <Rules kRules>
bool Searcher<kRules>::search(const State<kRules>& state, Mask safe, Goal goal) {
  const int empty = std::popcount(state.empty);
  if (empty < ideas_.table_from) return endgame<kMostTableFrom - 1>(state, safe, goal, geometry_, budget_);
  budget_.enter();
  check_interrupt();

  auto& pool = children_[static_cast<std::size_t>(empty)];
  pool.clear();
  std::array<Group, kPieces> groups;
  std::size_t group_count = 0;
  const bool named = empty - 1 >= ideas_.table_from;
  // Pieces that differ only in attributes without a live line are interchangeable; one of them is searched.
  const unsigned live_values = state.alive.any();
  unsigned distinguishing = 0;
  for (unsigned a = 0; a < kAttributes; ++a) {
    if (!ideas_.alike_pieces || ((live_values >> (2 * a)) & 3U)) distinguishing |= 1U << a;
  }
  Mask seen = 0;
  for (const int p : BitsOf(safe)) {
    const Mask same = static_cast<Mask>(1U << (static_cast<unsigned>(p) & distinguishing));
    if (seen & same) continue;
    seen |= same;
    const std::size_t first = pool.size();
    const Outlook outlook = expand(state, piece(p), other(goal), pool);
    if (outlook == Outlook::held) return true;
    if (outlook == Outlook::refuted) {
      pool.resize(first);
      continue;
    }
    if (named && names_early_) name_children(pool, first);
    groups[group_count++] = {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(pool.size() - first), 0};
  }

  std::size_t open = 0;
  for (std::size_t g = 0; g < group_count; ++g) {
    const Outlook outlook = consult_table(pool.data(), groups[g], other(goal), named);
    if (outlook == Outlook::held) return true;
    if (outlook == Outlook::open) groups[open++] = groups[g];
  }
  if (ideas_.order) {
    std::sort(groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(open),
              [](const Group& a, const Group& b) { return std::tie(a.order, a.first) < std::tie(b.order, b.first); });
  }
  std::uint32_t deferred = 0;
  for (std::size_t g = 0; g < open; ++g) {
    if (named && g > 0 && left_to_others(pool[groups[g].first])) {
      deferred |= 1U << g;
    } else if (!search_group(pool.data(), groups[g], other(goal), named)) {
      return true;
    }
  }
  for (; deferred != 0; deferred &= deferred - 1) {
    const auto g = static_cast<std::size_t>(std::countr_zero(deferred));
    if (!search_group(pool.data(), groups[g], other(goal), named)) return true;
  }
  return false;
}

#define QUARTO_ROW(name, ...) template class Searcher<Rules::name>;
QUARTO_RULE_SETS(QUARTO_ROW)
#undef QUARTO_ROW

}  // namespace quarto::solver
