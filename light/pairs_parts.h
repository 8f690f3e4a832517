// The parts of the pairs network without weights, for pairs_kernel.cpp: pools over rows and columns, sums over
// attribute values and along lines, and the derivatives of each.
//
// Pairs are rows of W floats, [row * n + column]; W is a multiple of 16. The derivative with respect to an array has
// the shape of that array.
#pragma once

#include <algorithm>
#include <array>

#include "light/pairs_input.h"
#include "light/pairs_layout.h"
#include "light/vectors.h"

namespace quarto::light {

// Sums and maxima over rows, columns and all, of non-negative numbers. The parts of one pool are adjacent, in the order
// of the row blocks of the weights that read them.
template <int W>
struct Pools {
  static constexpr int kRow = 2 * W, kColumn = 3 * W, kAll = 2 * W;
  alignas(64) std::array<float, kPieces * kRow> rows;         // sum, max
  alignas(64) std::array<float, kSquares * kColumn> columns;  // the piece in hand, sum, max
  alignas(64) std::array<float, kAll> all;                    // sum, max

  float* row_sum(int i) { return rows.data() + i * kRow; }
  float* row_max(int i) { return rows.data() + i * kRow + W; }
  float* hand(int i) { return columns.data() + i * kColumn; }
  float* column_sum(int i) { return columns.data() + i * kColumn + W; }
  float* column_max(int i) { return columns.data() + i * kColumn + 2 * W; }
  float* all_sum() { return all.data(); }
  float* all_max() { return all.data() + W; }
  const float* row_max(int i) const { return rows.data() + i * kRow + W; }
  const float* column_max(int i) const { return columns.data() + i * kColumn + 2 * W; }
  const float* column_sum(int i) const { return columns.data() + i * kColumn + W; }
  const float* hand(int i) const { return columns.data() + i * kColumn; }
  const float* all_max() const { return all.data() + W; }

