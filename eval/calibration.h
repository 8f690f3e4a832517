// Calibration: of the things that somebody said would happen with probability p, did a share p happen? Ten bins of
// equal width, as in Naeini, Cooper and Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning",
// 2015. Not thread-safe, as any value is.
#pragma once

#include <array>

#include "eval/statistics.h"

namespace quarto {

class Calibration {
 public:
  static constexpr int kBins = 10;
  struct Bin {
    double said = 0;  // the sum of the probabilities
    Share happened;
    double mean_said() const { return happened.n == 0 ? 0 : said / static_cast<double>(happened.n); }
  };

  // `probability` may stray a little outside 0..1, as sums of single precision do; 1 belongs to the last bin.
  void add(double probability, bool happened);
  // Bin i holds the probabilities from i / 10 (included) to (i + 1) / 10.
  const std::array<Bin, kBins>& bins() const { return bins_; }
  std::size_t total() const;
  // The mean over all that was added of |said - happened| of its bin ("expected calibration error"), 0..1. Never quite
  // zero in a sample, even for a perfect forecaster.
  double gap() const;

 private:
  std::array<Bin, kBins> bins_{};
};

}  // namespace quarto
