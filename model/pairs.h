// The pairs network, for LibTorch: training on the GPU, inference there, export, and the yardstick for the kernel that
// does the work on CPUs (light/pairs_kernel.h). What it computes is told in docs/networks.md.
//
// Here every position has all 16 x 16 pairs; those whose square is taken or whose piece is gone are held far below
// zero, so that nothing is left of them after a ReLU. All features are computed from the planes, by fixed weights.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "light/pairs_kernel.h"
#include "model/network.h"

namespace quarto {

light::PairsShape pairs_shape(const NetworkConfig& config);

class PairsNetwork final : public Network {
 public:
  explicit PairsNetwork(const NetworkConfig& config);
  HeadSignals describe(Ops& ops, const Signal& planes) override;

  const light::PairsLayout& layout() const { return layout_; }
  // The weights in the layout's order, gaps zero.
  light::Floats flat_weights() const;
  // Sets every weight's gradient, from the same order.
  void set_gradients(std::span<const float> flat);
  // None if the kernel does not support this shape.
  std::shared_ptr<const light::PairsKernel> make_kernel() const override;

 private:
  struct Features;  // what is fixed by the rules alone
  struct Pooled {
    Signal row_sum, row_max, column_sum, column_max, hand, all_sum, all_max;
  };
  void make_constants();
  Features features(Ops& ops, const Signal& planes) const;
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
