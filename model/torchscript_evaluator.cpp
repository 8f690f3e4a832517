// A TorchScript module of somebody else's as an evaluator.
#include <fmt/format.h>
#include <torch/script.h>

#include <map>
#include <optional>
#include <sstream>

#include "base/json.h"
#include "base/text.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "model/evaluators.h"
#include "model/input.h"
#include "model/network_evaluator.h"

namespace quarto {
namespace {

constexpr std::int64_t kLogits = 2 * kMoves + 3;
constexpr float kMostLogit = 1e30F;

std::string shape_of(const torch::Tensor& tensor) {
  std::ostringstream text;
  text << tensor.sizes();
  return text.str();
}

// The reason, which TorchScript's errors have in their last line, after the stack.
std::string reason_of(const std::exception& e) {
  const auto* c10 = dynamic_cast<const c10::Error*>(&e);
  return last_line(c10 ? c10->what_without_backtrace() : e.what());
}

class TorchScriptEvaluator final : public Evaluator {
 public:
  TorchScriptEvaluator(torch::jit::Module module, std::string name, const NetworkConfig& input, torch::Device device)
      : module_(std::move(module)), name_(std::move(name)), input_(input), device_(device) {}

  std::unique_ptr<EvaluationBatch> new_batch() override {
    // A module may write to its own attributes. A copy shares the tensors, and has attributes of its own.
    return make_direct_batch(
        input_, [this, module = module_.copy()](const torch::Tensor& input) { return run(module, input); });
  }
  EvaluatorTraits traits() const override { return {.equivariant = false, .batch_invariant = false}; }
  void begin_thread() override { configure_torch(1); }
  std::string computed_by() const override { return "LibTorch on " + device_.str(); }

  // Logits [N, 35]. Throws std::runtime_error, with the file's name.
  torch::Tensor run(const torch::jit::Module& module, const torch::Tensor& input) const {
    const c10::InferenceMode inference;
    std::vector<torch::Tensor> heads;
    const auto refuse = [&](const std::string& what) { throw std::runtime_error(fmt::format("{}: {}", name_, what)); };
    torch::jit::IValue result;
    try {
      // A module may keep what it likes of its input, which is the caller's memory.
      result = module.get_method("forward")({input.to(device_, /*non_blocking=*/false, /*copy=*/true)});
    } catch (const std::exception& e) {
      refuse("forward() failed: " + reason_of(e));
    }
    if (result.isTuple()) {
      for (const auto& head : result.toTupleRef().elements()) {
        if (head.isTensor()) heads.push_back(head.toTensor().detach());
      }
    }
    std::int64_t logits = 0;
    std::string shapes;
    bool sized = !heads.empty();
    for (const torch::Tensor& head : heads) {
      shapes += (shapes.empty() ? "" : ", ") + shape_of(head);
      sized = sized && head.dim() == 2 && head.size(0) == input.size(0) && head.is_floating_point();
      logits += sized ? head.size(1) : 0;
    }
    sized = sized && logits == kLogits && heads.back().size(1) == 3;
    if (!sized) {
      refuse(
          fmt::format("forward() of {} gives {}, and should give a tuple of logits: place [N, 16], give [N, 16], "
                      "outcome [N, 3]; or policy [N, 32], outcome [N, 3]",
                      shape_of(input), shapes.empty() ? "no tuple of tensors" : shapes));
    }
    for (torch::Tensor& head : heads) head = head.to(torch::kFloat32);
    const torch::Tensor all = torch::cat(heads, 1);
    if (!torch::lt(all, kMostLogit).all().item<bool>()) refuse("a logit is not a number, or infinite");
    return all.clamp_min(-kMostLogit);  // illegal moves often have minus infinity
  }

 private:
  torch::jit::Module module_;
  std::string name_;
  NetworkConfig input_;
  torch::Device device_;
};

}  // namespace

LoadedNetwork load_torchscript(const std::filesystem::path& file, const std::string& device) {
  configure_torch(1);
  LoadedNetwork network;
  torch::jit::ExtraFilesMap files{{"metadata.json", ""}};
  std::optional<torch::jit::Module> module;
  try {
    module = torch::jit::load(file.string(), torch::Device(device), files);
  } catch (const std::exception& e) {
    throw CheckpointError(
        fmt::format("{}: not a TorchScript module, as torch.jit.save() writes it: {}", file.string(), reason_of(e)));
  }
  module->eval();
  if (const std::string& text = files["metadata.json"]; !text.empty()) {
    try {
      const nlohmann::json metadata = parse_json(text);
      for (const auto& [key, value] : metadata.get<std::map<std::string, nlohmann::json>>())
        network.info[key] = value.is_string() ? value.get<std::string>() : value.dump();
      if (metadata.contains("rules")) network.rules = parse_rules(metadata.at("rules").get<std::string>());
    } catch (const std::exception& e) {
      throw CheckpointError(fmt::format("{}: metadata.json in it: {}", file.string(), e.what()));
    }
  }
  const std::vector<Position> two = unfinished_positions(2, network.rules, 1);
  std::string why;
  for (const NetworkKind kind : {NetworkKind::residual, NetworkKind::pairs}) {
    NetworkConfig input;
    input.kind = kind;
    input.rules = network.rules;
    auto evaluator = std::make_shared<TorchScriptEvaluator>(*module, file.string(), input, torch::Device(device));
    try {
      std::vector<Evaluation> evaluations(two.size());
      evaluate(*evaluator, two, evaluations);
      network.evaluator = evaluator;
      return network;
    } catch (const std::exception& e) {
      why += (why.empty() ? "with planes " : "; with counts ") + std::string(e.what());
    }
  }
  throw CheckpointError("neither input of a network suits this module: " + why);
}

}  // namespace quarto
