// The limits of options that several programs have: more is a slip, not a wish.
#pragma once

namespace quarto {

inline constexpr int kMostThreads = 1024;
// Of a transposition table. What there is no room for is refused where the table is made.
inline constexpr int kMostTableMb = 1 << 24;

}  // namespace quarto
