// Small dense products on rows of floats whose length is a multiple of 16. They are for networks too small for a matrix
// library: a layer of 16 by 16 is one instruction per row of the weights.
//
// All pointers are aligned to 64 bytes; rows are contiguous. The vectors are compiler types (GCC and Clang "vector
// extensions"), so the same code compiles to AVX-512, AVX2, SSE2, NEON or WebAssembly.
#pragma once

#if defined(__AVX512F__) || defined(__AVX__) || defined(__SSE2__)
#include <immintrin.h>
#endif

#include <bit>
#include <cstdint>

#include "light/floats.h"

namespace quarto::light {

// Native is the widest vector of the target; a Lane consists of these. With a wider type the compiler keeps it in
// memory, twenty times slower.
#if defined(__AVX512F__)
inline constexpr int kNative = 16, kRegisters = 32;
#elif defined(__AVX__)
inline constexpr int kNative = 8, kRegisters = 16;
#else
inline constexpr int kNative = 4, kRegisters = 16;
#endif
using Native [[gnu::may_alias]] = float __attribute__((vector_size(kNative * sizeof(float))));

// The larger of x and y, element by element. If an x is not a number, the result is y; y must be a number.
inline Native larger(Native x, Native y) {
  // One instruction; the comparison below may take two. (Without the mask GCC 12 warns: its bug 105593.)
#if defined(__AVX512F__)
  return _mm512_maskz_max_ps(static_cast<__mmask16>(-1), x, y);
#elif defined(__AVX__)
  return _mm256_max_ps(x, y);
#elif defined(__SSE2__)
  return _mm_max_ps(x, y);
#else
  return x > y ? x : y;
#endif
}

// A vector of kLane floats. Operations are element by element; a scalar applies to every element.
struct [[gnu::may_alias]] Lane {
  static constexpr int kParts = kLane / kNative;
  Native part[kParts];  // NOLINT(modernize-avoid-c-arrays): std::array would drop the attributes of a vector

  float operator[](int i) const { return part[i / kNative][i % kNative]; }

