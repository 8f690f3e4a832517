// Forced playouts, and the target that does not learn them.
#include "mcts/forced.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/mcts/support.h"

namespace quarto {
namespace {

using gumbel::Arm;

TEST(PrunedVisits, OfNoMovesAreNone) {
  const std::vector<gumbel::Arm> arms(3, {.prior = 0.3, .q = 0.5, .visits = 9, .known = true});
  EXPECT_EQ(pruned_visits(arms, 0, 2, 30, 1), gumbel::PerMove{});
}

TEST(PrunedVisits, AreThoseThatPuctWouldHaveMadeAnyway) {
  Rng rng(1);
  int pruned = 0;
  for (int i = 0; i < 1000; ++i) {
    std::array<Arm, 8> arms{};
    int total = 1;
    for (Arm& a : arms) {
      a = {rng.uniform() / 4, 2 * rng.uniform() - 1, static_cast<int>(rng.below(40)), true};
      total += a.visits;
    }
    const double exploration = 1.25 * std::sqrt(total);
    const auto kept = pruned_visits(arms, 0xFF, 2, total, exploration);
    const auto most = std::max_element(
        arms.begin(), arms.end(), [](auto& a, auto& b) { return std::tie(a.visits, a.q) < std::tie(b.visits, b.q); });
    const double best = most->q + exploration * most->prior / (1 + most->visits);
    for (std::size_t m = 0; m < arms.size(); ++m) {
      ASSERT_LE(kept[m], arms[m].visits);
      ASSERT_GE(kept[m], arms[m].visits - forced_visits(2, arms[m].prior, total) - 1);
      if (&arms[m] == most) {
        ASSERT_EQ(kept[m], arms[m].visits) << "the most visited move keeps all";
      } else if (kept[m] > 1 && kept[m] < arms[m].visits) {
        ASSERT_LT(arms[m].q + exploration * arms[m].prior / (1 + kept[m]), best) << "no more was taken than that";
      }
      pruned += kept[m] < arms[m].visits;
    }
    ASSERT_EQ(pruned_visits(arms, 0xFF, 0, total, exploration)[0], arms[0].visits) << "nothing forced, nothing pruned";
  }
  EXPECT_GT(pruned, 1000);
}

TEST(ForcedPlayouts, AreGivenToEveryMoveThatHasBeenTried) {
  SearchConfig config = plain();
  config.forced_playouts = 2;
  Rng rng(2);
  for (int i = 0; i < 30; ++i) {
    Search s = searched(random_position_at(static_cast<int>(rng.below(8)), rng), 300, hashed_opinion, config,
                        {.seed = static_cast<std::uint64_t>(i), .noise = true});
    if (s.root_proven()) continue;
    for (const RootMove& m : s.root_moves()) {
      if (m.visits > 0 && !m.proven()) {
        EXPECT_GE(m.visits + 2, forced_visits(2, static_cast<double>(m.prior), 300));
      }
    }
  }
}

TEST(ForcedPlayouts, AreForSearchesWithNoiseOnly) {
  SearchConfig config = plain();
  config.forced_playouts = 2;
  const Search with = searched(Position(), 200, hashed_opinion, config),
               without = searched(Position(), 200, hashed_opinion);
  for (std::size_t i = 0; i < kMoves; ++i) EXPECT_EQ(with.root_moves()[i].visits, without.root_moves()[i].visits);
}

TEST(ForcedPlayouts, AreTakenOutOfThePrunedTarget) {
  SearchConfig config = plain();
  config.forced_playouts = 2;
  config.target = PolicyTarget::pruned;
  int sharper = 0;
  for (int i = 0; i < 30; ++i) {
    Search s =
        searched(Position(), 200, hashed_opinion, config, {.seed = static_cast<std::uint64_t>(i), .noise = true});
    const auto target = s.policy_target();
    float most = 0, greatest = 0;
    for (const RootMove& m : s.root_moves()) {
      most = std::max(most, static_cast<float>(m.visits) / 199);
      greatest = std::max(greatest, target[m.move.index]);
    }
    EXPECT_GE(greatest, most - 1e-5F);
    sharper += greatest > most + 0.01F;
  }
  EXPECT_GT(sharper, 15);
}

}  // namespace
}  // namespace quarto
