// Exact products of rows of 16-bit integers whose length is a multiple of 16, for integer_pairs.cpp. The instructions
// differ between processors, the sums do not.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

namespace quarto::light::integer {

// A vector of 32-bit sums, and of as many pairs of 16-bit numbers.
#if defined(__AVX512BW__)
inline constexpr int kSums = 16;
using Sums = __m512i;
inline Sums load(const void* x) { return _mm512_loadu_si512(x); }
inline Sums both(std::int32_t pair) { return _mm512_set1_epi32(pair); }
inline Sums zero() { return _mm512_setzero_si512(); }
// sum + x[2i] * w[2i] + x[2i + 1] * w[2i + 1]
inline Sums add_products(Sums sum, Sums x, Sums w) {
#if defined(__AVX512VNNI__)
  return _mm512_dpwssd_epi32(sum, x, w);
#else
  return _mm512_add_epi32(sum, _mm512_madd_epi16(x, w));
#endif
}
#elif defined(__AVX2__)
inline constexpr int kSums = 8;
using Sums = __m256i;
inline Sums load(const void* x) { return _mm256_loadu_si256(static_cast<const __m256i*>(x)); }
inline Sums both(std::int32_t pair) { return _mm256_set1_epi32(pair); }
inline Sums zero() { return _mm256_setzero_si256(); }
inline Sums add_products(Sums sum, Sums x, Sums w) { return _mm256_add_epi32(sum, _mm256_madd_epi16(x, w)); }
#elif defined(__SSE2__)
inline constexpr int kSums = 4;
using Sums = __m128i;
inline Sums load(const void* x) { return _mm_loadu_si128(static_cast<const __m128i*>(x)); }
inline Sums both(std::int32_t pair) { return _mm_set1_epi32(pair); }
inline Sums zero() { return _mm_setzero_si128(); }
inline Sums add_products(Sums sum, Sums x, Sums w) { return _mm_add_epi32(sum, _mm_madd_epi16(x, w)); }
#elif defined(__wasm_simd128__)
inline constexpr int kSums = 4;
using Sums = v128_t;
inline Sums load(const void* x) { return wasm_v128_load(x); }
inline Sums both(std::int32_t pair) { return wasm_i32x4_splat(pair); }
inline Sums zero() { return wasm_i32x4_splat(0); }
inline Sums add_products(Sums sum, Sums x, Sums w) { return wasm_i32x4_add(sum, wasm_i32x4_dot_i16x8(x, w)); }
#else
inline constexpr int kSums = 4;
struct Sums {
  std::int32_t of[kSums];
};
inline Sums load(const void* x) {
  Sums s;
  std::memcpy(&s, x, sizeof s);
  return s;
}
inline Sums both(std::int32_t pair) { return {{pair, pair, pair, pair}}; }
inline Sums zero() { return {}; }
inline Sums add_products(Sums sum, Sums x, Sums w) {
  for (int i = 0; i < kSums; ++i) {
    const auto low = [](std::int32_t pair) { return static_cast<std::int32_t>(static_cast<std::int16_t>(pair)); };
    sum.of[i] += low(x.of[i]) * low(w.of[i]) + (x.of[i] >> 16) * (w.of[i] >> 16);
  }
  return sum;
}
#endif

// The nearest integer to x / 2^shift, halves up; shift is 1 or more.
inline std::int32_t rounded(std::int32_t x, int shift) { return (x + (1 << (shift - 1))) >> shift; }

// A matrix [IN][OUT] as products read it: the numbers of two inputs beside each other.
inline void pack(const std::int16_t* m, int in, int out, std::int16_t* packed) {
  for (int i = 0; i < in; ++i) {
    for (int o = 0; o < out; ++o) packed[(i / 2 * out + o) * 2 + i % 2] = m[i * out + o];
  }
}

// y = what `take` makes of each sum of x[T][IN] * m[IN][OUT], m as pack() makes it.
template <int IN, int OUT, int T, class Y, class F>
inline void multiply_rows(const std::int16_t* __restrict x, const std::int16_t* __restrict m, Y* __restrict y,
                          const F& take) {
  constexpr int kAll = OUT / kSums, kC = kAll % 4 == 0 ? 4 : kAll % 3 == 0 ? 3 : kAll % 2 == 0 ? 2 : 1;
  for (int c = 0; c < kAll; c += kC) {
    Sums sum[T][kC];
    for (auto& row : sum) {
      for (Sums& s : row) s = zero();
    }
    for (int i = 0; i < IN; i += 2) {
      for (int k = 0; k < kC; ++k) {
        const Sums w = load(m + (i / 2 * OUT + (c + k) * kSums) * 2);
        for (int t = 0; t < T; ++t) {
          std::int32_t pair;
          std::memcpy(&pair, x + t * IN + i, sizeof pair);
          sum[t][k] = add_products(sum[t][k], both(pair), w);
        }
      }
    }
    for (int t = 0; t < T; ++t) {
      for (int k = 0; k < kC; ++k) {
        alignas(64) std::int32_t s[kSums];
        std::memcpy(s, &sum[t][k], sizeof s);
        for (int i = 0; i < kSums; ++i) y[t * OUT + (c + k) * kSums + i] = take(s[i]);
      }
    }
  }
}

// The same for any number of rows.
template <int IN, int OUT, class Y, class F>
inline void multiply(const std::int16_t* __restrict x, const std::int16_t* __restrict m, Y* __restrict y, int rows,
                     const F& take) {
  int r = 0;
  for (; r + 3 <= rows; r += 3) multiply_rows<IN, OUT, 3>(x + r * IN, m, y + r * OUT, take);
  for (; r < rows; ++r) multiply_rows<IN, OUT, 1>(x + r * IN, m, y + r * OUT, take);
}

}  // namespace quarto::light::integer
