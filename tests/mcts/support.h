// What the tests of the search share: a slow, obviously right minimax, and evaluators made for showing things.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "env/canonical.h"
#include "env/evaluator.h"
#include "mcts/search.h"
#include "tests/support/random_positions.h"

namespace quarto {

// The search alone, without a prover.
inline SearchConfig plain() {
  SearchConfig c;
  c.proof_nodes = 0;
  return c;
}

// By trying everything. Seconds with eight empty squares, nothing with five.
inline Value minimax(const Position& p) {
  if (p.is_terminal()) return p.terminal_value();
  Value best = Value::loss;
  for (const int m : BitsOf(p.legal_moves())) {
    const Position q = p.after({p.phase(), static_cast<std::uint8_t>(m)});
    const Value v = q.player_to_act() == p.player_to_act() || q.is_terminal() ? minimax(q) : -minimax(q);
    best = std::max(best, v);
  }
  return best;
}
inline Value minimax_of_move(const Position& p, Move m) {
  return m.phase == Phase::give ? -minimax(p.after(m)) : minimax(p.after(m));
}

// Any function from positions to opinions. Queues like a network does, unless it is to know at once.
class FunctionEvaluator final : public Evaluator {
 public:
  using Function = std::function<Evaluation(const Position&)>;
  explicit FunctionEvaluator(Function f, std::function<bool(const Position&)> knows = {})
      : f_(std::move(f)), knows_(std::move(knows)) {}

  std::unique_ptr<EvaluationBatch> new_batch() override { return std::make_unique<Batch>(*this); }

  std::vector<std::size_t> batch_sizes;  // of every compute()
  int known = 0;

 private:
  class Batch final : public EvaluationBatch {
   public:
    explicit Batch(FunctionEvaluator& owner) : owner_(owner) {}
    Status add(const Position& p, Evaluation& out) override {
      if (owner_.knows_ && owner_.knows_(p)) {
        out = owner_.f_(p);
        ++owner_.known;
        return Status::known;
      }
      waiting_.emplace_back(p, &out);
      return Status::queued;
    }
    std::size_t size() const override { return waiting_.size(); }
    void compute() override {
      owner_.batch_sizes.push_back(waiting_.size());
      for (auto& [p, out] : waiting_) *out = owner_.f_(p);
      waiting_.clear();
    }

   private:
    FunctionEvaluator& owner_;
    std::vector<std::pair<Position, Evaluation*>> waiting_;
  };

  Function f_;
  std::function<bool(const Position&)> knows_;
};

inline Evaluation uniform_opinion(const Position& p) {
  Evaluation e;
  const auto n = static_cast<float>(std::popcount(p.legal_moves()));
  for (const int m : BitsOf(p.legal_moves())) e.prior[static_cast<std::size_t>(m)] = 1 / n;
  return e;
}

inline Evaluation with_value(Evaluation e, float v) {
  e.win = (1 + v) / 2;
  e.draw = 0;
  e.loss = (1 - v) / 2;
  return e;
}

// Strong and arbitrary opinions that differ between positions but not between images of one: made of hashes of
// canonical keys. A symmetric evaluator that is nothing like uniform.
inline Evaluation hashed_opinion(const Position& p) {
  const auto hash = [](const Position& q) { return canonical_key(q).hash(); };
  Evaluation e;
  float sum = 0;
  for (const int m : BitsOf(p.legal_moves())) {
    float& prior = e.prior[static_cast<std::size_t>(m)];
    prior = 1.0F + static_cast<float>(hash(p.after({p.phase(), static_cast<std::uint8_t>(m)})) % 16);
    sum += prior;
  }
  for (float& prior : e.prior) prior /= sum;
  return with_value(e, static_cast<float>(hash(p) % 1001) / 1000.0F - 0.5F);
}

inline void run(Search& search, int simulations, const FunctionEvaluator::Function& f = uniform_opinion) {
  while (const Position* leaf = search.select(simulations)) search.expand(f(*leaf));
}

inline Search searched(const Position& p, int simulations, const FunctionEvaluator::Function& f = uniform_opinion,
                       const SearchConfig& config = plain()) {
  Search s(config, 1);
  s.set_root(p);
  run(s, simulations, f);
  return s;
}

}  // namespace quarto
