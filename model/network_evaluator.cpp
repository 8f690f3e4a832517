#include "model/network_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "base/tell.h"
#include "env/encoding.h"
#include "env/random_play.h"
#include "gpu/evaluator.h"
#include "gpu/program.h"
#include "light/evaluator.h"
#include "model/checkpoint.h"
#include "model/evaluators.h"
#include "model/input.h"
#include "model/pairs.h"

namespace quarto {
namespace {

constexpr std::size_t kOutcomes = 3;
constexpr auto kOutputs = static_cast<std::size_t>(Program::kOutputs);

// Calls `work` and rethrows LibTorch's errors without the C++ backtrace.
template <class Work>
auto reporting(const Work& work) {
  try {
    return work();
  } catch (const c10::Error& e) {
    throw std::runtime_error(std::string("the network could not be evaluated: ") + e.what_without_backtrace());
  }
}

// The common part of all network batches: the waiting positions, and the conversion of logits to evaluations.
class BatchOfLogits : public EvaluationBatch {
 public:
  Status add(const Position& position, Evaluation& out) final {
    submitted_.refuse_addition();
    if (position.is_terminal()) throw std::invalid_argument("a finished game was sent to the network");
    write_input(position, waiting_.size());
    waiting_.push_back({position.phase(), position.legal_moves(), &out});
    return Status::queued;
  }
  std::size_t size() const final { return waiting_.size(); }
  void submit() final {
    if (waiting_.empty() || submitted_) return;
    reporting([&] { start(waiting_.size()); });
    submitted_.set();
  }
  void compute() final {
    if (waiting_.empty()) return;
    submit();
    submitted_.clear();
    const std::span<const float> logits = reporting([&] { return finish(waiting_.size()); });
    const float* row = logits.data();
    results_.resize(waiting_.size());
    for (std::size_t i = 0; i < waiting_.size(); ++i, row += kOutputs) {
      const std::size_t head = waiting_[i].phase == Phase::place ? 0 : kMoves;
      results_[i] = evaluation_of({row + head, kMoves}, waiting_[i].legal, {row + 2 * kMoves, kOutcomes});
    }
    for (std::size_t i = 0; i < waiting_.size(); ++i) *waiting_[i].out = results_[i];
    waiting_.clear();
  }

 private:
  virtual void write_input(const Position& position, std::size_t row) = 0;
  virtual void start(std::size_t rows) = 0;
  virtual std::span<const float> finish(std::size_t rows) = 0;  // logits, row by row

  struct Waiting {
    Phase phase;
    Mask legal;
    Evaluation* out;
  };
  Submitted submitted_;
  std::vector<Waiting> waiting_;
  std::vector<Evaluation> results_;
};

// A batch on the CPU, or on any device to which LibTorch copies: compute() does all the work.
class DirectBatch final : public BatchOfLogits {
 public:
  DirectBatch(const NetworkConfig& network, std::function<torch::Tensor(const torch::Tensor&)> run)
      : network_(network), run_(std::move(run)), input_(input_of(network)) {}

 private:
  void write_input(const Position& position, std::size_t row) override {
    inputs_.resize((row + 1) * input_.size);
    encode_input(network_, position, std::span(inputs_).last(input_.size));
  }
  void start(std::size_t) override {}
  std::span<const float> finish(std::size_t rows) override {
    const c10::InferenceMode inference;
    const torch::Tensor input = torch::from_blob(inputs_.data(), with_rows(rows, input_), torch::kFloat32);
    logits_ = run_(input).to(torch::kCPU).contiguous();
    return {logits_.data_ptr<float>(), rows * kOutputs};
  }

  NetworkConfig network_;
  std::function<torch::Tensor(const torch::Tensor&)> run_;
  NetworkInput input_;
  std::vector<float> inputs_;
  torch::Tensor logits_;
};

class GpuBatch final : public BatchOfLogits {
 public:
  explicit GpuBatch(std::unique_ptr<GpuProgram::Run> run) : run_(std::move(run)) {}

 private:
  void write_input(const Position& position, std::size_t row) override {
    reporting([&] { encode_bits(position, run_->row(row)); });
  }
  void start(std::size_t rows) override { run_->start(rows); }
  std::span<const float> finish(std::size_t) override { return run_->finish(); }

