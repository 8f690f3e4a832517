// Weights by the number of pieces on the board, for drawing some stages of the game more often than others.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "env/types.h"

namespace quarto {

// Written as "6-9:4 12-16:0.5": ranges of pieces and their weight; every number that is not named has weight 1.
class PieceWeights {
 public:
  PieceWeights() { weights_.fill(1); }
  // Throws ConfigError, which names `key`: malformed text, a number of pieces named twice or not in 0..16, a weight
  // that is not in 0..1000.
  static PieceWeights parse(std::string_view text, std::string_view key);

  double of(int pieces) const { return weights_[static_cast<std::size_t>(pieces)]; }

 private:
  std::array<double, kSquares + 1> weights_;
};

// Draws an index with probability proportional to its weight. Do not draw from an empty one. If all weights are equal,
// it takes one number from `rng`, as Rng::below() does.
class WeightedDraw {
 public:
  WeightedDraw() = default;  // empty
  explicit WeightedDraw(std::span<const double> weights);
  std::size_t operator()(Rng& rng) const;
  bool empty() const { return total_ <= 0; }  // no weight is above zero

 private:
  std::vector<double> up_to_;  // sums of the weights
  double total_ = 0;
  bool even_ = true;
};

}  // namespace quarto
