// Vectors of 16-bit integers and exact products of rows of them, for integer_pairs.cpp. Rows have a multiple of 16
// numbers and are aligned as Aligned makes them. The instructions differ between processors (WebAssembly has those of
// SSE2), the numbers do not.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace quarto::light::integer {

using Number = std::int16_t;

// As many numbers as the target's vectors have, at most 16.
#if defined(__AVX2__)
inline constexpr int kWords = 16;
#else
inline constexpr int kWords = 8;
#endif
using Words [[gnu::may_alias]] = std::int16_t __attribute__((vector_size(kWords * sizeof(Number))));
using Unsigned [[gnu::may_alias]] = std::uint16_t __attribute__((vector_size(kWords * sizeof(Number))));

inline Words* words(Number* x) { return reinterpret_cast<Words*>(x); }
inline const Words* words(const Number* x) { return reinterpret_cast<const Words*>(x); }
inline Words all_of(int x) { return Words{} + static_cast<Number>(x); }
// Modulo 2^16.
inline Words plus(Words a, Words b) {
  return reinterpret_cast<Words>(reinterpret_cast<Unsigned>(a) + reinterpret_cast<Unsigned>(b));
}
inline Words larger(Words a, Words b) {
#if defined(__AVX2__)
  return reinterpret_cast<Words>(_mm256_max_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<Words>(_mm_max_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return a > b ? a : b;
#endif
}
inline Words smaller(Words a, Words b) {
#if defined(__AVX2__)
  return reinterpret_cast<Words>(_mm256_min_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<Words>(_mm_min_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return a < b ? a : b;
#endif
}
// The same number, for shifts of vectors by it. Clang 14 moves its vector out of a loop and then, for WebAssembly, shifts
// one number at a time.
inline int shift_here(int bits) {
#if defined(__wasm__)
  asm volatile("" : "+r"(bits));
#endif
  return bits;
}
// x / 2^bits, down.
inline Words shifted(Words x, int bits) {
#if defined(__AVX2__)
  return reinterpret_cast<Words>(_mm256_sra_epi16(reinterpret_cast<__m256i>(x), _mm_cvtsi32_si128(bits)));
#elif defined(__SSE2__)
  return reinterpret_cast<Words>(_mm_sra_epi16(reinterpret_cast<__m128i>(x), _mm_cvtsi32_si128(shift_here(bits))));
#else
  return x >> static_cast<Number>(bits);
#endif
}
// x / 2^SHIFT of numbers below 2^16 - 2^SHIFT, halves up.
template <int SHIFT>
Words scaled(Words x) {
  const Unsigned half = Unsigned{} + static_cast<std::uint16_t>(1 << (SHIFT - 1));
  return reinterpret_cast<Words>((reinterpret_cast<Unsigned>(x) + half) >> SHIFT);
}

// A vector of 32-bit sums, and of as many pairs of 16-bit numbers.
#if defined(__AVX2__)
inline constexpr int kSums = 8;
using Sums = __m256i;
using Pairs = __m256i;
inline Pairs load(const Number* x) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)); }
inline Pairs both(std::int32_t pair) { return _mm256_set1_epi32(pair); }
inline Sums no_sums() { return _mm256_setzero_si256(); }
// sum + x[2i] * w[2i] + x[2i + 1] * w[2i + 1]
inline Sums add_products(Sums sum, Pairs x, Pairs w) {
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
  return _mm256_dpwssd_epi32(sum, x, w);
#else
  return _mm256_add_epi32(sum, _mm256_madd_epi16(x, w));
#endif
}
// (sum + half) >> shift of two vectors, limited to 16 bits.
inline Words narrow(Sums a, Sums b, int half, int shift) {
  const __m256i h = _mm256_set1_epi32(half);
  const __m128i count = _mm_cvtsi32_si128(shift);
  const __m256i both_halves = _mm256_packs_epi32(_mm256_sra_epi32(_mm256_add_epi32(a, h), count),
                                                 _mm256_sra_epi32(_mm256_add_epi32(b, h), count));
  return reinterpret_cast<Words>(_mm256_permute4x64_epi64(both_halves, 0xD8));
}
#elif defined(__SSE2__)
inline constexpr int kSums = 4;
using Sums = __m128i;
using Pairs = __m128i;
inline Pairs load(const Number* x) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(x)); }
inline Pairs both(std::int32_t pair) { return _mm_set1_epi32(pair); }
inline Sums no_sums() { return _mm_setzero_si128(); }
inline Sums add_products(Sums sum, Pairs x, Pairs w) { return _mm_add_epi32(sum, _mm_madd_epi16(x, w)); }
inline Words narrow(Sums a, Sums b, int half, int shift) {
  const __m128i h = _mm_set1_epi32(half), count = _mm_cvtsi32_si128(shift_here(shift));
  return reinterpret_cast<Words>(
      _mm_packs_epi32(_mm_sra_epi32(_mm_add_epi32(a, h), count), _mm_sra_epi32(_mm_add_epi32(b, h), count)));
}
#elif defined(__aarch64__)
inline constexpr int kSums = 4;
// Of two products each; narrow() adds them.
struct Sums {
  int32x4_t low, high;
};
using Pairs = int16x8_t;
inline Pairs load(const Number* x) { return vld1q_s16(x); }
inline Pairs both(std::int32_t pair) { return vreinterpretq_s16_s32(vdupq_n_s32(pair)); }
inline Sums no_sums() { return {vdupq_n_s32(0), vdupq_n_s32(0)}; }
inline Sums add_products(Sums sum, Pairs x, Pairs w) {
  return {vmlal_s16(sum.low, vget_low_s16(x), vget_low_s16(w)), vmlal_high_s16(sum.high, x, w)};
}
inline Words narrow(Sums a, Sums b, int half, int shift) {
  const int32x4_t h = vdupq_n_s32(half), left = vdupq_n_s32(-shift);
  const auto divided = [&](Sums s) { return vshlq_s32(vaddq_s32(vpaddq_s32(s.low, s.high), h), left); };
  return reinterpret_cast<Words>(vqmovn_high_s32(vqmovn_s32(divided(a)), divided(b)));
}
#else
inline constexpr int kSums = 4;
struct Sums {
  std::int32_t of[kSums];  // NOLINT(modernize-avoid-c-arrays)
};
using Pairs = Sums;
inline Pairs load(const Number* x) {
  Pairs pairs;
  std::memcpy(&pairs, x, sizeof pairs);
  return pairs;
}
inline Pairs both(std::int32_t pair) { return {{pair, pair, pair, pair}}; }
inline Sums no_sums() { return {}; }
inline Sums add_products(Sums sum, Pairs x, Pairs w) {
  const auto low = [](std::int32_t pair) { return static_cast<std::int32_t>(static_cast<Number>(pair)); };
  for (int i = 0; i < kSums; ++i) sum.of[i] += low(x.of[i]) * low(w.of[i]) + (x.of[i] >> 16) * (w.of[i] >> 16);
  return sum;
}
inline Words narrow(Sums a, Sums b, int half, int shift) {
  Words y;
  for (int i = 0; i < kWords; ++i) {
    const std::int32_t x = ((i < kSums ? a.of[i] : b.of[i - kSums]) + half) >> shift;
    y[i] = static_cast<Number>(x < -32768 ? -32768 : x > 32767 ? 32767 : x);
  }
  return y;
}
#endif
static_assert(kWords == 2 * kSums);

