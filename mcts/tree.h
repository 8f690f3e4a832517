// The tree as it lies in memory. Two arenas, 32-bit indices between them, no allocation per node:
//
//     nodes   | root |  ..  | node |  ..  | node |       40 bytes each, in the order in which they were expanded:
//                 ^            |  |          ^           parents lie before their children
//                 |   parent   |  | edges    |
//                 +------------+  v          |
//     edges   |  ..   | group | group |  ..  |  ..  |    160 bytes a group: eight edges, column by column. Slot i of a
//                     :       :              |           node is its i-th move in order of index; a node with more
//                     : prior   x 8          |           than eight moves owns two groups side by side. PUCT runs down
//                     : visits  x 8          | child     whole columns, so that the compiler can use vectors.
//                     : value   x 8          |
//                     : decided x 8          |
//                     : child   x 8 ---------+
//
// Only positions that were evaluated become nodes. A position whose value follows from the rules is a bit in its
// parent's masks and nothing else; so is one whose value has been proven by search, its node being kept only so that
// the game may enter it.
//
// A *bounded* tree also keeps what is half known (score-bounded search: Cazenave and Saffidine, 2010): per move whether
// it is worth at least, or at most, a draw, and per node whether it is worth at least a draw by some move unknown.
// Moves that cannot be worth more than what the node has already are not searched. Values are backed up as two numbers,
// the share of wins less the share of losses and the sum of the two, so that a bound removes one of the shares: cutting
// off the mean instead would make all moves of a node that cannot be won look equal.
//
// keep() makes a child the root and slides its subtree to the front of the arenas, in place; the memory stays for the
// next search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "env/prover.h"
#include "env/types.h"
#include "mcts/config.h"

namespace quarto {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = std::numeric_limits<NodeIndex>::max();
inline constexpr int kLanes = 8;  // edges in a group

struct alignas(32) EdgeGroup {
  std::array<float, kLanes> prior;
  std::array<std::int32_t, kLanes> visits;
  // The sum of the values backed up, wins less losses, for the player to act at the node that owns the edge. Once
  // the edge is proven, its exact value counts (mean()), whatever the sum. Single precision: good for some ten million
  // visits.
  std::array<float, kLanes> value;
  std::array<float, kLanes> decided;    // the same sum of wins and losses
  std::array<NodeIndex, kLanes> child;  // kNoNode until it is expanded
};
static_assert(sizeof(EdgeGroup) == 160);

struct Node {
  NodeIndex parent = kNoNode;
  std::uint32_t edges = 0;  // its first group
  std::int32_t visits = 0;  // its own expansion and every simulation that went through it
  float value = 0;          // the sum of the values backed up, for the player to act here
  float decided = 0;        // the same sum of wins and losses
  float tried_prior = 0;    // the sum of the priors of the edges that have visits
  Mask moves = 0;           // slot i is the i-th set bit; gives that the rules refute are not in it
  // Slots (not moves) with proven bounds, for the player to act here. A won slot is also at_least_draw, a lost one also
  // at_most_draw, a drawn one both.
  Mask won = 0, lost = 0, at_least_draw = 0, at_most_draw = 0;
  std::uint8_t parent_slot = 0;
  std::uint8_t slots = 0;  // the number of moves
  Phase phase = Phase::place;
  bool reached = false;  // scratch for keep()
  // The node is worth at least a draw, though the move may be unknown. Never set at the root: there a move is needed.
  bool holds_draw = false;

  Mask drawn() const { return static_cast<Mask>(at_least_draw & at_most_draw); }
};
static_assert(sizeof(Node) == 40);

constexpr Mask all_slots(int slots) { return static_cast<Mask>((1U << slots) - 1); }

// A value to back up, for some player: wins less losses, and wins plus losses, as shares of 1.
struct Outcome {
  float value = 0, decided = 0;

