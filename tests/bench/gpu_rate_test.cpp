#include "bench/gpu_rate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>

#include "env/random_play.h"

namespace quarto::bench {
namespace {

// Counts the positions that it is asked about, and fails after `most`.
class Counting final : public Evaluator {
 public:
  explicit Counting(int most) : most_(most) {}
  std::unique_ptr<EvaluationBatch> new_batch() override {
    struct Batch final : EvaluationBatch {
      explicit Batch(Counting& counting) : all(counting) {}
      Status add(const Position&, Evaluation&) override {
        if (++all.positions_ > all.most_) throw std::runtime_error("enough");
        return Status::known;
      }
      std::size_t size() const override { return 0; }
      void compute() override {}
      Counting& all;
    };
    return std::make_unique<Batch>(*this);
  }
  EvaluatorTraits traits() const override { return {}; }
  int positions() const { return positions_; }

 private:
  int most_;
  std::atomic<int> positions_ = 0;
};

TEST(GpuRate, CountsWhatAllThreadsCompute) {
  const auto positions = unfinished_positions(50, Rules::lines, 1);
  Counting evaluator(2'000'000'000);
  const auto start = std::chrono::steady_clock::now();
  const double rate = positions_per_second_on_gpu(evaluator, positions, 2, 3, 0.01);
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GE(evaluator.positions(), 3 * 2 * 50 * (5 + 5));
  // All but the five rounds before each measurement were measured, and in less than the time that passed here.
  EXPECT_GE(rate, (evaluator.positions() - 3 * 2 * 50 * 5) / spent);
}

TEST(GpuRate, AnErrorOfOneThreadIsAnError) {
  const auto positions = unfinished_positions(50, Rules::lines, 1);
  for (const int most : {0, 1000, 5000}) {  // before the threads have met, and afterwards
    Counting evaluator(most);
    EXPECT_THROW(positions_per_second_on_gpu(evaluator, positions, 2, 3, 10), std::runtime_error) << most;
  }
}

}  // namespace
}  // namespace quarto::bench
