#include "play/strangler.h"

#include <gtest/gtest.h>

#include "data/suites.h"
#include "env/notation.h"
#include "env/one_ply.h"
#include "tests/support/random_positions.h"

namespace quarto {
namespace {

constexpr std::size_t kTable = std::size_t{8} << 20;

// The player to act, with a piece in hand, can win on the spot.
bool wins_at_once(const Position& p) {
  for (const int s : BitsOf(p.legal_moves())) {
    if (p.after(Move::place(square(s))).is_won()) return true;
  }
  return false;
}

// Every piece that could be given lets the receiver win on the spot; a full board gives nothing.
bool all_gives_lose(const Position& p) {
  for (const int m : BitsOf(p.legal_moves())) {
    if (!wins_at_once(p.after(Move::give(piece(m))))) return false;
  }
  return !p.is_terminal();
}

// The definition of strangler.h word by word, with nothing but moves.
PairCounts slow_pairs(const Position& p) {
  std::vector<Position> handed;
  if (p.has_hand()) {
    handed.push_back(p);
  } else {
    for (const int m : BitsOf(p.legal_moves())) {
      const Position next = p.after(Move::give(piece(m)));
      if (!wins_at_once(next)) handed.push_back(next);
    }
  }
  PairCounts counts;
  for (const Position& h : handed) {
    int safe = 0;
    for (const int s : BitsOf(h.legal_moves())) {
      const bool trap = all_gives_lose(h.after(Move::place(square(s))));
      ++(trap ? counts.traps : counts.safe);
      safe += trap ? 0 : 1;
    }
    counts.strangled = counts.strangled || safe == 0;
  }
  return counts;
}

bool undecided(const Position& p) { return p.has_hand() ? !wins_at_once(p) : !all_gives_lose(p); }

// An undecided position at random.
Position undecided_position(Rng& rng, int least_ply, int plies) {
  while (true) {
    const Rules rules = rng.below(4) == 0 ? Rules::squares : Rules::lines;
    const Position p =
        random_position_at(least_ply + static_cast<int>(rng.below(static_cast<std::uint64_t>(plies))), rng, rules);
    if (undecided(p)) return p;
  }
}

TEST(StranglerValue, CountsThePairsOfItsDefinition) {
  Rng rng(1);
  int traps = 0, strangled = 0;
  for (int i = 0; i < 400; ++i) {
    const Position p = undecided_position(rng, 0, 31);
    const PairCounts counts = count_pairs(p);
    EXPECT_EQ(counts, slow_pairs(p)) << to_string(p);
    traps += counts.traps > 0 ? 1 : 0;
    strangled += counts.strangled ? 1 : 0;
  }
  EXPECT_GT(traps, 50);
  EXPECT_GT(strangled, 5);
}

TEST(StranglerValue, IsForWhoeverLeftTheSituation) {
  Rng rng(2);
  StranglerOptions options;
  options.safe = 3;
  options.traps = -0.5;
  for (int i = 0; i < 100; ++i) {
    const Position p = undecided_position(rng, 8, 20);
    const PairCounts counts = slow_pairs(p);
    const double left = -3.0 * counts.safe + 0.5 * counts.traps;
    EXPECT_DOUBLE_EQ(strangler_value(p, options), p.has_hand() ? -left : left) << to_string(p);
  }
}

TEST(StranglerValue, OfOnePieceIsThatOfTheGiveSeenFromTheOtherSide) {
  // With one piece left that does not lose at once, the situations before and after giving it are one.
  Rng rng(3);
  int seen = 0;
  while (seen < 30) {
    const Position p = undecided_position(rng, 20, 11);
    if (p.has_hand()) continue;
    const Mask quiet = quiet_moves(p);
    if (std::popcount(quiet) != 1) continue;
    ++seen;
    const Position given = p.after(Move::give(piece(std::countr_zero(quiet))));
    EXPECT_DOUBLE_EQ(strangler_value(given, {}), -strangler_value(p, {})) << to_string(p);
  }
}

TEST(StranglerValue, AStrangledSituationIsWonForWhoeverLeftIt) {
  Rng rng(4);
  Solver solver({.table_bytes = kTable, .threads = 1});
  int seen = 0;
  while (seen < 40) {
    const Position p = undecided_position(rng, 16, 15);
    if (!count_pairs(p).strangled) continue;
    ++seen;
    EXPECT_EQ(solver.solve(p).value, p.has_hand() ? Value::loss : Value::win) << to_string(p);
  }
}

TEST(Strangler, WinsAtOnceAndGivesNoLoserIfItNeedNot) {
  Rng rng(5);
  for (const int exact : {0, 7}) {
    StranglerOptions options;
    options.nodes = 300;
    options.exact = exact;
    Strangler strangler(options, kTable);
    for (int i = 0; i < 300; ++i) {
      const Position p = random_position_at(static_cast<int>(rng.below(31)), rng);
      const Move m = strangler.choose(p, rng);
      ASSERT_TRUE(p.is_legal(m)) << to_string(p);
      EXPECT_TRUE((one_ply_moves(p) >> m.index) & 1U) << to_string(p) << " " << to_string(m);
    }
  }
}

TEST(Strangler, PlaysExactlyWhereItIsToldTo) {
  Rng rng(6);
  Solver solver({.table_bytes = kTable, .threads = 1});
  StranglerOptions options;
  options.nodes = 1;
  options.exact = 8;
  Strangler strangler(options, kTable);
  for (int i = 0; i < 60; ++i) {
    const Position p = random_position_at(16 + static_cast<int>(rng.below(14)), rng);
    const MoveSolution exact = solver.solve_moves(p);
    const Move m = strangler.choose(p, rng);
    EXPECT_EQ(exact.values[m.index], exact.value) << to_string(p) << " " << to_string(m);
  }
}

TEST(Strangler, IsExactByItselfWhenItSeesTheEnd) {
  Rng rng(7);
  Solver solver({.table_bytes = kTable, .threads = 1});
  StranglerOptions options;
  options.nodes = 100'000'000;
  options.exact = 0;
  Strangler strangler(options, kTable);
  for (int i = 0; i < 40; ++i) {
    const Position p =
        random_position_at(21 + static_cast<int>(rng.below(10)), rng, i % 2 ? Rules::lines : Rules::squares);
    const MoveSolution exact = solver.solve_moves(p);
    const Move m = strangler.choose(p, rng);
    EXPECT_EQ(exact.values[m.index], exact.value) << to_string(p) << " " << to_string(m);
  }
}

TEST(Strangler, IsDeterministicWhateverItWasAskedBefore) {
  Rng rng(8);
  StranglerOptions options;
  options.nodes = 500;
  Strangler used(options, kTable);
  for (int i = 0; i < 40; ++i) {
    const Position p = random_position(rng);
    Rng a(static_cast<std::uint64_t>(i)), b(static_cast<std::uint64_t>(i));
    EXPECT_EQ(used.choose(p, a), Strangler(options, kTable).choose(p, b)) << to_string(p);
  }
}

// The share of a sample of `deep` in which the value is kept.
double agreement(const StranglerOptions& options) {
  static const Suite deep = read_suite(default_suites().at(1));
  Strangler strangler(options, kTable);
  double kept = 0, n = 0;
  for (std::size_t i = 0; i < deep.entries.size(); i += 4) {
    Rng rng(i);
    kept += keeps_value(deep.entries[i], strangler.choose(deep.entries[i].position, rng));
    n += 1;
  }
  return kept / n;
}

TEST(Strangler, AgreesWithExactPlayWhereARuleOfThumbDoesNot) {
  StranglerOptions options;
  options.exact = 0;
  options.nodes = 1000;
  EXPECT_GT(agreement(options), 0.75);  // the one-ply rule: 0.5
}

TEST(Strangler, TheWeightsMatterAndOnlyByTheirRatio) {
  StranglerOptions options;
  options.exact = 0;
  options.depth = 2;
  options.safe = 1;
  options.traps = -2;
  const double tuned = agreement(options);
  options.safe = 4;
  options.traps = -8;
  EXPECT_DOUBLE_EQ(agreement(options), tuned);
  // Traps are good for whoever leaves them.
  options.safe = 1;
  options.traps = 2;
  EXPECT_GT(tuned, agreement(options) + 0.04);
}

}  // namespace
}  // namespace quarto
