#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "base/config.h"
#include "base/cores.h"
#include "base/json_library.h"
#include "base/tell.h"
#include "gpu/program.h"
#include "model/checkpoint.h"
#include "model/network.h"
#include "model/network_evaluator.h"
#include "model/pairs.h"
#include "model/runtime.h"
#include "model/safetensors.h"
#include "selfplay/crew.h"
#include "selfplay/targets.h"
#include "train/gpu_gradient.h"
#include "train/learner.h"
#include "train/machine.h"
#include "train/optimizer_state.h"
#include "train/pairs_gradient.h"
#include "train/torch_batch.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

constexpr const char* kLearnerFile = "learner.safetensors";
// Moves all weights of a network into one tensor and makes the network's own tensors views of it. The optimizer,
// clipping and averaging then take a few operations per step instead of a few for each of some seventy small tensors.
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
  if (config.optimizer == OptimizerKind::sgd) {
    return std::make_unique<torch::optim::SGD>(
        weights,
        torch::optim::SGDOptions(config.learning_rate).momentum(config.momentum).weight_decay(config.weight_decay));
  }
  return std::make_unique<torch::optim::AdamW>(
      weights, torch::optim::AdamWOptions(config.learning_rate).weight_decay(config.weight_decay));
}

// Weights and running statistics by name, without the constants that the rules determine.
std::map<std::string, torch::Tensor> named_state(const torch::nn::Module& module) {
  std::map<std::string, torch::Tensor> state;
  for (const auto& item : module.named_parameters()) state.emplace(item.key(), item.value());
  for (const auto& item : module.named_buffers()) {
    if (!is_constant(item.key())) state.emplace(item.key(), item.value());
  }
  return state;
}

void copy_state(const torch::nn::Module& from, torch::nn::Module& to) {
  const torch::NoGradGuard no_grad;
  const auto source = named_state(from);
  for (auto& [name, tensor] : named_state(to)) tensor.copy_(source.at(name));
}

constexpr const char* kOptimizerPrefix = "optimizer/";
// The figures are the sums of place and give, the mean outcome, the loss and the numbers of places and gives with a
// target, in CPU memory. `norm` is the norm of the gradient.
StepLoss checked_figures(const torch::Tensor& figures, double norm, std::uint64_t step) {
  const auto figure = [&](int i) { return figures[i].item<double>(); };
  if (!std::isfinite(figure(3)) || !std::isfinite(norm)) {
    throw DivergedError(
        fmt::format("the loss at step {} is not finite (place {:g}, give {:g}, outcome {:g}, gradient {:g})", step,
                    figure(0), figure(1), figure(2), norm));
  }
  return {figure(0) / std::max(1.0, figure(4)), figure(1) / std::max(1.0, figure(5)), figure(2), figure(3), norm};
}

std::shared_ptr<Network> load_same_shape(const fs::path& checkpoint, const NetworkConfig& wanted) {
  auto saved = load_network(checkpoint);
  NetworkConfig there = saved->config().resolved(), here = wanted.resolved();
  if (there == here) return saved;
  const nlohmann::json before = config::to_json(config::visitor_of(there)),
                       now = config::to_json(config::visitor_of(here));
  std::string differences;
  for (const auto& [key, value] : before.items()) {
    if (now.at(key) == value) continue;
    differences += fmt::format("{}network.{} {} (here {})", differences.empty() ? "" : ", ", key, value.dump(),
                               now.at(key).dump());
  }
  throw CheckpointError(
      fmt::format("'{}' holds another network than the configuration's: {}", checkpoint.string(), differences));
}

