// Bounds of exact values from a small proof search: the contract between a tree search and a prover.
//
// A prover is not an oracle (env/oracle.h). It searches a given number of nodes by the rules alone, so a run of track
// `zero` may use one. It is a type of its own, so that neither can be passed for the other.
#pragma once

#include <cstddef>
#include <cstdint>
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

// Questions that are answered together, as EvaluationBatch (env/evaluator.h) evaluates. Not thread-safe.
class ProofBatch {
 public:
  virtual ~ProofBatch() = default;
  // Prover::bounds() of these, in `out` after compute().
  virtual void add(const Position& position, std::uint64_t nodes, ValueBounds known, ValueBounds& out) = 0;
  virtual std::size_t size() const = 0;
  virtual void submit() = 0;
  // Throws std::runtime_error when the device fails; nothing is filled then.
  virtual void compute() = 0;
};

// Thread-safe. An answer is a function of the question alone.
class Prover {
 public:
  virtual ~Prover() = default;
  // Does the player to act get at least a draw? Does the player win? The first is asked if `known` leaves it open, the
  // second if `known` leaves it open and the first was not asked in vain; each may take `nodes` nodes. The result is
  // `known` or tighter, and it is proven if `known` is. The position must not be terminal.
  virtual ValueBounds bounds(const Position& position, std::uint64_t nodes, ValueBounds known) const = 0;
  ValueBounds bounds(const Position& position, std::uint64_t nodes) const { return bounds(position, nodes, {}); }
};

}  // namespace quarto
