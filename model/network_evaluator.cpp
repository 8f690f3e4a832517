#include "model/network_evaluator.h"

#include <algorithm>
#include <stdexcept>

#include "env/encoding.h"
#include "model/pairs.h"
#include "light/evaluator.h"

namespace quarto {
namespace {

constexpr std::size_t kOutcomes = 3;
constexpr std::size_t kOutputs = 2 * kMoves + kOutcomes;

class NetworkBatch final : public EvaluationBatch {
 public:
  NetworkBatch(std::shared_ptr<const Program> program, torch::Device device)
      : program_(std::move(program)), device_(device) {}

  Status add(const Position& position, Evaluation& out) override {
    if (position.is_terminal()) throw std::invalid_argument("a finished game was sent to the network");
    inputs_.resize(inputs_.size() + kInputSize);
    encode(position, std::span(inputs_).last(kInputSize));
    waiting_.push_back({position.phase(), position.legal_moves(), &out});
    return Status::queued;
  }
  std::size_t size() const override { return waiting_.size(); }

  void compute() override {
    if (waiting_.empty()) return;
    const c10::InferenceMode inference;
    const auto n = static_cast<std::int64_t>(waiting_.size());
    torch::Tensor logits;
    try {
      const torch::Tensor planes =
          torch::from_blob(inputs_.data(), {n, kPlanes, kSide, kSide}, torch::kFloat32).to(device_);
      logits = program_->run(planes).to(torch::kCPU);
    } catch (const c10::Error& e) {
      throw std::runtime_error(std::string("the network could not be evaluated: ") + e.what_without_backtrace());
    }
    const float* row = logits.data_ptr<float>();
    results_.resize(waiting_.size());
    for (std::size_t i = 0; i < waiting_.size(); ++i, row += kOutputs) {
      Evaluation& e = results_[i];
      const std::size_t head = waiting_[i].phase == Phase::place ? 0 : kMoves;
      masked_softmax({row + head, kMoves}, waiting_[i].legal, e.prior);
      std::array<float, kMoves> outcome{};
      masked_softmax({row + 2 * kMoves, kOutcomes}, 0b111, outcome);
      e.win = outcome[0];
      e.draw = outcome[1];
      e.loss = outcome[2];
    }
    for (std::size_t i = 0; i < waiting_.size(); ++i) *waiting_[i].out = results_[i];
    waiting_.clear();
    inputs_.clear();
  }

 private:
  struct Waiting {
    Phase phase;
    Mask legal;
    Evaluation* out;
  };
  std::shared_ptr<const Program> program_;
  torch::Device device_;
  std::vector<float> inputs_;
  std::vector<Waiting> waiting_;
  std::vector<Evaluation> results_;
};

}  // namespace

NetworkEvaluator::NetworkEvaluator(const std::shared_ptr<Network>& network, torch::Device device)
    : device_(device), program_(std::make_shared<const Program>(*network, device)) {}

std::unique_ptr<EvaluationBatch> NetworkEvaluator::new_batch() {
  return std::make_unique<NetworkBatch>(program_, device_);
}

std::unique_ptr<Evaluator> make_evaluator(const std::shared_ptr<Network>& network, torch::Device device) {
  if (device.is_cpu()) {
    if (const auto* pairs = dynamic_cast<const PairsNetwork*>(network.get())) {
      if (std::shared_ptr<const light::PairsKernel> kernel = pairs->make_kernel()) {
        return std::make_unique<PairsEvaluator>(std::move(kernel));
      }
    }
  }
  return std::make_unique<NetworkEvaluator>(network, device);
}

}  // namespace quarto
