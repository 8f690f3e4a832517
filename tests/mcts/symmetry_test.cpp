// A position's 12,288 images are one position to the search.
#include <gtest/gtest.h>

#include "env/notation.h"
#include "tests/mcts/support.h"
#include "tests/support/sanitized.h"

namespace quarto {
namespace {

bool same(const RootMove& a, const RootMove& b) {
  return a.move == b.move && a.visits == b.visits && a.prior == b.prior && a.value == b.value && a.bounds == b.bounds;
}

// Searches every image (with sanitizers every kStride-th, with a slow prover every seventh) and compares it, number for number, with the search of the
// original: the symmetry that takes the one canonical form to the other takes each move, with its statistics, to its
// own.
void expect_equal_searches(const Position& p, int simulations, const Scripted::Answer& f,
                           const SearchConfig& config = plain(), const Prover* prover = nullptr, int step = kStride) {
  const auto run_with_noise = [&](const Position& q) {
    Search s = searched(q, simulations, f, config, {.seed = 5, .noise = true, .prover = prover});
    return s;
  };
  const Rules rules = p.rules();
  const Search original = run_with_noise(p);
  const auto moves = original.root_moves();
  const Symmetry to_form = canonical_form(p).symmetry;
  for (int i = 0; i < symmetry_count(rules); i += step) {
    const Position image = apply(symmetry(i), p);
    const Search s = run_with_noise(image);
    ASSERT_EQ(s.root(), image);
    ASSERT_EQ(s.root_value(), original.root_value());
    ASSERT_EQ(s.root_proven_value(), original.root_proven_value());
    ASSERT_EQ(s.simulations(), original.simulations());
    const Symmetry t = compose(to_form, inverse(canonical_form(image).symmetry, rules), rules);
    ASSERT_EQ(apply(t, p), image);
    const auto image_moves = s.root_moves();
    ASSERT_EQ(image_moves.size(), moves.size());
    const auto target = original.policy_target(), image_target = s.policy_target();
    for (const RootMove& m : moves) {
      RootMove expected = m;
      expected.move = apply(t, m.move, rules);
      const auto found = std::find_if(image_moves.begin(), image_moves.end(),
                                      [&](const RootMove& r) { return r.move == expected.move; });
      ASSERT_NE(found, image_moves.end());
      ASSERT_TRUE(same(*found, expected)) << to_string(image) << " " << to_string(expected.move);
      ASSERT_EQ(image_target[expected.move.index], target[m.move.index]);
    }
    ASSERT_EQ(s.best_move(), apply(t, original.best_move(), rules));
    Rng a(9), b(9);
    ASSERT_EQ(s.sample_move(1, a), apply(t, original.sample_move(1, b), rules));
  }
}

TEST(Symmetry, AllImagesGetTheSameSearchUnderTheUniformEvaluator) {
  for (const char* text :
       {"01../..../..../.... -", "0.../.6../..../.... 9", "048./.3../..E./.... -", "0C5./B.6./.92./8... 7"}) {
    expect_equal_searches(parse_position(text), 25, uniform_opinion);
  }
}

TEST(Symmetry, AllImagesGetTheSameSearchUnderAnySymmetricEvaluator) {
  expect_equal_searches(parse_position("0C5./B.6./.92./8... 7"), 20, hashed_opinion);
  expect_equal_searches(parse_position("048./.3../..E./5... -", Rules::squares), 20, hashed_opinion);
}

TEST(Symmetry, AllImagesGetTheSameSearchFromAGumbelRoot) {
  SearchConfig config = plain();
  config.root = RootSelection::gumbel;
  expect_equal_searches(parse_position("0C5./B.6./.92./8... 7"), 20, hashed_opinion, config);
}

TEST(Symmetry, AllImagesGetTheSameSearchWithAProver) {
  SlowProver prover;
  expect_equal_searches(parse_position("0C5./B.6./.92./8... 7"), 12, hashed_opinion, proving(40, 8), &prover, 7);
}

TEST(Symmetry, AllImagesAgreeOnWhatIsProven) {
  Rng rng(1);
  expect_equal_searches(random_position_at(26, rng), 200, uniform_opinion);
}

// The guarantee is about results, and comes from the frame: without it, ties are broken by index.
TEST(Symmetry, TheLeavesAreImagesOfPositionsBelowTheRoot) {
  Rng rng(2);
  const Position p = random_position_at(9, rng);
  Search s(plain(), 1);
  s.set_root(p);
  EXPECT_EQ(canonical_key(s.select(10)->position), canonical_key(p));
  SearchConfig config = plain();
  config.canonical = false;
  Search t(config, 1);
  t.set_root(p);
  EXPECT_EQ(t.select(10)->position, p);
}

TEST(Symmetry, AdvancingKeepsTheFrame) {
  Rng rng(3);
  for (int game = 0; game < 20; ++game) {
    Search s(plain(), 1);
    Position p = random_position_at(4, rng);
    s.set_root(p);
    while (!p.is_terminal()) {
      run(s, 40);
      const Move m = s.sample_move(1, rng);
      ASSERT_TRUE(p.is_legal(m)) << to_string(p) << " " << to_string(m);
      p.play(m);
      s.advance(m);
      ASSERT_EQ(s.root(), p);
      for (const RootMove& r : s.root_moves()) ASSERT_TRUE(p.is_legal(r.move));
    }
  }
}

}  // namespace
}  // namespace quarto
