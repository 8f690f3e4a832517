// The search with the solver's prover, as every player has it: bounds of root moves beside exact values.
#include <gtest/gtest.h>

#include <cstdlib>

#include "env/canonical.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "mcts/search.h"
#include "solver/prover.h"
#include "solver/solver.h"
#include "tests/support/sanitized.h"

namespace quarto {
namespace {

struct Found {
  int bounds = 0, exact = 0, wrong = 0;
};

// Searches random positions until so many root moves have bounds, all of which are compared with exact values.
Found compare(int bounds, Rules rules, std::uint64_t seed) {
  Solver solver({.table_bytes = std::size_t{64} << 20});
  UniformEvaluator evaluator;
  const auto batch = ProvingEvaluator(evaluator, solver_prover()).new_batch();
  Rng rng(seed);
  Found found;
  while (found.bounds < bounds) {
    SearchConfig config;
    config.proof_nodes = 1 << (3 + rng.below(7));
    config.proof_squares = 6 + static_cast<int>(rng.below(6));
    config.root = rng.below(4) == 0 ? RootSelection::gumbel : RootSelection::puct;
    Position p = random_position_at(13 + static_cast<int>(rng.below(8)), rng, rules);
    if (p.is_terminal()) continue;
    Search search(config, 1);
    search.set_root(p);
    for (int moves = 0; moves < 3 && !search.root().is_terminal(); ++moves) {
      Search* one = &search;
      run_searches({&one, 1}, *batch, 2 + static_cast<int>(rng.below(40)));
      const MoveSolution exact = solver.solve_moves(search.root());
      for (const RootMove& m : search.root_moves()) {
        if (m.bounds.trivial()) continue;
        const Value value = *exact.values[m.move.index];
        ++found.bounds;
        found.exact += m.bounds.exact();
        const bool wrong = value < m.bounds.low || value > m.bounds.high;
        found.wrong += wrong;
        if (wrong) ADD_FAILURE() << to_string(search.root()) << " " << to_string(m.move);
      }
      if (const auto proven = search.root_proven_value()) {
        EXPECT_EQ(*proven, *exact.value) << to_string(search.root());
      }
      search.advance(search.best_move());  // with what is known below it
    }
  }
  return found;
}

// QUARTOZERO_BOUNDS=100000 compares as many for each rule set.
int wanted() {
  const char* number = std::getenv("QUARTOZERO_BOUNDS");
  return number ? std::atoi(number) : repeated(20000);
}

TEST(Proving, BoundsOfRootMovesHoldTheirExactValues) {
  const Found found = compare(wanted(), Rules::lines, 1);
  EXPECT_EQ(found.wrong, 0);
  EXPECT_GT(found.exact, found.bounds / 4);
  EXPECT_LT(found.exact, found.bounds);
}

TEST(Proving, AlsoUnderTheSquaresRule) {
  const Found found = compare(wanted(), Rules::squares, 2);
  EXPECT_EQ(found.wrong, 0);
  EXPECT_GT(found.exact, found.bounds / 4);
}

TEST(Proving, EveryImageOfAPositionGetsTheSameBounds) {
  UniformEvaluator evaluator;
  const auto batch = ProvingEvaluator(evaluator, solver_prover()).new_batch();
  SearchConfig config;
  config.proof_nodes = 40;
  const auto searched = [&](const Position& p) {
    Search search(config, 1);
    search.set_root(p);
    Search* one = &search;
    run_searches({&one, 1}, *batch, 12);
    return search.root_moves();
  };
  for (const char* text : {"01../4.8./.F6./.A.2 -", "0C5./B.6./.92./.... 7"}) {
    const Position p = parse_position(text);
    const auto moves = searched(p);
    const Symmetry to_form = canonical_form(p).symmetry;
    int told = 0;
    for (int i = 0; i < symmetry_count(p.rules()); i += kStride) {
      const Position image = apply(symmetry(i), p);
      const Symmetry t = compose(to_form, inverse(canonical_form(image).symmetry, p.rules()), p.rules());
      std::array<ValueBounds, kMoves> bounds;
      for (const RootMove& m : searched(image)) bounds[m.move.index] = m.bounds;
      for (const RootMove& m : moves) {
        ASSERT_EQ(bounds[apply(t, m.move, p.rules()).index], m.bounds) << to_string(image);
        told += !m.bounds.trivial();
      }
    }
    EXPECT_GT(told, 0) << text;
  }
}

}  // namespace
}  // namespace quarto
