// How values and visits move through the tree.
#include "mcts/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "env/notation.h"
#include "tests/mcts/support.h"
#include "tests/support/message_of.h"

namespace quarto {
namespace {

// The evaluator believes in one of the two players, whatever the position; so must every mean in the tree.
TEST(Sign, AnOpinionAboutAPlayerStaysWithThePlayer) {
  Rng rng(1);
  int trees = 0;
  for (int i = 0; i < 40; ++i) {
    const Position p = random_position_at(static_cast<int>(rng.below(12)), rng);
    for (const int favoured : {0, 1}) {
      const auto biased = [&](const Position& q) {
        return with_value(uniform_opinion(q), q.player_to_act() == favoured ? 0.8F : -0.8F);
      };
      Search s = searched(p, 60, biased);
      if (s.tree().empty()) continue;
      const float expected = p.player_to_act() == favoured ? 0.8F : -0.8F;
      // Proofs bring in values of their own; without any, all opinions are one.
      bool any_proof = false;
      for (NodeIndex n = 0; n < s.tree().size(); ++n) {
        any_proof |= (s.tree().node(n).won | s.tree().node(n).drawn() | s.tree().node(n).lost) != 0;
      }
      if (any_proof) continue;
      ++trees;
      EXPECT_NEAR(s.root_value(), expected, 1e-5) << to_string(p);
      for (const RootMove& m : s.root_moves()) {
        if (m.visits > 0) {
          EXPECT_NEAR(m.value, expected, 1e-5) << to_string(p) << " " << to_string(m.move);
        }
      }
    }
  }
  EXPECT_GT(trees, 40);
}

TEST(Visits, EveryNodesVisitsAreItsExpansionAndItsEdges) {
  Rng rng(2);
  for (int i = 0; i < 60; ++i) {
    Search s = searched(random_position(rng), 400, hashed_opinion);
    const Tree& t = s.tree();
    for (NodeIndex n = 0; n < t.size(); ++n) {
      int sum = 1;
      for (int slot = 0; slot < t.node(n).slots; ++slot) {
        const EdgeRef e{n, slot};
        sum += t.visits(e);
        const NodeIndex child = t.child(e);
        if (child == kNoNode) {
          ASSERT_TRUE(t.visits(e) == 0 || t.proven(e)) << "what was visited is a node or proven";
        } else if (!t.proven(e)) {
          ASSERT_EQ(t.visits(e), t.node(child).visits);
        } else {
          ASSERT_GE(t.visits(e), t.node(child).visits) << "a proven draw may be chosen again, but not searched";
        }
      }
      ASSERT_EQ(t.node(n).visits, sum);
    }
    if (!s.root_proven()) {
      EXPECT_EQ(s.simulations(), 400);
    }
    int visits = 0;
    for (const RootMove& m : s.root_moves()) visits += m.visits;
    if (s.simulations() > 0) {
      EXPECT_EQ(visits, s.simulations() - 1);
    }
  }
}

TEST(Selection, GoesWhereThePriorPointsAndThenWhereTheValueIs) {
  // All prior on e's first legal move, which is bad; another move is good.
  const Position p = parse_position("01../..../..../.... 8");
  SearchConfig config = plain();
  config.canonical = false;
  const auto opinion = [&](const Position& q) {
    Evaluation e = uniform_opinion(q);
    if (q == p) {
      e.prior.fill(0.02F);
      e.prior[2] = 0.8F;
      return e;
    }
    const bool good = q.occupied() & bit(square(9));
    const bool ours = q.player_to_act() == p.player_to_act();
    return with_value(e, (good ? 0.6F : -0.6F) * (ours ? 1.0F : -1.0F));
  };
  EXPECT_EQ(to_string(searched(p, 2, opinion, config).best_move()), "c1");
  EXPECT_EQ(to_string(searched(p, 400, opinion, config).best_move()), "b3");
}

TEST(Selection, AtTheRootIsPuctAsWritten) {
  // Checked against the formula with the statistics before the simulation, for every choice made at the root.
  SearchConfig config = plain();
  config.canonical = false;
  config.c_puct = 1.7;
  config.c_puct_growth = 1;
  config.c_puct_base = 50;
  config.root_fpu_reduction = 0.3;
  const Position p = parse_position("01../.2../..../.... 8");
  Search s = searched(p, 1, hashed_opinion, config);
  for (int n = 1; n < 200 && !s.root_proven(); ++n) {
    const auto before = s.root_moves();
    const double total = s.root_value() * n;
    double tried = 0;
    for (const RootMove& m : before) tried += m.visits > 0 ? m.prior : 0;
    const double c = 1.7 + std::log((n + 51.0) / 50.0);
    std::vector<double> score;
    for (const RootMove& m : before) {
      const double q = m.visits > 0 ? m.value : total / n - 0.3 * std::sqrt(tried);
      score.push_back(q + c * m.prior * std::sqrt(n) / (1 + m.visits));
    }
    run(s, n + 1, hashed_opinion);
    const auto after = s.root_moves();
    std::size_t chosen = 0;
    while (after[chosen].visits == before[chosen].visits) ++chosen;
    ASSERT_GE(score[chosen], *std::max_element(score.begin(), score.end()) - 1e-4) << "simulation " << n;
  }
}

TEST(Determinism, TheSameSeedGrowsTheSameTree) {
  Rng rng(3);
  for (int i = 0; i < 10; ++i) {
    const Position p = random_position_at(static_cast<int>(rng.below(12)), rng);
    const auto grow = [&](std::uint64_t seed) {
      Search s = searched(p, 150, hashed_opinion, plain(), {.seed = seed, .noise = true});
      std::vector<float> all;
      for (const RootMove& m : s.root_moves()) all.insert(all.end(), {m.prior, static_cast<float>(m.visits), m.value});
      return all;
    };
    EXPECT_EQ(grow(7), grow(7));
    EXPECT_NE(grow(7), grow(8)) << "another seed, other noise";
  }
}

TEST(Select, ReturnsTheSameLeafUntilItIsAnswered) {
  Search s(plain(), 1);
  s.set_root(Position());
  const Position first = s.select(10)->position;
  EXPECT_EQ(s.select(10)->position, first);
  s.take({uniform_opinion(first), {}});
  EXPECT_NE(s.select(10)->position, first);
}

TEST(Select, CountsTheExpansionOfTheRootAsTheFirstSimulation) {
  Search s(plain(), 1);
  s.set_root(Position());
  EXPECT_EQ(s.select(0), nullptr);
  EXPECT_EQ(s.simulations(), 0);
  s.take(answer_to(*s.select(1)));
  EXPECT_EQ(s.simulations(), 1);
  EXPECT_EQ(s.select(1), nullptr);
}

TEST(Errors, AreRefusedWithTheirReason) {
  Search s(plain(), 1);
  s.set_root(Position());
  EXPECT_THROW(s.take({}), std::logic_error) << "nothing was asked";
  EXPECT_THROW(s.advance(Move::place(square(0))), std::invalid_argument) << "the first player gives";
  Position won = parse_position("135./..../..../.... 7");
  won.place(square(3));
  EXPECT_THROW(s.set_root(won), std::invalid_argument);
}

TEST(Errors, ADamagedOpinionIsRefusedAndTheSearchCanGoOn) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Evaluation> damaged(4, uniform_opinion(Position()));
  damaged[0].prior[3] = nan;
  damaged[1].prior[3] = -0.5F;
  damaged[2].win = nan;
  damaged[3].win = 3;
  for (const Evaluation& e : damaged) {
    Search s(plain(), 1);
    s.set_root(Position());
    s.select(10);
    EXPECT_THAT(message_of<EvaluationError>([&] { s.take({e, {}}); }), testing::HasSubstr("..../..../..../.... -"));
    EXPECT_EQ(s.simulations(), 0);
    run(s, 10);
    EXPECT_EQ(s.simulations(), 10);
  }
}

TEST(Errors, ADamagedOpinionBesideAProofLeavesTheQuestionOpen) {
  Rng rng(4);
  const SlowProver prover;
  int refused = 0;
  for (int i = 0; i < 50; ++i) {
    Search s(SearchConfig(), 1);
    s.set_root(random_position_at(18 + i % 4, rng));
    while (const Question* question = s.select(30)) {
      const Question asked = *question;
      Answer answer = answer_to(asked);
      if (asked.nodes > 0) answer.bounds = prover.bounds(asked.position, 300, asked.known);
      if (asked.evaluate && !answer.bounds.exact() && answer.bounds != asked.known) {
        ++refused;
        Answer damaged = answer;
        damaged.evaluation.win = std::numeric_limits<float>::quiet_NaN();
        const int before = s.simulations();
        EXPECT_THROW(s.take(damaged), EvaluationError);
        EXPECT_EQ(s.simulations(), before);
        ASSERT_EQ(s.select(30)->position, asked.position);
      }
      s.take(answer);
    }
    EXPECT_TRUE(s.root_proven() || s.simulations() == 30);
  }
  EXPECT_GT(refused, 10);
}

TEST(Errors, APriorOfNothingIsTakenAsUniformAndAnyScaleAsOne) {
  for (const float scale : {0.0F, 1e-3F, 50.0F}) {
    const auto opinion = [&](const Position& p) {
      Evaluation e = uniform_opinion(p);
      for (float& prior : e.prior) prior *= scale;
      return e;
    };
    for (const RootMove& m : searched(Position(), 1, opinion).root_moves()) EXPECT_FLOAT_EQ(m.prior, 1.0F / 16);
  }
}

// Many searches, one batch.

struct Games {
  std::deque<Search> searches;
  std::vector<Search*> pointers;
  explicit Games(const std::vector<Position>& positions) {
    for (const Position& p : positions) {
      searches.emplace_back(plain(), 1);
      searches.back().set_root(p);
      pointers.push_back(&searches.back());
    }
  }
};

std::vector<Position> positions(int n, int plies) {
  Rng rng(1);
  std::vector<Position> all;
  for (int i = 0; i < n; ++i) all.push_back(random_position_at(plies, rng));
  return all;
}

TEST(RunSearches, EveryStepAsksForOneLeafOfEveryUnfinishedSearch) {
  Games games(positions(32, 4));
  Scripted evaluator(hashed_opinion);
  run_searches(games.pointers, *evaluator.new_batch(), 20);
  EXPECT_EQ(evaluator.batch_sizes, std::vector<std::size_t>(20, 32)) << "nothing is proven this early";
  for (const Search& s : games.searches) EXPECT_EQ(s.simulations(), 20);
}

TEST(RunSearches, EachSearchIsWhatItWouldBeAlone) {
  const auto all = positions(20, 17);
  Games games(all);
  Scripted evaluator(hashed_opinion);
  run_searches(games.pointers, *evaluator.new_batch(), 200);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Search alone = searched(all[i], 200, hashed_opinion);
    EXPECT_EQ(games.searches[i].simulations(), alone.simulations());
    EXPECT_EQ(games.searches[i].root_value(), alone.root_value());
    EXPECT_EQ(games.searches[i].policy_target(), alone.policy_target());
  }
  EXPECT_GT(evaluator.batch_sizes.front(), evaluator.batch_sizes.back()) << "finished searches drop out";
}