class TorchLearner final : public Learner {
 public:
  explicit TorchLearner(const RunConfig& run)
      : config_(run.learner), track_(run.track), device_(learning_device(run)), playing_(resolve_device(run.device)) {
    const std::string& wanted = config_.device == "auto" ? run.device : config_.device;
    or_processor_ = run.device == "auto";
    if (config_.kernel && device_.is_cuda() && run.network.kind == NetworkKind::pairs) {
      try {
        gpu_kernel_ = std::make_unique<GpuGradient>(run.network, device_);
      } catch (const gpu::CudaError& e) {
        if (wanted != "auto" && gpu::kernels_wanted()) {
          throw DeviceError(fmt::format(
              "our own kernels cannot learn this network on {}: {} (learner.device=cpu: the processor learns; "
              "learner.kernel=false: LibTorch, slowly)",
              device_.str(), e.what()));
        }
        device_ = torch::kCPU;
        if (config_.threads == 0) config_.threads = learner_share(usable_cores());
        tell("our own kernels cannot learn this network on the GPU, so the processor learns: {}\n", e.what());
      }
    }
    torch::manual_seed(run.seed);
    network_ = make_network(run.network);
    averaged_ = make_network(run.network);
    copy_state(*network_, *averaged_);
    network_->to(device_);
    averaged_->to(device_);
    averaged_->eval();
    flat_ = make_flat(*network_);
    flat_averaged_ = make_flat(*averaged_);
    optimizer_ = make_optimizer(config_, {flat_});
    if (config_.threads == 0) config_.threads = usable_cores();
    if (config_.kernel && device_.is_cpu()) {
      if (auto* pairs = dynamic_cast<PairsNetwork*>(network_.get()))
        kernel_ = std::make_unique<PairsGradient>(*pairs, config_.threads);
    }
    // Uses tensor cores for float32 products (TF32): the factors keep ten bits of mantissa, the sums are float32.
    if (device_.is_cuda()) at::globalContext().setFloat32MatmulPrecision("high");
  }

  StepLoss steps(int count, const SampleSource& samples, Rng& rng, double learning_rate,
                 const std::function<void(int)>& on_step) override;
  std::uint64_t step_count() const override { return steps_; }
  std::string device() const override { return device_.str(); }
  std::unique_ptr<const Memory> remember() const override;
  void go_back(const Memory& memory) override;
  std::uint64_t weight_count() const override;
  std::unique_ptr<Evaluator> make_evaluator(PrecisionChoice precision) const override;
  void save_playing_weights(const fs::path& directory) const override;
  bool has_saved_playing_weights(const fs::path& directory) const override;
  void save(const fs::path& directory) const override;
  void load_weights(const fs::path& checkpoint) override;
  void load(const fs::path& directory) override;

 private:
  // Takes one step. Returns place, give, outcome, loss, the numbers of places and gives, and the norm of the gradient.
  // On a GPU the result is on the device and may not be computed yet. On a CPU it is checked before any weight changes.
  torch::Tensor take_step(const SampleSource& samples, Rng& rng, double learning_rate);
  // Both write the gradient to `flat` and return the first six of those figures.
  torch::Tensor gradient_by_torch(std::span<const Target> targets);
  torch::Tensor gradient_by_kernel(std::span<const Target> targets);

  // The decay rises from zero, so that the average soon loses the weight of the untrained network.
  void update_average() {
    const torch::NoGradGuard no_grad;
    const double n = static_cast<double>(steps_);
    const double decay = std::min(config_.average, (1 + n) / (10 + n));
    const auto follow = [&](torch::Tensor& average, const torch::Tensor& now) {
      if (average.is_floating_point() && config_.average > 0)
        average.lerp_(now, 1 - decay);
      else
        average.copy_(now);
    };
    follow(flat_averaged_, flat_);
    // Averages the running statistics too; the other buffers are constants.
    const auto buffers = network_->named_buffers();
    for (auto& item : averaged_->named_buffers()) {
      if (!is_constant(item.key())) follow(item.value(), buffers[item.key()]);
    }
  }

  WeightsInfo info() const {
    WeightsInfo info;
    info.track = track_;
    info.rules = network_->config().rules;
    info.step = steps_;
    return info;
  }

  LearnerConfig config_;
  Track track_;
  torch::Device device_;                // of learning
  torch::Device playing_;               // of the evaluators
  std::shared_ptr<Network> network_;    // the trained weights
  std::shared_ptr<Network> averaged_;   // the averaged weights, which self-play uses
  torch::Tensor flat_, flat_averaged_;  // their weights
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::unique_ptr<PairsGradient> kernel_;  // if the network has one on this device; on a GPU the next
  std::unique_ptr<GpuGradient> gpu_kernel_;
  bool or_processor_ = true;  // evaluates where the GPU's kernels cannot
  std::uint64_t steps_ = 0;
};

std::uint64_t TorchLearner::weight_count() const {
  std::uint64_t n = 0;
  for (const torch::Tensor& t : network_->parameters()) n += static_cast<std::uint64_t>(t.numel());
  return n;
}

