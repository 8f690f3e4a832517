// The pairs network in LibTorch: for training and inference on a GPU, for export, and as the reference for the CPU
// kernel (light/pairs_kernel.h). docs/networks.md describes what it computes.
//
// Here every position has all 16 x 16 pairs. A pair whose square is occupied or whose piece is placed gets a large
// negative value, so it is zero after every ReLU. The input is light/counts.h.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "light/pairs_kernel.h"
#include "model/network.h"

namespace quarto {

class PairsNetwork final : public Network {
 public:
  explicit PairsNetwork(const NetworkConfig& config);
  HeadSignals describe(Ops& ops, const Signal& input) override;

  const light::PairsLayout& layout() const { return layout_; }
  // The weights in the layout's order; gaps are zero.
  light::Floats flat_weights() const;
  // Sets the gradient of every weight from an array in the same order.
  void set_gradients(std::span<const float> flat);
  std::shared_ptr<const light::PairsKernel> make_kernel() const override;

 private:
  struct Features;  // what the blocks and heads need of the input
  struct Pooled {
    Signal row_sum, row_max, column_sum, column_max, hand, all_sum, all_max;
  };
  void make_constants();
  Features features(Ops& ops, const Signal& input) const;
  Pooled pool(Ops& ops, const Signal& h, const Signal& r, const Features& f) const;
  Signal block(Ops& ops, int b, const Signal& h, const Features& f) const;
  const torch::Tensor& weight(int entry) const { return weights_[static_cast<std::size_t>(entry)]; }
  const torch::Tensor& constant(const char* name) const { return constants_.at(name); }

  Rules rules_;
  int lines_;
  light::PairsLayout layout_;
  std::vector<torch::Tensor> weights_;
  std::map<std::string, torch::Tensor, std::less<>> constants_;  // not learned
};

}  // namespace quarto
