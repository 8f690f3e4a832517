// Calibration: of the events predicted with probability p, did a share p happen? Uses ten bins of equal width, as
// Naeini, Cooper and Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning", 2015. Not
// thread-safe.
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

  // `probability` may be slightly outside 0..1, by rounding in single precision. 1 belongs to the last bin.
  void add(double probability, bool happened);
  // Bin i holds the probabilities from i / 10 (included) to (i + 1) / 10.
  const std::array<Bin, kBins>& bins() const { return bins_; }
  std::size_t total() const;
  // The mean over all events of |said - happened| of their bin ("expected calibration error"), 0..1. In a sample it is
  // above zero even for a perfect forecaster.
  double gap() const;

 private:
  std::array<Bin, kBins> bins_{};
};

}  // namespace quarto