  template <class F>
  static Lane of(const F& f) {
    Lane r;
    for (int i = 0; i < kParts; ++i) r.part[i] = f(i);
    return r;
  }
  friend Lane operator+(const Lane& a, const Lane& b) {
    return of([&](int i) { return a.part[i] + b.part[i]; });
  }
  friend Lane operator-(const Lane& a, const Lane& b) {
    return of([&](int i) { return a.part[i] - b.part[i]; });
  }
  friend Lane operator*(const Lane& a, const Lane& b) {
    return of([&](int i) { return a.part[i] * b.part[i]; });
  }
  friend Lane operator/(const Lane& a, const Lane& b) {
    return of([&](int i) { return a.part[i] / b.part[i]; });
  }
  friend Lane operator*(float s, const Lane& a) {
    return of([&](int i) { return s * a.part[i]; });
  }
  friend Lane operator*(const Lane& a, float s) { return s * a; }
  Lane& operator+=(const Lane& b) { return *this = *this + b; }
  Lane& operator*=(float s) { return *this = s * *this; }
};
static_assert(sizeof(Lane) == kLane * sizeof(float));

inline Lane* lanes(float* x) { return reinterpret_cast<Lane*>(x); }
inline const Lane* lanes(const float* x) { return reinterpret_cast<const Lane*>(x); }

inline Lane larger(const Lane& x, const Lane& y) {
  return Lane::of([&](int i) { return larger(x.part[i], y.part[i]); });
}
inline Lane positive(const Lane& x) { return larger(x, Lane{}); }
// `yes` where a == b (or a > 0), zero elsewhere.
inline Lane where_equal(const Lane& a, const Lane& b, const Lane& yes) {
  return Lane::of([&](int i) { return a.part[i] == b.part[i] ? yes.part[i] : Native{}; });
}
inline Lane where_positive(const Lane& a, const Lane& yes) {
  return Lane::of([&](int i) { return a.part[i] > 0 ? yes.part[i] : Native{}; });
}
inline Lane ones() {
  Lane r{};
  for (Native& part : r.part) part = Native{} + 1.0F;
  return r;
}

// y += x, y += scale * x
template <int W>
inline void add(const float* x, float* y) {
  for (int l = 0; l < W / kLane; ++l) lanes(y)[l] += lanes(x)[l];
}
template <int W>
inline void add(const float* x, float scale, float* y) {
  for (int l = 0; l < W / kLane; ++l) lanes(y)[l] += scale * lanes(x)[l];
}

// y = scale * row(0) + ... + scale * row(count - 1), row by row
template <int W, class R>
inline void sum_rows(int count, const R& row, float* y, float scale = 1) {
  Lane sum[W / kLane] = {};
  for (int k = 0; k < count; ++k) {
    const Lane* x = lanes(row(k));
    for (int l = 0; l < W / kLane; ++l) sum[l] += scale * x[l];
  }
  for (int l = 0; l < W / kLane; ++l) lanes(y)[l] = sum[l];
}

// The largest divisor of n that is at most `most`.
constexpr int divisor(int n, int most) {
  while (n % most != 0) --most;
  return most;
}

inline Native* natives(float* x) { return reinterpret_cast<Native*>(x); }
inline const Native* natives(const float* x) { return reinterpret_cast<const Native*>(x); }

// The number of vectors of a row, and of rows, that are processed together: as many as fit in the registers, with room
// for a row of m.
template <int OUT>
inline constexpr int kTileColumns = divisor(OUT / kNative, 4);
template <int OUT>
inline constexpr int kTileRows = kTileColumns<OUT> == 1 ? 8 : 12 / kTileColumns<OUT>;

// The next T rows of multiply_add together, so that a row of m is read once for all of them and their sums do not
// depend on each other.
template <int IN, int OUT, int T>
inline void multiply_add_rows(const float* __restrict x, const float* __restrict m, float* __restrict y) {
  constexpr int kC = kTileColumns<OUT>;
  for (int c = 0; c < OUT / kNative; c += kC) {
    Native sum[T][kC];
    for (int t = 0; t < T; ++t) {
      for (int k = 0; k < kC; ++k) sum[t][k] = natives(y + t * OUT)[c + k];
    }
    for (int i = 0; i < IN; ++i) {
      for (int k = 0; k < kC; ++k) {
        const Native w = natives(m + i * OUT)[c + k];
        for (int t = 0; t < T; ++t) sum[t][k] += x[t * IN + i] * w;
      }
    }
    for (int t = 0; t < T; ++t) {
      for (int k = 0; k < kC; ++k) natives(y + t * OUT)[c + k] = sum[t][k];
    }
  }
}

// y[rows][OUT] += x[rows][IN] * m[IN][OUT]
template <int IN, int OUT>
inline void multiply_add(const float* __restrict x, const float* __restrict m, float* __restrict y, int rows) {
  constexpr int kMost = kTileRows<OUT>;
  int r = 0;
  for (; r + kMost <= rows; r += kMost) multiply_add_rows<IN, OUT, kMost>(x + r * IN, m, y + r * OUT);
  if constexpr (kMost > 4) {
    for (; r + 4 <= rows; r += 4) multiply_add_rows<IN, OUT, 4>(x + r * IN, m, y + r * OUT);
  }
  for (; r + 2 <= rows; r += 2) multiply_add_rows<IN, OUT, 2>(x + r * IN, m, y + r * OUT);
  if (r == rows) return;
  x += r * IN;
  y += r * OUT;
  // Four partial sums: with one, each addition would wait for the previous one.
  constexpr int kC = divisor(OUT / kNative, kRegisters / 8);
  for (int c = 0; c < OUT / kNative; c += kC) {
    Native sum[4][kC];
    for (int k = 0; k < kC; ++k) {
      sum[0][k] = natives(y)[c + k];
      sum[1][k] = sum[2][k] = sum[3][k] = Native{};
    }
    for (int i = 0; i < IN; i += 4) {
      for (int j = 0; j < 4; ++j) {
        for (int k = 0; k < kC; ++k) sum[j][k] += x[i + j] * natives(m + (i + j) * OUT)[c + k];
      }
    }
    for (int k = 0; k < kC; ++k) natives(y)[c + k] = (sum[0][k] + sum[1][k]) + (sum[2][k] + sum[3][k]);
  }
}

// dm[IN][OUT] += transpose(x[rows][IN]) * dy[rows][OUT]: the gradient of the weights of multiply_add.
template <int IN, int OUT>
inline void multiply_gradient(const float* __restrict x, const float* __restrict dy, float* __restrict dm, int rows) {
  constexpr int kC = kTileColumns<OUT>;
  constexpr int kTogether = (kC == 1 ? 16 : kC == 2 ? 8 : 4) / (kRegisters == 32 ? 1 : 2);
  static_assert(IN % kTogether == 0);
  for (int i = 0; i < IN; i += kTogether) {
    for (int c = 0; c < OUT / kNative; c += kC) {
      Native sum[kTogether][kC];
      for (int j = 0; j < kTogether; ++j) {
        for (int k = 0; k < kC; ++k) sum[j][k] = natives(dm + (i + j) * OUT)[c + k];
      }
      for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < kC; ++k) {
          const Native d = natives(dy + r * OUT)[c + k];
          for (int j = 0; j < kTogether; ++j) sum[j][k] += x[r * IN + i + j] * d;
        }
      }
      for (int j = 0; j < kTogether; ++j) {
        for (int k = 0; k < kC; ++k) natives(dm + (i + j) * OUT)[c + k] = sum[j][k];
      }
    }
  }
}

