// The host's side of the GPU evaluator, with tests/gpu/fake_cuda.cpp in the place of CUDA.
#include "gpu/evaluator.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "env/notation.h"
#include "env/random_play.h"
#include "gpu/gradient.h"
#include "gpu/proofs.h"
#include "light/evaluator.h"
#include "mcts/search.h"
#include "solver/prover.h"
#include "tests/gpu/wanted_gradient.h"
#include "tests/light/some_weights.h"
#include "tests/support/message_of.h"
#include "tests/support/sanitized.h"

namespace quarto::gpu {
namespace {

using light::Floats, light::PairsKernel, light::PairsShape, light::some_weights;
using testing::HasSubstr;

// Before the driver is loaded, which happens once in a process.
const bool kFaked =
    setenv("QUARTOZERO_CUDA_DRIVER", FAKE_CUDA, 1) == 0 && setenv("QUARTOZERO_NVRTC", FAKE_CUDA, 1) == 0;

// While it lives, a call to the driver fails.
class Failing {
 public:
  explicit Failing(const char* call) { setenv("FAKE_CUDA_FAILS", call, 1); }
  ~Failing() { unsetenv("FAKE_CUDA_FAILS"); }
};

const PairsShape kShape{16, 2, light::kHeadWidth};

class OnTheFake : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(kFaked); }

  static std::vector<Evaluation> expected(const PairsShape& shape, std::span<const float> weights,
                                          std::span<const Position> positions) {
    PairsEvaluator processor(PairsKernel::make(shape, weights));
    std::vector<Evaluation> out(positions.size());
    evaluate(processor, positions, out);
    return out;
  }
  static void expect_near(std::span<const Evaluation> found, std::span<const Evaluation> wanted) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (std::size_t m = 0; m < kMoves; ++m) ASSERT_NEAR(found[i].prior[m], wanted[i].prior[m], 1e-5);
      ASSERT_NEAR(found[i].win, wanted[i].win, 1e-5);
      ASSERT_NEAR(found[i].loss, wanted[i].loss, 1e-5);
    }
  }
};

// The fake one is slow with sanitizers.
#ifdef QUARTOZERO_SANITIZED
constexpr std::size_t kSizes[] = {64, 65, 1};  // fills the first buffer, makes it grow, uses part of it
#else
constexpr std::size_t kSizes[] = {1, 64, 65, 300, 2, 128};
#endif

TEST_F(OnTheFake, BatchesOfEverySizeAgreeWithTheProcessor) {
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    const PairsShape shape{16, 2, light::kHeadWidth};
    const Floats weights = some_weights(shape, 3);
    const auto positions = unfinished_positions(static_cast<int>(std::ranges::max(kSizes)), rules, 5);
    const auto wanted = expected(shape, weights, positions);
    PairsOnGpu gpu(shape, weights, rules);
    const auto batch = gpu.new_batch();
    for (const std::size_t n : kSizes) {
      std::vector<Evaluation> out(n);
      for (std::size_t i = 0; i < n; ++i) batch->add(positions[i], out[i]);
      EXPECT_EQ(batch->size(), n);
      if (n % 2) batch->submit();
      batch->compute();
      EXPECT_EQ(batch->size(), 0U);
      expect_near(out, std::span(wanted).first(n));
    }
    batch->compute();  // nothing waits
  }
}

TEST_F(OnTheFake, BoardsOfOneKindAreEnough) {
  const Floats weights = some_weights(kShape, 4);
  PairsOnGpu gpu(kShape, weights, Rules::lines);
  for (const auto& [fewest, most] : {std::pair{1, 8}, {9, 12}, {13, 16}}) {
    std::vector<Position> positions;
    for (const Position& p : unfinished_positions(repeated(400), Rules::lines, 6)) {
      const int empty = std::popcount(p.empty());
      if (empty >= fewest && empty <= most) positions.push_back(p);
    }
    ASSERT_GT(positions.size(), 20U);
    std::vector<Evaluation> out(positions.size());
    evaluate(gpu, positions, out);
    expect_near(out, expected(kShape, weights, positions));
  }
}

