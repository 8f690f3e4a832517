// Sets of attribute values, or of rows, one for each of up to eight columns (or rows), as the bytes of a word.
#pragma once

#include <cstdint>

namespace quarto::light {

using Word = std::uint64_t;

constexpr Word everywhere(unsigned byte) { return byte * Word{0x0101'0101'0101'0101}; }
constexpr Word only(int i, unsigned byte) { return Word{byte} << (8 * i); }

}  // namespace quarto::light
