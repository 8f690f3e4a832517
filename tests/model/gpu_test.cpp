// What runs on a GPU, against the same on the processor. Skipped where there is none.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <map>
#include <thread>

#include "env/random_play.h"
#include "model/evaluators.h"
#include "model/network_evaluator.h"
#include "selfplay/decorators.h"
#include "tests/model/stir.h"

namespace quarto {
namespace {

std::shared_ptr<Network> small_network(NetworkKind kind) {
  torch::manual_seed(1);
  NetworkConfig config;
  config.kind = kind;
  // Of `pairs` the width at which threads share the channels of a pair; every GPU with our kernels has memory for it.
  config.width = kind == NetworkKind::residual ? 8 : 48;
  const auto network = make_network(config);
  stir(*network);
  return network;
}

double apart(std::span<const Evaluation> a, std::span<const Evaluation> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t m = 0; m < kMoves; ++m) most = std::max(most, std::abs(double{a[i].prior[m]} - b[i].prior[m]));
    most = std::max({most, std::abs(double{a[i].win} - b[i].win), std::abs(double{a[i].loss} - b[i].loss)});
  }
  return most;
}

// What the processor says of some positions, by its fastest evaluator; LibTorch alone would take minutes.
struct Expected {
  std::shared_ptr<Network> network;
  std::vector<Position> positions;
  std::vector<Evaluation> evaluations;

  explicit Expected(NetworkKind kind) : network(small_network(kind)) {
    // More than the largest graph has rows; but LibTorch takes 139 KB of counts for a position.
    positions = unfinished_positions(kind == NetworkKind::pairs ? 2000 : 9000, Rules::lines, 5);
    evaluations.resize(positions.size());
    const auto processor = make_evaluator(network, torch::kCPU);
    evaluate(*processor, positions, evaluations);
  }
};

class OnTheGpu : public testing::TestWithParam<NetworkKind> {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "no CUDA device";
    static std::map<NetworkKind, Expected> known;
    const Expected& expected = known.try_emplace(GetParam(), GetParam()).first->second;
    network_ = expected.network;
    positions_ = expected.positions;
    expected_ = expected.evaluations;
  }
  // Of batches: sizes shrink and grow, so that old rows lie about.
  std::vector<std::size_t> sizes() const { return {1U, 64U, 65U, 300U, positions_.size(), 7U, 128U}; }

  const torch::Device gpu_{torch::kCUDA, 0};
  // LibTorch's form, and our kernels where the network has any.
  static constexpr bool kForms[] = {false, true};
  std::unique_ptr<Evaluator> evaluator(bool fastest) const {
    if (fastest) return make_evaluator(network_, gpu_);
    return std::make_unique<NetworkEvaluator>(network_, gpu_);
  }

  std::vector<Position> positions_;
  std::vector<Evaluation> expected_;
  std::shared_ptr<Network> network_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, OnTheGpu, testing::Values(NetworkKind::pairs, NetworkKind::residual),
                         [](const auto& kind) { return std::string(name_of(kind.param)); });

TEST_P(OnTheGpu, BatchesOfEverySizeAgreeWithTheProcessor) {
  const bool ours = GetParam() == NetworkKind::pairs;
  EXPECT_THAT(evaluator(true)->computed_by(), testing::HasSubstr(ours ? "our kernels on" : "LibTorch"));
  for (const bool fastest : kForms) {
    const auto gpu = evaluator(fastest);
    const auto batch = gpu->new_batch();
    for (const std::size_t n : sizes()) {
      std::vector<Evaluation> out(n);
      for (std::size_t i = 0; i < n; ++i) batch->add(positions_[i], out[i]);
      batch->submit();
      batch->compute();
      EXPECT_LT(apart(out, std::span(expected_).first(n)), 0.01) << fastest << " " << n;
    }
  }
}

TEST_P(OnTheGpu, ShorterNumbersThinkMuchTheSame) {
  NetworkEvaluator gpu(network_, gpu_, Precision::bfloat16);
  std::vector<Evaluation> out(positions_.size());
  evaluate(gpu, positions_, out);
  EXPECT_LT(apart(out, expected_), 0.15);
}

TEST_P(OnTheGpu, ManyBatchesOfManyThreadsAreInFlightAtOnce) {
  for (const bool fastest : kForms) {
    const auto gpu = evaluator(fastest);
    CacheEvaluator cache(*gpu, 16);
    const auto work = [&](std::size_t thread) {
      const std::size_t first = (positions_.size() - 600) / 8 * thread;
      for (std::size_t round = 0; round < 20; ++round) {
        std::vector<Evaluation> out(600);
        std::vector<std::unique_ptr<EvaluationBatch>> batches;
        for (std::size_t b = 0; b < 3; ++b) {
          batches.push_back((thread % 2 ? static_cast<Evaluator&>(cache) : *gpu).new_batch());
          for (std::size_t i = 200 * b; i < 200 * b + 100 + 20 * round % 100; ++i) {
            batches[b]->add(positions_[first + i], out[i]);
          }
          batches[b]->submit();
        }
        for (std::size_t b = 0; b < 3; ++b) {
          batches[b]->compute();
          ASSERT_LT(apart(std::span(out).subspan(200 * b, 100), std::span(expected_).subspan(first + 200 * b, 100)),
                    0.01);
        }
      }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < 8; ++i) threads.emplace_back(work, i);
    for (std::thread& t : threads) t.join();
  }
}

// As training does every few seconds: the new weights come while batches of the old ones are still in flight.
TEST_P(OnTheGpu, OneEvaluatorFollowsAnother) {
  for (const bool fastest : kForms) {
    std::unique_ptr<EvaluationBatch> before;
    std::vector<Evaluation> out(2 * 100);
    for (std::size_t i = 0; i < 10; ++i) {
      const auto gpu = evaluator(fastest);
      auto batch = gpu->new_batch();
      const std::size_t at = i % 2 * 100;
      for (std::size_t k = 0; k < 100; ++k) batch->add(positions_[at + k], out[at + k]);
      batch->submit();
      if (before) before->compute();
      before = std::move(batch);
    }
    before->compute();
    EXPECT_LT(apart(out, std::span(expected_).first(200)), 0.01);
  }
}

TEST_P(OnTheGpu, ABatchMayBeAbandoned) {
  for (const bool fastest : kForms) {
    const auto gpu = evaluator(fastest);
    std::vector<Evaluation> out(100);
    for (int i = 0; i < 5; ++i) {
      const auto batch = gpu->new_batch();
      for (std::size_t k = 0; k < 100; ++k) batch->add(positions_[k], out[k]);
      batch->submit();
    }
    evaluate(*gpu, std::span(positions_).first(100), out);
    EXPECT_LT(apart(out, std::span(expected_).first(100)), 0.01);
  }
}

}  // namespace
}  // namespace quarto