// A matrix [IN][OUT] as products read it: the numbers of two inputs beside each other.
inline void pack(const Number* m, int in, int out, Number* packed) {
  for (int i = 0; i < in; ++i) {
    for (int o = 0; o < out; ++o) packed[(i / 2 * out + o) * 2 + i % 2] = m[i * out + o];
  }
}

// The rows, and the vectors of a row of sums, that are computed together: as many as fit in the registers (15 in V8's
// WebAssembly, where both factors take some too; 32 in aarch64, and two for each vector of sums).
#if defined(__wasm__) || defined(__aarch64__)
inline constexpr int kTileRows = 4, kTileColumns = 2;
#else
inline constexpr int kTileRows = 3, kTileColumns = 4;
#endif

// y[T][OUT] = x[T][IN] * m[IN][OUT], m as pack() makes it: sums divided by 2^shift, halves up, and limited to 16 bits.
// A function of its own: beside other work a compiler keeps fewer of the sums in registers.
template <int IN, int OUT, int T>
[[gnu::noinline]] void multiply_rows(const Number* __restrict x, const Number* __restrict m, int shift,
                                     Number* __restrict y) {
  constexpr int kAll = OUT / kSums, kC = kAll % kTileColumns == 0 ? kTileColumns : 2;
  for (int c = 0; c < kAll; c += kC) {
    Sums sum[T][kC];  // NOLINT(modernize-avoid-c-arrays)
    for (int t = 0; t < T; ++t) {
      for (int k = 0; k < kC; ++k) sum[t][k] = no_sums();
    }
    for (int i = 0; i < IN; i += 2) {
      for (int k = 0; k < kC; ++k) {
        const Pairs w = load(m + (i / 2 * OUT + (c + k) * kSums) * 2);
        for (int t = 0; t < T; ++t) {
          std::int32_t pair;
          std::memcpy(&pair, x + t * IN + i, sizeof pair);
          sum[t][k] = add_products(sum[t][k], both(pair), w);
        }
      }
    }
    for (int t = 0; t < T; ++t) {
      for (int k = 0; k < kC; k += 2)
        *words(y + t * OUT + (c + k) * kSums) = narrow(sum[t][k], sum[t][k + 1], 1 << (shift - 1), shift);
    }
  }
}

// take(row, place, y) for every vector y of the product of any number of rows. `place` is the vector's first column,
// `shift` 1 to 31.
template <int IN, int OUT, class F>
inline void multiply(const Number* __restrict x, const Number* __restrict m, int shift, int rows, const F& take) {
  constexpr int kTogether = OUT / kSums % kTileColumns == 0 ? kTileRows : 6;
  alignas(64) Number y[kTogether * OUT];  // NOLINT(modernize-avoid-c-arrays)
  int r = 0;
  const auto some = [&]<int T>(std::integral_constant<int, T>) {
    for (; r + T <= rows; r += T) {
      multiply_rows<IN, OUT, T>(x + r * IN, m, shift, y);
      for (int t = 0; t < T; ++t) {
        for (int place = 0; place < OUT; place += kWords) take(r + t, place, *words(y + t * OUT + place));
      }
    }
  };
  some(std::integral_constant<int, kTogether>());
  some(std::integral_constant<int, 2>());
  some(std::integral_constant<int, 1>());
}

}  // namespace quarto::light::integer
