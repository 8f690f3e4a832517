// Each idea of the solver on its own: switched off, it changes no value; switched on, it does exactly what it claims.
#include <gtest/gtest.h>

#include <map>

#include "env/canonical.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "env/symmetry.h"
#include "solver/canonical.h"
#include "solver/solver.h"
#include "solver/table.h"
#include "tests/support/reference.h"
#include "tests/support/sanitized.h"

namespace quarto {
namespace {

using solver::CanonicalState;
using solver::Facts;
using solver::Geometry;
using solver::Goal;
using solver::Name;
using solver::State;
using solver::Table;

template <Rules kRules>
State<kRules> trimmed(const Position& p) {
  auto state = State<kRules>::of(p);
  state.trim(Geometry<kRules>::get());
  return state;
}

// The attribute values that every piece of a line has, one bit each as in state.h.
unsigned attribute_values_on(const Position& p, Mask line) {
  unsigned values = 0xFF;
  for (const int s : BitsOf(static_cast<Mask>(line & p.occupied()))) {
    unsigned of_piece = 0;
    for (int a = 0; a < kAttributes; ++a) of_piece |= 1U << (2 * a + ((index(p.piece_at(square(s))) >> a) & 1));
    values &= of_piece;
  }
  return values;
}

template <class T>
class Reductions : public testing::Test {};
struct Lines {
  static constexpr Rules kRules = Rules::lines;
};
struct Squares {
  static constexpr Rules kRules = Rules::squares;
};
using BothRules = testing::Types<Lines, Squares>;
TYPED_TEST_SUITE(Reductions, BothRules);

// A trimmed line is alive for an attribute value if and only if the pieces left suffice to complete it.
TYPED_TEST(Reductions, TrimmingClearsExactlyWhatCannotBeCompleted) {
  constexpr Rules kRules = TypeParam::kRules;
  Rng rng(1);
  int cleared = 0, alive = 0;
  for (int i = 0; i < 400; ++i) {
    const Position p = random_position_at(2 * (6 + i % 9), rng, kRules);
    const auto state = trimmed<kRules>(p);
    for (int l = 0; l < Geometry<kRules>::kLineCount; ++l) {
      const Mask line = Geometry<kRules>::line(l);
      const int gaps = std::popcount(static_cast<Mask>(line & p.empty()));
      for (unsigned value = 0; value < 8; ++value) {
        const Mask with = Position::kHasAttribute[value / 2];
        const Mask with_value = static_cast<Mask>(p.available() & ((value & 1) ? with : ~with));
        const bool possible = ((attribute_values_on(p, line) >> value) & 1U) != 0;
        const bool completable = possible && gaps > 0 && std::popcount(with_value) >= gaps;
        ASSERT_EQ(((state.alive.get(static_cast<std::size_t>(l)) >> value) & 1U) != 0, completable) << to_string(p);
        cleared += possible && !completable;
        alive += completable;
      }
    }
  }
  EXPECT_GT(cleared, 200);
  EXPECT_GT(alive, 200);
}

// Placing a safe piece on one idle square or another gives one canonical state, and the reference agrees that the two
// boards have one value.
TYPED_TEST(Reductions, IdleSquaresAreInterchangeable) {
  constexpr Rules kRules = TypeParam::kRules;
  const auto& geometry = Geometry<kRules>::get();
  Rng rng(2);
  int pairs = 0;
  for (int i = 0; i < 60000 && pairs < 150; ++i) {
    const Position p = random_position_at(2 * (10 + i % 4), rng, kRules);
    const auto state = trimmed<kRules>(p);
    const Mask idle = static_cast<Mask>(p.empty() & ~geometry.squares_on(state.alive.nonzero()));
    if (std::popcount(idle) < 2 || state.dead()) continue;
    const int piece_given = random_bit(p.available(), rng);
    std::optional<CanonicalState> first;
    std::optional<Value> value;
    for (const int s : BitsOf(idle)) {
      Position after = p;
      after.give(piece(piece_given));
      after.place(square(s));
      const auto canonical = canonical_state(trimmed<kRules>(after), geometry);
      const Value v = reference::value(after);
      if (first) {
        EXPECT_EQ(canonical, *first) << to_string(p);
        EXPECT_EQ(v, *value) << to_string(p);
        ++pairs;
      }
      first = canonical;
      value = v;
    }
  }
  EXPECT_GE(pairs, kRules == Rules::lines ? 150 : 40);
}

// Boards with one canonical state have one value, however different they look; and boards of different value never do.
TYPED_TEST(Reductions, OneCanonicalStateMeansOneValue) {
  constexpr Rules kRules = TypeParam::kRules;
  const auto& geometry = Geometry<kRules>::get();
  Rng rng(3);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<Value, CanonicalKey>> known;
  int met_again = 0;
  for (int i = 0; i < 6000; ++i) {
    const Position p = random_position_at(2 * (11 + i % 4), rng, kRules);
    const Name name = solver::name_of<kRules>(canonical_state(trimmed<kRules>(p), geometry));
    const Value value = reference::value(p);
    const CanonicalKey key = canonical_key(p);
    const auto [at, added] = known.try_emplace({name.first, name.second}, value, key);
    ASSERT_EQ(at->second.first, value) << to_string(p);
    met_again += !added && at->second.second != key;
  }
  EXPECT_GT(met_again, kRules == Rules::lines ? 200 : 30)
      << "boards that are no images of each other and yet have one state";
}

TYPED_TEST(Reductions, ImagesHaveOneCanonicalStateNearlyAlways) {
  constexpr Rules kRules = TypeParam::kRules;
  const auto& geometry = Geometry<kRules>::get();
  Rng rng(4);
  int same = 0;
  constexpr int kTries = 500;
  for (int i = 0; i < kTries; ++i) {
    const Position p = random_position_at(2 * (2 + i % 10), rng, kRules);
    const auto n = static_cast<std::uint64_t>(symmetry_count(kRules));
    const Position image = apply(symmetry(static_cast<int>(rng.below(n))), p);
    same += canonical_state(trimmed<kRules>(p), geometry) == canonical_state(trimmed<kRules>(image), geometry);
  }
  EXPECT_GT(same, kTries * 9 / 10) << "ties may leave two; each costs work";
}

// All ideas, and then each of them switched off.
std::vector<SearchIdeas> ideas_without_one(int table_from) {
  std::vector<SearchIdeas> variants(7);
  for (SearchIdeas& ideas : variants) ideas.table_from = table_from;
  variants[1].trim = false;
  variants[2].idle_squares = false;
  variants[3].alike_pieces = false;
  variants[4].symmetries = false;
  variants[5].order = false;
  variants[6].probe_first = false;
  return variants;
}

TYPED_TEST(Reductions, SwitchingAnIdeaOffChangesNoValue) {
  constexpr Rules kRules = TypeParam::kRules;
  std::vector<SearchIdeas> variants = ideas_without_one(2);
  variants.push_back({2, false, false, false, false, false, false});
  Rng rng(5);
  for (const SearchIdeas& ideas : variants) {
    Solver solver({.table_bytes = std::size_t{4} << 20, .ideas = ideas});
    for (int i = 0; i < repeated(150); ++i) {
      const Position p = random_position_at(18 + i % 12, rng, kRules);
      ASSERT_EQ(solver.solve_moves(p).values, reference::move_values(p)) << to_string(p);
    }
  }
}

// With the table used down to three empty squares, where dead lines and idle squares are common, each idea saves nodes.
TYPED_TEST(Reductions, EachSavesWork) {
  constexpr Rules kRules = TypeParam::kRules;
  std::vector<SearchIdeas> variants = ideas_without_one(3);
  variants.pop_back();  // all but probing first
  std::vector<std::uint64_t> nodes;
  for (const SearchIdeas& ideas : variants) {
    Rng rng(6);
    std::uint64_t total = 0;
    for (int i = 0; i < 12; ++i) {
      Solver solver({.table_bytes = std::size_t{16} << 20, .ideas = ideas});
      total += solver.solve(random_quiet_position_at(13, rng, kRules)).stats.nodes;
    }
    nodes.push_back(total);
  }
  for (std::size_t v = 1; v < nodes.size(); ++v) EXPECT_LT(nodes[0], nodes[v]) << "variant " << v;
}

TEST(CheckedTable, NoticesAForeignStateUnderOnesOwnName) {
  Table table(1 << 20, true);
  ASSERT_TRUE(table.checked());
  const Name name{1, 0xABCDEF0000000000ULL};
  const CanonicalState mine{{1, 2, 3, 4}, 5}, foreign{{1, 2, 3, 4}, 6};
  table.add(name, mine, Facts::of(Goal::draw, true), 10);
  EXPECT_TRUE(table.find(name, mine).holds(Goal::draw));
  EXPECT_EQ(table.false_matches(), 0U);
  EXPECT_TRUE(table.find(name, foreign).nothing());
  EXPECT_EQ(table.false_matches(), 1U);
  table.add(name, foreign, Facts::of(Goal::win, false), 10);
  const Facts facts = table.find(name, foreign);
  EXPECT_TRUE(facts.knows(Goal::win));
  EXPECT_FALSE(facts.knows(Goal::draw)) << "the other state's facts were not taken over";
}

TEST(CheckedTable, FindsTheSameValuesAndNoFalseMatch) {
  Rng rng(7);
  Solver plain({.table_bytes = std::size_t{8} << 20});
  Solver checked({.table_bytes = std::size_t{48} << 20, .threads = 2, .checked = true});
  for (int i = 0; i < 20; ++i) {
    const Position p = random_position_at(12 + i % 6, rng);
    EXPECT_EQ(checked.solve_moves(p).values, plain.solve_moves(p).values) << to_string(p);
  }
  EXPECT_EQ(checked.table_use().false_matches, 0U);
  EXPECT_GT(checked.table_use().fill, 0);
}

}  // namespace
}  // namespace quarto