  static constexpr Outcome exactly(Value v) { return {static_cast<float>(v), v == Value::draw ? 0.0F : 1.0F}; }
  constexpr Outcome operator-() const { return {-value, decided}; }
  // Without the share that the bounds exclude.
  constexpr Outcome within(ValueBounds b) const {
    if (b.exact()) return exactly(b.low);
    if (b.trivial()) return *this;
    const float share = 0.5F * (b.low == Value::draw ? decided + value : decided - value);  // of wins, or of losses
    return {b.low == Value::draw ? share : -share, share};
  }
};

struct EdgeRef {
  NodeIndex node = kNoNode;
  int slot = 0;
};

// The part of SearchConfig that selection reads, in the types it computes with.
struct PuctParameters {
  float c, growth, base, fpu, root_fpu;
  explicit PuctParameters(const SearchConfig& config);
  // c(N) * sqrt(N): what a node with N visits multiplies P(m) / (1 + n(m)) with.
  float exploration(float visits) const;
};

class Tree {
 public:
  // bounded: keeps bounds, too; otherwise proven values only.
  explicit Tree(bool bounded = false) : bounded_(bounded) {}

  bool bounded() const { return bounded_; }
  void clear();  // keeps the memory
  // Room for this many nodes without moving any.
  void reserve(std::size_t nodes);

  bool empty() const { return nodes_.empty(); }
  std::size_t size() const { return nodes_.size(); }
  std::size_t memory_bytes() const;

  const Node& node(NodeIndex i) const { return nodes_[i]; }
  const EdgeGroup& group(NodeIndex i, int slot) const {
    return groups_[nodes_[i].edges + static_cast<std::size_t>(slot) / kLanes];
  }
  Move move(NodeIndex i, int slot) const;
  // The slot of a move, or -1 if the node does not have it.
  int slot(NodeIndex i, Move move) const;
  NodeIndex child(EdgeRef e) const { return group(e.node, e.slot).child[lane(e.slot)]; }
  int visits(EdgeRef e) const { return group(e.node, e.slot).visits[lane(e.slot)]; }
  float prior(EdgeRef e) const { return group(e.node, e.slot).prior[lane(e.slot)]; }
  float value_sum(EdgeRef e) const { return group(e.node, e.slot).value[lane(e.slot)]; }
  // For the player to act at the edge's node.
  ValueBounds bounds(EdgeRef e) const;
  std::optional<Value> proven(EdgeRef e) const;
  // For the player to act at the node. In a tree that is not bounded: a proven value or nothing.
  ValueBounds bounds(NodeIndex i) const;
  std::optional<Value> proven(NodeIndex i) const;
  // The mean of the visits of an edge, which must have some, or of a node, within its bounds.
  float mean(EdgeRef e) const;
  float mean(NodeIndex i) const;
  // The slots that a simulation can still say something about: their upper bound is above the node's lower one (in a
  // tree that is not bounded: all that are not proven losses).
  Mask worth_trying(NodeIndex i) const;

  // Adds the node that an edge leads to (or the root, for an EdgeRef without a node) with the priors of its moves, in
  // slot order. Its own evaluation, for the player to act there, is its first visit.
  void add(EdgeRef from, Phase phase, Mask moves, std::span<const float> priors, Outcome outcome);
  void set_priors(NodeIndex i, std::span<const float> priors);

  // The slot to try next; the node must have one that is not proven lost, and none proven won.
  int choose(NodeIndex i, const PuctParameters& p) const;

  // Ends a simulation that reached `edge`: adds the outcome (for the player to act at the edge's node) to every edge
  // and node up to the root, changing sides across gives. Known bounds apply on the way.
  void back_up(EdgeRef edge, Outcome outcome);
  // Notes bounds of an edge (for the player to act at its node) and what follows for the nodes and edges above it.
  // A tree that is not bounded notes proven values only.
  void tighten(EdgeRef edge, ValueBounds bounds);
  // The same for a node, by a proof that names no move. Not for the lower bound of the root, nor for bounds that prove
  // the node: note these at the edge that leads to it.
  void tighten(NodeIndex node, ValueBounds bounds);
  // Makes a node the root and forgets all that is not below it.
  void keep(NodeIndex root);

 private:
  static constexpr std::size_t lane(int slot) { return static_cast<std::size_t>(slot) % kLanes; }
  EdgeGroup& group(NodeIndex i, int slot) { return groups_[nodes_[i].edges + static_cast<std::size_t>(slot) / kLanes]; }
  void visit(EdgeRef edge, Outcome outcome);
  // True if that changes what is known.
  bool mark(EdgeRef edge, ValueBounds bounds);

  bool bounded_;
  std::vector<Node> nodes_;
  std::vector<EdgeGroup> groups_;
};

}  // namespace quarto
