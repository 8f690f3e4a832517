// Sets of attribute values, or of rows, one for each of up to eight columns (or rows): as the bytes of a word, and of
// eight words. Vectors are compiler types, as in light/vectors.h.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace quarto::light {

using Word = std::uint64_t;
inline constexpr int kWordBytes = static_cast<int>(sizeof(Word));
using Words = std::array<Word, kWordBytes>;

constexpr Word everywhere(unsigned byte) { return byte * Word{0x0101'0101'0101'0101}; }
constexpr Word only(int i, unsigned byte) { return Word{byte} << (8 * i); }
constexpr unsigned byte_of(Word word, int i) { return static_cast<unsigned>(word >> (8 * i) & 0xFF); }

// Eight words; [i][j] is byte j of word i. Operations are byte by byte.
struct Matrix {
#if defined(__AVX512BW__)
  static constexpr int kPartBytes = 64;
#elif defined(__AVX2__)
  static constexpr int kPartBytes = 32;
#else
  static constexpr int kPartBytes = 16;
#endif
  using Part [[gnu::may_alias]] = std::uint8_t __attribute__((vector_size(kPartBytes)));
  using PartWords [[gnu::may_alias]] = Word __attribute__((vector_size(kPartBytes)));
  static constexpr int kParts = static_cast<int>(sizeof(Words)) / kPartBytes;
  Part part[kParts];  // NOLINT(modernize-avoid-c-arrays): std::array would drop the attributes of a vector

  template <class F>
  static Matrix of(const F& f) {
    Matrix r;
    for (int i = 0; i < kParts; ++i) r.part[i] = f(i);
    return r;
  }
  // Every word of the part.
  static Part filled(Word word) { return reinterpret_cast<Part>(PartWords{} + word); }
  static Matrix all(Word word) {
    return of([&](int) { return filled(word); });
  }
  // Not by memcpy: GCC copies halves, and reading what was just written in halves takes long.
  static Matrix load(const Words& words) {
    using Unaligned [[gnu::may_alias, gnu::aligned(1)]] = Part;
    return of([&](int i) { return reinterpret_cast<const Unaligned*>(words.data())[i]; });
  }
  template <class F>
  static Matrix by_word(const F& f) {
    Words words;
    for (int i = 0; i < kWordBytes; ++i) words[static_cast<std::size_t>(i)] = f(i);
    return load(words);
  }
  // From memory: an element of a vector in a register would first be stored.
  Word operator[](int i) const {
    Word w = 0;
    std::memcpy(&w, reinterpret_cast<const char*>(this) + static_cast<std::size_t>(i) * sizeof w, sizeof w);
    return w;
  }
  friend Matrix operator&(const Matrix& a, const Matrix& b) {
    return of([&](int i) { return a.part[i] & b.part[i]; });
  }
  friend Matrix operator|(const Matrix& a, const Matrix& b) {
    return of([&](int i) { return a.part[i] | b.part[i]; });
  }
  friend Matrix operator~(const Matrix& a) {
    return of([&](int i) { return ~a.part[i]; });
  }
};

// Whether any byte is not zero.
inline bool any(Matrix::Part x) {
#if defined(__AVX512BW__)
  const auto words = reinterpret_cast<__m512i>(x);
  return _mm512_test_epi64_mask(words, words) != 0;
#elif defined(__AVX2__)
  const auto bits = reinterpret_cast<__m256i>(x);
  return _mm256_testz_si256(bits, bits) == 0;
#else
  std::array<Word, Matrix::kPartBytes / sizeof(Word)> words;
  std::memcpy(words.data(), &x, sizeof x);
  Word some = 0;
  for (const Word word : words) some |= word;
  return some != 0;
#endif
}

}  // namespace quarto::light