  std::unique_ptr<GpuProgram::Run> run_;
};

}  // namespace

NetworkEvaluator::NetworkEvaluator(const std::shared_ptr<Network>& network, torch::Device device, Precision precision)
    : equivariant_(is_equivariant(network->config())),
      program_(std::make_shared<const Program>(*network, device,
                                               precision == Precision::bfloat16 ? torch::kBFloat16 : torch::kFloat32)) {
  // GpuProgram sends bits, and counts are not bits.
  if (device.is_cuda() && takes_planes(program_->config()))
    gpu_ = reporting([&] { return make_gpu_program(program_); });
}

std::unique_ptr<EvaluationBatch> make_direct_batch(const NetworkConfig& network,
                                                   std::function<torch::Tensor(const torch::Tensor&)> run) {
  return std::make_unique<DirectBatch>(network, std::move(run));
}

std::unique_ptr<EvaluationBatch> NetworkEvaluator::new_batch() {
  if (gpu_) return reporting([&] { return std::make_unique<GpuBatch>(gpu_->new_run()); });
  return make_direct_batch(program_->config(), [program = program_](const torch::Tensor& input) {
    return program->run(input.to(program->device()));
  });
}

namespace {

// The largest difference between the two in a probability, over some positions.
float difference(Evaluator& a, Evaluator& b, Rules rules) {
  const std::vector<Position> positions = unfinished_positions(256, rules, 1);
  std::vector<Evaluation> of_a(positions.size()), of_b(positions.size());
  evaluate(a, positions, of_a);
  evaluate(b, positions, of_b);
  float most = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t m = 0; m < kMoves; ++m) most = std::max(most, std::abs(of_a[i].prior[m] - of_b[i].prior[m]));
    most = std::max({most, std::abs(of_a[i].win - of_b[i].win), std::abs(of_a[i].loss - of_b[i].loss)});
  }
  return most;
}

// Null if the processor's are to be used. What failed once for a shape and a device is not tried again; what worked is
// compared with the processor once.
std::unique_ptr<Evaluator> make_gpu_kernels(const Network& network, torch::Device device, bool or_processor) {
  const auto* pairs = dynamic_cast<const PairsNetwork*>(&network);
  if (!pairs || !gpu::kernels_wanted()) return nullptr;
  const light::PairsShape& shape = pairs->layout().shape;
  const Rules rules = network.config().rules;
  const int number = device.has_index() ? device.index() : 0;
  using Key = std::tuple<int, int, int, Rules>;
  static std::mutex mutex;
  static std::map<Key, std::string> failures;  // "": works
  const std::scoped_lock lock(mutex);
  const Key key{number, shape.width, shape.blocks, rules};
  const auto known = failures.find(key);
  const bool is_new = known == failures.end(), told = !is_new && !known->second.empty();
  try {
    if (told) throw gpu::CudaError(known->second);
    const light::Floats weights = pairs->flat_weights();
    auto kernels = std::make_unique<gpu::PairsOnGpu>(shape, weights, rules, number);
    if (is_new) {
      PairsEvaluator processor(light::PairsKernel::make(shape, weights));
      if (const float most = difference(*kernels, processor, rules); !(most < 1e-3F))
        throw gpu::CudaError(fmt::format("what they compute differs from the processor's by {:.0e}", most));
      failures[key] = "";
    }
    return kernels;
  } catch (const gpu::CudaError& e) {
    failures[key] = e.what();
    if (!or_processor) {
      throw DeviceError(
          fmt::format("our own GPU kernels cannot be used for this network: {} (device=cpu evaluates it on "
                      "the processor, many times slower; quartozero doctor prints the widest that fits)",
                      e.what()));
    }
    if (!told)
      tell("our own GPU kernels cannot be used for this network, so the processor evaluates it: {}\n", e.what());
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<Evaluator> make_evaluator(const std::shared_ptr<Network>& network, torch::Device device,
                                          Precision precision, bool or_processor) {
  if (device.is_cuda()) {
    if (auto kernels = make_gpu_kernels(*network, device, or_processor)) return kernels;
  }
  // A network that takes counts needs the processor for each position anyway, and has no GpuProgram.
  if (device.is_cpu() || !takes_planes(network->config())) {
    if (auto kernel = network->make_kernel()) return std::make_unique<PairsEvaluator>(std::move(kernel));
  }
  return std::make_unique<NetworkEvaluator>(network, device, precision);
}

std::unique_ptr<Evaluator> make_torch_evaluator(const StoredWeights& weights, const std::string& device,
                                                Precision precision, int threads, bool or_processor) {
  configure_torch(threads);
  return make_evaluator(make_network(weights), torch::Device(device), precision, or_processor);
}

}  // namespace quarto
