#include "env/encoding.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "env/notation.h"
#include "tests/support/random_positions.h"

namespace quarto {
namespace {

float at(const Input& input, int plane, const char* where) {
  return input[static_cast<std::size_t>(plane * kSquares + index(parse_square(where)))];
}

TEST(Encoding, PlanesSayWhatTheHeaderSays) {
  const Input x = encode(parse_position("5.../..../..../.... A"));
  EXPECT_EQ(at(x, Planes::kEmpty, "a1"), 0);
  EXPECT_EQ(at(x, Planes::kEmpty, "b1"), 1);
  EXPECT_EQ(at(x, Planes::kHas + 0, "a1"), 1);
  EXPECT_EQ(at(x, Planes::kHas + 1, "a1"), 0);
  EXPECT_EQ(at(x, Planes::kLacks + 1, "a1"), 1);
  EXPECT_EQ(at(x, Planes::kLacks + 1, "b1"), 0) << "an empty square neither has nor lacks";
  EXPECT_EQ(at(x, Planes::kHandHas + 3, "c3"), 1);
  EXPECT_EQ(at(x, Planes::kHandLacks + 0, "c3"), 1);
  EXPECT_EQ(at(x, Planes::kPlacing, "d4"), 1);
  EXPECT_EQ(at(x, Planes::kAvailable + 5, "d4"), 0);
  EXPECT_EQ(at(x, Planes::kAvailable + 10, "d4"), 0);
  EXPECT_EQ(at(x, Planes::kAvailable + 0, "d4"), 1);
}

TEST(Encoding, BitsAreThePlanes) {
  Rng rng(2);
  for (int i = 0; i < 100; ++i) {
    const Position p = random_position(rng);
    const Input planes = encode(p);
    std::array<Mask, kPlanes> bits;
    bits.fill(0xAAAA);
    encode_bits(p, bits);
    for (std::size_t j = 0; j < planes.size(); ++j) {
      ASSERT_EQ(planes[j], (bits[j / kSquares] >> (j % kSquares)) & 1) << to_string(p) << " at " << j;
    }
  }
}

TEST(Encoding, CommutesWithEverySymmetry) {
  Rng rng(1);
  for (int i = 0; i < 3; ++i) {
    const Position p = random_position_at(8 + 5 * i, rng);
    const Input input = encode(p);
    for (int g = 0; g < kSymmetriesLines; ++g) {
      ASSERT_EQ(encode(apply(symmetry(g), p)), apply(symmetry(g), input, p.rules())) << to_string(p) << " under " << g;
    }
  }
}

TEST(Encoding, AShortSpanIsRefused) {
  std::vector<float> out(kInputSize - 1);
  EXPECT_THROW(encode(Position(), out), std::invalid_argument);
  std::vector<Mask> bits(kPlanes - 1);
  EXPECT_THROW(encode_bits(Position(), bits), std::invalid_argument);
}

}  // namespace
}  // namespace quarto
