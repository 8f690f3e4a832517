// IEEE 754 half precision as a storage format: no arithmetic.
#pragma once

#include <cstdint>

namespace quarto::light {

// Rounded to the nearest, ties to even. Too large for the format: infinity. Not a number stays so.
std::uint16_t to_float16(float value);
float from_float16(std::uint16_t bits);  // exact

}  // namespace quarto::light
