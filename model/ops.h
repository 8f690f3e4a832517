// The operations that networks use. A network's describe() is written once against this interface and has several
// implementations: EagerOps (below) computes at once, with gradients, for training; Program (model/program.h) records
// the calls for inference and export.
//
// The first axis of every value is the batch size or a multiple of it; no operation names its length.
#pragma once

#include <torch/torch.h>

#include <vector>

namespace quarto {

// A tensor (EagerOps) or the number of a recorded step (Program).
struct Signal {
  torch::Tensor tensor;
  int step = -1;
};

struct HeadSignals {
  Signal place, give, outcome;  // [N, 16], [N, 16], [N, 3]
};

using Sizes = std::vector<std::int64_t>;

class Ops {
 public:
  virtual ~Ops() = default;
  // x [M, in] times weight [in, out], plus bias [out].
  virtual Signal linear(const Signal& x, const torch::Tensor& weight, const torch::Tensor& bias) = 0;
  // x [M, in] times weight [in, out], plus y [M, out].
  virtual Signal linear_onto(const Signal& y, const Signal& x, const torch::Tensor& weight) = 0;
  // The matrix [out, in] applied to the middle axis of x [M, in, K]: [M, out, K].
  virtual Signal mix(const Signal& x, const torch::Tensor& matrix) = 0;
  // A same-size convolution of x [N, in, 4, 4] followed by batch norm.
  virtual Signal conv_norm(const Signal& x, torch::nn::Conv2d& conv, torch::nn::BatchNorm2d& norm) = 0;
  virtual Signal conv(const Signal& x, torch::nn::Conv2d& conv) = 0;
  // With broadcasting over axes of length one.
  virtual Signal add(const Signal& x, const Signal& y) = 0;
  virtual Signal relu(const Signal& x) = 0;
  virtual Signal mean(const Signal& x, int axis) = 0;  // removes the axis
  virtual Signal max(const Signal& x, int axis) = 0;   // removes the axis
  // sizes[0] must be -1: the other sizes are fixed and determine the first.
  virtual Signal reshape(const Signal& x, const Sizes& sizes) = 0;
  virtual Signal slice(const Signal& x, int axis, std::int64_t begin, std::int64_t end) = 0;
  virtual Signal concat(const std::vector<Signal>& xs, int axis) = 0;
};

class EagerOps final : public Ops {
 public:
  Signal linear(const Signal& x, const torch::Tensor& weight, const torch::Tensor& bias) override {
    return {torch::addmm(bias, x.tensor, weight)};
  }
  Signal linear_onto(const Signal& y, const Signal& x, const torch::Tensor& weight) override {
    return {torch::addmm(y.tensor, x.tensor, weight)};
  }
  Signal mix(const Signal& x, const torch::Tensor& matrix) override { return {torch::matmul(matrix, x.tensor)}; }
  Signal conv_norm(const Signal& x, torch::nn::Conv2d& conv, torch::nn::BatchNorm2d& norm) override {
    return {norm(conv(x.tensor))};
  }
  Signal conv(const Signal& x, torch::nn::Conv2d& conv) override { return {conv(x.tensor)}; }
  Signal add(const Signal& x, const Signal& y) override { return {x.tensor + y.tensor}; }
  Signal relu(const Signal& x) override { return {torch::relu(x.tensor)}; }
  Signal mean(const Signal& x, int axis) override { return {x.tensor.mean(axis)}; }
  Signal max(const Signal& x, int axis) override { return {x.tensor.amax(axis)}; }
  Signal reshape(const Signal& x, const Sizes& sizes) override { return {x.tensor.reshape(sizes)}; }
  Signal slice(const Signal& x, int axis, std::int64_t begin, std::int64_t end) override {
    return {x.tensor.slice(axis, begin, end)};
  }
  Signal concat(const std::vector<Signal>& xs, int axis) override {
    std::vector<torch::Tensor> tensors;
    for (const Signal& x : xs) tensors.push_back(x.tensor);
    return {torch::cat(tensors, axis)};
  }
};

}  // namespace quarto
