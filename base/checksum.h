// The checksum of our binary files.
#pragma once

#include <cstdint>
#include <string_view>

namespace quarto {

// CRC-32C (Castagnoli, 1993; RFC 3720 appendix B.4), as TFRecord files use it too. Finds damage, not malice.
// `before` continues the checksum of bytes that came earlier.
std::uint32_t crc32c(std::string_view bytes, std::uint32_t before = 0);

}  // namespace quarto
