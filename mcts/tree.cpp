#include "mcts/tree.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

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
  return (growth == 0 ? c : c + growth * std::log((visits + base + 1) / base)) * std::sqrt(visits);
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

std::optional<Value> Tree::proven(EdgeRef e) const {
  const Node& n = nodes_[e.node];
  const Mask b = slot_bit(e.slot);
  if (n.won & b) return Value::win;
  if (n.drawn & b) return Value::draw;
  if (n.lost & b) return Value::loss;
  return std::nullopt;
}

std::optional<Value> Tree::proven(NodeIndex i) const {
  const Node& n = nodes_[i];
  if (n.won) return Value::win;
  if ((n.drawn | n.lost) != all_slots(n.slots)) return std::nullopt;
  return n.drawn ? Value::draw : Value::loss;
}

void Tree::add(EdgeRef from, Phase phase, Mask moves, std::span<const float> priors, float value) {
  assert(moves != 0 && priors.size() == static_cast<std::size_t>(std::popcount(moves)));
  const auto index = static_cast<NodeIndex>(nodes_.size());
  Node& n = nodes_.emplace_back();
  n.parent = from.node;
  n.parent_slot = static_cast<std::uint8_t>(from.slot);
  n.edges = static_cast<std::uint32_t>(groups_.size());
  n.visits = 1;
  n.value = value;
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
  assert(n.won == 0 && n.lost != all_slots(n.slots));
  const auto visits = static_cast<float>(n.visits);
  const float scale = p.exploration(visits);
  const float untried = n.value / visits - (i == 0 ? p.root_fpu : p.fpu) * std::sqrt(n.tried_prior);

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
  // The first of the best, so that the choice is the same wherever it is computed.
  Mask open = static_cast<Mask>(all_slots(n.slots) & ~n.lost);
  int best = std::countr_zero(open);
  for (const int s : BitsOf(open)) {
    if (score[static_cast<std::size_t>(s)] > score[static_cast<std::size_t>(best)]) best = s;
  }
  return best;
}

void Tree::visit(EdgeRef edge, float value) {
  Node& n = nodes_[edge.node];
  EdgeGroup& g = group(edge.node, edge.slot);
  const std::size_t l = lane(edge.slot);
  if (g.visits[l]++ == 0) n.tried_prior += g.prior[l];
  g.value[l] += value;
  ++n.visits;
  n.value += value;
}

void Tree::back_up(EdgeRef edge, float value) {
  while (true) {
    visit(edge, value);
    const Node& n = nodes_[edge.node];
    if (n.parent == kNoNode) return;
    edge = {n.parent, n.parent_slot};
    // `value` is for the player to act at n; across a give that is the other player.
    if (nodes_[edge.node].phase == Phase::give) value = -value;
  }
}

void Tree::back_up_proven(EdgeRef edge, Value value) {
  while (true) {
    const auto exact = static_cast<float>(value);
    visit(edge, exact);
    Node& n = nodes_[edge.node];
    EdgeGroup& g = group(edge.node, edge.slot);
    g.value[lane(edge.slot)] = exact * static_cast<float>(g.visits[lane(edge.slot)]);
    Mask& proof = value == Value::win ? n.won : value == Value::draw ? n.drawn : n.lost;
    proof |= slot_bit(edge.slot);
    const std::optional<Value> decided = proven(edge.node);
    if (n.parent == kNoNode) return;
    const EdgeRef above{n.parent, n.parent_slot};
    const bool other_player = nodes_[above.node].phase == Phase::give;
    if (!decided) return back_up(above, other_player ? -exact : exact);
    value = other_player ? -*decided : *decided;
    edge = above;
  }
}

void Tree::keep(NodeIndex root) {
  nodes_[root].parent = kNoNode;
  nodes_[root].reached = true;
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