TEST_F(OnTheFake, BatchesOfSeveralThreadsAndWeightsDoNotMeet) {
  const auto positions = unfinished_positions(100, Rules::lines, 7);
  std::vector<std::jthread> threads;
  for (std::uint64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      const Floats weights = some_weights(kShape, 10 + t);
      const auto wanted = expected(kShape, weights, positions);
      PairsOnGpu gpu(kShape, weights, Rules::lines);
      const auto first = gpu.new_batch(), second = gpu.new_batch();
      std::vector<Evaluation> a(50), b(50);
      for (std::size_t i = 0; i < 50; ++i) {
        first->add(positions[i], a[i]);
        second->add(positions[50 + i], b[i]);
      }
      first->submit();
      second->submit();
      second->compute();
      first->compute();
      expect_near(a, std::span(wanted).first(50));
      expect_near(b, std::span(wanted).last(50));
    });
  }
}

TEST_F(OnTheFake, ABatchTakesNothingWhileItComputes) {
  PairsOnGpu gpu(kShape, some_weights(kShape, 1), Rules::lines);
  const auto batch = gpu.new_batch();
  const auto positions = unfinished_positions(2, Rules::lines, 8);
  std::array<Evaluation, 2> out;
  batch->add(positions[0], out[0]);
  batch->submit();
  EXPECT_THROW(batch->add(positions[1], out[1]), std::logic_error);
  batch->compute();
  EXPECT_THROW(batch->add(parse_position("0123/..../..../.... -"), out[0]), std::invalid_argument);
}

TEST_F(OnTheFake, ABatchMayGoBeforeItsWorkIsDone) {
  auto gpu = std::make_unique<PairsOnGpu>(kShape, some_weights(kShape, 1), Rules::lines);
  auto batch = gpu->new_batch();
  const auto positions = unfinished_positions(10, Rules::lines, 9);
  std::vector<Evaluation> out(10);
  for (std::size_t i = 0; i < 10; ++i) batch->add(positions[i], out[i]);
  batch->submit();
  gpu.reset();
  batch.reset();
}

TEST_F(OnTheFake, BatchesTakeWhatEarlierOnesLeft) {
  const auto positions = unfinished_positions(100, Rules::lines, 11);
  const Floats weights = some_weights(kShape, 2);
  PairsOnGpu before(kShape, some_weights(kShape, 1), Rules::lines), gpu(kShape, weights, Rules::lines);
  std::vector<std::unique_ptr<EvaluationBatch>> held;
  const auto take_all = [&] {
    const Failing failing("cuStreamCreate");
    try {
      while (held.size() < 1000) held.push_back(gpu.new_batch());
    } catch (const CudaError&) {
      return;
    }
    FAIL() << "batches are made without streams";
  };
  take_all();
  std::vector<Evaluation> out(positions.size());
  evaluate(before, positions, out);  // leaves one
  {
    const Failing failing("cuStreamCreate");
    const auto batch = gpu.new_batch();
    for (std::size_t i = 0; i < out.size(); ++i) batch->add(positions[i], out[i]);
    batch->compute();
    expect_near(out, expected(kShape, weights, positions));
    EXPECT_THROW(gpu.new_batch(), CudaError);
  }
  take_all();
  {
    const auto abandoned = gpu.new_batch();
    abandoned->add(positions[0], out[0]);
    abandoned->submit();
  }
  const Failing failing("cuStreamCreate");
  EXPECT_THROW(gpu.new_batch(), CudaError) << "work that nobody waited for may still use its buffers";
}

TEST_F(OnTheFake, GradientsAreThoseOfTheProcessor) {
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    const Floats weights = some_weights(kShape, 12);
    GradientOnGpu gpu(kShape, rules);
    std::vector<float> found(weights.size() + GradientOnGpu::kFigures);
    for (const int n : {repeated(200), 1, 20}) {
      const auto positions = unfinished_positions(n, rules, 12);
      const auto samples = some_samples(positions, 5);
      std::vector<std::byte> packed(sample_size() * positions.size());
      for (std::size_t i = 0; i < positions.size(); ++i)
        pack_sample(positions[i], samples[i].policy, samples[i].outcome, packed.data() + i * sample_size());
      gpu.compute({reinterpret_cast<DevicePointer>(packed.data()), n, false, 0.1F},
                  reinterpret_cast<DevicePointer>(weights.data()), reinterpret_cast<DevicePointer>(found.data()));
      const Loss loss{0, 0.1F, 1.0F / static_cast<float>(n)};
      expect_gradient(found, wanted_gradient(kShape, weights, positions, samples, loss), kShape);
    }
  }
}

