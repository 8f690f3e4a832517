#include "model/program.h"

#include <algorithm>
#include <map>

#include "model/input.h"

namespace quarto {

torch::Tensor planes_of_bits(const torch::Tensor& bits, torch::ScalarType number) {
  const torch::Tensor squares = torch::arange(kSquares, bits.options());
  return bits.unsqueeze(2).bitwise_right_shift(squares).bitwise_and(1).to(number).view({-1, kPlanes, kSide, kSide});
}

class Program::Recorder final : public Ops {
 public:
  explicit Recorder(std::vector<Step>& steps) : steps_(steps) {}

  Signal record(Op op, const std::vector<Signal>& inputs, std::vector<torch::Tensor> constants = {},
                Sizes numbers = {}) {
    Step step{op, {}, {}, std::move(numbers), false, {}};
    for (const Signal& v : inputs) step.inputs.push_back(v.step);
    for (const torch::Tensor& t : constants) step.constants.push_back(copy_of(t));
    steps_.push_back(std::move(step));
    return {{}, static_cast<int>(steps_.size()) - 1};
  }
  Signal linear(const Signal& x, const torch::Tensor& w, const torch::Tensor& b) override {
    return record(Op::linear, {x}, {w, b});
  }
  Signal linear_onto(const Signal& y, const Signal& x, const torch::Tensor& w) override {
    return record(Op::linear_onto, {y, x}, {w});
  }
  Signal mix(const Signal& x, const torch::Tensor& matrix) override { return record(Op::mix, {x}, {matrix}); }
  // w' = w * gamma / sqrt(var + eps), b' = beta - mean * gamma / sqrt(var + eps).
  Signal conv_norm(const Signal& x, torch::nn::Conv2d& conv, torch::nn::BatchNorm2d& norm) override {
    const torch::Tensor scale = norm->weight / torch::sqrt(norm->running_var + norm->options.eps());
    return record(Op::conv, {x}, {conv->weight * scale.reshape({-1, 1, 1, 1}), norm->bias - norm->running_mean * scale},
                  {conv->weight.size(2) / 2});
  }
  Signal conv(const Signal& x, torch::nn::Conv2d& conv) override {
    return record(Op::conv, {x}, {conv->weight, conv->bias}, {conv->weight.size(2) / 2});
  }
  Signal add(const Signal& x, const Signal& y) override { return record(Op::add, {x, y}); }
  Signal relu(const Signal& x) override { return record(Op::relu, {x}); }
  Signal mean(const Signal& x, int axis) override { return record(Op::mean, {x}, {}, {axis}); }
  Signal max(const Signal& x, int axis) override { return record(Op::max, {x}, {}, {axis}); }
  Signal reshape(const Signal& x, const Sizes& sizes) override { return record(Op::reshape, {x}, {}, sizes); }
  Signal slice(const Signal& x, int axis, std::int64_t begin, std::int64_t end) override {
    return record(Op::slice, {x}, {}, {axis, begin, end});
  }
  Signal concat(const std::vector<Signal>& xs, int axis) override { return record(Op::concat, xs, {}, {axis}); }

 private:
  // One copy of each tensor, however many steps use it.
  torch::Tensor copy_of(const torch::Tensor& t) {
    auto& known = copies_[t.unsafeGetTensorImpl()];
    if (!known.second.defined()) known = {t, t.detach().clone().contiguous()};
    return known.second;
  }

