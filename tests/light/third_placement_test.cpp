#include "light/third_placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "env/notation.h"
#include "tests/light/by_playing.h"
#include "tests/support/random_positions.h"
#include "tests/support/sanitized.h"

namespace quarto::light {
namespace {

void expect_equal(const ThirdPlacement::Counts& a, const ThirdPlacement::Counts& b) {
  EXPECT_EQ(a.none, b.none);
  EXPECT_EQ(a.one, b.one);
  EXPECT_EQ(a.odd, b.odd);
  EXPECT_EQ(a.least, b.least);
}

TEST(ThirdPlacement, CountsAreWhatPlayingThreePlacementsWouldShow) {
  const auto third = std::make_unique<ThirdPlacement>();
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    Rng rng(12);
    int pairs = 0, positions = 0;
    while (positions < 10'000) {
      const Position p = random_position_at(13 + static_cast<int>(rng.below(18)), rng, rules);
      if (p.is_terminal()) continue;
      const PairsInput in(p);
      third->count(in);
      // A board that is not counted has no pairs. Of the others all pairs of a fuller one, one of an emptier one.
      std::vector<int> counted;
      for (int pair = 0; pair < in.n * in.n; ++pair) {
        const Mask expected = in.n <= kMostThirdSquares ? given_by_playing(p, in, pair) : Mask{0};
        ASSERT_EQ(ThirdPlacement::given(in, pair), expected) << to_string(p);
        if (expected) counted.push_back(pair);
      }
      ++positions;
      if (counted.empty()) continue;
      if (in.n > 6) counted = {counted[rng.below(counted.size())]};
      for (const int pair : counted) {
        const Position after = after_pair(p, in, pair);
        for (const int q : BitsOf(ThirdPlacement::given(in, pair)))
          expect_equal(third->of(pair, q), third_by_playing(after, q));
        ASSERT_FALSE(testing::Test::HasFailure()) << to_string(p) << " pair " << pair;
        ++pairs;
      }
    }
    EXPECT_GT(pairs, 1'500);
  }
}

TEST(ThirdPlacement, ImagesOfAPositionHaveTheSameCounts) {
  const auto mine = std::make_unique<ThirdPlacement>(), theirs = std::make_unique<ThirdPlacement>();
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    Rng rng(13);
    for (const int plies : {19, 22}) {
      const Position p = counted_position<ThirdPlacement>(plies, rng, rules);
      const PairsInput in(p);
      mine->count(in);
      for (int g = 0; g < symmetry_count(rules); g += kStride) {
        const Symmetry s = symmetry(g);
        const Position q = apply(s, p);
        const PairsInput image(q);
        theirs->count(image);
        for (int pair = 0; pair < in.n * in.n; ++pair) {
          const int other = image_of_pair(s, in, pair, image, rules);
          const Mask given = ThirdPlacement::given(in, pair);
          Mask image_given = 0;
          for (const int x : BitsOf(given)) {
            image_given = static_cast<Mask>(image_given | 1U << image_of(s, Phase::give, x, rules));
            expect_equal(mine->of(pair, x), theirs->of(other, image_of(s, Phase::give, x, rules)));
          }
          ASSERT_EQ(ThirdPlacement::given(image, other), image_given) << to_string(p) << " image " << g;
        }
        ASSERT_FALSE(testing::Test::HasFailure()) << to_string(p) << " image " << g;
      }
    }
  }
}

}  // namespace
}  // namespace quarto::light
