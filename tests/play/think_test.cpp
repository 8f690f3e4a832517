// Thinking about one position: the same answers as the search underneath, and everything a board wants to show.
#include "play/think.h"

#include <gmock/gmock.h>

#include <numeric>
#include <thread>

#include "env/canonical.h"
#include "env/notation.h"
#include "env/symmetry.h"
#include "mcts/search.h"
#include "solver/prover.h"
#include "solver/solver.h"
#include "tests/play/some_network.h"

namespace quarto {
namespace {

TEST(Think, WithoutASearchItIsTheNetworksLikeliestMove) {
  PairsEvaluator evaluator(some_kernel());
  for (const Position& p : unfinished_positions(100, Rules::lines, 1)) {
    const Thought t = think(evaluator, p);
    Evaluation direct;
    evaluate(evaluator, {&p, 1}, {&direct, 1});
    ASSERT_TRUE(p.is_legal(t.best));
    // Through the canonical image: equal up to rounding.
    const float most = *std::max_element(direct.prior.begin(), direct.prior.end());
    EXPECT_NEAR(direct.prior[t.best.index], most, 1e-4F) << to_string(p);
    EXPECT_NEAR(t.value, direct.value(), 1e-4F);
    EXPECT_EQ(t.simulations, 0);
    EXPECT_EQ(static_cast<int>(t.moves.size()), std::popcount(p.legal_moves()));
    EXPECT_THAT(t.line, testing::ElementsAre(t.best));
    EXPECT_NEAR(std::accumulate(t.network.prior.begin(), t.network.prior.end(), 0.0F), 1.0F, 1e-4F);
  }
}

TEST(Think, ImagesOfAPositionGetImagesOfTheMove) {
  PairsEvaluator evaluator(some_kernel());
  Rng rng(4);
  for (const int simulations : {0, 40}) {
    for (const Position& p : unfinished_positions(20, Rules::lines, 9)) {
      const Symmetry g = symmetry(static_cast<int>(rng.below(kSymmetriesLines)));
      const Move own = think(evaluator, p, {.simulations = simulations}).best;
      const Move image = think(evaluator, apply(g, p), {.simulations = simulations}).best;
      // A position with symmetries of its own has several images of the move: the positions after it are what is equal.
      EXPECT_EQ(canonical_key(p.after(own)), canonical_key(apply(g, p).after(image))) << to_string(p);
    }
  }
}

TEST(Think, WithSimulationsItIsTheSearchUnderneath) {
  PairsEvaluator evaluator(some_kernel());
  for (const Position& p : unfinished_positions(20, Rules::lines, 2)) {
    const Thought t = think(evaluator, p, {.simulations = 60});
    Search search({}, 0);
    search.set_root(p);
    Search* one = &search;
    run_searches({&one, 1}, *ProvingEvaluator(evaluator, solver_prover()).new_batch(), 60);
    EXPECT_EQ(t.best, search.best_move());
    EXPECT_EQ(t.simulations, search.simulations());
    EXPECT_EQ(t.proven, search.root_proven_value());
    ASSERT_FALSE(t.line.empty());
    EXPECT_EQ(t.line.front(), t.best);
    Position q = p;
    for (const Move m : t.line) {
      ASSERT_TRUE(q.is_legal(m)) << to_string(p) << ": " << to_string(t.line);
      q.play(m);
    }
  }
}

TEST(Think, WhatItCallsProvenIsExact) {
  PairsEvaluator evaluator(some_kernel());
  Solver solver({.table_bytes = 1 << 20});
  int proven = 0;
  for (const Position& p : unfinished_positions(200, Rules::lines, 5)) {
    if (p.pieces_on_board() < 8) continue;
    const Thought t = think(evaluator, p, {.simulations = 200});
    const MoveSolution exact = solver.solve_moves(p);
    if (t.proven) {
      EXPECT_EQ(t.proven, exact.value) << to_string(p);
    }
    for (const RootMove& m : t.moves) {
      proven += m.proven().has_value();
      if (m.proven()) {
        EXPECT_EQ(m.proven(), exact.values[m.move.index]) << to_string(p) << " " << to_string(m.move);
      }
    }
  }
  EXPECT_GT(proven, 100);
}

TEST(Think, SeveralThreadsMayThinkWithOneNetwork) {
  PairsEvaluator evaluator(some_kernel());
  const std::vector<Position> positions = unfinished_positions(12, Rules::lines, 21);
  std::vector<Move> alone(positions.size()), together(positions.size());
  const auto best = [&](std::size_t i) { return think(evaluator, positions[i], {.simulations = 30}).best; };
  for (std::size_t i = 0; i < positions.size(); ++i) alone[i] = best(i);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = t; i < positions.size(); i += 4) together[i] = best(i);
      });
    }
  }
  EXPECT_EQ(together, alone);
}

TEST(Think, AWinInHandNeedsNoSimulation) {
  PairsEvaluator evaluator(some_kernel());
  const Thought t = think(evaluator, parse_position("012./..../..../.... 3"), {.simulations = 50});
  EXPECT_EQ(to_string(t.best), "d1");
  EXPECT_EQ(t.proven, Value::win);
  EXPECT_EQ(t.simulations, 0);
}

TEST(Think, StopsWhenTold) {
  PairsEvaluator evaluator(some_kernel());
  const std::atomic<bool> stop = true;
  const Thought t = think(evaluator, Position(), {.simulations = 100000, .stop = &stop});
  EXPECT_EQ(t.simulations, 1);
  EXPECT_TRUE(Position().is_legal(t.best));
}

TEST(Think, ATimeAloneIsALimit) {
  PairsEvaluator evaluator(some_kernel());
  ThinkLimits limits;
  limits.simulations = std::nullopt;
  limits.time = std::chrono::milliseconds(100);
  const Thought t = think(evaluator, Position(), limits);
  EXPECT_GE(t.simulations, 1);
  EXPECT_GE(t.seconds, 0.1);
}

TEST(Think, TellsWhatItHasFoundSoFar) {
  PairsEvaluator evaluator(some_kernel());
  std::atomic<bool> stop = false;
  ThinkLimits limits;
  limits.simulations = std::nullopt;
  limits.stop = &stop;
  limits.on_progress = [&](const Thought& t) {
    EXPECT_GT(t.simulations, 0);
    stop = true;
  };
  EXPECT_GT(think(evaluator, Position(), limits).simulations, 0);
}

TEST(Think, WithoutSimulationsATimeChangesNothing) {
  PairsEvaluator evaluator(some_kernel());
  const Thought t = think(evaluator, Position(), {.simulations = 0, .time = std::chrono::milliseconds(50)});
  EXPECT_EQ(t.simulations, 0);
  EXPECT_EQ(t.best, think(evaluator, Position()).best);
}

TEST(Think, RefusesWhatMakesNoSense) {
  PairsEvaluator evaluator(some_kernel());
  EXPECT_THROW(think(evaluator, parse_position("0123/..../..../.... -")), std::invalid_argument);
  EXPECT_THROW(think(evaluator, Position(), {.simulations = -1}), std::invalid_argument);
  EXPECT_THROW(think(evaluator, Position(), {.simulations = kMostSimulations + 1}), std::invalid_argument);
  EXPECT_THROW(think(evaluator, Position(), {.time = std::chrono::milliseconds(-1)}), std::invalid_argument);
}

}  // namespace
}  // namespace quarto
