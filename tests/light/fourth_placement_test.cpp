#include "light/fourth_placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "env/notation.h"
#include "tests/light/by_playing.h"
#include "tests/support/random_positions.h"
#include "tests/support/sanitized.h"

namespace quarto::light {
namespace {

constexpr bool has_counts(int empty) { return empty >= kFewestFourthSquares && empty <= kMostFourthSquares; }

TEST(FourthPlacement, CountsAreWhatPlayingFourPlacementsWouldShow) {
  const auto fourth = std::make_unique<FourthPlacement>();
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    Rng rng(14);
    int pairs = 0, positions = 0;
    while (positions < 5'000) {
      const Position p = random_position_at(13 + static_cast<int>(rng.below(18)), rng, rules);
      if (p.is_terminal()) continue;
      const PairsInput in(p);
      fourth->count(in);
      // A board that is not counted has no pairs. Of the others all pairs of a fuller one and of some emptier ones,
      // else one of an emptier one.
      std::vector<int> counted;
      for (int pair = 0; pair < in.n * in.n; ++pair) {
        const Mask expected = has_counts(in.n) ? given_by_playing(p, in, pair) : Mask{0};
        ASSERT_EQ(FourthPlacement::given(in, pair), expected) << to_string(p);
        if (expected) counted.push_back(pair);
      }
      ++positions;
      if (counted.empty()) continue;
      if (in.n > 5 && positions % 250) counted = {counted[rng.below(counted.size())]};
      for (const int pair : counted) {
        const Position after = after_pair(p, in, pair);
        for (const int q : BitsOf(FourthPlacement::given(in, pair)))
          ASSERT_EQ(fourth->holding(pair, q), holding_by_playing(after, q)) << to_string(p) << " pair " << pair;
        ++pairs;
      }
    }
    EXPECT_GT(pairs, 500);
  }
}

TEST(FourthPlacement, ImagesOfAPositionHaveTheSameCounts) {
  const auto mine = std::make_unique<FourthPlacement>(), theirs = std::make_unique<FourthPlacement>();
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    Rng rng(15);
    const bool few = symmetry_count(rules) < 5'000;
    int compared = 0;
    for (const int plies : few ? std::vector{16, 19, 22} : std::vector{19, 22}) {
      const Position p = counted_position<FourthPlacement>(plies, rng, rules);
      const PairsInput in(p);
      mine->count(in);
      for (int g = 0; g < symmetry_count(rules); g += kStride) {
        const Symmetry s = symmetry(g);
        const Position q = apply(s, p);
        const PairsInput image(q);
        theirs->count(image);
        for (int pair = 0; pair < in.n * in.n; ++pair) {
          const int other = image_of_pair(s, in, pair, image, rules);
          const Mask given = FourthPlacement::given(in, pair);
          Mask image_given = 0;
          for (const int x : BitsOf(given)) {
            image_given = static_cast<Mask>(image_given | 1U << image_of(s, Phase::give, x, rules));
            ++compared;
            ASSERT_EQ(mine->holding(pair, x), theirs->holding(other, image_of(s, Phase::give, x, rules)))
                << to_string(p) << " image " << g;
          }
          ASSERT_EQ(FourthPlacement::given(image, other), image_given) << to_string(p) << " image " << g;
        }
      }
    }
    EXPECT_GT(compared, 10 * (symmetry_count(rules) / kStride + 1));
  }
}

}  // namespace
}  // namespace quarto::light
