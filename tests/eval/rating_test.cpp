#include "eval/rating.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/random.h"

namespace quarto {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

using Names = std::vector<std::string>;

// Pairs of which these many are won twice, split (a win and a loss), drawn twice, and lost twice.
std::vector<PairScore> pairs_of(int won, int split, int drawn, int lost) {
  std::vector<PairScore> pairs;
  for (int i = 0; i < won; ++i) pairs.push_back({1, 1});
  for (int i = 0; i < split; ++i) pairs.push_back({1, 0});
  for (int i = 0; i < drawn; ++i) pairs.push_back({0.5, 0.5});
  for (int i = 0; i < lost; ++i) pairs.push_back({0, 0});
  return pairs;
}

// A round robin of players with these true ratings. Up to four games in ten are drawn.
std::vector<Pairing> simulate(const std::vector<double>& elo, int pairs, Rng& rng) {
  std::vector<Pairing> pairings;
  for (std::size_t a = 0; a < elo.size(); ++a) {
    for (std::size_t b = a + 1; b < elo.size(); ++b) {
      const double expected = elo_to_score(elo[a] - elo[b]);
      const double draw = std::min({0.4, expected, 1 - expected});
      const auto game = [&] {
        const double u = rng.uniform();
        return u < draw ? 0.5 : u < expected + draw / 2 ? 1.0 : 0.0;
      };
      Pairing pairing{a, b, {}};
      for (int k = 0; k < pairs; ++k) pairing.pairs.push_back({game(), game()});
      pairings.push_back(std::move(pairing));
    }
  }
  return pairings;
}

TEST(Rating, RecoversTheRatingsThatMadeTheResults) {
  const std::vector<double> truth{0, 150, -120, 420, 90};
  Rng rng(1);
  const Names names{"a", "b", "c", "d", "e"};
  const Ratings ratings = rate(names, simulate(truth, 4000, rng), {.anchor = 0});
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_NEAR(ratings.players[i].elo, truth[i], 12) << i;
    EXPECT_LE(ratings.players[i].interval.low, ratings.players[i].elo);
    EXPECT_GE(ratings.players[i].interval.high, ratings.players[i].elo);
    EXPECT_EQ(ratings.players[i].games(), 4 * 8000);
  }
  EXPECT_LT(ratings.misfit, 0.01);
  EXPECT_EQ(ratings.above(3, 1), 1);
  EXPECT_EQ(ratings.above(1, 3), 0);
}

TEST(Rating, OfTwoPlayersIsTheEloOfTheScore) {
  // 60 wins, 20 draws and 20 losses are 70 points of 100; the imaginary drawn pair makes it 71 of 102.
  const std::vector<Pairing> pairings{{0, 1, pairs_of(25, 10, 10, 5)}};
  const Ratings ratings = rate(Names{"a", "b"}, pairings, {.anchor = 1});
  EXPECT_NEAR(ratings.players[0].elo, *score_to_elo(71.0 / 102), 1e-6);
  EXPECT_EQ(ratings.players[1].elo, 0);
  EXPECT_EQ(ratings.players[1].interval.low, 0);
  EXPECT_EQ(ratings.players[1].interval.high, 0);
  EXPECT_DOUBLE_EQ(ratings.players[0].score, 0.7);
  EXPECT_EQ(ratings.players[0].wins, 60);
  EXPECT_EQ(ratings.players[0].draws, 20);
  EXPECT_EQ(ratings.players[1].wins, 20);
  const Ratings vague = rate(Names{"a", "b"}, pairings, {.anchor = 1, .prior_pairs = 1e-6});
  EXPECT_NEAR(vague.players[0].elo, *score_to_elo(0.7), 1e-3);
}

