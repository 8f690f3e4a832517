// Bounds of exact values from a small proof search: the contract between a tree search and a prover.
//
// A prover is not an oracle (env/oracle.h). It searches a given number of nodes by the rules alone, so a run of track
// `zero` may use one. It is a type of its own, so that neither can be passed for the other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "env/position.h"

namespace quarto {

// The exact value, for the player to act, is in low..high. The default is no knowledge.
struct ValueBounds {
  Value low = Value::loss, high = Value::win;

  static constexpr ValueBounds exactly(Value v) { return {v, v}; }
  constexpr bool exact() const { return low == high; }
  constexpr std::optional<Value> value() const { return exact() ? std::optional(low) : std::nullopt; }
  constexpr bool trivial() const { return low == Value::loss && high == Value::win; }
  // The same knowledge, for the other player.
  constexpr ValueBounds operator-() const { return {-high, -low}; }
  friend constexpr bool operator==(const ValueBounds&, const ValueBounds&) = default;
};

// Not thread-safe; each search has its own. Answers depend on the questions since the last forget() (what they found is
// kept) and on nothing else.
class Prover {
 public:
  virtual ~Prover() = default;
  // Forgets what earlier questions found.
  virtual void forget() = 0;
  // Two questions, with at most `nodes` nodes for each: does the player to act get at least a draw, and does the player
  // win? A question that `known` answers is not asked. The result is `known` or tighter, and it is proven if `known`
  // is; a question that the nodes do not suffice for leaves its bound as it was. The position must not be terminal.
  virtual ValueBounds bounds(const Position& position, std::uint64_t nodes, ValueBounds known) = 0;
  ValueBounds bounds(const Position& position, std::uint64_t nodes) { return bounds(position, nodes, {}); }
  // The second question alone: the result is Value::draw if the player to act cannot win, else (or if that is not
  // known) Value::win.
  virtual Value ceiling(const Position& position, std::uint64_t nodes) = 0;
};

// `nodes`: what a question is usually given, at least 1.
using ProverMaker = std::function<std::unique_ptr<Prover>(int nodes)>;

}  // namespace quarto
