// Noise, temperature, and what is made of the visits.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "env/notation.h"
#include "env/one_ply.h"
#include "tests/mcts/support.h"

namespace quarto {
namespace {

double sum(const std::array<float, kMoves>& a) { return std::accumulate(a.begin(), a.end(), 0.0); }

std::array<float, kMoves> priors(const Search& s) {
  std::array<float, kMoves> p{};
  for (const RootMove& m : s.root_moves()) p[m.move.index] = m.prior;
  return p;
}

TEST(Noise, ChangesThePriorsButNotTheirSumNorTheirSupport) {
  Rng rng(1);
  int changed = 0;
  for (int i = 0; i < 100; ++i) {
    const Position p = random_position(rng);
    Search s = searched(p, 1, hashed_opinion, plain(), {.seed = static_cast<std::uint64_t>(i)});
    if (s.root_proven()) continue;
    const auto before = priors(s);
    s.add_noise();
    const auto after = priors(s);
    EXPECT_NEAR(sum(before), 1, 1e-5);
    EXPECT_NEAR(sum(after), 1, 1e-5);
    changed += before != after;
    const Mask refuted = p.has_hand() ? stranding_places(p) : p.losing_gives();
    for (int m = 0; m < kMoves; ++m) {
      const auto at = static_cast<std::size_t>(m);
      EXPECT_EQ(before[at] > 0, ((p.legal_moves() & ~refuted) >> m) & 1);
      if (before[at] == 0) {
        EXPECT_EQ(after[at], 0);
      }
      EXPECT_GE(after[at], 0.75F * before[at] - 1e-6F) << "a quarter is noise, the rest is the prior";
    }
  }
  EXPECT_GT(changed, 60);
}

TEST(Noise, AskedForBeforeTheExpansionIsTheSameAndAskedForTwiceIsAppliedOnce) {
  for (const RootSelection root : {RootSelection::puct, RootSelection::gumbel}) {
    const auto noisy = [root](int when) {
      SearchConfig config = plain();
      config.root = root;
      Search s(config, 3);
      s.set_root(Position());
      if (when == 0) s.add_noise();
      run(s, 1, hashed_opinion);
      if (when > 0) s.add_noise();
      if (when > 1) s.add_noise();
      run(s, 32, hashed_opinion);
      return s.policy_target();
    };
    EXPECT_EQ(noisy(0), noisy(1)) << name_of(root);
    EXPECT_EQ(noisy(1), noisy(2)) << name_of(root);
  }
}

// And the next root of a game gets noise of its own.
TEST(Noise, OfOneRootIsForgottenAtTheNext) {
  for (const RootSelection root : {RootSelection::puct, RootSelection::gumbel}) {
    SearchConfig config = plain();
    config.root = root;
    Search used = searched(parse_position("01../..../..../.... 8"), 20, hashed_opinion, config, {.noise = true});
    Search fresh(config, 1);
    for (Search* s : {&used, &fresh}) {
      s->set_root(Position());
      run(*s, 200, hashed_opinion);
    }
    EXPECT_EQ(used.policy_target(), fresh.policy_target()) << name_of(root);
    EXPECT_EQ(used.best_move(), fresh.best_move()) << name_of(root);
    used.advance(used.best_move());
    ASSERT_GT(used.simulations(), 3) << name_of(root);
    const auto before = priors(used);
    used.add_noise();
    EXPECT_EQ(priors(used) != before, root == RootSelection::puct);
  }
}

TEST(Noise, AddsUpToTheRequestedShareOnAverage) {
  // The mean of a symmetric Dirichlet is uniform, so the mean prior is the mix of the two.
  SearchConfig config = plain();
  config.noise_fraction = 0.4;
  std::array<double, kMoves> mean{};
  const int n = 4000;
  const auto opinion = [](const Position& p) {
    Evaluation e;
    if (p.legal_moves() == 0xFFFF) e.prior[0] = 1;
    return e;
  };
  config.canonical = false;
  for (int i = 0; i < n; ++i) {
    Search s = searched(Position(), 1, opinion, config, {.seed = static_cast<std::uint64_t>(i), .noise = true});
    for (const RootMove& m : s.root_moves()) mean[m.move.index] += static_cast<double>(m.prior) / n;
  }
  EXPECT_NEAR(mean[0], 0.6 + 0.4 / 16, 0.01);
  for (std::size_t m = 1; m < kMoves; ++m) EXPECT_NEAR(mean[m], 0.4 / 16, 0.01);
}

TEST(Temperature, FollowsItsSchedule) {
  SearchConfig c = plain();
  c.temperature = 0.9;
  c.temperature_plies = 5;
  c.final_temperature = 0.1;
  EXPECT_EQ(c.temperature_at(0), 0.9);
  EXPECT_EQ(c.temperature_at(4), 0.9);
  EXPECT_EQ(c.temperature_at(5), 0.1);
  EXPECT_EQ(c.temperature_at(31), 0.1);
}

TEST(Temperature, OneDrawsMovesInProportionToTheirVisits) {
  const Search s = searched(parse_position("01../..../..../.... 8"), 100, hashed_opinion);
  Rng rng(1);
  std::array<double, kMoves> drawn{};
  const int n = 20000;
  for (int i = 0; i < n; ++i) drawn[s.sample_move(1, rng).index] += 1.0 / n;
  for (const RootMove& m : s.root_moves()) EXPECT_NEAR(drawn[m.move.index], m.visits / 99.0, 0.015);
}

TEST(Temperature, LowerIsSharperAndZeroIsTheBestMove) {
  const Search s = searched(parse_position("01../..../..../.... 8"), 100, hashed_opinion);
  Rng rng(1);
  const auto share_of_best = [&](double t) {
    int best = 0;
    for (int i = 0; i < 4000; ++i) best += s.sample_move(t, rng) == s.best_move();
    return best / 4000.0;
  };
  EXPECT_EQ(share_of_best(0), 1);
  EXPECT_GT(share_of_best(0.01), 0.4) << "as good as zero, but for ties";
  EXPECT_GT(share_of_best(0.3), share_of_best(1) + 0.05);
  EXPECT_GT(share_of_best(1), share_of_best(5) + 0.03);
}

TEST(PolicyTarget, IsTheSharesOfTheVisitsOfMovesThatAreNotLost) {
  Rng rng(2);
  int with_losses = 0;
  for (int i = 0; i < 600; ++i) {
    const Position p = random_position(rng);
    const Search s = searched(p, 120, hashed_opinion);
    const auto target = s.policy_target();
    EXPECT_NEAR(sum(target), 1, 1e-5);
    for (int m = 0; m < kMoves; ++m) {
      if (!((p.legal_moves() >> m) & 1)) {
        EXPECT_EQ(target[static_cast<std::size_t>(m)], 0);
      }
    }
    if (s.root_proven_value() == Value::win || s.root_proven_value() == Value::loss) continue;
    double kept = 0;
    for (const RootMove& m : s.root_moves()) kept += m.proven() == Value::loss ? 0 : m.visits;
    for (const RootMove& m : s.root_moves()) {
      const bool lost = m.proven() == Value::loss;
      with_losses += lost && m.visits > 0;
      EXPECT_NEAR(target[m.move.index], lost ? 0 : m.visits / kept, 1e-5) << to_string(p);
    }
  }
  EXPECT_GT(with_losses, 20) << "losses that were found by searching must occur";
}

TEST(Choice, IsThereEvenIfEveryMoveLoses) {
  Rng rng(4);
  for (int lost = 0; lost < 20;) {
    const Position p = random_position_at(22, rng);
    if (p.losing_gives() != p.available()) continue;
    ++lost;
    const Search s = searched(p, 10);
    EXPECT_EQ(s.root_proven_value(), Value::loss);
    EXPECT_TRUE(p.is_legal(s.best_move()));
    EXPECT_TRUE(p.is_legal(s.sample_move(1, rng)));
    EXPECT_NEAR(sum(s.policy_target()), 1, 1e-6);
  }
}

TEST(ExpectedLine, BeginsWithTheBestMoveAndCanBePlayed) {
  Rng rng(21);
  std::size_t longest = 0;
  for (int i = 0; i < 100; ++i) {
    const Position p = random_position(rng);
    SearchConfig config = plain();
    config.canonical = i % 2 == 0;
    const Search s = searched(p, 1 + i, hashed_opinion, config);
    const std::vector<Move> line = s.expected_line();
    ASSERT_FALSE(line.empty());
    ASSERT_EQ(line.front(), s.best_move());
    Position at = p;
    for (const Move move : line) {
      ASSERT_TRUE(at.is_legal(move)) << to_string(p);
      at = at.after(move);
    }
    longest = std::max(longest, line.size());
  }
  EXPECT_GT(longest, 3U);
}

TEST(ExpectedLine, OfAProvenRootKeepsItsValueAtEveryMove) {
  Rng rng(22);
  std::array<int, 3> seen{};
  for (int i = 0; i < 200; ++i) {
    const Position p = random_position_at(23, rng, i % 2 ? Rules::lines : Rules::squares);
    const Search s = searched(p, 2000, hashed_opinion);
    const auto value = s.root_proven_value();
    if (!value) continue;
    Position at = p;
    for (const Move move : s.expected_line()) {
      ASSERT_EQ(minimax_of_move(at, move), minimax(at)) << to_string(p) << " " << to_string(move);
      at = at.after(move);
    }
    ++seen[static_cast<std::size_t>(static_cast<int>(*value) + 1)];
  }
  for (const int n : seen) EXPECT_GT(n, 3);
}

TEST(Choice, OfASearchThatHasNotBegunIsAnyMove) {
  Search s(plain(), 1);
  s.set_root(Position());
  EXPECT_EQ(s.simulations(), 0);
  EXPECT_EQ(s.root_value(), 0);
  EXPECT_EQ(s.prior_regret(), 0);
  EXPECT_TRUE(Position().is_legal(s.best_move()));
  EXPECT_EQ(s.expected_line().size(), 1U);
  Rng rng(1);
  EXPECT_TRUE(Position().is_legal(s.sample_move(1, rng)));
  float sum = 0;
  for (const float share : s.policy_target()) sum += share;
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(Choice, PrefersMoreVisits) {
  Rng rng(5);
  for (int i = 0; i < 50; ++i) {
    const Position p = random_position_at(static_cast<int>(rng.below(14)), rng);
    const Search s = searched(p, 100, hashed_opinion);
    if (s.root_proven()) continue;
    const auto moves = s.root_moves();
    const Move best = s.best_move();
    const auto chosen = std::find_if(moves.begin(), moves.end(), [&](const RootMove& m) { return m.move == best; });
    for (const RootMove& m : moves) {
      if (m.proven() != Value::loss) {
        EXPECT_LE(m.visits, chosen->visits);
      }
    }
  }
}

// Recomputed from what the search shows of itself; and zero without a difference of values.
TEST(PriorRegret, IsWhatThePriorsWouldHaveLost) {
  Rng rng(4);
  int positive = 0;
  for (const RootSelection root : {RootSelection::puct, RootSelection::gumbel}) {
    SearchConfig config = plain();
    config.root = root;
    for (int i = 0; i < 60; ++i) {
      const Position p = random_position(rng);
      Search s = searched(p, 40, hashed_opinion, config, {.seed = static_cast<std::uint64_t>(i)});
      if (s.root_proven() || s.simulations() == 0) continue;
      const auto target = s.policy_target();
      double prior = 0, targeted = 0, by_prior = 0, by_target = 0;
      for (const RootMove& m : s.root_moves()) {
        if (m.visits == 0 && !m.proven()) continue;
        prior += static_cast<double>(m.prior);
        by_prior += static_cast<double>(m.prior * m.value);
        targeted += static_cast<double>(target[m.move.index]);
        by_target += static_cast<double>(target[m.move.index] * m.value);
      }
      const double expected = std::max(0.0, by_target / targeted - by_prior / prior);
      EXPECT_NEAR(s.prior_regret(), expected, 1e-5) << to_string(p);
      EXPECT_LE(s.prior_regret(), 2);
      positive += s.prior_regret() > 1e-3;
      // Noise is not the network's fault.
      s.add_noise();
      EXPECT_NEAR(s.prior_regret(), expected, 1e-5);
    }
  }
  EXPECT_GT(positive, 40);
  Search nothing(plain(), 1);
  nothing.set_root(Position());
  EXPECT_EQ(nothing.prior_regret(), 0);
}

}  // namespace
}  // namespace quarto
