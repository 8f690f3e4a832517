#include "light/float16.h"

#include <bit>
#include <cmath>

namespace quarto::light {
namespace {

constexpr std::uint16_t kInfinity = 0x7C00, kNotANumber = 0x7E00;
constexpr float kLeastNormal = 0x1p-14F;
constexpr float kLeastInfinite = 65520.0F;  // half way from the largest number, 65504, to the next power of two

}  // namespace

std::uint16_t to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const float size = std::fabs(value);
  const auto with_sign = [sign](std::uint32_t magnitude) { return static_cast<std::uint16_t>(sign | magnitude); };
  if (std::isnan(value)) return with_sign(kNotANumber);
  if (size >= kLeastInfinite) return with_sign(kInfinity);
  // Below the normal numbers the step is 2^-24; nearbyint rounds ties to even.
  if (size < kLeastNormal) return with_sign(static_cast<std::uint32_t>(std::nearbyint(size * 0x1p24F)));
  // The fraction loses 13 bits; a carry increments the exponent, which is correct. The bias of the exponent is 112
  // less.
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  const std::uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13) & 1U);
  return with_sign((rounded >> 13) - (112U << 10));
}

float from_float16(std::uint16_t bits) {
  const std::uint32_t exponent = (bits >> 10) & 0x1FU, fraction = bits & 0x3FFU;
  float size = 0;
  if (exponent == 0) {
    size = static_cast<float>(fraction) * 0x1p-24F;
  } else {
    const std::uint32_t wide = exponent == 0x1FU ? 0xFFU : exponent + 112U;
    size = std::bit_cast<float>(wide << 23 | fraction << 13);
  }
  return (bits & 0x8000U) ? -size : size;
}

}  // namespace quarto::light
