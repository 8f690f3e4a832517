// The tree as it lies in memory. Two arenas, 32-bit indices between them, no allocation per node:
//
//     nodes   | root |  ..  | node |  ..  | node |       32 bytes each, in the order in which they were expanded:
//                 ^            |  |          ^           parents lie before their children
//                 |   parent   |  | edges    |
//                 +------------+  v          |
//     edges   |  ..   | group | group |  ..  |  ..  |    128 bytes a group: eight edges, column by column. Slot i of a
//                     :       :              |           node is its i-th move in order of index; a node with more
//                     : prior   x 8          |           than eight moves owns two groups side by side. PUCT runs down
//                     : visits  x 8          | child     whole columns, so that the compiler can use vectors.
//                     : value   x 8          |
//                     : child   x 8 ---------+
//
// Only positions that were evaluated become nodes. A position whose value follows from the rules is a bit in its
// parent's masks (won, drawn, lost) and nothing else; so is one whose value has been proven by search, its node being
// kept only so that the game may enter it.
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

#include "env/types.h"
#include "mcts/config.h"

namespace quarto {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = std::numeric_limits<NodeIndex>::max();
inline constexpr int kLanes = 8;  // edges in a group

struct alignas(32) EdgeGroup {
  std::array<float, kLanes> prior;
  std::array<std::int32_t, kLanes> visits;
  // The sum of the values backed up, for the player to act at the node that owns the edge. Exactly value * visits once
  // the edge is proven. Single precision: good for some ten million visits.
  std::array<float, kLanes> value;
  std::array<NodeIndex, kLanes> child;  // kNoNode until it is expanded
};
static_assert(sizeof(EdgeGroup) == 128);

struct Node {
  NodeIndex parent = kNoNode;
  std::uint32_t edges = 0;            // its first group
  std::int32_t visits = 0;            // its own expansion and every simulation that went through it
  float value = 0;                    // the sum of the values backed up, for the player to act here
  float tried_prior = 0;              // the sum of the priors of the edges that have visits
  Mask moves = 0;                     // slot i is the i-th set bit; gives that the rules refute are not in it
  Mask won = 0, drawn = 0, lost = 0;  // slots (not moves) with proven values, for the player to act here
  std::uint8_t parent_slot = 0;
  std::uint8_t slots = 0;  // the number of moves
  Phase phase = Phase::place;
  bool reached = false;  // scratch for keep()
};
static_assert(sizeof(Node) == 32);

constexpr Mask all_slots(int slots) { return static_cast<Mask>((1U << slots) - 1); }

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
  std::optional<Value> proven(EdgeRef e) const;
  std::optional<Value> proven(NodeIndex i) const;

  // Adds the node that an edge leads to (or the root, for an EdgeRef without a node) with the priors of its moves, in
  // slot order. Its own evaluation, for the player to act there, is its first visit.
  void add(EdgeRef from, Phase phase, Mask moves, std::span<const float> priors, float value);
  void set_priors(NodeIndex i, std::span<const float> priors);

  // The slot to try next; the node must have one that is not proven lost, and none proven won.
  int choose(NodeIndex i, const PuctParameters& p) const;

  // Ends a simulation that reached `edge`: adds `value` (for the player to act at the edge's node) to every edge and
  // node up to the root, changing sign across gives.
  void back_up(EdgeRef edge, float value);
  // The same with a value that is exact: marks the edge, and every node and edge above it that is proven by that.
  void back_up_proven(EdgeRef edge, Value value);
  // Makes a node the root and forgets all that is not below it.
  void keep(NodeIndex root);

 private:
  static constexpr std::size_t lane(int slot) { return static_cast<std::size_t>(slot) % kLanes; }
  EdgeGroup& group(NodeIndex i, int slot) { return groups_[nodes_[i].edges + static_cast<std::size_t>(slot) / kLanes]; }
  void visit(EdgeRef edge, float value);

  std::vector<Node> nodes_;
  std::vector<EdgeGroup> groups_;
};

}  // namespace quarto
