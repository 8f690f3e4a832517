// The search with a Gumbel root.
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "env/notation.h"
#include "tests/mcts/support.h"

namespace quarto {
namespace {

SearchConfig gumbel_config(int considered = 16) {
  SearchConfig c = plain();
  c.root = RootSelection::gumbel;
  c.gumbel_considered = considered;
  return c;
}

Search gumbel_searched(const Position& p, int simulations, std::uint64_t seed, bool noise,
                       const Scripted::Answer& f = hashed_opinion, const SearchConfig& config = gumbel_config()) {
  return searched(p, simulations, f, config, {.seed = seed, .noise = noise});
}

int visited(const Search& s) {
  int n = 0;
  for (const RootMove& m : s.root_moves()) n += m.visits > 0;
  return n;
}

TEST(GumbelRoot, SpendsTheSimulationsItWasGivenAlsoAfterAMove) {
  Rng rng(2);
  Search s(gumbel_config(), 1);
  for (const int simulations : {1, 2, 7, 16, 17, 40, 64, 200}) {
    s.set_root(Position());
    while (!s.root().is_terminal()) {
      s.add_noise();
      const int kept = s.simulations();
      run(s, simulations, hashed_opinion);
      if (!s.root_proven()) {
        ASSERT_EQ(s.simulations(), std::max(kept, simulations));
      }
      const Move m = s.sample_move(1, rng);
      if (!s.root_proven()) {
        ASSERT_EQ(m, s.best_move()) << "the noise has drawn already";
      }
      ASSERT_TRUE(s.root().is_legal(m));
      s.advance(m);
    }
  }
}

TEST(GumbelRoot, LooksAtEveryConsideredMoveAndAtNoOther) {
  for (const int considered : {2, 5, 16}) {
    EXPECT_EQ(visited(gumbel_searched(Position(), considered + 1, 1, true, hashed_opinion, gumbel_config(considered))),
              considered);
    EXPECT_EQ(visited(gumbel_searched(Position(), 120, 1, true, hashed_opinion, gumbel_config(considered))),
              considered);
  }
}

TEST(GumbelRoot, WithoutNoiseIsTheSameForEverySeedAndWithItIsNot) {
  Rng rng(3);
  int differ = 0;
  for (int i = 0; i < 30; ++i) {
    const Position p = random_position_at(static_cast<int>(rng.below(12)), rng);
    const auto result = [&](std::uint64_t seed, bool noise) {
      const Search s = gumbel_searched(p, 30, seed, noise);
      std::vector<float> all = {static_cast<float>(s.best_move().index)};
      for (const RootMove& m : s.root_moves()) all.insert(all.end(), {static_cast<float>(m.visits), m.value});
      return all;
    };
    ASSERT_EQ(result(1, false), result(2, false));
    ASSERT_EQ(result(1, true), result(1, true));
    differ += result(1, true) != result(2, true);
  }
  EXPECT_GT(differ, 20);
}

// The point of it all: however few the simulations, the move is at least as good on average as one drawn from the
// prior.
TEST(GumbelRoot, ImprovesOnThePriorWithAsFewAsTwoSimulations) {
  const Position p = parse_position("01../..../..../.... 8");
  SearchConfig config = gumbel_config();
  config.canonical = false;
  std::array<float, kMoves> worth{}, prior{};
  Rng rng(4);
  float sum = 0;
  for (const int m : BitsOf(p.legal_moves())) {
    worth[static_cast<std::size_t>(m)] = static_cast<float>(rng.uniform() - 0.5);
    sum += prior[static_cast<std::size_t>(m)] = static_cast<float>(rng.uniform());
  }
  double expected = 0;
  for (std::size_t m = 0; m < kMoves; ++m) expected += static_cast<double>(worth[m] * (prior[m] /= sum));
  const auto opinion = [&](const Position& q) {
    if (q == p) {
      Evaluation e = with_value(uniform_opinion(q), static_cast<float>(expected));
      e.prior = prior;
      return e;
    }
    // The worth of the first placement, for whoever is to act.
    const int first = std::countr_zero(static_cast<Mask>(q.occupied() & ~p.occupied()));
    for (const int s : BitsOf(static_cast<Mask>(q.occupied() & ~p.occupied()))) {
      if (q.piece_at(square(s)) == p.hand()) {
        const float v = worth[static_cast<std::size_t>(s)];
        return with_value(uniform_opinion(q), q.player_to_act() == p.player_to_act() ? v : -v);
      }
    }
    return with_value(uniform_opinion(q), worth[static_cast<std::size_t>(first)]);
  };
  double last = expected - 0.02;
  for (const int simulations : {3, 5, 9, 17}) {
    double mean = 0;
    const int n = 800;
    for (int i = 0; i < n; ++i) {
      const Search s = gumbel_searched(p, simulations, static_cast<std::uint64_t>(i), true, opinion, config);
      mean += static_cast<double>(worth[s.best_move().index]) / n;
    }
    EXPECT_GT(mean, last + 0.01) << simulations << " simulations";
    last = mean - 0.02;
  }
}

// It does not set out to prove the root, as it spends nothing on moves that have dropped out; but it plays well.
TEST(GumbelRoot, EnoughSimulationsPlayPerfectly) {
  Rng rng(6);
  int proven = 0;
  for (int i = 0; i < 60; ++i) {
    const Position p = random_position_at(22 + static_cast<int>(rng.below(7)), rng);
    const Search s = gumbel_searched(p, 20000, 1, false);
    ASSERT_EQ(minimax_of_move(p, s.best_move()), minimax(p)) << to_string(p);
    if (s.root_proven()) {
      ASSERT_EQ(s.root_proven_value(), minimax(p)) << to_string(p);
      ++proven;
    }
  }
  EXPECT_GT(proven, 30);
}

// Without noise the halving has one winner; a temperature draws by what is learned.
TEST(GumbelRoot, WithoutNoiseATemperatureDrawsByTheTarget) {
  SearchConfig config = plain();
  config.root = RootSelection::gumbel;
  Search s = searched(Position(), 64, hashed_opinion, config);
  const auto target = s.policy_target();
  Rng rng(3);
  std::array<int, kMoves> drawn{};
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) ++drawn[s.sample_move(1, rng).index];
  for (std::size_t m = 0; m < kMoves; ++m) {
    EXPECT_NEAR(drawn[m] / double{kDraws}, target[m], 0.04) << m;
  }
  EXPECT_EQ(s.sample_move(0, rng), s.best_move());
}

TEST(GumbelRoot, AGreaterTargetGoesOnWithWhatIsKnown) {
  Search s = gumbel_searched(Position(), 20, 1, false);
  run(s, 60, hashed_opinion);
  EXPECT_EQ(s.simulations(), 60);
  const Move best = s.best_move();
  EXPECT_EQ(s.select(60), nullptr);
  EXPECT_EQ(s.select(30), nullptr);
  EXPECT_EQ(s.best_move(), best) << "a smaller target changes nothing";
}

TEST(Targets, AreSharesOfMovesThatAreNotLostWhateverTheKind) {
  Rng rng(7);
  for (const RootSelection root : {RootSelection::puct, RootSelection::gumbel}) {
    for (const auto& [target, name] : names_of(PolicyTarget{})) {
      SearchConfig config = gumbel_config();
      config.root = root;
      config.target = target;
      config.forced_playouts = 2;
      for (int i = 0; i < 100; ++i) {
        const Position p = random_position(rng);
        const Search s = gumbel_searched(p, 1 + static_cast<int>(rng.below(60)), 1, true, hashed_opinion, config);
        const auto shares = s.policy_target();
        ASSERT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-5);
        const auto moves = s.root_moves();
        const bool any_win = std::any_of(moves.begin(), moves.end(), [](auto& m) { return m.proven() == Value::win; });
        const bool all_lost =
            std::all_of(moves.begin(), moves.end(), [](auto& m) { return m.proven() == Value::loss; });
        for (int m = 0; m < kMoves; ++m) {
          const auto found = std::find_if(moves.begin(), moves.end(), [&](auto& r) { return r.move.index == m; });
          const float share = shares[static_cast<std::size_t>(m)];
          ASSERT_GE(share, 0);
          if (found == moves.end() || (found->proven() == Value::loss && !all_lost) ||
              (any_win && found->proven() != Value::win)) {
            ASSERT_EQ(share, 0) << to_string(p) << " " << name_of(root) << " " << name;
          }
        }
      }
    }
  }
}

TEST(Targets, CompletedQOfAPuctRootDoesNotLearnTheNoise) {
  SearchConfig config = plain();
  config.target = PolicyTarget::completed_q;
  Search s = searched(Position(), 1, hashed_opinion, config, {.noise = true});
  const Search quiet = searched(Position(), 1, hashed_opinion);
  for (std::size_t m = 0; m < kMoves; ++m) EXPECT_NEAR(s.policy_target()[m], quiet.policy_target()[m], 1e-6);
}

TEST(Targets, CompletedQKeepsThePriorOfUntriedMovesAlive) {
  // Where every opinion is the same, nothing is learned that the prior did not say, however few moves were visited.
  const auto opinion = [](const Position& q) {
    Evaluation e = hashed_opinion(q);
    e.win = e.loss = 0;
    e.draw = 1;
    return e;
  };
  const Search s = gumbel_searched(Position(), 9, 1, true, opinion, gumbel_config(4));
  for (const RootMove& m : s.root_moves()) EXPECT_NEAR(s.policy_target()[m.move.index], m.prior, 1e-4);
}

}  // namespace
}  // namespace quarto
