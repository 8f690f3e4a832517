// Vectors of 16-bit integers and exact products of rows of them, for integer_pairs.cpp. Rows have a multiple of 16
// numbers and are aligned as Aligned makes them. The instructions differ between processors (WebAssembly has those of
// SSE2), the numbers do not.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

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
inline Words minus(Words a, Words b) {
  return reinterpret_cast<Words>(reinterpret_cast<Unsigned>(a) - reinterpret_cast<Unsigned>(b));
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

inline std::int32_t pair_at(const Number* x) {
  std::int32_t pair;
  std::memcpy(&pair, x, sizeof pair);
  return pair;
}

// Sums are vectors of 32 bits, Factors the numbers of a matrix, or of a row, that are multiplied for one of them:
// kTogether each. narrow() takes as many sums as fill a vector of words.
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
inline constexpr int kTogether = 2;
using Sums = __m512i;
using Factors = __m512i;
inline Factors load(const Number* w) { return _mm512_loadu_si512(w); }
inline Factors everywhere(const Number* x) { return _mm512_set1_epi32(pair_at(x)); }
inline Sums sums_of(int x) { return _mm512_set1_epi32(x); }
// sum + x[2i] * w[2i] + x[2i + 1] * w[2i + 1]
inline Sums add_products(Sums sum, Factors x, Factors w) { return _mm512_dpwssd_epi32(sum, x, w); }
// Divided by 2^shift, down, and limited to 16 bits. (Without the masks GCC 12 warns: its bug 105593.)
inline Words narrow(const Sums* sums, int shift) {
  constexpr auto kAll = static_cast<__mmask16>(-1);
  const __m512i divided = _mm512_maskz_sra_epi32(kAll, *sums, _mm_cvtsi32_si128(shift));
  return reinterpret_cast<Words>(_mm512_maskz_cvtsepi32_epi16(kAll, divided));
}
// A bit for each of the factors of 16 numbers, the first one the lowest: is it other than zero?
inline std::uint32_t nonzero(const Number* x) {
  const __m256i numbers = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
  return _mm256_test_epi32_mask(numbers, numbers);
}
#elif defined(__AVX2__)
inline constexpr int kTogether = 2;
using Sums = __m256i;
using Factors = __m256i;
inline Factors load(const Number* w) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w)); }
inline Factors everywhere(const Number* x) { return _mm256_set1_epi32(pair_at(x)); }
inline Sums sums_of(int x) { return _mm256_set1_epi32(x); }
inline Sums add_products(Sums sum, Factors x, Factors w) { return _mm256_add_epi32(sum, _mm256_madd_epi16(x, w)); }
inline Words narrow(const Sums* sums, int shift) {
  const __m128i count = _mm_cvtsi32_si128(shift);
  const __m256i both_halves = _mm256_packs_epi32(_mm256_sra_epi32(sums[0], count), _mm256_sra_epi32(sums[1], count));
  return reinterpret_cast<Words>(_mm256_permute4x64_epi64(both_halves, 0xD8));
}
inline std::uint32_t nonzero(const Number* x) {
  const __m256i zero = _mm256_cmpeq_epi32(load(x), _mm256_setzero_si256());
  return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(zero))) ^ 0xFFU;
}
#elif defined(__SSE2__)
inline constexpr int kTogether = 2;
using Sums = __m128i;
using Factors = __m128i;
inline Factors load(const Number* w) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(w)); }
inline Factors everywhere(const Number* x) { return _mm_set1_epi32(pair_at(x)); }
inline Sums sums_of(int x) { return _mm_set1_epi32(x); }
inline Sums add_products(Sums sum, Factors x, Factors w) { return _mm_add_epi32(sum, _mm_madd_epi16(x, w)); }
inline Words narrow(const Sums* sums, int shift) {
  const __m128i count = _mm_cvtsi32_si128(shift_here(shift));
  return reinterpret_cast<Words>(_mm_packs_epi32(_mm_sra_epi32(sums[0], count), _mm_sra_epi32(sums[1], count)));
}
inline std::uint32_t nonzero(const Number* x) {
  const __m128i none = _mm_setzero_si128();
  const __m128i zero = _mm_packs_epi32(_mm_cmpeq_epi32(load(x), none), _mm_cmpeq_epi32(load(x + 8), none));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(zero, none))) ^ 0xFFU;
}
#elif defined(__aarch64__)
inline constexpr int kTogether = 1;
using Sums = int32x4_t;
using Factors = int16x4_t;
inline Factors load(const Number* w) { return vld1_s16(w); }
inline Factors everywhere(const Number* x) { return vld1_dup_s16(x); }
inline Sums sums_of(int x) { return vdupq_n_s32(x); }
inline Sums add_products(Sums sum, Factors x, Factors w) { return vmlal_s16(sum, x, w); }
inline Words narrow(const Sums* sums, int shift) {
  const int32x4_t left = vdupq_n_s32(-shift);
  return reinterpret_cast<Words>(vqmovn_high_s32(vqmovn_s32(vshlq_s32(sums[0], left)), vshlq_s32(sums[1], left)));
}
inline std::uint32_t nonzero(const Number* x) {
  const auto some = [](int16x8_t eight) { return vreinterpretq_u8_u16(vtstq_s16(eight, eight)); };
  const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201U));
  uint8x16_t bits = vandq_u8(vuzp1q_u8(some(vld1q_s16(x)), some(vld1q_s16(x + 8))), bit);
  for (int i = 0; i < 3; ++i) bits = vpaddq_u8(bits, bits);
  return vgetq_lane_u16(vreinterpretq_u16_u8(bits), 0);
}
#else
inline constexpr int kTogether = 1;
struct Sums {
  std::int32_t of[kWords / 2];  // NOLINT(modernize-avoid-c-arrays)
};
using Factors = const Number*;
inline Factors load(const Number* w) { return w; }
inline Factors everywhere(const Number* x) { return x; }
inline Sums sums_of(int x) { return {{x, x, x, x}}; }
inline Sums add_products(Sums sum, Factors x, Factors w) {
  for (int i = 0; i < kWords / 2; ++i) sum.of[i] += *x * w[i];
  return sum;
}
inline Words narrow(const Sums* sums, int shift) {
  Words y;
  for (int i = 0; i < kWords; ++i) {
    const std::int32_t x = sums[i / (kWords / 2)].of[i % (kWords / 2)] >> shift;
    y[i] = static_cast<Number>(x < -32768 ? -32768 : x > 32767 ? 32767 : x);
  }
  return y;
}
inline std::uint32_t nonzero(const Number* x) {
  std::uint32_t bits = 0;
  for (int i = 0; i < 16; ++i) bits |= static_cast<std::uint32_t>(x[i] != 0) << i;
  return bits;
}
#endif
inline constexpr int kSums = sizeof(Sums) / sizeof(std::int32_t);

