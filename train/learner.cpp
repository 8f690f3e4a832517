#include "train/learner.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "base/cores.h"
#include "env/encoding.h"
#include "model/checkpoint.h"
#include "model/network.h"
#include "model/network_evaluator.h"
#include "model/pairs.h"
#include "model/runtime.h"
#include "model/safetensors.h"
#include "train/optimizer_state.h"
#include "train/pairs_gradient.h"
#include "train/targets.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

constexpr const char* kLearnerFile = "learner.safetensors";
constexpr float kIllegalLogit = -1e9F;

// A batch as the network and the loss want it, filled on the CPU.
struct Batch {
  torch::Tensor planes;   // [N, kPlanes, 4, 4]
  torch::Tensor policy;   // [N, 16] target shares
  torch::Tensor illegal;  // [N, 16] added to the logits: 0 on legal moves, very negative elsewhere
  torch::Tensor wrong;    // [N, 16] likewise: 0 on moves with a share
  torch::Tensor placing;  // [N] 1 where the sample is a place, 0 where it is a give
  torch::Tensor outcome;  // [N, 3] target probabilities of win, draw, loss
};

Batch tensors_of(std::span<const Target> targets, torch::Device device) {
  const auto n = static_cast<std::int64_t>(targets.size());
  Batch b;
  b.planes = torch::empty({n, kPlanes, kSide, kSide});
  b.policy = torch::empty({n, kMoves});
  b.illegal = torch::empty({n, kMoves});
  b.wrong = torch::empty({n, kMoves});
  b.placing = torch::empty({n});
  b.outcome = torch::empty({n, 3});
  auto* planes = b.planes.data_ptr<float>();
  auto* policy = b.policy.data_ptr<float>();
  auto* illegal = b.illegal.data_ptr<float>();
  auto* wrong = b.wrong.data_ptr<float>();
  auto* placing = b.placing.data_ptr<float>();
  auto* outcome = b.outcome.data_ptr<float>();
  for (const Target& t : targets) {
    encode(t.position, std::span(planes, kInputSize));
    planes += kInputSize;
    const Mask legal = t.position.legal_moves();
    for (int m = 0; m < kMoves; ++m) {
      *policy++ = t.policy[static_cast<std::size_t>(m)];
      *illegal++ = (legal >> m) & 1 ? 0.0F : kIllegalLogit;
      *wrong++ = t.policy[static_cast<std::size_t>(m)] > 0 ? 0.0F : kIllegalLogit;
    }
    *placing++ = t.position.phase() == Phase::place ? 1.0F : 0.0F;
    for (const float p : t.outcome) *outcome++ = p;
  }
  for (torch::Tensor* x : {&b.planes, &b.policy, &b.illegal, &b.wrong, &b.placing, &b.outcome}) *x = x->to(device);
  return b;
}

// All weights of a network in one tensor, of which the network's own become views: the optimizer, clipping and
// averaging then take a few operations a step instead of a few for each of some seventy small tensors.
torch::Tensor make_flat(torch::nn::Module& network) {
  const torch::NoGradGuard no_grad;
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& p : network.parameters()) parts.push_back(p.flatten());
  torch::Tensor flat = torch::cat(parts).detach();
  flat.mutable_grad() = torch::zeros_like(flat);
  std::int64_t at = 0;
  for (torch::Tensor& p : network.parameters()) {
    p.set_data(flat.slice(0, at, at + p.numel()).view(p.sizes()));
    p.mutable_grad() = flat.grad().slice(0, at, at + p.numel()).view(p.sizes());
    at += p.numel();
  }
  return flat;
}

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const LearnerConfig& config,
                                                        const std::vector<torch::Tensor>& weights) {
  if (config.optimizer == "sgd") {
    return std::make_unique<torch::optim::SGD>(
        weights,
        torch::optim::SGDOptions(config.learning_rate).momentum(config.momentum).weight_decay(config.weight_decay));
  }
  return std::make_unique<torch::optim::AdamW>(
      weights, torch::optim::AdamWOptions(config.learning_rate).weight_decay(config.weight_decay));
}

// Weights and running statistics by name.
std::map<std::string, torch::Tensor> named_state(const torch::nn::Module& module) {
  std::map<std::string, torch::Tensor> state;
  for (const auto& item : module.named_parameters()) state.emplace(item.key(), item.value());
  for (const auto& item : module.named_buffers()) state.emplace(item.key(), item.value());
  return state;
}

void copy_state(const torch::nn::Module& from, torch::nn::Module& to) {
  const torch::NoGradGuard no_grad;
  const auto source = named_state(from);
  for (auto& [name, tensor] : named_state(to)) tensor.copy_(source.at(name));
}

constexpr const char* kOptimizerPrefix = "optimizer/";

}  // namespace