TEST_F(OnTheFake, GradientsThatCannotBeMadeAreErrors) {
  EXPECT_THROW(GradientOnGpu(kShape, Rules::lines, 1), CudaError) << "no such device";
  EXPECT_THAT(message_of([] {
                GradientOnGpu({64, 2, light::kHeadWidth}, Rules::lines);
              }),
              HasSubstr("network.width=48 fits"));
  EXPECT_THAT(message_of([] { GradientOnGpu({24, 2, light::kHeadWidth}, Rules::lines); }), HasSubstr("not 24"));
  GradientOnGpu gpu(kShape, Rules::lines);
  const Failing failing("cuLaunchKernel");
  EXPECT_THROW(gpu.compute({0, 1, false, 0}, 0, 0), CudaError);
}

TEST_F(OnTheFake, ProofsAreThoseOfTheProcessor) {
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    const ProofsOnGpu proofs(rules);
    const auto positions = unfinished_positions(repeated(400), rules, 13);
    const auto batch = proofs.new_batch();
    for (const std::size_t n : {positions.size(), positions.size() / 4, std::size_t{1}}) {
      std::vector<ValueBounds> out(n);
      const auto nodes = [](std::size_t i) { return std::uint64_t{i % 3 == 0 ? 1000U : i % 3 == 1 ? 100U : 130U}; };
      for (std::size_t i = 0; i < n; ++i) batch->add(positions[i], nodes(i), {}, out[i]);
      if (n % 2 == 0) batch->submit();
      EXPECT_EQ(batch->size(), n);
      batch->compute();
      EXPECT_EQ(batch->size(), 0U);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], solver_prover().bounds(positions[i], nodes(i))) << i;
    }
    batch->compute();  // nothing waits
    ValueBounds out{Value::draw, Value::draw};
    batch->add(positions[0], 100, {}, out);
    const Failing failing("cuLaunchKernel");
    EXPECT_THROW(batch->compute(), CudaError);
    EXPECT_EQ(out, (ValueBounds{Value::draw, Value::draw}));
  }
}

TEST_F(OnTheFake, ABatchOfProofsTakesNothingWhileItComputesAndGoesOnAfterAFailure) {
  const Position position = unfinished_positions(1, Rules::lines, 13).front();
  const auto batch = ProofsOnGpu(Rules::lines).new_batch();
  ValueBounds out, more;
  batch->add(position, 100, {}, out);
  {
    const Failing failing("cuMemcpyDtoHAsync_v2");
    EXPECT_THROW(batch->submit(), CudaError);
  }
  batch->submit();
  EXPECT_THROW(batch->add(position, 100, {}, more), std::logic_error);
  batch->compute();
  EXPECT_EQ(out, solver_prover().bounds(position, 100));
}

// Whoever proves, the search is the same.
TEST_F(OnTheFake, SearchesWithItsProofsAreTheSame) {
  PairsOnGpu gpu(kShape, some_weights(kShape, 2), Rules::lines);
  SearchConfig config;
  config.proof_nodes = 100;
  const auto there = ProvingEvaluator(gpu, solver_prover(), true).new_batch(),
             here = ProvingEvaluator(gpu, solver_prover()).new_batch();
  Rng rng(14);
  for (int i = 0; i < repeated(60); ++i) {
    const Position position = random_quiet_position_at(8 + i % 18, rng);
    std::vector<RootMove> moves[2];
    for (const auto& [batch, found] : {std::pair(&there, &moves[0]), std::pair(&here, &moves[1])}) {
      Search search(config, 0);
      search.set_root(position);
      Search* one = &search;
      run_searches({&one, 1}, **batch, 40);
      *found = search.root_moves();
    }
    ASSERT_EQ(moves[0].size(), moves[1].size());
    for (std::size_t m = 0; m < moves[0].size(); ++m) {
      EXPECT_EQ(moves[0][m].visits, moves[1][m].visits) << to_string(position);
      EXPECT_EQ(moves[0][m].bounds, moves[1][m].bounds) << to_string(position);
    }
  }
}

