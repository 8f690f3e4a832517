// The limits of options that several programs have: more is a slip, not a wish.
#pragma once

#include <cstddef>

namespace quarto {

inline constexpr int kMostThreads = 1024;
// Of a transposition table. What there is no room for is refused where the table is made.
inline constexpr std::size_t kMostTableMb = std::size_t{1} << 32;

}  // namespace quarto
