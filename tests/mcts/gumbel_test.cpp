// Properties of the Gumbel mathematics: of the policy it improves, and of how it deals out simulations.
#include "mcts/gumbel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

namespace quarto::gumbel {
namespace {

constexpr std::size_t at(int slot) { return static_cast<std::size_t>(slot); }
constexpr Mask first(int n) { return static_cast<Mask>((1U << n) - 1); }

// A node in the middle of a search: some moves visited, some not, one of them perhaps proven without a visit.
std::vector<Arm> random_arms(Rng& rng, int moves) {
  std::vector<Arm> arms(at(moves));
  double sum = 0;
  for (Arm& a : arms) {
    sum += a.prior = rng.gamma(0.7);
    a.visits = static_cast<int>(rng.below(6));
    a.known = a.visits > 0 || rng.below(10) == 0;
    if (a.known) a.q = 2 * rng.uniform() - 1;
  }
  for (Arm& a : arms) a.prior /= sum;
  return arms;
}

double sum(const PerMove& p) { return std::accumulate(p.begin(), p.end(), 0.0); }

TEST(ImprovedPolicy, IsADistributionOverTheMovesThatTakePart) {
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const int n = 1 + static_cast<int>(rng.below(kMoves));
    const auto arms = random_arms(rng, n);
    const Mask among = static_cast<Mask>((1U << rng.below(static_cast<std::uint64_t>(n))) | (rng() & first(n)));
    const PerMove policy = improved_policy(arms, among, 0.1, {});
    EXPECT_NEAR(sum(policy), 1, 1e-9);
    for (int m = 0; m < kMoves; ++m) {
      EXPECT_GE(policy[at(m)], 0);
      if (!(among >> m & 1)) {
        EXPECT_EQ(policy[at(m)], 0);
      }
    }
  }
}

// The paper's theorem: what the improved policy expects is at least what the prior expects, by the completed q.
TEST(ImprovedPolicy, ExpectsAtLeastWhatThePriorExpects) {
  Rng rng(4);
  for (int i = 0; i < 1000; ++i) {
    const int n = 2 + static_cast<int>(rng.below(kMoves - 1));
    const auto arms = random_arms(rng, n);
    for (const double c_scale : {0.01, 0.1, 1.0}) {
      const PerMove policy = improved_policy(arms, first(n), 0.3, {50, c_scale});
      const PerMove q = completed_q(arms, first(n), 0.3);
      double improved = 0, prior = 0;
      for (int m = 0; m < n; ++m) {
        improved += policy[at(m)] * q[at(m)];
        prior += arms[at(m)].prior * q[at(m)];
      }
      EXPECT_GE(improved, prior - 1e-9);
    }
  }
}

TEST(ImprovedPolicy, IsThePriorWithoutVisitsAndUniformForLikeMoves) {
  std::vector<Arm> arms(4);
  const std::array<double, 4> priors = {0.4, 0.3, 0.2, 0.1};
  for (int m = 0; m < 4; ++m) arms[at(m)].prior = priors[at(m)];
  const PerMove untouched = improved_policy(arms, first(4), -0.7, {});
  for (int m = 0; m < 4; ++m) EXPECT_NEAR(untouched[at(m)], priors[at(m)], 1e-12);
  for (Arm& a : arms) a = {0.25, 0.3, 2, true};
  const PerMove alike = improved_policy(arms, first(4), -0.7, {});
  for (int m = 0; m < 4; ++m) EXPECT_DOUBLE_EQ(alike[at(m)], 0.25);
}

TEST(CompletedQ, IsTheQOfKnownMovesAndOtherwiseTheMixedValue) {
  std::vector<Arm> arms = {{0.5, 0.8, 3, true}, {0.25, -0.4, 1, true}, {0.25, 0, 0, false}};
  const double weighted = (0.5 * 0.8 + 0.25 * -0.4) / 0.75;
  const double mixed = (0.2 + 4 * weighted) / 5;
  EXPECT_NEAR(mixed_value(arms, first(3), 0.2), mixed, 1e-12);
  const PerMove q = completed_q(arms, first(3), 0.2);
  EXPECT_EQ(q[0], 0.8);
  EXPECT_EQ(q[1], -0.4);
  EXPECT_NEAR(q[2], mixed, 1e-12);
  EXPECT_EQ(mixed_value(arms, 0b100, 0.2), 0.2) << "nothing is known but the node's own value";
}

// Slots in the order in which they are visited, when nothing changes the scores.
std::vector<int> sequence(int moves, int considered, int budget, const PerMove& scores) {
  Halving halving(scores, first(moves), considered, budget);
  std::vector<int> visited;
  for (int i = 0; i < budget; ++i) visited.push_back(halving.next(scores, first(moves)));
  return visited;
}

PerMove descending() {
  PerMove scores{};
  for (int m = 0; m < kMoves; ++m) scores[at(m)] = -m;
  return scores;
}

std::map<int, int> counts(const std::vector<int>& visited) {
  std::map<int, int> n;
  for (const int m : visited) ++n[m];
  return n;
}

TEST(Halving, DealsOutThePapersExample) {
  // Sixteen moves, 200 simulations: 3 visits each, then 6 for 8, 12 for 4, and the rest for 2.
  const auto visited = sequence(16, 16, 200, descending());
  const auto total = counts(visited);
  const auto after = [&](std::ptrdiff_t n) { return counts({visited.begin(), visited.begin() + n}); };
  for (int m = 0; m < 16; ++m) {
    EXPECT_EQ(after(48).at(m), 3);
    EXPECT_EQ(after(96).at(m), m < 8 ? 9 : 3);
    EXPECT_EQ(after(144).at(m), m < 4 ? 21 : m < 8 ? 9 : 3);
    EXPECT_EQ(total.at(m), m < 2 ? 49 : m < 4 ? 21 : m < 8 ? 9 : 3);
  }
}

TEST(Halving, VisitsEveryConsideredMoveIfThereAreEnoughSimulations) {
  Rng rng(5);
  for (int i = 0; i < 500; ++i) {
    const int moves = 1 + static_cast<int>(rng.below(kMoves)), considered = 1 + static_cast<int>(rng.below(kMoves));
    const int taking_part = std::min(moves, considered), budget = taking_part + static_cast<int>(rng.below(60));
    PerMove scores{};
    for (double& s : scores) s = rng.uniform();
    const auto n = counts(sequence(moves, considered, budget, scores));
    EXPECT_EQ(static_cast<int>(n.size()), taking_part);
    for (const auto& [m, visits] : n) {
      for (int other = 0; other < moves; ++other) {
        if (scores[at(other)] > scores[at(m)]) {
          EXPECT_TRUE(n.contains(other) && n.at(other) >= visits) << "the better scored get at least as much";
        }
      }
    }
  }
}

TEST(Halving, WithFewerSimulationsThanMovesTriesTheBestOnceEach) {
  EXPECT_EQ(sequence(16, 16, 5, descending()), (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Halving, OfOneMoveSpendsAllOnIt) { EXPECT_EQ(counts(sequence(8, 1, 20, descending())).at(0), 20); }

TEST(Halving, SpendsNothingOnClosedMovesAndCallsInOthersWhenAllAreClosed) {
  Rng rng(7);
  for (int i = 0; i < 300; ++i) {
    PerMove scores{};
    for (double& s : scores) s = rng.uniform();
    Halving halving(scores, 0xFFFF, 4, 64);
    Mask open = 0xFFFF;
    for (int k = 0; k < 64; ++k) {
      const int m = halving.next(scores, open);
      ASSERT_TRUE(open >> m & 1);
      ASSERT_TRUE(halving.in() >> m & 1);
      if (std::popcount(open) > 1 && rng.below(4) == 0) open = static_cast<Mask>(open & ~(1U << m));
    }
    ASSERT_EQ(halving.finalists(open) & ~open, 0);
    ASSERT_EQ(halving.finalists(open) != 0, (halving.in() & open) != 0);
  }
}

TEST(Noise, DrawsTheFirstMoveInProportionToThePrior) {
  // The Gumbel-max trick.
  Rng rng(8);
  std::vector<Arm> arms(3);
  arms[0].prior = 0.6;
  arms[1].prior = 0.3;
  arms[2].prior = 0.1;
  const PerMove logit = logits(arms);
  std::array<double, 3> drawn{};
  const int n = 30000;
  for (int i = 0; i < n; ++i) {
    PerMove scores = logit;
    for (double& s : scores) s += draw(rng);
    drawn[at(best_of(scores, first(3)))] += 1.0 / n;
  }
  for (std::size_t m = 0; m < 3; ++m) EXPECT_NEAR(drawn[m], arms[m].prior, 0.012);
}

}  // namespace
}  // namespace quarto::gumbel