// A matrix [in][out] as products read it: the numbers of kTogether inputs beside each other.
inline void pack(const Number* m, int in, int out, Number* packed) {
  for (int i = 0; i < in; ++i) {
    for (int o = 0; o < out; ++o) packed[(i / kTogether * out + o) * kTogether + i % kTogether] = m[i * out + o];
  }
}

// The vectors of sums that fit into the registers, beside their factors.
#if defined(__aarch64__) || defined(__AVX512VL__)
inline constexpr int kMostSums = 16;
#else
inline constexpr int kMostSums = 12;
#endif

// Rows that are multiplied together, so that the matrix is read once for all of them. That is faster only where a row of
// sums is a few vectors: with VNNI's of 512 bits.
inline constexpr int kRows = kSums == 16 ? 4 : 1;

// multiply() for ROWS rows together. Zeros, which are most activations of a trained network, are passed over where a row
// is by itself and not so short that finding them costs more than it saves.
template <int IN, int OUT, int ROWS, class F>
inline void multiply_rows(const Number* __restrict x, const Number* __restrict m, int shift, int row, const F& take) {
  constexpr int kAll = OUT / kSums, kColumns = kAll > kMostSums ? kAll / 2 : kAll, kPerWords = kWords / kSums;
  static_assert(kColumns * ROWS <= kMostSums && kColumns % kPerWords == 0);
  for (int column = 0; column < OUT; column += kColumns * kSums) {
    Sums sum[ROWS][kColumns];  // NOLINT(modernize-avoid-c-arrays)
    for (auto& of_row : sum) {
      for (Sums& s : of_row) s = sums_of(1 << (shift - 1));
    }
    const auto add = [&](int input) {
      const Number* w = m + input * OUT + column * kTogether;
      for (int k = 0; k < kColumns; ++k) {
        const Factors factors = load(w + k * kSums * kTogether);
        for (int r = 0; r < ROWS; ++r) sum[r][k] = add_products(sum[r][k], everywhere(x + r * IN + input), factors);
      }
    };
    if constexpr (ROWS == 1 && OUT > 16) {
      constexpr int kBits = 16 / kTogether;
      constexpr int kSixteens = [] {
        int most = 64 / kBits;
        while (IN / 16 % most != 0) --most;
        return most;
      }();
      for (int i = 0; i < IN; i += 16 * kSixteens) {
        std::uint64_t some = 0;
        for (int j = 0; j < kSixteens; ++j) some |= static_cast<std::uint64_t>(nonzero(x + i + 16 * j)) << (kBits * j);
        for (; some != 0; some &= some - 1) add(i + std::countr_zero(some) * kTogether);
      }
    } else {
      for (int i = 0; i < IN; i += kTogether) add(i);
    }
    for (int r = 0; r < ROWS; ++r) {
      for (int k = 0; k < kColumns; k += kPerWords) take(row + r, column + k * kSums, narrow(&sum[r][k], shift));
    }
  }
}

// take(row, place, y) for every vector y of x[rows][IN] * m[IN][OUT], m as pack() makes it: sums divided by 2^shift,
// halves up, and limited to 16 bits. `place` is the vector's first column, `shift` 1 to 31.
template <int IN, int OUT, class F>
inline void multiply(const Number* __restrict x, const Number* __restrict m, int shift, int rows, const F& take) {
  int row = 0;
  for (; row + kRows <= rows; row += kRows) multiply_rows<IN, OUT, kRows>(x + row * IN, m, shift, row, take);
  for (; row < rows; ++row) multiply_rows<IN, OUT, 1>(x + row * IN, m, shift, row, take);
}

}  // namespace quarto::light::integer