double scheduled_rate(const LearnerConfig& config, double progress) {
  const double p = std::clamp(progress, 0.0, 1.0);
  if (p < config.warmup) {
    // Never zero, or the first iteration of a short run would teach nothing.
    return config.learning_rate * std::max(0.05, p / config.warmup);
  }
  const double rest = config.warmup < 1 ? (p - config.warmup) / (1 - config.warmup) : 1;
  const double low = config.final_rate;
  if (config.schedule == "constant") return config.learning_rate;
  if (config.schedule == "linear") return config.learning_rate * (1 + (low - 1) * rest);
  return config.learning_rate * (low + (1 - low) * 0.5 * (1 + std::cos(std::numbers::pi * rest)));
}

struct Learner::Impl {
  LearnerConfig config;
  std::string track;
  torch::Device device;
  std::shared_ptr<Network> network;   // being trained
  std::shared_ptr<Network> averaged;  // plays
  torch::Tensor flat, flat_averaged;  // their weights
  std::unique_ptr<torch::optim::Optimizer> optimizer;
  std::unique_ptr<PairsGradient> kernel;  // if the network has one on this device
  std::uint64_t steps = 0;

  explicit Impl(const RunConfig& run) : config(run.learner), track(run.track), device(resolve_device(run.device)) {
    torch::manual_seed(run.seed);
    network = make_network(run.network);
    averaged = make_network(run.network);
    copy_state(*network, *averaged);
    network->to(device);
    averaged->to(device);
    averaged->eval();
    flat = make_flat(*network);
    flat_averaged = make_flat(*averaged);
    optimizer = make_optimizer(config, {flat});
    if (config.threads == 0) config.threads = usable_cores();
    if (config.kernel && device.is_cpu()) {
      if (auto* pairs = dynamic_cast<PairsNetwork*>(network.get()); pairs && PairsGradient::supports(*pairs)) {
        kernel = std::make_unique<PairsGradient>(*pairs, config.threads);
      }
    }
  }

  StepLoss step(const SampleSource& samples, Rng& rng, double learning_rate);
  // Both leave the gradient in `flat`.
  StepLoss gradient_by_torch(std::span<const Target> targets);
  StepLoss gradient_by_kernel(std::span<const Target> targets);

  // The decay rises from zero, so that the first weights, which know nothing, are soon forgotten.
  void update_average() {
    const torch::NoGradGuard no_grad;
    const double n = static_cast<double>(steps);
    const double decay = std::min(config.average, (1 + n) / (10 + n));
    const auto follow = [&](torch::Tensor& average, const torch::Tensor& now) {
      if (average.is_floating_point() && config.average > 0)
        average.lerp_(now, 1 - decay);
      else
        average.copy_(now);
    };
    follow(flat_averaged, flat);
    // Running statistics; the weights' own buffers beside them never change.
    const auto buffers = network->named_buffers();
    for (auto& item : averaged->named_buffers()) {
      if (item.key().find("const_") == std::string::npos) follow(item.value(), buffers[item.key()]);
    }
  }

  WeightsInfo info() const {
    WeightsInfo info;
    info.track = track;
    info.rules = rules_of(network->config());
    info.step = steps;
    return info;
  }
};

Learner::Learner(const RunConfig& config) : impl_(std::make_unique<Impl>(config)) {}
Learner::~Learner() = default;
Learner::Learner(Learner&&) noexcept = default;

std::uint64_t Learner::steps() const { return impl_->steps; }

std::uint64_t Learner::weight_count() const {
  std::uint64_t n = 0;
  for (const torch::Tensor& t : impl_->network->parameters()) n += static_cast<std::uint64_t>(t.numel());
  return n;
}

StepLoss Learner::step(const SampleSource& samples, Rng& rng, double learning_rate) {
  try {
    return impl_->step(samples, rng, learning_rate);
  } catch (const c10::Error& e) {
    // Without its C++ backtrace, which tells a user nothing.
    throw std::runtime_error(
        fmt::format("a learning step failed: {} (if memory ran out, lower learner.batch)", e.what_without_backtrace()));
  }
}

StepLoss Learner::Impl::gradient_by_torch(std::span<const Target> targets) {
  if (torch::get_num_threads() != config.threads) configure_torch(config.threads);
  const Batch b = tensors_of(targets, device);
  const auto n = static_cast<double>(targets.size());
  network->train();
  flat.mutable_grad().zero_();
  const NetworkOutput out = network->forward(b.planes);
  const auto cross_entropy = [&](const torch::Tensor& logits) {
    const torch::Tensor log_p = torch::log_softmax(logits + b.illegal, 1);
    if (config.policy_loss == "any") return -torch::logsumexp(log_p + b.wrong, 1);
    return -(b.policy * log_p).sum(1);
  };
  const torch::Tensor giving = 1 - b.placing;
  const torch::Tensor place = (cross_entropy(out.place) * b.placing).sum();
  const torch::Tensor give = (cross_entropy(out.give) * giving).sum();
  const torch::Tensor outcome = -(b.outcome * torch::log_softmax(out.outcome, 1)).sum(1).mean();
  ((place + give) / n + outcome).backward();
  // One transfer for all figures.
  const torch::Tensor figures =
      torch::stack({place, give, outcome, b.placing.sum(), giving.sum()}).detach().to(torch::kCPU);
  const auto figure = [&](int i) { return static_cast<double>(figures[i].item<float>()); };
  return {figure(0) / std::max(1.0, figure(3)), figure(1) / std::max(1.0, figure(4)), figure(2),
          (figure(0) + figure(1)) / n + figure(2), 0};
}