// A bit for each of 16 numbers, the first one the lowest: is it other than zero?
inline std::uint32_t nonzero(const float* x) {
  std::uint32_t bits = 0;
#if defined(__AVX__)
  for (int i = 0; i < 16; i += 8) {
    const __m256 some = _mm256_cmp_ps(_mm256_load_ps(x + i), _mm256_setzero_ps(), _CMP_NEQ_UQ);
    bits |= static_cast<std::uint32_t>(_mm256_movemask_ps(some)) << i;
  }
#elif defined(__SSE2__)
  for (int i = 0; i < 16; i += 4)
    bits |= static_cast<std::uint32_t>(_mm_movemask_ps(_mm_cmpneq_ps(_mm_load_ps(x + i), _mm_setzero_ps()))) << i;
#else
  for (int i = 0; i < 16; ++i) bits |= static_cast<std::uint32_t>(x[i] != 0) << i;
#endif
  return bits;
}
// f(i) for all i below COUNT for which x[i] is not zero, ascending.
template <int COUNT, class F>
inline void for_each_nonzero(const float* x, const F& f) {
  constexpr int kSixteens = divisor(COUNT / 16, 4);
  for (int first = 0; first < COUNT; first += 16 * kSixteens) {
    std::uint64_t some = 0;
    for (int k = 0; k < kSixteens; ++k) some |= static_cast<std::uint64_t>(nonzero(x + first + 16 * k)) << (16 * k);
    for (; some != 0; some &= some - 1) f(first + std::countr_zero(some));
  }
}

// Whether to pass over zeros: finding them costs more than it saves where a row is a few vectors.
template <int OUT>
inline constexpr bool kPassOver = OUT > 16 && kNative < 16;

// The same as multiply_add() and multiply_gradient(), faster for an x that is mostly zero, as activations of a trained
// network are.
template <int IN, int OUT>
inline void multiply_add_some(const float* __restrict x, const float* __restrict m, float* __restrict y, int rows) {
  if constexpr (!kPassOver<OUT>) return multiply_add<IN, OUT>(x, m, y, rows);
  constexpr int kC = divisor(OUT / kNative, 12);
  for (int r = 0; r < rows; ++r, x += IN, y += OUT) {
    for (int c = 0; c < OUT / kNative; c += kC) {
      Native sum[kC];
      for (int k = 0; k < kC; ++k) sum[k] = natives(y)[c + k];
      for_each_nonzero<IN>(x, [&](int i) {
        for (int k = 0; k < kC; ++k) sum[k] += x[i] * natives(m + i * OUT)[c + k];
      });
      for (int k = 0; k < kC; ++k) natives(y)[c + k] = sum[k];
    }
  }
}
template <int IN, int OUT>
inline void multiply_gradient_some(const float* __restrict x, const float* __restrict dy, float* __restrict dm,
                                   int rows) {
  if constexpr (!kPassOver<OUT>) return multiply_gradient<IN, OUT>(x, dy, dm, rows);
  constexpr int kC = divisor(OUT / kNative, 8);
  for (int r = 0; r < rows; ++r, x += IN, dy += OUT) {
    for (int c = 0; c < OUT / kNative; c += kC) {
      Native d[kC];
      for (int k = 0; k < kC; ++k) d[k] = natives(dy)[c + k];
      for_each_nonzero<IN>(x, [&](int i) {
        for (int k = 0; k < kC; ++k) natives(dm + i * OUT)[c + k] += x[i] * d[k];
      });
    }
  }
}

}  // namespace quarto::light
