#include "solver/canonical.h"

namespace quarto::solver::detail {

const std::array<Bytes16, 64> kPieceSources = [] {
  std::array<Bytes16, 64> table{};
  for (unsigned order = 0; order < 64; ++order) {
    const std::array<unsigned, 3> first = {order & 3U, (order >> 2) & 3U, order >> 4};
    const std::array<unsigned, 4> from = {first[0], first[1], first[2], 6U - first[0] - first[1] - first[2]};
    if (first[0] == first[1] || first[0] == first[2] || first[1] == first[2]) continue;
    for (unsigned q = 0; q < kPieces; ++q) {
      unsigned p = 0;
      for (unsigned i = 0; i < kAttributes; ++i) p |= ((q >> i) & 1U) << from[i];
      table[order][q] = static_cast<std::uint8_t>(p);
    }
  }
  return table;
}();

const std::array<std::array<std::uint8_t, 256>, 4> kPacked = [] {
  std::array<std::array<std::uint8_t, 256>, 4> table{};
  for (std::size_t k = 0; k < 4; ++k) {
    const unsigned block = 1U << k;
    for (unsigned byte = 0; byte < 256; ++byte) {
      unsigned packed = 0;
      for (unsigned at = 0; at < 8; at += block) {
        const int ones = std::popcount((byte >> at) & ((1U << block) - 1));
        packed |= ((1U << ones) - 1) << at;
      }
      table[k][byte] = static_cast<std::uint8_t>(packed);
    }
  }
  return table;
}();

}  // namespace quarto::solver::detail