StepLoss TorchLearner::steps(int count, const SampleSource& samples, Rng& rng, double learning_rate,
                             const std::function<void(int)>& on_step) {
  try {
    StepLoss mean;
    const auto add = [&](const StepLoss& loss) {
      mean.place += loss.place / count;
      mean.give += loss.give / count;
      mean.outcome += loss.outcome / count;
      mean.total += loss.total / count;
      mean.gradient_norm += loss.gradient_norm / count;
    };
    std::vector<torch::Tensor> pending;
    const std::uint64_t first = steps_;
    for (int i = 0; i < count; ++i) {
      const torch::Tensor figures = take_step(samples, rng, learning_rate);
      if (device_.is_cuda())
        pending.push_back(figures);
      else
        add(checked_figures(figures, figures[6].item<double>(), steps_));
      if (on_step) on_step(i + 1);
    }
    if (!pending.empty()) {
      const torch::Tensor all = torch::stack(pending).to(torch::kCPU);
      for (int i = 0; i < count; ++i) {
        add(checked_figures(all[i], all[i][6].item<double>(), first + static_cast<std::uint64_t>(i)));
      }
    }
    return mean;
  } catch (const c10::Error& e) {
    // Leaves out the C++ backtrace, which does not help a user.
    throw std::runtime_error(
        fmt::format("a learning step failed: {} (if memory ran out, lower learner.batch)", e.what_without_backtrace()));
  }
}

torch::Tensor TorchLearner::gradient_by_torch(std::span<const Target> targets) {
  const Batch b = tensors_of(network_->config(), targets, device_);
  const auto n = static_cast<double>(targets.size());
  network_->train();
  flat_.mutable_grad().zero_();
  const NetworkOutput out = network_->forward(b.input);
  const auto cross_entropy = [&](const torch::Tensor& logits) {
    const torch::Tensor log_p = torch::log_softmax(logits + b.illegal, 1);
    if (config_.policy_loss == PolicyLoss::any) return -torch::logsumexp(log_p + b.wrong, 1);
    return -(b.policy * log_p).sum(1);
  };
  const torch::Tensor giving = 1 - b.placing;
  const torch::Tensor place = (cross_entropy(out.place) * b.placing).sum();
  const torch::Tensor give = (cross_entropy(out.give) * giving).sum();
  const torch::Tensor outcome = -(b.outcome * torch::log_softmax(out.outcome, 1)).sum();
  const torch::Tensor loss = (place + give + outcome) / n;
  const torch::Tensor asked = (b.policy.sum(1) > 0).to(torch::kFloat32);
  const torch::Tensor outcome_asked = (b.outcome.sum(1) > 0).to(torch::kFloat32);
  if (config_.logit_penalty > 0) {
    const torch::Tensor legal = (b.illegal == 0).to(torch::kFloat32);
    const auto squares = [&](const torch::Tensor& logits) {
      return torch::where(b.illegal == 0, logits, torch::zeros_like(logits)).square().sum(1) /
             legal.sum(1).clamp_min(1);
    };
    const torch::Tensor policy = (squares(out.place) * b.placing + squares(out.give) * giving) * asked;
    const torch::Tensor penalty = policy + out.outcome.square().mean(1) * outcome_asked;
    (loss + config_.logit_penalty * penalty.sum() / n).backward();
  } else {
    loss.backward();
  }
  const torch::Tensor outcomes = outcome_asked.sum().clamp_min(1);
  return torch::stack({place, give, outcome / outcomes, loss, (asked * b.placing).sum(), (asked * giving).sum()})
      .detach();
}

torch::Tensor TorchLearner::gradient_by_kernel(std::span<const Target> targets) {
  PairsGradient::Sums sums;
  try {
    sums = kernel_->compute(targets, config_.policy_loss == PolicyLoss::any, config_.logit_penalty);
  } catch (const ThreadError&) {
    throw;  // says nothing about the weights
  } catch (const std::runtime_error& e) {
    throw DivergedError(fmt::format("the loss at step {} is not finite ({})", steps_, e.what()));
  }
  const auto n = static_cast<double>(targets.size());
  return torch::tensor({sums.place, sums.give, sums.outcome / std::max(1.0, sums.outcomes),
                        (sums.place + sums.give + sums.outcome) / n, sums.places, sums.gives},
                       torch::kFloat32);
}

torch::Tensor TorchLearner::take_step(const SampleSource& samples, Rng& rng, double learning_rate) {
  // The kernel has its own threads, and little work is left for LibTorch.
  const int threads = kernel_ ? 1 : config_.threads;
  configure_torch(threads);  // self-play may have changed it since the last step
  const std::vector<Target> targets =
      draw_targets(samples, config_.batch, config_.search_value, !is_equivariant(network_->config()), rng);
  for (auto& group : optimizer_->param_groups()) group.options().set_lr(learning_rate);
  const torch::Tensor figures = kernel_       ? gradient_by_kernel(targets)
                                : gpu_kernel_ ? gpu_kernel_->compute(targets, config_.policy_loss == PolicyLoss::any,
                                                                     config_.logit_penalty, flat_)
                                              : gradient_by_torch(targets);

  const torch::NoGradGuard no_grad;
  torch::Tensor gradient = flat_.mutable_grad();
  const torch::Tensor norm = gradient.norm();
  if (device_.is_cpu()) checked_figures(figures, norm.item<double>(), steps_);
  if (config_.clip > 0) gradient.mul_((config_.clip / (norm + 1e-6)).clamp_max(1.0));
  optimizer_->step();
  steps_ += 1;
  update_average();
  return torch::cat({figures, norm.reshape({1})});
}

