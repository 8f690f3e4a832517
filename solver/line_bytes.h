// One byte for each winning line, all lines side by side in one register (lines: 10 bytes of 16) or two (squares: 19 of
// 32); and one byte for each square. Each operation is a few instructions of SSSE3 or NEON; a plain loop computes the
// same where the compiler may use neither.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSSE3__)
#include <tmmintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace quarto::solver {

using Bytes16 = std::uint8_t __attribute__((vector_size(16)));

inline Bytes16 splat(std::uint8_t b) { return Bytes16{} + b; }

inline Bytes16 load(const std::array<std::uint8_t, 16>& bytes) {
  Bytes16 x;
  std::memcpy(&x, bytes.data(), sizeof x);
  return x;
}

// Byte i of the result is byte index[i] of the table, or 0 where index[i] has its high bit set.
inline Bytes16 look_up(Bytes16 table, Bytes16 index) {
#if defined(__SSSE3__)
  return reinterpret_cast<Bytes16>(
      _mm_shuffle_epi8(reinterpret_cast<__m128i>(table), reinterpret_cast<__m128i>(index)));
#elif defined(__aarch64__)
  const auto low = reinterpret_cast<uint8x16_t>(index & splat(0x8F));
  return reinterpret_cast<Bytes16>(vqtbl1q_u8(reinterpret_cast<uint8x16_t>(table), low));
#else
  Bytes16 result{};
  for (int i = 0; i < 16; ++i) result[i] = (index[i] & 0x80) ? 0 : table[index[i] & 0x0F];
  return result;
#endif
}

// The high bit of each byte, byte 0 in bit 0.
inline std::uint32_t high_bits(Bytes16 x) {
#if defined(__SSE2__)
  return static_cast<std::uint32_t>(_mm_movemask_epi8(reinterpret_cast<__m128i>(x)));
#elif defined(__aarch64__)
  constexpr Bytes16 kBit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const auto bits = reinterpret_cast<uint8x16_t>(reinterpret_cast<Bytes16>(x >= splat(0x80)) & kBit);
  return vaddv_u8(vget_low_u8(bits)) | static_cast<std::uint32_t>(vaddv_u8(vget_high_u8(bits))) << 8;
#else
  std::uint32_t bits = 0;
  for (int i = 0; i < 16; ++i) bits |= static_cast<std::uint32_t>(x[i] >> 7) << i;
  return bits;
#endif
}

// Byte i of the result is byte (i + n) % 16.
template <int n>
inline Bytes16 rotated(Bytes16 x) {
  return [&]<int... i>(std::integer_sequence<int, i...>) { return __builtin_shufflevector(x, x, (i + n) % 16 ...); }
  (std::make_integer_sequence<int, 16>());
}

// Bit k of each byte, byte 0 in bit 0.
template <int k>
inline std::uint32_t bits_at(Bytes16 x) {
  // A 16-bit shift moves bits between neighbouring bytes, but never into the high bit, which is the only one read.
  using Words = std::uint16_t __attribute__((vector_size(16)));
  return high_bits(reinterpret_cast<Bytes16>(reinterpret_cast<Words>(x) << (7 - k)));
}

inline std::uint8_t or_of_bytes(Bytes16 x) {
  std::array<std::uint64_t, 2> halves;
  std::memcpy(&halves, &x, sizeof x);
  std::uint64_t all = halves[0] | halves[1];
  all |= all >> 32;
  all |= all >> 16;
  return static_cast<std::uint8_t>(all | (all >> 8));
}

// Bit s of `squares` as byte s, all ones or zero.
inline Bytes16 bytes_of(std::uint16_t squares) {
  constexpr Bytes16 kBit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  constexpr std::uint64_t kEach = 0x0101'0101'0101'0101;
  const std::array<std::uint64_t, 2> halves = {(squares & 0xFFU) * kEach, (squares >> 8) * kEach};
  return reinterpret_cast<Bytes16>((std::bit_cast<Bytes16>(halves) & kBit) == kBit);
}
// The bytes that are not zero, byte 0 in bit 0.
inline std::uint32_t nonzero(Bytes16 x) { return high_bits(reinterpret_cast<Bytes16>(x != Bytes16{})); }

// For each byte the union of all others.
inline Bytes16 union_of_others(Bytes16 x) {
  // In the end `some` has what any byte has, and `twice` what two or more have. Halves, quarters, ... that overlap
  // nowhere are united.
  Bytes16 some = x, twice{};
  const auto unite = [&](Bytes16 other, Bytes16 other_twice) {
    twice |= other_twice | (some & other);
    some |= other;
  };
  unite(rotated<8>(some), rotated<8>(twice));
  unite(rotated<4>(some), rotated<4>(twice));
  unite(rotated<2>(some), rotated<2>(twice));
  unite(rotated<1>(some), rotated<1>(twice));
  return twice | (some & ~x);
}

// N registers as one value.
template <int N>
struct LineBytes {
  std::array<Bytes16, N> part{};

  friend LineBytes operator&(LineBytes a, const LineBytes& b) {
    for (std::size_t i = 0; i < N; ++i) a.part[i] &= b.part[i];
    return a;
  }
  friend LineBytes operator&(LineBytes a, Bytes16 b) {
    for (std::size_t i = 0; i < N; ++i) a.part[i] &= b;
    return a;
  }
  friend LineBytes operator+(LineBytes a, const LineBytes& b) {
    for (std::size_t i = 0; i < N; ++i) a.part[i] += b.part[i];
    return a;
  }
  LineBytes operator~() const {
    LineBytes r;
    for (std::size_t i = 0; i < N; ++i) r.part[i] = ~part[i];
    return r;
  }
  // All ones in the bytes equal to b.
  LineBytes equal_to(std::uint8_t b) const {
    LineBytes r;
    for (std::size_t i = 0; i < N; ++i) r.part[i] = reinterpret_cast<Bytes16>(part[i] == splat(b));
    return r;
  }
  // Replaces each byte, an index below 16, by that byte of the table.
  LineBytes through(Bytes16 table) const {
    LineBytes r;
    for (std::size_t i = 0; i < N; ++i) r.part[i] = look_up(table, part[i]);
    return r;
  }
  std::uint8_t any() const {
    Bytes16 all = part[0];
    for (std::size_t i = 1; i < N; ++i) all |= part[i];
    return or_of_bytes(all);
  }
  // The bytes that are not zero, byte 0 in bit 0.
  std::uint32_t nonzero() const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < N; ++i) {
      bits |= quarto::solver::nonzero(part[i]) << (16 * i);
    }
    return bits;
  }
  template <int k>
  std::uint32_t bits() const {
    std::uint32_t all = 0;
    for (std::size_t i = 0; i < N; ++i) all |= bits_at<k>(part[i]) << (16 * i);
    return all;
  }
  std::uint8_t get(std::size_t line) const { return part[line / 16][line % 16]; }
  void set(std::size_t line, std::uint8_t b) { part[line / 16][line % 16] = b; }
};

// A prepared rearrangement of the bytes of N registers: index[to][from] selects the bytes of output register `to` from
// input register `from`.
template <int N>
struct Rearrangement {
  std::array<std::array<Bytes16, N>, N> index{};

  LineBytes<N> operator()(const LineBytes<N>& x) const {
    LineBytes<N> r;
    for (std::size_t to = 0; to < N; ++to) {
      r.part[to] = look_up(x.part[0], index[to][0]);
      for (std::size_t from = 1; from < N; ++from) r.part[to] |= look_up(x.part[from], index[to][from]);
    }
    return r;
  }
};

}  // namespace quarto::solver
