#include "model/mlp.h"

#include <cmath>

namespace quarto {

MlpNetwork::MlpNetwork(const NetworkConfig& given) : Network(given) {
  int in = kInputs;
  for (int i = 0; i < config().blocks; ++i) {
    hidden_.push_back(make_dense("hidden" + std::to_string(i), in, config().width, 2.0));
    in = config().width;
  }
  heads_ = make_dense("heads", in, 2 * kMoves + 3, 0.1);
}

MlpNetwork::Dense MlpNetwork::make_dense(const std::string& name, int in, int out, double gain) {
  Dense r;
  r.weight = register_parameter(name + "_weight", torch::randn({in, out}) * std::sqrt(gain / in));
  r.bias = register_parameter(name + "_bias", torch::zeros({out}));
  return r;
}

HeadSignals MlpNetwork::describe(Ops& ops, const Signal& planes) {
  const Signal board = ops.slice(ops.reshape(planes, {-1, kPlanes * kSquares}), 1, 0, kBoardPlanes * kSquares);
  const Signal flags =
      ops.reshape(ops.slice(ops.slice(ops.reshape(planes, {-1, kPlanes, kSquares}), 1, kBoardPlanes, kPlanes), 2, 0, 1),
                  {-1, kFlagPlanes});
  Signal x = ops.concat({board, flags}, 1);
  for (const Dense& d : hidden_) x = ops.relu(ops.linear(x, d.weight, d.bias));
  const Signal out = ops.linear(x, heads_.weight, heads_.bias);
  return {ops.slice(out, 1, 0, kMoves), ops.slice(out, 1, kMoves, 2 * kMoves),
          ops.slice(out, 1, 2 * kMoves, 2 * kMoves + 3)};
}

}  // namespace quarto
