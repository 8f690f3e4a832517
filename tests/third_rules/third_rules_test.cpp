// Compiled with the row for the torus that docs/extending.md shows (CMakeLists.txt): nothing else knows of these rules.
#include <gmock/gmock.h>

#include <optional>
#include <unordered_map>

#include "env/canonical.h"
#include "env/full_boards.h"
#include "env/notation.h"
#include "env/one_ply.h"
#include "env/prover.h"
#include "env/random_play.h"
#include "env/symmetry.h"
#include "solver/prover.h"
#include "solver/solver.h"
#include "tests/support/reference.h"
#include "tests/support/slow_has_quarto.h"

namespace quarto {
namespace {

constexpr Rules kTorus = Rules::torus;

// As the opening book and the walk keep positions.
TEST(ThirdRules, APositionIsMadeOfItsKeyAgain) {
  Rng rng(5);
  for (int i = 0; i < 200; ++i) {
    const Position p = random_position_at(1 + i % 20, rng, kTorus);
    const Position again = representative(canonical_key(p));
    ASSERT_EQ(again.rules(), kTorus);
    ASSERT_EQ(again, canonical_form(p).position) << to_string(p);
  }
}

// Straight from the words: rows, columns, long diagonals, and 2x2 squares that may cross the edges.
std::vector<Mask> torus_sets() {
  std::vector<Mask> sets(kLineMasks.begin(), kLineMasks.end());
  for (int r = 0; r < kSide; ++r) {
    for (int c = 0; c < kSide; ++c) {
      const int below = (r + 1) % kSide, beside = (c + 1) % kSide;
      Mask set = 0;
      for (const int s : {kSide * r + c, kSide * r + beside, kSide * below + c, kSide * below + beside})
        set |= bit(square(s));
      sets.push_back(set);
    }
  }
  return sets;
}

bool slow_has_quarto(const Position& p) { return slow_has_quarto(p, torus_sets()); }

TEST(ThirdRules, HaveTheirNameAndTheirWinningSets) {
  EXPECT_EQ(parse_rules("torus"), kTorus);
  EXPECT_EQ(to_string(kTorus), "torus");
  EXPECT_EQ(rules_in_words(), "'lines', 'squares' or 'torus'");
  EXPECT_THAT(winning_sets(kTorus), testing::UnorderedElementsAreArray(torus_sets()));
  EXPECT_EQ(board_symmetries(kTorus).size(), 32U);
  EXPECT_EQ(board_symmetries(Rules::squares).size(), 8U);
}

TEST(ThirdRules, WinAsTheirSetsSay) {
  Rng rng(1);
  int across = 0;
  for (int i = 0; i < 3000; ++i) {
    Position p(kTorus);
    while (!p.is_terminal()) {
      if (p.phase() == Phase::place) {
        Mask winning = 0;
        for (const Move m : p.moves()) winning |= slow_has_quarto(p.after(m)) ? bit(m.square()) : Mask{0};
        ASSERT_EQ(p.winning_squares(p.hand()), winning) << to_string(p);
      }
      p.play(random_move(p, rng));
      ASSERT_EQ(p.is_won(), slow_has_quarto(p)) << to_string(p);
    }
    across += p.is_won() && !parse_position(to_string(p), Rules::squares).is_won();
  }
  EXPECT_GT(across, 100);  // won by a square that crosses an edge only
}

TEST(ThirdRules, ImagesHaveTheSameName) {
  Rng rng(2);
  for (int i = 0; i < 300; ++i) {
    const Position p = unfinished_position(rng, kTorus);
    const Symmetry g = symmetry(static_cast<int>(rng.below(static_cast<std::uint64_t>(symmetry_count(kTorus)))));
    const Position image = apply(g, p);
    EXPECT_EQ(canonical_key(image), canonical_key(p));
    EXPECT_EQ(image.is_won(), slow_has_quarto(image));
    EXPECT_EQ(apply(inverse(g, kTorus), image), p);
  }
}

TEST(ThirdRules, ValuesAreThoseOfPlainRecursion) {
  Rng rng(3);
  Solver solver({.table_bytes = std::size_t{1} << 20});
  std::array<int, 3> seen{};
  for (int i = 0; i < 1000; ++i) {
    const int plies = 21 + static_cast<int>(rng.below(9));
    const Position p = random_position_at(plies, rng, kTorus);
    const Value value = reference::value(p);
    ASSERT_EQ(solver.solve(p).value, value) << to_string(p);
    const ValueBounds bounds = solver_prover().bounds(p, 1'000'000'000);
    EXPECT_EQ(bounds, ValueBounds::exactly(value)) << to_string(p);
    ++seen[static_cast<std::size_t>(static_cast<int>(value) + 1)];
  }
  EXPECT_THAT(seen, testing::Each(testing::Gt(5)));
}

// The same table for all three: a name never stands for a position under other rules.
TEST(ThirdRules, OneSolverKeepsTheRulesApart) {
  Rng rng(4);
  Solver solver({.table_bytes = std::size_t{1} << 20});
  int differ = 0;
  for (int i = 0; i < 200; ++i) {
    const std::string text = to_string(random_position_at(20, rng, kTorus));
    std::array<std::optional<Value>, 3> values;
    for (const Rules rules : kAllRules) {
      const Position p = parse_position(text, rules);
      if (p.is_terminal()) continue;
      values[static_cast<std::size_t>(rules)] = solver.solve(p).value;
      EXPECT_EQ(values[static_cast<std::size_t>(rules)], reference::value(p)) << to_string(rules) << " " << text;
    }
    differ += values[0] != values[2];
  }
  EXPECT_GT(differ, 5);
}

// A sample agrees with the exact count: meeting in the middle knows which sets cross it.
TEST(ThirdRules, FullBoardsAreCounted) {
  const Mask top = 0b1001'0110'1010'0101;
  Rng rng(5);
  std::array<int, kSquares> order{};
  int n = 0;
  for (const int p : BitsOf(top)) order[static_cast<std::size_t>(n++)] = p;
  for (const int p : BitsOf(static_cast<Mask>(~top))) order[static_cast<std::size_t>(n++)] = p;
  constexpr int kSamples = 400'000;
  int without = 0;
  for (int i = 0; i < kSamples; ++i) {
    std::shuffle(order.begin(), order.begin() + 8, rng);
    std::shuffle(order.begin() + 8, order.end(), rng);
    bool quarto = false;
    for (const Mask set : torus_sets()) {
      int all = kPieces - 1, any = 0;
      for (const int s : BitsOf(set)) {
        all &= order[static_cast<std::size_t>(s)];
        any |= order[static_cast<std::size_t>(s)];
      }
      quarto = quarto || all != 0 || any != kPieces - 1;
      if (quarto) break;
    }
    without += !quarto;
  }
  const double share = static_cast<double>(full_boards_with_top(top, kTorus)) / (40320.0 * 40320.0);
  const double expected = share * kSamples;
  EXPECT_NEAR(without, expected, 5 * std::sqrt(expected) + 1);
  EXPECT_GT(expected, 20);
}

}  // namespace
}  // namespace quarto