StepLoss Learner::Impl::gradient_by_kernel(std::span<const Target> targets) {
  const PairsGradient::Sums sums = kernel->compute(targets, config.policy_loss == "any");
  const auto n = static_cast<double>(targets.size());
  return {sums.place / std::max(1.0, sums.places), sums.give / std::max(1.0, n - sums.places), sums.outcome / n,
          (sums.place + sums.give + sums.outcome) / n, 0};
}

StepLoss Learner::Impl::step(const SampleSource& samples, Rng& rng, double learning_rate) {
  const std::vector<Target> targets = draw_targets(samples, config, !is_equivariant(network->config()), rng);
  for (auto& group : optimizer->param_groups()) group.options().set_lr(learning_rate);
  StepLoss loss = kernel ? gradient_by_kernel(targets) : gradient_by_torch(targets);

  const torch::NoGradGuard no_grad;
  torch::Tensor gradient = flat.mutable_grad();
  loss.gradient_norm = gradient.norm().item<double>();
  if (!std::isfinite(loss.total) || !std::isfinite(loss.gradient_norm)) {
    throw std::runtime_error(
        fmt::format("the loss at step {} is not finite (place {:g}, give {:g}, outcome {:g}, gradient {:g}); lower "
                    "learner.learning_rate, or set learner.clip, and resume from the last checkpoint",
                    steps, loss.place, loss.give, loss.outcome, loss.gradient_norm));
  }
  if (config.clip > 0 && loss.gradient_norm > config.clip) gradient.mul_(config.clip / (loss.gradient_norm + 1e-6));
  optimizer->step();
  steps += 1;
  update_average();
  return loss;
}

std::unique_ptr<Evaluator> Learner::make_evaluator() const {
  auto copy = make_network(impl_->averaged->config());
  copy_state(*impl_->averaged, *copy);
  copy->to(impl_->device);
  return quarto::make_evaluator(copy, impl_->device);
}

void Learner::save_playing_weights(const fs::path& directory) const {
  save_weights(*impl_->averaged, directory / kWeightsFile, impl_->info());
}

void Learner::save(const fs::path& directory) const {
  save_playing_weights(directory);
  NamedTensors tensors;
  for (const auto& [name, tensor] : named_state(*impl_->network)) tensors.emplace_back("network/" + name, tensor);
  for (auto& [part, tensor] : optimizer_state(*impl_->optimizer, impl_->flat)) {
    tensors.emplace_back(kOptimizerPrefix + part, tensor);
  }
  write_safetensors(directory / kLearnerFile, tensors, {{"steps", std::to_string(impl_->steps)}});
}

void Learner::load(const fs::path& directory) {
  const torch::NoGradGuard no_grad;
  copy_state(*load_network(directory), *impl_->averaged);
  const fs::path path = directory / kLearnerFile;
  const TensorFile file = read_safetensors(path);
  for (auto& [name, tensor] : named_state(*impl_->network)) {
    const torch::Tensor& saved = file.at("network/" + name);
    if (saved.sizes() != tensor.sizes()) {
      throw CheckpointError(fmt::format("'{}': tensor 'network/{}' has another shape", path.string(), name));
    }
    tensor.copy_(saved);
  }
  const auto steps = file.metadata.find("steps");
  if (steps == file.metadata.end()) throw CheckpointError(fmt::format("'{}': no step count", path.string()));
  const auto& digits = steps->second;
  if (digits.empty() || digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos) {
    throw CheckpointError(fmt::format("'{}': step count '{}' is not a number", path.string(), digits));
  }
  impl_->steps = std::stoull(digits);
  std::map<std::string, torch::Tensor> state;
  for (const auto& [name, tensor] : file.tensors) {
    if (!name.starts_with(kOptimizerPrefix)) continue;
    const std::string part = name.substr(std::string(kOptimizerPrefix).size());
    if (part != "step" && tensor.sizes() != impl_->flat.sizes()) {
      throw CheckpointError(fmt::format("'{}': tensor '{}' has another shape", path.string(), name));
    }
    state.emplace(part, tensor.to(impl_->device));
  }
  if (state.empty() && impl_->steps > 0 && !(impl_->config.optimizer == "sgd" && impl_->config.momentum == 0)) {
    throw CheckpointError(fmt::format("'{}': the optimizer's state is missing", path.string()));
  }
  set_optimizer_state(*impl_->optimizer, impl_->flat, state);
}

}  // namespace quarto
