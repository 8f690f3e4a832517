// An index of an array, of the signed numbers that are calculated with.
#pragma once

#include <cstddef>

namespace quarto {

constexpr std::size_t idx(int i) { return static_cast<std::size_t>(i); }

}  // namespace quarto
