// The interface between search and networks. It is part of env, so that search and networks both depend on it and not
// on each other. LibTorch networks, the uniform stub, caches and random symmetries are evaluators; the last two wrap
// any other.
//
// Networks evaluate positions. A search asks questions: a position's evaluation, bounds of its exact value, or both.
// ProvingEvaluator answers them with a prover and any evaluator.
//
// Use:   auto batch = evaluator.new_batch();
//        if (batch->add(position, result) == Status::known) ...   // filled at once, from a cache
//        batch->submit();                                         // optional: a device starts computing meanwhile
//        batch->compute();                                        // fills every queued result
//
// (After lc0's `Backend`/`BackendComputation`, src/neural/backend.h.)
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "env/position.h"
#include "env/prover.h"

namespace quarto {

// The evaluation of one position, for the player to act.
struct Evaluation {
  // Over the moves of the position's phase: zero on illegal ones, summing to one.
  std::array<float, kMoves> prior{};
  // Probabilities of the outcome, summing to one.
  float win = 0, draw = 1, loss = 0;

  float value() const { return win - loss; }  // -1..1
  // The probability of one outcome, 0..1.
  float of(Value v) const { return v == Value::win ? win : v == Value::draw ? draw : loss; }
};

// What a search wants to know of a position, which must not be terminal.
struct Question {
  Position position;
  ValueBounds known{};      // proven, or assumed: then what is answered holds under the same assumption
  std::uint64_t nodes = 0;  // of Prover::bounds(); 0: nothing is to be proven
  bool evaluate = true;     // false: bounds alone
};

struct Answer {
  Evaluation evaluation;  // undefined if none was wanted, or if the bounds are exact
  ValueBounds bounds;     // Question::known; tighter only if nodes were given
};

// Collects positions and evaluates them together. Not thread-safe; each thread makes its own.
class EvaluationBatch {
 public:
  enum class Status { queued, known };

  virtual ~EvaluationBatch() = default;
  // `position` must not be terminal. Either fills `out` at once (known) or keeps its address until compute().
  virtual Status add(const Position& position, Evaluation& out) = 0;
  // The same for a question. Throws std::logic_error if something is to be proven and this batch cannot; by default
  // none can.
  virtual Status ask(const Question& question, Answer& out);
  // The number of positions waiting for compute().
  virtual std::size_t size() const = 0;
  // Starts computing what is queued, if that can go on by itself (on a GPU); elsewhere, and with nothing queued, it
  // does nothing. From then until compute() nothing may be added, which is a std::logic_error where something was
  // started. Throws as compute() does.
  virtual void submit() {}
  // Submits if that has not been done, waits, fills every queued result and empties the batch, which may then be used
  // again. Throws std::runtime_error when the device fails; nothing is filled then.
  virtual void compute() = 0;
};

// The guard of that rule, for implementations of submit() to hold.
class Submitted {
 public:
  explicit operator bool() const { return submitted_; }
  void set() { submitted_ = true; }
  void clear() { submitted_ = false; }
  // Throws std::logic_error if the batch has been submitted.
  void refuse_addition() const;

 private:
  bool submitted_ = false;
};

// What a caller may rely on. The default promises nothing.
struct EvaluatorTraits {
  // The evaluation of an image of a position is the image of its evaluation, up to rounding.
  bool equivariant = false;
  // The evaluation of a position has the same bits whatever else is in the batch.
  bool batch_invariant = false;
};

// Thread-safe: batches of one evaluator may be used from different threads at the same time, one thread each.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual std::unique_ptr<EvaluationBatch> new_batch() = 0;
  // Proofs on the device that evaluates, with the answers of solver_prover(); null if it has none.
  virtual std::unique_ptr<ProofBatch> new_proofs() { return nullptr; }
  virtual EvaluatorTraits traits() const { return {}; }
  // Every thread calls it before it uses batches, and so does one that starts such threads before it starts them.
  virtual void begin_thread() {}
  // What computes it, for people: "our kernels on NVIDIA H200 (sm_90)".
  virtual std::string computed_by() const { return "something else"; }
};

// Evaluates all positions in one batch. The spans must have equal lengths.
void evaluate(Evaluator& evaluator, std::span<const Position> positions, std::span<Evaluation> out);

// The legal move with the largest prior, the lowest index among equals. `position` must not be terminal.
Move likeliest_move(const Position& position, const Evaluation& evaluation);

// Proves with a prover, and asks another evaluator where that leaves the value open. Both must outlive it. With `on_device`
// the evaluator's device proves; new_batch() throws std::runtime_error if it does not.
class ProvingEvaluator final : public Evaluator {
 public:
  ProvingEvaluator(Evaluator& evaluator, const Prover& prover, bool on_device = false)
      : evaluator_(evaluator), prover_(prover), on_device_(on_device) {}
  std::unique_ptr<EvaluationBatch> new_batch() override;
  EvaluatorTraits traits() const override { return evaluator_.traits(); }
  void begin_thread() override { evaluator_.begin_thread(); }
  std::string computed_by() const override { return evaluator_.computed_by(); }

 private:
  Evaluator& evaluator_;
  const Prover& prover_;
  bool on_device_;
};

// Equal priors over the legal moves, value 0. A stub for tests, a baseline for measurements.
class UniformEvaluator final : public Evaluator {
 public:
  std::unique_ptr<EvaluationBatch> new_batch() override;
  EvaluatorTraits traits() const override { return {.equivariant = true, .batch_invariant = true}; }
};

}  // namespace quarto
