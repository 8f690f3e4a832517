#include "env/census.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "env/canonical.h"
#include "env/full_boards.h"

namespace quarto {
namespace {

constexpr double kFactorial16 = 20'922'789'888'000.0;

TEST(Census, PositionsStandInTheirCanonicalFormAndInOrder) {
  for (const auto& level : distinct_positions(6)) {
    for (std::size_t i = 0; i < level.size(); ++i) {
      ASSERT_EQ(canonical_form(level[i]).position, level[i]);
      if (i > 0) {
        ASSERT_LT(canonical_key(level[i - 1]), canonical_key(level[i]));
      }
    }
  }
}

TEST(Census, ImagesOfTheDistinctPositionsAreAllPlacements) {
  const auto levels = distinct_positions(5);
  for (const int pieces : {0, 1, 2}) {
    std::size_t images = 0;
    for (const Position& p : levels[static_cast<std::size_t>(2 * pieces + 1)]) {
      std::set<std::uint64_t> orbit;
      for (int g = 0; g < kSymmetriesLines; ++g) orbit.insert(apply(symmetry(g), p).key());
      images += orbit.size();
    }
    EXPECT_EQ(static_cast<double>(images), placements(pieces)) << pieces << " down, 1 in hand";
  }
  EXPECT_DOUBLE_EQ(placements(16), kFactorial16);
}

TEST(Census, WonBoardsEndTheGameUnlessPlayedOn) {
  const auto ended = distinct_positions(9), played_on = distinct_positions(9, WonBoards::play_on);
  EXPECT_EQ(ended[8].size(), played_on[8].size()) << "the first wins are at ply 8";
  EXPECT_LT(ended[9].size(), played_on[9].size());
  for (const Position& p : ended[9]) ASSERT_FALSE(p.is_won());
}

// Four standard deviations: wrong once in 16,000 seeds.
void expect_share(int pieces, double share) {
  constexpr std::uint64_t kSamples = 200'000;
  Rng rng(1);
  const double found = static_cast<double>(sample_without_quarto(pieces, kSamples, rng)) / kSamples;
  EXPECT_NEAR(found, share, 4 * std::sqrt(share * (1 - share) / kSamples)) << pieces << " pieces";
}

TEST(Census, FourPiecesMakeAQuartoOnALineIfTheyShareAnAttribute) {
  expect_share(3, 1);
  // 10 of 1,820 sets of squares are lines, and of 1,820 sets of pieces all but 1,284 share an attribute.
  expect_share(4, 1 - 10.0 / 1820 * (1820.0 - static_cast<double>(sets_without_quarto().size())) / 1820);
}

TEST(Census, TheShareOfFullBoardsWithoutAQuartoIsTheExactCounts) { expect_share(16, 414'298'141'056 / kFactorial16); }

}  // namespace
}  // namespace quarto