TEST_F(OnTheFake, FailuresAreErrorsAndFillNothing) {
  const auto positions = unfinished_positions(80, Rules::lines, 10);
  const Floats weights = some_weights(kShape, 2);
  PairsOnGpu gpu(kShape, weights, Rules::lines);
  for (const char* call : {"cuMemcpyHtoDAsync_v2", "cuLaunchKernel", "cuMemcpyDtoHAsync_v2", "cuEventSynchronize"}) {
    const auto batch = gpu.new_batch();
    std::vector<Evaluation> out(positions.size());
    for (Evaluation& e : out) e.win = 7;
    for (std::size_t i = 0; i < out.size(); ++i) batch->add(positions[i], out[i]);
    const Failing failing(call);
    EXPECT_THAT(message_of<CudaError>([&] { batch->compute(); }), HasSubstr("as the test wants it")) << call;
    for (const Evaluation& e : out) EXPECT_EQ(e.win, 7) << call;
  }
  for (const char* call : {"cuMemAlloc_v2", "cuMemAllocHost_v2"}) {
    const auto batch = gpu.new_batch();
    Evaluation out;
    const Failing failing(call);
    const auto fill = [&] {
      // It may have the buffers of an earlier batch.
      for (int i = 0; i < 10'000; ++i) batch->add(positions[0], out);
    };
    EXPECT_THROW(fill(), CudaError) << call;
  }
  {
    const Failing failing("cuStreamCreate");
    std::vector<std::unique_ptr<EvaluationBatch>> held;
    const auto hold_more = [&] {
      // Batches that have gone have left their streams.
      for (int i = 0; i < 100; ++i) held.push_back(gpu.new_batch());
    };
    EXPECT_THROW(hold_more(), CudaError);
  }
  for (const char* call : {"cuMemAlloc_v2", "cuMemAllocHost_v2", "cuMemcpyHtoDAsync_v2", "cuEventSynchronize"}) {
    const Failing failing(call);
    EXPECT_THROW(PairsOnGpu(kShape, weights, Rules::lines), CudaError) << call;
  }
  const PairsShape unseen{32, 2, light::kHeadWidth};  // no test has loaded its kernels
  for (const char* call : {"cuModuleLoadData", "cuModuleGetFunction", "cuFuncSetAttribute"}) {
    const Failing failing(call);
    EXPECT_THROW(PairsOnGpu(unseen, some_weights(unseen, 2), Rules::squares), CudaError) << call;
  }
  // All of it works again.
  std::vector<Evaluation> out(positions.size());
  evaluate(gpu, positions, out);
  expect_near(out, expected(kShape, weights, positions));
}

// The fake compiler knows sm_80 and sm_90, and compiles for sm_90 alone.
TEST_F(OnTheFake, ADeviceThatIsNewerThanTheCompilerGetsWhatItsDriverCompiles) {
  EXPECT_EQ(compile_proofs(Rules::lines, "sm_200").cubin, compile_proofs(Rules::lines, "sm_90").cubin);
  EXPECT_THROW(compile_proofs(Rules::lines, "sm_75"), CudaError);
  EXPECT_THROW(compile_proofs(Rules::lines, "sm_86"), CudaError);
}

TEST_F(OnTheFake, BrokenWeightsAreRefused) {
  Floats weights = some_weights(kShape, 2);
  EXPECT_THROW(PairsOnGpu(kShape, std::span(weights).first(weights.size() - 16), Rules::lines), std::invalid_argument);
  weights[weights.size() / 2] = std::nanf("");
  EXPECT_THROW(PairsOnGpu(kShape, weights, Rules::lines), std::runtime_error);
}

TEST_F(OnTheFake, WhatTheDeviceCannotRunIsSaid) {
  const auto error_of = [](const PairsShape& shape, Rules rules, int device) {
    return message_of([&] { PairsOnGpu(shape, some_weights(shape, 1), rules, device); });
  };
  EXPECT_THAT(error_of(kShape, Rules::lines, 1), HasSubstr("there are 1"));
  EXPECT_THAT(error_of({64, 3, light::kHeadWidth}, Rules::squares, 0), HasSubstr("shared memory"));
  EXPECT_THAT(error_of({24, 3, light::kHeadWidth}, Rules::lines, 0), HasSubstr("not supported"));
  const Failing failing("nvrtcCompileProgram");
  EXPECT_THAT(error_of({32, 3, light::kHeadWidth}, Rules::lines, 0), HasSubstr("what the compiler says"));
}

}  // namespace
}  // namespace quarto::gpu
