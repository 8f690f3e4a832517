#include "light/evaluator.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <torch/torch.h>

#include <numeric>
#include <thread>

#include "selfplay/decorators.h"
#include "model/evaluators.h"
#include "model/input.h"
#include "model/network_evaluator.h"
#include "model/runtime.h"
#include "tests/model/architectures.h"
#include "tests/model/stir.h"
#include "tests/support/message_of.h"
#include "tests/support/random_positions.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

std::shared_ptr<Network> small_network(Architecture architecture) {
  torch::manual_seed(1);
  NetworkConfig config = config_of(architecture);
  if (architecture == Architecture::residual) config.width = 8;
  const auto network = make_network(config);
  stir(*network);
  return network;
}

std::vector<Position> asked_positions(int n) { return unfinished_positions(n, Rules::lines, 21); }

class NetworkEvaluatorOf : public testing::TestWithParam<Architecture> {};
INSTANTIATE_TEST_SUITE_P(Kinds, NetworkEvaluatorOf, kEveryArchitecture);
// Those that take nothing but planes of zeros and ones.
class BitsOf : public testing::TestWithParam<Architecture> {};
INSTANTIATE_TEST_SUITE_P(Kinds, BitsOf, testing::Values(Architecture::residual));

TEST_P(NetworkEvaluatorOf, UsesTheHeadOfThePhase) {
  const auto network = small_network(GetParam());
  NetworkEvaluator evaluator(network);
  network->eval();
  for (const Position& p : asked_positions(10)) {
    Evaluation out;
    evaluate(evaluator, std::span(&p, 1), std::span(&out, 1));
    const torch::Tensor planes = encode_inputs(network->config(), std::span(&p, 1));
    const torch::NoGradGuard no_gradients;
    const NetworkOutput logits = network->forward(planes);
    const torch::Tensor head = p.has_hand() ? logits.place : logits.give;
    const torch::Tensor outcome = torch::softmax(logits.outcome, 1);
    const int a = std::countr_zero(p.legal_moves()), b = 15 - std::countl_zero(p.legal_moves());
    EXPECT_NEAR(std::log(out.prior[static_cast<std::size_t>(a)] / out.prior[static_cast<std::size_t>(b)]),
                (head[0][a] - head[0][b]).item<float>(), 1e-3);
    EXPECT_NEAR(out.win, outcome[0][0].item<float>(), 1e-4);
    EXPECT_NEAR(out.loss, outcome[0][2].item<float>(), 1e-4);
  }
}

TEST_P(NetworkEvaluatorOf, MayBeUsedFromTwoThreads) {
  NetworkEvaluator evaluator(small_network(GetParam()));
  const std::vector<Position> positions = asked_positions(40);
  std::vector<Evaluation> expected(positions.size());
  configure_torch(1);
  evaluate(evaluator, positions, expected);
  const auto work = [&] {
    configure_torch(1);
    for (int round = 0; round < 20; ++round) {
      std::vector<Evaluation> out(positions.size());
      evaluate(evaluator, positions, out);
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i].prior, expected[i].prior);
    }
  };
  std::thread other(work);
  work();
  other.join();
}

// Debian's libopenblas0-pthread: what LibTorch is told does not reach its threads.
TEST(ConfigureTorch, IsAlsoForTheThreadsOfOpenBlas) {
  using Number = int (*)();
  const auto function = [](const char* name) { return reinterpret_cast<Number>(dlsym(RTLD_DEFAULT, name)); };
  const Number parallel = function("openblas_get_parallel"), threads = function("openblas_get_num_threads");
  if (!parallel || !threads || parallel() != 1) GTEST_SKIP() << "no OpenBLAS with threads of its own";
  for (const int n : {1, 2, 1}) {
    configure_torch(n);
    EXPECT_EQ(threads(), n);
  }
}

TEST_P(NetworkEvaluatorOf, BatchesAreReusableAndRefuseFinishedGames) {
  NetworkEvaluator evaluator(small_network(GetParam()));
  const auto batch = evaluator.new_batch();
  EXPECT_NO_THROW(batch->compute());
  const std::vector<Position> positions = asked_positions(2);
  Evaluation first, again;
  EXPECT_EQ(batch->add(positions[0], first), EvaluationBatch::Status::queued);
  EXPECT_EQ(batch->size(), 1U);
  batch->compute();
  EXPECT_EQ(batch->size(), 0U);
  batch->add(positions[0], again);
  batch->compute();
  EXPECT_EQ(first.prior, again.prior);
  Position over;
  for (const int m : {0, 0, 2, 1, 4, 2, 6, 3}) over.play({over.phase(), static_cast<std::uint8_t>(m)});
  ASSERT_TRUE(over.is_terminal());
  EXPECT_THROW(batch->add(over, first), std::invalid_argument);
}

TEST_P(NetworkEvaluatorOf, SubmittingFirstChangesNothingAndBatchesMayOverlap) {
  NetworkEvaluator evaluator(small_network(GetParam()));
  const std::vector<Position> positions = asked_positions(30);
  std::vector<Evaluation> expected(30), out(30);
  for (std::size_t i = 0; i < 30; i += 10) {
    evaluate(evaluator, std::span(positions).subspan(i, 10), std::span(expected).subspan(i, 10));
  }
  std::vector<std::unique_ptr<EvaluationBatch>> batches;
  for (std::size_t i = 0; i < 30; ++i) {
    if (i % 10 == 0) batches.push_back(evaluator.new_batch());
    batches.back()->add(positions[i], out[i]);
    if (i % 10 == 9) batches.back()->submit();
  }
  batches[1]->submit();  // once more is no harm
  Evaluation late;
  EXPECT_THROW(batches[1]->add(positions[0], late), std::logic_error);
  for (const std::size_t i : {1U, 0U, 2U}) batches[i]->compute();
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(out[i].prior, expected[i].prior);
    EXPECT_EQ(out[i].win, expected[i].win);
  }
}