std::unique_ptr<Evaluator> TorchLearner::make_evaluator(PrecisionChoice precision) const {
  auto copy = make_network(averaged_->config());
  copy->to(device_);
  copy_state(*averaged_, *copy);
  return quarto::make_evaluator(copy, playing_, resolve_precision(precision, playing_.str()), or_processor_);
}

struct TensorsOfLearner final : Learner::Memory {
  std::map<std::string, torch::Tensor> network, averaged, optimizer;
  std::uint64_t steps = 0;
};

std::unique_ptr<const Learner::Memory> TorchLearner::remember() const {
  auto memory = std::make_unique<TensorsOfLearner>();
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : named_state(*network_)) memory->network[name] = tensor.clone();
  for (const auto& [name, tensor] : named_state(*averaged_)) memory->averaged[name] = tensor.clone();
  for (const auto& [part, tensor] : optimizer_state(*optimizer_, flat_)) memory->optimizer[part] = tensor.clone();
  memory->steps = steps_;
  return memory;
}

void TorchLearner::go_back(const Memory& remembered) {
  const auto& memory = dynamic_cast<const TensorsOfLearner&>(remembered);
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : named_state(*network_)) tensor.copy_(memory.network.at(name));
  for (auto& [name, tensor] : named_state(*averaged_)) tensor.copy_(memory.averaged.at(name));
  optimizer_ = make_optimizer(config_, {flat_});
  set_optimizer_state(*optimizer_, flat_, memory.optimizer);
  steps_ = memory.steps;
}

void TorchLearner::save_playing_weights(const fs::path& directory) const {
  save_weights(*averaged_, directory / kWeightsFile, info());
}

bool TorchLearner::has_saved_playing_weights(const fs::path& directory) const {
  try {
    return read_weights_info(directory).step == steps_;
  } catch (const std::runtime_error&) {
    return false;  // nothing that can be read
  }
}

void TorchLearner::save(const fs::path& directory) const {
  save_playing_weights(directory);
  NamedTensors tensors;
  for (const auto& [name, tensor] : named_state(*network_)) tensors.emplace_back("network/" + name, tensor);
  for (auto& [part, tensor] : optimizer_state(*optimizer_, flat_)) {
    tensors.emplace_back(kOptimizerPrefix + part, tensor);
  }
  write_safetensors(directory / kLearnerFile, tensors, {{"steps", std::to_string(steps_)}});
}

void TorchLearner::load_weights(const fs::path& checkpoint) {
  const auto saved = load_same_shape(checkpoint, network_->config());
  copy_state(*saved, *averaged_);
  copy_state(*saved, *network_);
}

void TorchLearner::load(const fs::path& directory) {
  const torch::NoGradGuard no_grad;
  copy_state(*load_same_shape(directory, network_->config()), *averaged_);
  const fs::path path = directory / kLearnerFile;
  const TensorFile file = read_safetensors(path);
  for (auto& [name, tensor] : named_state(*network_)) {
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
  steps_ = std::stoull(digits);
  std::map<std::string, torch::Tensor> state;
  for (const auto& [name, tensor] : file.tensors) {
    if (!name.starts_with(kOptimizerPrefix)) continue;
    const std::string part = name.substr(std::string(kOptimizerPrefix).size());
    if (part != "step" && tensor.sizes() != flat_.sizes()) {
      throw CheckpointError(fmt::format("'{}': tensor '{}' has another shape", path.string(), name));
    }
    state.emplace(part, tensor.to(device_));
  }
  // Stochastic gradient descent without momentum has none, and may go on with one.
  if (state.empty() && steps_ > 0 && config_.optimizer != OptimizerKind::sgd) {
    throw CheckpointError(fmt::format("'{}': the optimizer's state is missing", path.string()));
  }
  set_optimizer_state(*optimizer_, flat_, state);
}

}  // namespace

std::unique_ptr<Learner> make_learner(const RunConfig& config) { return std::make_unique<TorchLearner>(config); }

}  // namespace quarto
