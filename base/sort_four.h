// Sorting four values without branches.
#pragma once

#include <algorithm>
#include <array>

namespace quarto {

// In ascending order, by Batcher's network (Batcher, 1968).
template <class T>
constexpr void sort_four(std::array<T, 4>& values) {
  const auto order = [&values](std::size_t i, std::size_t j) {
    const T low = std::min(values[i], values[j]), high = std::max(values[i], values[j]);
    values[i] = low;
    values[j] = high;
  };
  order(0, 1);
  order(2, 3);
  order(0, 2);
  order(1, 3);
  order(1, 2);
}

}  // namespace quarto
