// Visiting things in an order that does not follow their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace quarto {

// Things are often sorted, the dear ones together. Taking every stride-th of n, round and round, visits each once and
// spreads the dear ones evenly, so that the time left can be judged. Coprime to n, near the golden section.
inline std::size_t spreading_stride(std::size_t n) {
  auto stride = std::max<std::size_t>(1, static_cast<std::size_t>(0.618 * static_cast<double>(n)));
  while (std::gcd(stride, n) != 1) ++stride;
  return stride;
}

}  // namespace quarto