TEST(Rating, IntervalsHoldTheTruthAboutAsOftenAsTheySay) {
  const std::vector<double> truth{0, 80, -150, 300};
  const Names names{"a", "b", "c", "d"};
  Rng rng(7);
  constexpr int kRuns = 300;
  std::vector<int> held(truth.size(), 0);
  for (int run = 0; run < kRuns; ++run) {
    const Ratings ratings =
        rate(names, simulate(truth, 60, rng), {.anchor = 0, .samples = 200, .seed = static_cast<std::uint64_t>(run)});
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const Interval interval = ratings.players[i].interval;
      if (interval.low <= truth[i] && truth[i] <= interval.high) ++held[i];
    }
  }
  for (std::size_t i = 1; i < truth.size(); ++i) {
    EXPECT_GT(held[i], 0.90 * kRuns) << i;
    EXPECT_LT(held[i], 0.985 * kRuns) << i;
  }
}

// The pairs that share an opening are won or lost together here, so that there are 30 independent results and not 90.
TEST(Rating, IntervalsKnowThatPairingsShareTheirOpenings) {
  Rng rng(5);
  std::vector<PairScore> results;
  for (int k = 0; k < 30; ++k) results.push_back(rng.uniform() < 0.6 ? PairScore{1, 1} : PairScore{0, 0});
  const auto width = [](const Ratings& ratings) {
    return ratings.players[0].interval.high - ratings.players[0].interval.low;
  };
  const Names names{"a", "b", "c", "d"};
  const std::vector<Pairing> pairings{{0, 1, results}, {0, 2, results}, {0, 3, results}};
  // One of two players is half the difference away from the mean, one against three is three quarters of it; 1.5 makes
  // as many imaginary pairs for a pairing there as 1 does here.
  const double alone = width(rate(Names{"a", "b"}, std::vector<Pairing>{{0, 1, results}}));
  EXPECT_NEAR(width(rate(names, pairings, {.prior_pairs = 1.5})) / (0.75 / 0.5 * alone), 1, 0.02);
}

TEST(Rating, AScoreOfAHundredPercentStaysFinite) {
  const std::vector<Pairing> pairings{
      {0, 1, pairs_of(50, 0, 0, 0)}, {0, 2, pairs_of(50, 0, 0, 0)}, {1, 2, pairs_of(50, 0, 0, 0)}};
  const Ratings ratings = rate(Names{"strong", "middle", "weak"}, pairings, {.anchor = 1});
  EXPECT_GT(ratings.players[0].elo, 400);
  EXPECT_LT(ratings.players[0].elo, 2000);
  EXPECT_NEAR(ratings.players[0].elo, -ratings.players[2].elo, 1e-6);
  // Nothing varies in the results, and yet nothing is certain.
  EXPECT_GT(ratings.players[0].interval.high - ratings.players[0].interval.low, 200);
  EXPECT_TRUE(std::isfinite(ratings.players[0].interval.high));
}

TEST(Rating, DoesNotDependOnWhoIsNamedFirst) {
  Rng rng(3);
  const std::vector<Pairing> pairings = simulate({0, 100, 300}, 40, rng);
  std::vector<Pairing> turned;
  for (const Pairing& p : pairings) {
    Pairing other{p.b, p.a, {}};
    for (const PairScore& pair : p.pairs) other.pairs.push_back({1 - pair.first, 1 - pair.second});
    turned.push_back(other);
  }
  const Names names{"a", "b", "c"};
  const Ratings one = rate(names, pairings), two = rate(names, turned);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(one.players[i].elo, two.players[i].elo, 1e-6);
    EXPECT_NEAR(one.players[i].interval.low, two.players[i].interval.low, 1e-6);
    EXPECT_EQ(one.players[i].wins, two.players[i].wins);
  }
}