TEST(RunSearches, KnownLeavesDoNotTakeAPlaceInTheBatch) {
  // A cache that knows half of all positions.
  const auto half = [](const Position& p) { return canonical_key(p).hash() % 2 == 0; };
  Games games(positions(32, 4));
  Scripted evaluator(hashed_opinion, half);
  run_searches(games.pointers, *evaluator.new_batch(), 40);
  EXPECT_GT(evaluator.known, 400);
  std::size_t computed = 0;
  for (std::size_t i = 0; i < evaluator.batch_sizes.size(); ++i) computed += evaluator.batch_sizes[i];
  EXPECT_EQ(computed + static_cast<std::size_t>(evaluator.known), 32U * 40);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(evaluator.batch_sizes[i], 32U) << "the first batches are full";
}

TEST(RunSearches, CanBeRepeatedAfterTheEvaluatorFailed) {
  const auto all = positions(8, 6);
  Games games(all);
  int calls = 0;
  Scripted failing([&](const Position& p) {
    if (++calls == 100) throw std::runtime_error("the device is gone");
    return hashed_opinion(p);
  });
  EXPECT_THROW(run_searches(games.pointers, *failing.new_batch(), 60), std::runtime_error);
  Scripted working(hashed_opinion);
  run_searches(games.pointers, *working.new_batch(), 60);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(games.searches[i].policy_target(), searched(all[i], 60, hashed_opinion).policy_target());
  }
}

}  // namespace
}  // namespace quarto