TEST_P(NetworkEvaluatorOf, ThinksMuchTheSameInShorterNumbers) {
  const auto network = small_network(GetParam());
  NetworkEvaluator exact(network), rough(network, torch::kCPU, Precision::bfloat16);
  const std::vector<Position> positions = asked_positions(50);
  std::vector<Evaluation> a(50), b(50);
  evaluate(exact, positions, a);
  evaluate(rough, positions, b);
  double apart = 0;
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t m = 0; m < kMoves; ++m) apart = std::max(apart, std::abs(double{a[i].prior[m]} - b[i].prior[m]));
    apart = std::max(apart, std::abs(double{a[i].value()} - b[i].value()));
  }
  EXPECT_GT(apart, 0) << "the numbers are not shorter at all";
  EXPECT_LT(apart, 0.1);
}

TEST_P(BitsOf, ArePlanes) {
  const Program program(*small_network(GetParam()));
  const std::vector<Position> positions = asked_positions(20);
  torch::Tensor planes = torch::empty({20, kPlanes, 4, 4}), bits = torch::empty({20, kPlanes}, torch::kInt16);
  for (std::size_t i = 0; i < 20; ++i) {
    encode(positions[i], {planes.data_ptr<float>() + i * kInputSize, kInputSize});
    encode_bits(positions[i], {static_cast<Mask*>(bits.data_ptr()) + i * kPlanes, kPlanes});
  }
  EXPECT_TRUE(torch::equal(planes_of_bits(bits, torch::kFloat32), planes));
  EXPECT_TRUE(torch::equal(program.run_bits(bits), program.run(planes)));
}

TEST_P(NetworkEvaluatorOf, BrokenWeightsAreAnErrorAndNotAMove) {
  const auto network = small_network(GetParam());
  {
    const torch::NoGradGuard no_gradients;
    for (torch::Tensor& p : network->parameters()) p.fill_(std::numeric_limits<float>::quiet_NaN());
  }
  NetworkEvaluator evaluator(network);
  const std::vector<Position> positions = asked_positions(1);
  std::vector<Evaluation> out(1);
  EXPECT_THROW(evaluate(evaluator, positions, out), std::runtime_error);
}

TEST(Devices, AreResolvedOrRefusedClearly) {
  EXPECT_EQ(resolve_device("cpu"), "cpu");
  EXPECT_THROW(resolve_device("gpu"), DeviceError);
  EXPECT_THROW(resolve_device("cuda:x"), DeviceError);
  if (torch::cuda::is_available()) {
    EXPECT_EQ(resolve_device("auto"), "cuda:0");
    EXPECT_THROW(resolve_device("cuda:99"), DeviceError);
  } else {
    EXPECT_EQ(resolve_device("auto"), "cpu");
    EXPECT_THAT(message_of<DeviceError>([] { resolve_device("cuda"); }), testing::HasSubstr("use the device 'cpu'"));
  }
}

TEST(Devices, ABuildForAGpuKnowsItWithoutADeviceToo) {
  const TorchInfo info = torch_info();
  EXPECT_TRUE(info.cuda_built || !info.gpu_batches);
  EXPECT_TRUE(!info.gpu_batches || info.cuda_devices.empty() != info.no_cuda_device.empty());
}

TEST(Precisions, AreResolvedByDevice) {
  EXPECT_EQ(resolve_precision(PrecisionChoice::automatic, "cpu"), Precision::float32);
  EXPECT_EQ(resolve_precision(PrecisionChoice::automatic, "cuda:0"), Precision::bfloat16);
  EXPECT_EQ(resolve_precision(PrecisionChoice::float32, "cuda:0"), Precision::float32);
  EXPECT_EQ(resolve_precision(PrecisionChoice::bfloat16, "cpu"), Precision::bfloat16);
}

TEST(LoadEvaluator, PlaysFromACheckpointAsTheNetworkDoes) {
  const TemporaryDirectory dir;
  const auto file = dir / "load_evaluator.safetensors";
  const auto network = small_network(Architecture::residual);
  save_weights(*network, file, {});
  const std::unique_ptr<Evaluator> loaded = load_evaluator(file, {"cpu", 1});
  NetworkEvaluator direct(network);
  const std::vector<Position> positions = asked_positions(9);
  std::vector<Evaluation> a(9), b(9);
  evaluate(*loaded, positions, a);
  evaluate(direct, positions, b);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(a[i].prior, b[i].prior);
  EXPECT_THROW(load_evaluator("/nowhere"), CheckpointError);
}

// No tensor is made for a pairs network with a kernel.
TEST(LoadEvaluator, PlaysAPairsNetworkAsItsKernelDoes) {
  const TemporaryDirectory dir;
  const auto file = dir / "pairs.safetensors";
  for (const int seed : {1, 3}) {
    torch::manual_seed(seed);
    const auto network = make_network({.kind = NetworkKind::pairs, .width = 16, .blocks = 2});
    save_weights(*network, file, {});
    const std::unique_ptr<Evaluator> loaded = load_evaluator(file, {"cpu", 1});
    EXPECT_EQ(loaded->computed_by(), "our kernel on the processor");
    PairsEvaluator direct(network->make_kernel());
    const std::vector<Position> positions = asked_positions(9);
    std::vector<Evaluation> a(9), b(9);
    evaluate(*loaded, positions, a);
    evaluate(direct, positions, b);
    for (std::size_t i = 0; i < 9; ++i) {
      EXPECT_EQ(a[i].prior, b[i].prior);
      EXPECT_EQ(a[i].win, b[i].win);
    }
  }
}

}  // namespace
}  // namespace quarto
