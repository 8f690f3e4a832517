// A multilayer perceptron over the bits of the position: the baseline without built-in structure, and the fastest
// network in matrix products.
#pragma once

#include "model/network.h"

namespace quarto {

class MlpNetwork final : public Network {
 public:
  explicit MlpNetwork(const NetworkConfig& config);
  HeadSignals describe(Ops& ops, const Signal& planes) override;

 private:
  struct Dense {
    torch::Tensor weight, bias;  // [in, out], [out]
  };
  Dense make_dense(const std::string& name, int in, int out, double gain);

  std::vector<Dense> hidden_;
  Dense heads_;
};

}  // namespace quarto
