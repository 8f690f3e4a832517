// IEEE 754 half precision as a storage format: no arithmetic.
#pragma once

#include <cstdint>

namespace quarto::light {

// Rounds to nearest, ties to even. A value too large for the format becomes infinity; NaN stays NaN.
std::uint16_t to_float16(float value);
float from_float16(std::uint16_t bits);  // exact

}  // namespace quarto::light
