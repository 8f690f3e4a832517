// The counts of two, three and four placements: what playing them shows, and the same in every image.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "env/notation.h"
#include "tests/light/by_playing.h"
#include "tests/support/random_positions.h"
#include "tests/support/sanitized.h"

namespace quarto::light {
namespace {

using Numbers = std::array<int, 4>;

// What differs between the three. kAllPairs: boards with at most so many empty squares are tried in every pair.
template <class C>
struct Kind;
template <>
struct Kind<Replies> {
  static constexpr int kPositions = 10'000, kFirstPly = 0, kAllPairs = 6;
  static constexpr bool counted(int empty) { return empty <= kMostReplySquares; }
  static Mask given(const Position& p, const PairsInput& in, int pair) {
    const Position after = after_pair(p, in, pair);
    return after.is_won() ? Mask{0} : safe_gives(after);
  }
  static Numbers of(const Replies& replies, int pair, int q) {
    const Replies::Counts c = replies.of(pair, q);
    return {c.safe, c.odd, c.one};
  }
  static Numbers by_playing(const Position& after, int q) {
    const Replies::Counts c = replies_by_playing(after, q);
    return {c.safe, c.odd, c.one};
  }
};
template <>
struct Kind<ThirdPlacement> {
  static constexpr int kPositions = 10'000, kFirstPly = 13, kAllPairs = 6;
  static constexpr bool counted(int empty) { return empty <= kMostThirdSquares; }
  static Mask given(const Position& p, const PairsInput& in, int pair) { return given_by_playing(p, in, pair); }
  static Numbers numbers(const ThirdPlacement::Counts& c) { return {c.none, c.one, c.odd, c.least}; }
  static Numbers of(const ThirdPlacement& third, int pair, int q) { return numbers(third.of(pair, q)); }
  static Numbers by_playing(const Position& after, int q) { return numbers(third_by_playing(after, q)); }
};
template <>
struct Kind<FourthPlacement> {
  static constexpr int kPositions = 5'000, kFirstPly = 13, kAllPairs = 5;
  static constexpr bool counted(int empty) { return empty >= kFewestFourthSquares && empty <= kMostFourthSquares; }
  static Mask given(const Position& p, const PairsInput& in, int pair) { return given_by_playing(p, in, pair); }
  static Numbers of(const FourthPlacement& fourth, int pair, int q) { return {fourth.holding(pair, q)}; }
  static Numbers by_playing(const Position& after, int q) { return {holding_by_playing(after, q)}; }
};

template <class C>
class Placements : public testing::Test {};
using EachKind = testing::Types<Replies, ThirdPlacement, FourthPlacement>;
TYPED_TEST_SUITE(Placements, EachKind);

TYPED_TEST(Placements, CountsAreWhatPlayingThemWouldShow) {
  using K = Kind<TypeParam>;
  const auto counts = std::make_unique<TypeParam>();
  for (const Rules rules : kAllRules) {
    Rng rng(12);
    int pairs = 0;
    for (int i = 0; i < K::kPositions; ++i) {
      const int plies = K::kFirstPly + static_cast<int>(rng.below(31 - K::kFirstPly));
      const Position p = random_position_at(plies, rng, rules);
      const PairsInput in(p);
      counts->count(in);
      // A board that is not counted has no pairs. Of the others all pairs of a fuller one and of some emptier ones, else
      // one: playing them all would take minutes.
      std::vector<int> counted;
      for (int pair = 0; pair < in.n * in.n; ++pair) {
        const Mask expected = K::counted(in.n) ? K::given(p, in, pair) : Mask{0};
        ASSERT_EQ(TypeParam::given(in, pair), expected) << to_string(p);
        if (expected) counted.push_back(pair);
      }
      if (counted.empty()) continue;
      if (in.n > K::kAllPairs && i % 250) counted = {counted[rng.below(counted.size())]};
      for (const int pair : counted) {
        const Position after = after_pair(p, in, pair);
        int least = kSquares, none = 0;
        for (const int q : BitsOf(TypeParam::given(in, pair))) {
          const Numbers expected = K::by_playing(after, q);
          ASSERT_EQ(K::of(*counts, pair, q), expected) << to_string(p) << " pair " << pair << " " << q;
          least = std::min(least, expected[0]);
          none += expected[0] == 0;
        }
        counts->for_each_row(in, pair, [&](int table, int row) {
          if (table == kReplyLeast || table == kFourthLeast) {
            ASSERT_EQ(row, least) << to_string(p);
          }
          if (table == kReplyNone || table == kFourthNone) {
            ASSERT_EQ(row, none) << to_string(p);
          }
        });
        ++pairs;
      }
    }
    EXPECT_GT(pairs, 500);
  }
}

TYPED_TEST(Placements, ImagesOfAPositionHaveTheSameCounts) {
  using K = Kind<TypeParam>;
  const auto mine = std::make_unique<TypeParam>(), theirs = std::make_unique<TypeParam>();
  for (const Rules rules : kAllRules) {
    Rng rng(13);
    for (const int plies : {16, 19, 22}) {
      if (plies == 16 && symmetry_count(rules) > 5'000) continue;  // minutes
      const Position p = counted_position<TypeParam>(plies, rng, rules);
      const PairsInput in(p);
      mine->count(in);
      for (int g = 0; g < symmetry_count(rules); g += kStride) {
        const Symmetry s = symmetry(g);
        const Position q = apply(s, p);
        const PairsInput image(q);
        theirs->count(image);
        for (int pair = 0; pair < in.n * in.n; ++pair) {
          const int other = image_of_pair(s, in, pair, image, rules);
          Mask image_given = 0;
          for (const int x : BitsOf(TypeParam::given(in, pair))) {
            const int y = image_of(s, Phase::give, x, rules);
            image_given = static_cast<Mask>(image_given | 1U << y);
            ASSERT_EQ(K::of(*mine, pair, x), K::of(*theirs, other, y)) << to_string(p) << " image " << g;
          }
          ASSERT_EQ(TypeParam::given(image, other), image_given) << to_string(p) << " image " << g;
        }
      }
    }
  }
}

}  // namespace
}  // namespace quarto::light
