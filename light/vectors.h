// Small dense products on rows of floats whose length is a multiple of 16, for networks that are too small for a
// matrix library to be worth calling: a layer of 16 by 16 is one instruction a row of the weight.
//
// All pointers are aligned to 64 bytes; rows lie one after the other. The vectors are the compiler's own (GCC and Clang
// "vector extensions"), so the same code becomes AVX-512, AVX2, NEON or WebAssembly.
#pragma once

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "light/floats.h"

namespace quarto::light {

using Lane [[gnu::may_alias]] = float __attribute__((vector_size(kLane * sizeof(float))));

inline Lane* lanes(float* x) { return reinterpret_cast<Lane*>(x); }
inline const Lane* lanes(const float* x) { return reinterpret_cast<const Lane*>(x); }

// What is not a number counts as less.
inline Lane larger(Lane x, Lane y) {
#ifdef __AVX512F__
  // One instruction where the comparison below takes two. (Without the mask GCC 12 warns: its bug 105593.)
  return _mm512_maskz_max_ps(static_cast<__mmask16>(-1), x, y);
#else
  return x > y ? x : y;
#endif
}
inline Lane positive(Lane x) { return larger(x, Lane{}); }

// y += x, y += scale * x
template <int W>
inline void add(const float* x, float* y) {
  for (int l = 0; l < W / kLane; ++l) lanes(y)[l] += lanes(x)[l];
}
template <int W>
inline void add(const float* x, float scale, float* y) {
  for (int l = 0; l < W / kLane; ++l) lanes(y)[l] += scale * lanes(x)[l];
}

// The next T rows of multiply_add: together, so that a row of m is read once for all of them and their sums do not wait
// for each other.
template <int IN, int OUT, int T>
inline void multiply_add_rows(const float* __restrict x, const float* __restrict m, float* __restrict y) {
  constexpr int kL = OUT / kLane;
  Lane sum[T][kL];
  for (int t = 0; t < T; ++t) {
    for (int l = 0; l < kL; ++l) sum[t][l] = lanes(y + t * OUT)[l];
  }
  for (int i = 0; i < IN; ++i) {
    for (int l = 0; l < kL; ++l) {
      const Lane w = lanes(m + i * OUT)[l];
      for (int t = 0; t < T; ++t) sum[t][l] += x[t * IN + i] * w;
    }
  }
  for (int t = 0; t < T; ++t) {
    for (int l = 0; l < kL; ++l) lanes(y + t * OUT)[l] = sum[t][l];
  }
}

// y[rows][OUT] += x[rows][IN] * m[IN][OUT]
template <int IN, int OUT>
inline void multiply_add(const float* __restrict x, const float* __restrict m, float* __restrict y, int rows) {
  constexpr int kL = OUT / kLane;
  constexpr int kMost = kL == 1 ? 8 : kL == 2 ? 6 : kL == 3 ? 4 : 3;
  int r = 0;
  for (; r + kMost <= rows; r += kMost) multiply_add_rows<IN, OUT, kMost>(x + r * IN, m, y + r * OUT);
  if constexpr (kMost > 4) {
    for (; r + 4 <= rows; r += 4) multiply_add_rows<IN, OUT, 4>(x + r * IN, m, y + r * OUT);
  }
  for (; r + 2 <= rows; r += 2) multiply_add_rows<IN, OUT, 2>(x + r * IN, m, y + r * OUT);
  if (r == rows) return;
  x += r * IN;
  y += r * OUT;
  // Four partial sums: in one, each addition would wait for the one before.
  Lane sum[4][kL];
  for (int l = 0; l < kL; ++l) {
    sum[0][l] = lanes(y)[l];
    sum[1][l] = sum[2][l] = sum[3][l] = Lane{};
  }
  for (int i = 0; i < IN; i += 4) {
    for (int k = 0; k < 4; ++k) {
      for (int l = 0; l < kL; ++l) sum[k][l] += x[i + k] * lanes(m + (i + k) * OUT)[l];
    }
  }
  for (int l = 0; l < kL; ++l) lanes(y)[l] = (sum[0][l] + sum[1][l]) + (sum[2][l] + sum[3][l]);
}

// dm[IN][OUT] += transpose(x[rows][IN]) * dy[rows][OUT]: the gradient of the weights of multiply_add.
template <int IN, int OUT>
inline void multiply_gradient(const float* __restrict x, const float* __restrict dy, float* __restrict dm, int rows) {
  constexpr int kL = OUT / kLane;
  constexpr int kTogether = kL == 1 ? 16 : kL == 2 ? 8 : 4;
  static_assert(IN % kTogether == 0);
  for (int i = 0; i < IN; i += kTogether) {
    Lane sum[kTogether][kL];
    for (int k = 0; k < kTogether; ++k) {
      for (int l = 0; l < kL; ++l) sum[k][l] = lanes(dm + (i + k) * OUT)[l];
    }
    for (int r = 0; r < rows; ++r) {
      for (int l = 0; l < kL; ++l) {
        const Lane d = lanes(dy + r * OUT)[l];
        for (int k = 0; k < kTogether; ++k) sum[k][l] += x[r * IN + i + k] * d;
      }
    }
    for (int k = 0; k < kTogether; ++k) {
      for (int l = 0; l < kL; ++l) lanes(dm + (i + k) * OUT)[l] = sum[k][l];
    }
  }
}

}  // namespace quarto::light
