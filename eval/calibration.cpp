#include "eval/calibration.h"

#include <algorithm>
#include <cmath>

namespace quarto {

void Calibration::add(double probability, bool happened) {
  const int bin = std::clamp(static_cast<int>(probability * kBins), 0, kBins - 1);
  Bin& b = bins_[static_cast<std::size_t>(bin)];
  b.said += probability;
  b.happened.add(happened ? 1 : 0);
}

std::size_t Calibration::total() const {
  std::size_t n = 0;
  for (const Bin& b : bins_) n += b.happened.n;
  return n;
}

double Calibration::gap() const {
  const auto n = static_cast<double>(total());
  double gap = 0;
  for (const Bin& b : bins_) {
    if (b.happened.n > 0) {
      gap += static_cast<double>(b.happened.n) / n * std::abs(b.mean_said() - b.happened.value());
    }
  }
  return gap;
}

}  // namespace quarto
