// A residual network over the 4x4 planes (He et al., "Deep residual learning", 2016): a 3x3 convolution, then blocks of
// two 3x3 convolutions with batch norm and a skip connection. It is the usual architecture of AlphaZero programs and
// serves as the baseline here: Quarto's lines are not local, and the network has none of Quarto's symmetries built in
// except those like translations.
#pragma once

#include "model/network.h"

namespace quarto {

class ResidualNetwork final : public Network {
 public:
  explicit ResidualNetwork(const NetworkConfig& config);
  HeadSignals describe(Ops& ops, const Signal& planes) override;

 private:
  struct ConvNorm {
    torch::nn::Conv2d conv{nullptr};
    torch::nn::BatchNorm2d norm{nullptr};
  };
  struct Block {
    ConvNorm first, second;
  };
  ConvNorm make_conv(const std::string& name, int in, int out);
  struct Dense {
    torch::Tensor weight, bias;  // [in, out], [out]
  };
  Dense make_dense(const std::string& name, int in, int out, double gain);

  ConvNorm stem_;
  std::vector<Block> blocks_;
  torch::nn::Conv2d place_{nullptr};
  Dense give_hidden_, give_, outcome_hidden_, outcome_;
};

}  // namespace quarto