  std::vector<Step>& steps_;
  // With the tensor itself: while it is here, no other has its address.
  std::map<const void*, std::pair<torch::Tensor, torch::Tensor>> copies_;
};

Program::Program(Network& network, torch::Device device, torch::ScalarType number)
    : config_(network.config()), device_(device), number_(number) {
  const torch::NoGradGuard no_gradients;
  Recorder recorder(steps_);
  const Signal input = recorder.record(Op::input, {});
  const HeadSignals heads = network.describe(recorder, input);
  heads_ = {heads.place.step, heads.give.step, heads.outcome.step};
  std::map<const void*, std::pair<torch::Tensor, torch::Tensor>> moved;
  for (Step& step : steps_) {
    for (torch::Tensor& t : step.constants) {
      auto& known = moved[t.unsafeGetTensorImpl()];
      if (!known.second.defined()) {
        known = {t, t.to(device, number)};
        // Convolutions use the memory layout of their weights; channels last is faster.
        if (t.dim() == 4) known.second = known.second.contiguous(torch::MemoryFormat::ChannelsLast);
      }
      t = known.second;
    }
  }
  plan_memory();
}

void Program::plan_memory() {
  const int n = static_cast<int>(steps_.size());
  std::vector<int> last(steps_.size(), -1), uses(steps_.size(), 0);
  for (int i = 0; i < n; ++i) {
    for (const int in : steps_[static_cast<std::size_t>(i)].inputs) {
      last[static_cast<std::size_t>(in)] = i;
      ++uses[static_cast<std::size_t>(in)];
    }
  }
  for (const int head : heads_) last[static_cast<std::size_t>(head)] = n;
  for (int i = 0; i < n; ++i) {
    if (last[static_cast<std::size_t>(i)] >= 0 && last[static_cast<std::size_t>(i)] < n) {
      steps_[static_cast<std::size_t>(last[static_cast<std::size_t>(i)])].last_uses.push_back(i);
    }
  }
  // Only results that own their memory and are read by this step alone may be overwritten; a view may not.
  const auto fresh = [&](int i) {
    while (steps_[static_cast<std::size_t>(i)].op == Op::reshape && uses[static_cast<std::size_t>(i)] == 1) {
      i = steps_[static_cast<std::size_t>(i)].inputs[0];
    }
    const Op op = steps_[static_cast<std::size_t>(i)].op;
    return (op == Op::linear || op == Op::linear_onto || op == Op::conv || op == Op::add) &&
           uses[static_cast<std::size_t>(i)] == 1;
  };
  for (Step& step : steps_) {
    step.in_place = (step.op == Op::relu || step.op == Op::linear_onto) && fresh(step.inputs[0]) &&
                    std::find(heads_.begin(), heads_.end(), step.inputs[0]) == heads_.end();
  }
}

torch::Tensor Program::run(const torch::Tensor& input) const {
  return execute(input, [](const Step&, const torch::Tensor&) {});
}

torch::Tensor Program::run_in_parts(const torch::Tensor& input) const {
  std::vector<torch::Tensor> results;
  for (const torch::Tensor& part : input.split(kRowsAtATime)) results.push_back(run(part));
  const c10::InferenceMode inference;
  return torch::cat(results);
}

torch::Tensor Program::run_bits(const torch::Tensor& bits) const {
  const c10::InferenceMode inference;
  return run(planes_of_bits(bits, number_));
}

template <class Observe>
torch::Tensor Program::execute(const torch::Tensor& input, const Observe& observe) const {
  const c10::InferenceMode inference;
  std::vector<torch::Tensor> at(steps_.size());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const auto in = [&](std::size_t k) -> torch::Tensor& { return at[static_cast<std::size_t>(step.inputs[k])]; };
    const Sizes& n = step.numbers;
    switch (step.op) {
      case Op::input:
        at[i] = input.to(number_);
        break;
      case Op::linear:
        at[i] = torch::addmm(step.constants[1], in(0), step.constants[0]);
        break;
      case Op::linear_onto:
        at[i] = step.in_place ? in(0).addmm_(in(1), step.constants[0]) : torch::addmm(in(0), in(1), step.constants[0]);
        break;
      case Op::mix:
        at[i] = torch::matmul(step.constants[0], in(0));
        break;
      case Op::conv:
        at[i] = torch::conv2d(in(0), step.constants[0], step.constants[1], 1, n[0]);
        break;
      case Op::add:
        at[i] = in(0) + in(1);
        break;
      case Op::relu:
        at[i] = step.in_place ? in(0).relu_() : torch::relu(in(0));
        break;
      case Op::mean:
        at[i] = in(0).mean(n[0]);
        break;
      case Op::max:
        at[i] = in(0).amax(n[0]);
        break;
      case Op::reshape:
        at[i] = in(0).reshape(n);
        break;
      case Op::slice:
        at[i] = in(0).slice(n[0], n[1], n[2]);
        break;
      case Op::concat: {
        std::vector<torch::Tensor> parts;
        for (std::size_t k = 0; k < step.inputs.size(); ++k) parts.push_back(in(k));
        at[i] = torch::cat(parts, n[0]);
        break;
      }
    }
    observe(step, at[i]);
    for (const int done : step.last_uses) at[static_cast<std::size_t>(done)] = torch::Tensor();
  }
  const auto head = [&](std::size_t k) { return at[static_cast<std::size_t>(heads_[k])]; };
  return torch::cat({head(0), head(1), head(2)}, 1).to(torch::kFloat32);
}

std::int64_t Program::flops() const {
  // Runs the program once: the number of rows of a linear layer for one position depends on the shapes.
  std::int64_t flops = 0;
  execute(torch::zeros(with_rows(1, input_of(config_)), torch::TensorOptions().device(device_)),
          [&](const Step& step, const torch::Tensor& result) {
            if (step.op == Op::linear || step.op == Op::linear_onto)
              flops += 2 * result.numel() * step.constants[0].size(0);
            if (step.op == Op::mix) flops += 2 * result.numel() * step.constants[0].size(1);
            if (step.op == Op::conv) flops += 2 * result.numel() * step.constants[0][0].numel();
          });
  return flops;
}

}  // namespace quarto
