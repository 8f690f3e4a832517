#include "model/residual.h"

#include <cmath>

namespace quarto {

ResidualNetwork::ResidualNetwork(const NetworkConfig& given) : Network(given) {
  const NetworkConfig& c = config();
  stem_ = make_conv("stem", kPlanes, c.width);
  for (int i = 0; i < c.blocks; ++i) {
    const std::string name = "block" + std::to_string(i);
    blocks_.push_back({make_conv(name + "_first", c.width, c.width), make_conv(name + "_second", c.width, c.width)});
    // Each block starts as the identity, so that deep networks learn from the first step (Goyal et al. 2017).
    torch::nn::init::zeros_(blocks_.back().second.norm->weight);
  }
  place_ = register_module("place", torch::nn::Conv2d(torch::nn::Conv2dOptions(c.width, 1, 1)));
  const int pooled = 2 * c.width;
  give_hidden_ = make_dense("give_hidden", pooled, c.head_width, 2.0);
  give_ = make_dense("give", c.head_width, kMoves, 0.1);
  outcome_hidden_ = make_dense("outcome_hidden", pooled, c.head_width, 2.0);
  outcome_ = make_dense("outcome", c.head_width, 3, 0.1);
}

ResidualNetwork::ConvNorm ResidualNetwork::make_conv(const std::string& name, int in, int out) {
  ConvNorm r;
  r.conv =
      register_module(name + "_conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).padding(1).bias(false)));
  torch::nn::init::kaiming_normal_(r.conv->weight, 0.0, torch::kFanOut, torch::kReLU);
  r.norm = register_module(name + "_norm", torch::nn::BatchNorm2d(out));
  return r;
}

ResidualNetwork::Dense ResidualNetwork::make_dense(const std::string& name, int in, int out, double gain) {
  Dense r;
  r.weight = register_parameter(name + "_weight", torch::randn({in, out}) * std::sqrt(gain / in));
  r.bias = register_parameter(name + "_bias", torch::zeros({out}));
  return r;
}

HeadSignals ResidualNetwork::describe(Ops& ops, const Signal& planes) {
  Signal x = ops.relu(ops.conv_norm(planes, stem_.conv, stem_.norm));
  for (Block& block : blocks_) {
    const Signal inner = ops.relu(ops.conv_norm(x, block.first.conv, block.first.norm));
    x = ops.relu(ops.add(ops.conv_norm(inner, block.second.conv, block.second.norm), x));
  }
  const Signal flat = ops.reshape(x, {-1, config().width, kSquares});
  const Signal pooled = ops.concat({ops.mean(flat, 2), ops.max(flat, 2)}, 1);
  const auto dense = [&](const Signal& v, const Dense& d) { return ops.linear(v, d.weight, d.bias); };
  return {ops.reshape(ops.conv(x, place_), {-1, kSquares}), dense(ops.relu(dense(pooled, give_hidden_)), give_),
          dense(ops.relu(dense(pooled, outcome_hidden_)), outcome_)};
}

}  // namespace quarto
