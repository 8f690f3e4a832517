#include "base/portable_math.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace quarto::portable {
namespace {

// ln 2 in two parts. The first has 32 bits, so that a multiple by an exponent is exact.
constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
constexpr double kLog2E = 0x1.71547652b82fep0;
constexpr int kBias = 1023, kMantissa = 52;

// 1 / n!
constexpr auto kExpTerms = [] {
  std::array<double, 14> terms{};
  double factorial = 1;
  for (std::size_t n = 0; n < terms.size(); ++n) {
    terms[n] = 1 / factorial;
    factorial *= static_cast<double>(n + 1);
  }
  return terms;
}();
constexpr int kLogTerms = 12;

}  // namespace

// 2^k e^r with |r| <= ln(2) / 2, by Taylor's series: the first term left out is below 5e-18.
double exp(double x) {
  if (std::isnan(x)) return x;
  if (x < -708) return 0;
  if (x > 709) return std::numeric_limits<double>::infinity();
  const double k = std::floor(x * kLog2E + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double sum = 0;
  for (std::size_t n = kExpTerms.size(); n-- > 0;) sum = sum * r + kExpTerms[n];
  const auto power = static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + kBias) << kMantissa;
  return sum * std::bit_cast<double>(power);
}

// x = 2^k m with m near 1: ln x = k ln 2 + 2 artanh(s), s = (m - 1) / (m + 1), |s| < 0.172.
double log(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto k = static_cast<std::int64_t>(bits >> kMantissa) - kBias;
  constexpr std::uint64_t kFraction = (std::uint64_t{1} << kMantissa) - 1;
  auto m = std::bit_cast<double>((bits & kFraction) | (std::uint64_t{kBias} << kMantissa));
  if (m > 0x1.6a09e667f3bcdp0) {  // sqrt(2)
    m *= 0.5;
    ++k;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int n = kLogTerms; n > 0; --n) sum = sum * square + 1.0 / (2 * n + 1);
  const auto exponent = static_cast<double>(k);
  return exponent * kLn2High + (2 * s + (2 * s * square * sum + exponent * kLn2Low));
}

}  // namespace quarto::portable
