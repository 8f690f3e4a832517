#include "base/checksum.h"

#include <array>

namespace quarto {
namespace {

constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1U) ? (c >> 1) ^ 0x82F63B78U : c >> 1;
    table[i] = c;
  }
  return table;
}();

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  std::uint32_t c = ~before;
  for (const char b : bytes) c = kTable[(c ^ static_cast<unsigned char>(b)) & 0xFFU] ^ (c >> 8);
  return ~c;
}

}  // namespace quarto
