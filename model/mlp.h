// A multilayer perceptron over the raw bits of the position: what no structure at all is worth, and the fastest that
// matrix products go.
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
