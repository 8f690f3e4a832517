#include "mcts/tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

#include "base/portable_math.h"

namespace quarto {
namespace {

// The position of the n-th set bit.
int nth_bit(Mask mask, int n) {
#if defined(__BMI2__)
  return std::countr_zero(_pdep_u32(1U << n, mask));
#else
  for (; n > 0; --n) mask = static_cast<Mask>(mask & (mask - 1));
  return std::countr_zero(mask);
#endif
}

constexpr Mask slot_bit(int slot) { return static_cast<Mask>(1U << slot); }
constexpr std::size_t groups_for(int slots) { return (static_cast<std::size_t>(slots) + kLanes - 1) / kLanes; }

}  // namespace

PuctParameters::PuctParameters(const SearchConfig& config)
    : c(static_cast<float>(config.c_puct)),
      growth(static_cast<float>(config.c_puct_growth)),
      base(static_cast<float>(config.c_puct_base)),
      fpu(static_cast<float>(config.fpu_reduction)),
      root_fpu(static_cast<float>(config.root_fpu_reduction)) {}

float PuctParameters::exploration(float visits) const {
  return (growth == 0
              ? c
              : c + growth * static_cast<float>(portable::log(static_cast<double>((visits + base + 1) / base)))) *
         std::sqrt(visits);
}

void Tree::clear() {
  nodes_.clear();
  groups_.clear();
}

void Tree::reserve(std::size_t nodes) {
  nodes_.reserve(nodes);
  groups_.reserve(nodes * groups_for(kMoves));
}

std::size_t Tree::memory_bytes() const {
  return nodes_.capacity() * sizeof(Node) + groups_.capacity() * sizeof(EdgeGroup);
}

Move Tree::move(NodeIndex i, int slot) const {
  const Node& n = nodes_[i];
  assert(slot < n.slots);
  return {n.phase, static_cast<std::uint8_t>(nth_bit(n.moves, slot))};
}

int Tree::slot(NodeIndex i, Move move) const {
  const Node& n = nodes_[i];
  if (move.phase != n.phase || !((n.moves >> move.index) & 1U)) return -1;
  return std::popcount(static_cast<Mask>(n.moves & ((1U << move.index) - 1)));
}

ValueBounds Tree::bounds(EdgeRef e) const {
  const Node& n = nodes_[e.node];
  const Mask b = slot_bit(e.slot);
  return {n.won & b             ? Value::win
          : n.at_least_draw & b ? Value::draw
                                : Value::loss,
          n.lost & b           ? Value::loss
          : n.at_most_draw & b ? Value::draw
                               : Value::win};
}

std::optional<Value> Tree::proven(EdgeRef e) const { return bounds(e).value(); }

ValueBounds Tree::bounds(NodeIndex i) const {
  const Node& n = nodes_[i];
  const Mask all = all_slots(n.slots);
  const ValueBounds known = {n.won                             ? Value::win
                             : n.at_least_draw || n.holds_draw ? Value::draw
                                                               : Value::loss,
                             n.lost == all           ? Value::loss
                             : n.at_most_draw == all ? Value::draw
                                                     : Value::win};
  return bounded_ || known.exact() ? known : ValueBounds{};
}

std::optional<Value> Tree::proven(NodeIndex i) const { return bounds(i).value(); }

float Tree::mean(EdgeRef e) const {
  const ValueBounds known = bounds(e);
  if (known.exact()) return static_cast<float>(known.low);
  const EdgeGroup& g = group(e.node, e.slot);
  const std::size_t l = lane(e.slot);
  return Outcome{g.value[l], g.decided[l]}.within(known).value / static_cast<float>(g.visits[l]);
}

float Tree::mean(NodeIndex i) const {
  const ValueBounds known = bounds(i);
  if (known.exact()) return static_cast<float>(known.low);
  const Node& n = nodes_[i];
  return Outcome{n.value, n.decided}.within(known).value / static_cast<float>(n.visits);
}

Mask Tree::worth_trying(NodeIndex i) const {
  const Node& n = nodes_[i];
  const Mask open = static_cast<Mask>(all_slots(n.slots) & ~n.lost);
  if (bounds(i).low == Value::loss) return open;
  return static_cast<Mask>(open & ~n.at_most_draw);
}

void Tree::add(EdgeRef from, Phase phase, Mask moves, std::span<const float> priors, Outcome outcome) {
  assert(moves != 0 && priors.size() == static_cast<std::size_t>(std::popcount(moves)));
  const auto index = static_cast<NodeIndex>(nodes_.size());
  Node& n = nodes_.emplace_back();
  n.parent = from.node;
  n.parent_slot = static_cast<std::uint8_t>(from.slot);
  n.edges = static_cast<std::uint32_t>(groups_.size());
  n.visits = 1;
  n.value = outcome.value;
  n.decided = outcome.decided;
  n.moves = moves;
  n.slots = static_cast<std::uint8_t>(priors.size());
  n.phase = phase;
  EdgeGroup fresh{};
  fresh.child.fill(kNoNode);
  groups_.resize(groups_.size() + groups_for(n.slots), fresh);
  for (int s = 0; s < n.slots; ++s) group(index, s).prior[lane(s)] = priors[static_cast<std::size_t>(s)];
  if (from.node != kNoNode) group(from.node, from.slot).child[lane(from.slot)] = index;
}

void Tree::set_priors(NodeIndex i, std::span<const float> priors) {
  Node& n = nodes_[i];
  assert(priors.size() == n.slots);
  n.tried_prior = 0;
  for (int s = 0; s < n.slots; ++s) {
    EdgeGroup& g = group(i, s);
    g.prior[lane(s)] = priors[static_cast<std::size_t>(s)];
    if (g.visits[lane(s)] > 0) n.tried_prior += g.prior[lane(s)];
  }
}

int Tree::choose(NodeIndex i, const PuctParameters& p) const {
  const Node& n = nodes_[i];
  const Mask open = worth_trying(i);
  assert(n.won == 0 && open != 0);
  const auto visits = static_cast<float>(n.visits);
  const float scale = p.exploration(visits);
  const float untried = mean(i) - (i == 0 ? p.root_fpu : p.fpu) * std::sqrt(n.tried_prior);

  alignas(32) std::array<float, kMoves> score;
  const std::size_t groups = groups_for(n.slots);
  for (std::size_t g = 0; g < groups; ++g) {
    const EdgeGroup& e = groups_[n.edges + g];
    for (std::size_t l = 0; l < kLanes; ++l) {
      const auto count = static_cast<float>(e.visits[l]);
      const float mean = e.value[l] / (e.visits[l] > 0 ? count : 1.0F);
      score[g * kLanes + l] = (e.visits[l] > 0 ? mean : untried) + scale * e.prior[l] / (1 + count);
    }
  }
  if (bounded_) {  // few moves have bounds, and most nodes have none of them
    for (const int s : BitsOf(static_cast<Mask>(open & (n.at_least_draw | n.at_most_draw)))) {
      const EdgeRef edge{i, s};
      const int count = this->visits(edge);
      const ValueBounds known = bounds(edge);
      const float q =
          count > 0 ? mean(edge) : std::clamp(untried, static_cast<float>(known.low), static_cast<float>(known.high));
      score[static_cast<std::size_t>(s)] = q + scale * prior(edge) / (1 + static_cast<float>(count));
    }
  }
  // The first of the best, so that the choice is the same wherever it is computed.
  int best = std::countr_zero(open);
  for (const int s : BitsOf(open)) {
    if (score[static_cast<std::size_t>(s)] > score[static_cast<std::size_t>(best)]) best = s;
  }
  return best;
}

void Tree::visit(EdgeRef edge, Outcome outcome) {
  Node& n = nodes_[edge.node];
  EdgeGroup& g = group(edge.node, edge.slot);
  const std::size_t l = lane(edge.slot);
  if (g.visits[l]++ == 0) n.tried_prior += g.prior[l];
  g.value[l] += outcome.value;
  g.decided[l] += outcome.decided;
  ++n.visits;
  n.value += outcome.value;
  n.decided += outcome.decided;
}

void Tree::back_up(EdgeRef edge, Outcome outcome) {
  while (true) {
    const ValueBounds known = bounds(edge);
    outcome = outcome.within(known);
    visit(edge, outcome);
    if (known.exact()) {
      EdgeGroup& g = group(edge.node, edge.slot);
      const std::size_t l = lane(edge.slot);
      const auto visits = static_cast<float>(g.visits[l]);
      const Outcome exact = Outcome::exactly(known.low);
      g.value[l] = exact.value * visits;
      g.decided[l] = exact.decided * visits;
    }
    const Node& n = nodes_[edge.node];
    if (n.parent == kNoNode) return;
    edge = {n.parent, n.parent_slot};
    // The outcome is for the player to act at n; across a give that is the other player.
    if (nodes_[edge.node].phase == Phase::give) outcome = -outcome;
  }
}

bool Tree::mark(EdgeRef edge, ValueBounds bounds) {
  Node& n = nodes_[edge.node];
  const Mask b = slot_bit(edge.slot);
  const auto set = [b](Mask& mask, bool wanted) {
    if (!wanted || (mask & b)) return false;
    mask |= b;
    return true;
  };
  bool changed = set(n.won, bounds.low == Value::win);
  changed |= set(n.lost, bounds.high == Value::loss);
  changed |= set(n.at_least_draw, bounds.low >= Value::draw);
  changed |= set(n.at_most_draw, bounds.high <= Value::draw);
  return changed;
}

void Tree::tighten(EdgeRef edge, ValueBounds known) {
  while (bounded_ || known.exact()) {
    const ValueBounds before = bounds(edge.node);
    if (!mark(edge, known)) return;
    const Node& n = nodes_[edge.node];
    known = bounds(edge.node);
    if (known == before || n.parent == kNoNode) return;
    edge = {n.parent, n.parent_slot};
    if (nodes_[edge.node].phase == Phase::give) known = -known;
  }
}

void Tree::tighten(NodeIndex node, ValueBounds known) {
  assert(bounded_ && !known.exact());
  Node& n = nodes_[node];
  const ValueBounds before = bounds(node);
  if (known.high == Value::draw) n.at_most_draw = all_slots(n.slots);
  if (known.low == Value::draw && n.parent != kNoNode) n.holds_draw = true;
  const ValueBounds after = bounds(node);
  if (after == before || n.parent == kNoNode) return;
  const EdgeRef above{n.parent, n.parent_slot};
  tighten(above, nodes_[above.node].phase == Phase::give ? -after : after);
}

void Tree::keep(NodeIndex root) {
  nodes_[root].parent = kNoNode;
  nodes_[root].reached = true;
  nodes_[root].holds_draw = false;
  NodeIndex to = 0;
  std::uint32_t to_group = 0;
  // In index order parents come first, and everything moves towards the front, so nothing is overwritten before it has
  // been moved. A node learns its parent's new place when the parent moves, and tells it its own when it moves itself.
  for (NodeIndex from = root; from < nodes_.size(); ++from) {
    if (!nodes_[from].reached) continue;
    Node n = nodes_[from];
    n.reached = false;
    const auto groups = static_cast<std::uint32_t>(groups_for(n.slots));
    std::copy_n(groups_.begin() + n.edges, groups, groups_.begin() + to_group);
    n.edges = to_group;
    nodes_[to] = n;
    for (int s = 0; s < n.slots; ++s) {
      const NodeIndex child = group(to, s).child[lane(s)];
      if (child == kNoNode) continue;
      nodes_[child].parent = to;
      nodes_[child].reached = true;
    }
    if (n.parent != kNoNode) group(n.parent, n.parent_slot).child[lane(n.parent_slot)] = to;
    ++to;
    to_group += groups;
  }
  nodes_.resize(to);
  groups_.resize(to_group);
}

}  // namespace quarto