TEST(Rating, TheAnchorShiftsAndChangesNoDifference) {
  Rng rng(4);
  const std::vector<Pairing> pairings = simulate({0, 100, 300}, 40, rng);
  const Names names{"a", "b", "c"};
  const Ratings mean = rate(names, pairings);
  EXPECT_NEAR(mean.players[0].elo + mean.players[1].elo + mean.players[2].elo, 0, 1e-6);
  for (std::size_t anchor = 0; anchor < 3; ++anchor) {
    const Ratings ratings = rate(names, pairings, {.anchor = anchor});
    EXPECT_EQ(ratings.players[anchor].elo, 0);
    EXPECT_NEAR(ratings.players[2].elo - ratings.players[0].elo, mean.players[2].elo - mean.players[0].elo, 1e-6);
  }
}

TEST(Rating, TheSameSeedGivesTheSameIntervals) {
  Rng rng(4);
  const std::vector<Pairing> pairings = simulate({0, 100}, 40, rng);
  const Names names{"a", "b"};
  const auto low = [&](std::uint64_t seed) { return rate(names, pairings, {.seed = seed}).players[0].interval.low; };
  EXPECT_EQ(low(1), low(1));
  EXPECT_NE(low(1), low(2));
}

TEST(Rating, MisfitShowsACircle) {
  const std::vector<Pairing> pairings{
      {0, 1, pairs_of(40, 0, 0, 10)}, {1, 2, pairs_of(40, 0, 0, 10)}, {2, 0, pairs_of(40, 0, 0, 10)}};
  const Ratings ratings = rate(Names{"rock", "scissors", "paper"}, pairings);
  for (const PlayerRating& player : ratings.players) EXPECT_NEAR(player.elo, 0, 1e-6);
  EXPECT_NEAR(ratings.misfit, 0.3, 1e-6);
}

TEST(Rating, PairingsMayBeMissingOrOfDifferentLengths) {
  const std::vector<Pairing> pairings{{0, 1, pairs_of(20, 10, 10, 10)}, {1, 2, pairs_of(5, 2, 2, 2)}};
  const Ratings ratings = rate(Names{"a", "b", "c"}, pairings, {.anchor = 1});
  EXPECT_GT(ratings.players[0].elo, 0);
  EXPECT_LT(ratings.players[2].elo, 0);
  EXPECT_EQ(ratings.players[2].games(), 22);
}

TEST(Rating, WhatCannotBeRatedIsRefused) {
  const std::vector<PairScore> some = pairs_of(1, 1, 1, 1);
  const auto rating = [](const Names& names, const std::vector<Pairing>& pairings, const RatingOptions& options = {}) {
    return [=] { (void)rate(names, pairings, options); };
  };
  EXPECT_THAT(rating({}, {}), ThrowsMessage<RatingError>(HasSubstr("at least two players")));
  EXPECT_THAT(rating({"a"}, {}), ThrowsMessage<RatingError>(HasSubstr("at least two players")));
  EXPECT_THAT(rating({"a", "b"}, {}), ThrowsMessage<RatingError>(HasSubstr("'a' with 'b'")));
  EXPECT_THAT(rating({"a", "b", "c", "d"}, {{0, 1, some}, {2, 3, some}}),
              ThrowsMessage<RatingError>(HasSubstr("no chain of games links 'a' with 'c'")));
  EXPECT_THAT(rating({"a", "b"}, {{0, 1, {}}}), ThrowsMessage<RatingError>(HasSubstr("no games between 'a' and 'b'")));
  EXPECT_THAT(rating({"a", "b"}, {{1, 1, some}}), ThrowsMessage<RatingError>(HasSubstr("'b' is paired with itself")));
  EXPECT_THROW(rating({"a", "b"}, {{0, 2, some}})(), std::invalid_argument);
  EXPECT_THROW(rating({"a", "b"}, {{0, 1, some}}, {.anchor = 2})(), std::invalid_argument);
  EXPECT_THROW(rating({"a", "b"}, {{0, 1, some}}, {.samples = 0})(), std::invalid_argument);
  EXPECT_THROW(rating({"a", "b"}, {{0, 1, some}}, {.prior_pairs = 0})(), std::invalid_argument);
}

}  // namespace
}  // namespace quarto
