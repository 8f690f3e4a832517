// A linear layer between quantities that live on the board, with weights shared as the board's symmetries demand.
//
// A row of its input is a list of fields: `channels` numbers on each square, on each line, or once. Under a board
// symmetry the squares and the lines are permuted; a linear map commutes with that exactly when the weight from place i
// to place j is the same for all pairs (g i, g j). So there is one [in channels, out channels] matrix per orbit of
// pairs (Cohen and Welling, "Group equivariant convolutional networks", 2016; Ravanbakhsh et al., "Equivariance through
// parameter-sharing", 2017): from square to line it can tell "on the line" from "off it", from square to square "the
// same", "on a common line", and so on. Nothing more is assumed, so it is the most general equivariant linear layer.
//
// It is multiplied as one dense matrix. That wastes multiplications by the shared structure, but one large product runs
// at several times the speed of many small ones.
#pragma once

#include <torch/torch.h>

#include <string>
#include <vector>

#include "env/types.h"
#include "model/ops.h"

namespace quarto {

struct Field {
  enum class Place { square, line, once };
  Place place;
  int channels;
  int scale = 1;  // the size its numbers usually have, for initialisation
};

// Floats of a row, field after field, each [places][channels].
std::int64_t row_size(const std::vector<Field>& fields, Rules rules);

class BoardLinearImpl : public torch::nn::Module {
 public:
  // gain: roughly the variance of the output over that of an input, at initialisation (2 before a ReLU).
  BoardLinearImpl(Rules rules, std::vector<Field> in, std::vector<Field> out, double gain, bool bias = true);

  torch::Tensor weight() const;  // [row_size(in), row_size(out)], differentiable
  torch::Tensor bias() const;    // [row_size(out)]

  Signal forward(Ops& ops, const Signal& x) const { return ops.linear(x, weight(), bias()); }
  Signal onto(Ops& ops, const Signal& y, const Signal& x) const { return ops.linear_onto(y, x, weight()); }

 private:
  Rules rules_;
  std::vector<Field> in_, out_;
  // [in field][out field]: the shared matrices [orbits, in channels, out channels] and which of them joins which pair
  // of places, [places * places].
  std::vector<std::vector<torch::Tensor>> shared_, orbit_;
  std::vector<torch::Tensor> shared_bias_, bias_orbit_;  // [out field]: [orbits, out channels], [places]
};
TORCH_MODULE(BoardLinear);

}  // namespace quarto