  void clear(int n) {
    std::fill_n(rows.data(), n * kRow, 0.0F);
    std::fill_n(columns.data(), n * kColumn, 0.0F);
    all.fill(0.0F);
  }
};

template <int W>
inline void zero(float* x, int rows) {
  std::fill_n(x, rows * W, 0.0F);
}

template <int W>
inline void relu(const float* x, float* y, int rows) {
  for (int i = 0; i < rows * W / kLane; ++i) lanes(y)[i] = positive(lanes(x)[i]);
}

// Sets d to zero except where y > 0.
template <int W>
inline void relu_gradient(const float* y, float* d, int rows) {
  for (int i = 0; i < rows * W / kLane; ++i) lanes(d)[i] = where_positive(lanes(y)[i], lanes(d)[i]);
}

// pool() for ROWS rows together, so that the column pools are read and written once for all of them.
template <int W, int ROWS>
inline void pool_rows(const PairsInput& in, int row, const float* h, float* r, Pools<W>& p) {
  const int n = in.n;
  for (int l = 0; l < W / kLane; ++l) {
    Lane sum[ROWS] = {}, max[ROWS] = {};
    for (int c = 0; c < n; ++c) {
      Lane s = lanes(p.column_sum(c))[l], m = lanes(p.column_max(c))[l];
      for (int k = 0; k < ROWS; ++k) {
        const int i = ((row + k) * n + c) * W / kLane + l;
        const Lane x = positive(lanes(h)[i]);
        lanes(r)[i] = x;
        sum[k] += x;
        max[k] = larger(max[k], x);
        s += x;
        m = larger(m, x);
      }
      lanes(p.column_sum(c))[l] = s;
      lanes(p.column_max(c))[l] = m;
    }
    for (int k = 0; k < ROWS; ++k) {
      lanes(p.row_sum(row + k))[l] = sum[k] * kSumScale;
      lanes(p.row_max(row + k))[l] = max[k];
    }
  }
}

// r = relu(h), and its pools.
template <int W>
inline void pool(const PairsInput& in, const float* h, float* r, Pools<W>& p) {
  const int n = in.n;
  p.clear(n);
  int row = 0;
  for (; row + 4 <= n; row += 4) pool_rows<W, 4>(in, row, h, r, p);
  for (; row + 2 <= n; row += 2) pool_rows<W, 2>(in, row, h, r, p);
  if (row < n) pool_rows<W, 1>(in, row, h, r, p);
  for (int c = 0; c < n; ++c) {
    for (int l = 0; l < W / kLane; ++l) {
      Lane& s = lanes(p.column_sum(c))[l];
      s *= kSumScale;
      lanes(p.all_sum())[l] += s * kAllScale;
      Lane& m = lanes(p.all_max())[l];
      m = larger(m, lanes(p.column_max(c))[l]);
    }
  }
  if (in.hand < 0) return;
  for (int c = 0; c < n; ++c) std::copy_n(r + (in.hand * n + c) * W, W, p.hand(c));
}

// Distributes the derivative of a maximum equally among the elements that attain it. A maximum of zero gets none: below
// zero the ReLU is constant.
template <int W>
inline void spread_max(const float* x, int stride, int count, const float* max, const float* d, float* dx,
                       int d_stride) {
  for (int l = 0; l < W / kLane; ++l) {
    const Lane top = lanes(max)[l];
    Lane ties{};
    for (int i = 0; i < count; ++i) ties += where_equal(lanes(x + i * stride)[l], top, ones());
    const Lane share = where_positive(top, lanes(d)[l] / ties);
    for (int i = 0; i < count; ++i) lanes(dx + i * d_stride)[l] += where_equal(lanes(x + i * stride)[l], top, share);
  }
}

// Adds to dr the derivatives through the pools. Overwrites `d`.
template <int W>
inline void pool_gradient(const PairsInput& in, const float* r, const Pools<W>& p, Pools<W>& d, float* dr) {
  const int n = in.n;
  spread_max<W>(p.column_max(0), Pools<W>::kColumn, n, p.all_max(), d.all_max(), d.column_max(0), Pools<W>::kColumn);
  for (int c = 0; c < n; ++c) {
    add<W>(d.all_sum(), kAllScale, d.column_sum(c));
    for (int l = 0; l < W / kLane; ++l) {
      lanes(d.column_sum(c))[l] *= kSumScale;
      lanes(d.row_sum(c))[l] *= kSumScale;
    }
  }
  for (int row = 0; row < n; ++row) {
    for (int c = 0; c < n; ++c) {
      float* out = dr + (row * n + c) * W;
      for (int l = 0; l < W / kLane; ++l) lanes(out)[l] += lanes(d.row_sum(row))[l] + lanes(d.column_sum(c))[l];
    }
    spread_max<W>(r + row * n * W, W, n, p.row_max(row), d.row_max(row), dr + row * n * W, W);
  }
  for (int c = 0; c < n; ++c) spread_max<W>(r + c * W, n * W, n, p.column_max(c), d.column_max(c), dr + c * W, n * W);
  if (in.hand < 0) return;
  for (int c = 0; c < n; ++c) add<W>(d.hand(c), dr + (in.hand * n + c) * W);
}

// Sums x [pieces][squares] over the pieces of each attribute value: y [value][squares]. The sum over pieces that lack
// an attribute is the sum over all pieces minus that over the pieces that have it.
template <int W>
inline void to_attribute_values(const PairsInput& in, const float* x, float* y) {
  const int n = in.n, columns = n * W / kLane;
  alignas(64) std::array<float, kSquares * W> total;
  for (int c = 0; c < n; ++c)
    sum_rows<W>(
        n, [&](int row) { return x + (row * n + c) * W; }, total.data() + c * W);
  for (int a = 0; a < kAttributes; ++a) {
    std::array<const float*, kPieces> with;
    int count = 0;
    for (int row = 0; row < n; ++row) {
      if ((in.pieces[static_cast<std::size_t>(row)] >> a) & 1)
        with[static_cast<std::size_t>(count++)] = x + row * n * W;
    }
    float* lacks = y + 2 * a * n * W;
    float* has = lacks + n * W;
    for (int c = 0; c < n; ++c)
      sum_rows<W>(
          count, [&](int k) { return with[static_cast<std::size_t>(k)] + c * W; }, has + c * W);
    for (int i = 0; i < columns; ++i) lanes(lacks)[i] = lanes(total.data())[i] - lanes(has)[i];
  }
}

// The transpose: y [pieces][squares] += the sum over each piece's attribute values of x [value][squares].
template <int W>
inline void from_attribute_values(const PairsInput& in, const float* x, float* y) {
  const int n = in.n;
  for (int row = 0; row < n; ++row) {
    const auto& c = kAttributeValuesOf[in.pieces[static_cast<std::size_t>(row)]];
    const Lane *a = lanes(x + c[0] * n * W), *b = lanes(x + c[1] * n * W), *e = lanes(x + c[2] * n * W),
               *f = lanes(x + c[3] * n * W);
    for (int i = 0; i < n * W / kLane; ++i) lanes(y + row * n * W)[i] += (a[i] + b[i]) + (e[i] + f[i]);
  }
}

// Sums x [attribute value][squares] along each line that is alive for the attribute value: y [alive].
template <int W>
inline void to_lines(const PairsInput& in, const float* x, float scale, float* y) {
  for (int i = 0; i < in.alive_count; ++i) {
    const auto& a = in.alive[static_cast<std::size_t>(i)];
    const auto& line = in.line[a.line];
    const float* of_value = x + a.attribute_value * in.n * W;
    sum_rows<W>(
        line.columns, [&](int k) { return of_value + line.column[static_cast<std::size_t>(k)] * W; }, y + i * W, scale);
  }
}

// The transpose: y [attribute value][squares] = scale * the sum over the square's lines of x [alive].
template <int W>
inline void from_lines(const PairsInput& in, const float* x, float scale, float* y) {
  zero<W>(y, kAttributeValues * in.n);
  for (int i = 0; i < in.alive_count; ++i) {
    const auto& a = in.alive[static_cast<std::size_t>(i)];
    const auto& line = in.line[a.line];
    for (int k = 0; k < line.columns; ++k) {
      add<W>(x + i * W, scale, y + (a.attribute_value * in.n + line.column[static_cast<std::size_t>(k)]) * W);
    }
  }
}

}  // namespace quarto::light
