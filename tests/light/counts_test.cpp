#include "light/counts.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>
#include <vector>

#include "env/attribute_values.h"
#include "env/lines.h"
#include "env/notation.h"
#include "light/pairs_layout.h"
#include "tests/light/by_playing.h"
#include "tests/support/random_positions.h"

namespace quarto::light {
namespace {

// The rows that one pair adds, by playing.
std::vector<float> by_playing(const Position& p, int x, int s) {
  std::vector<float> counts(static_cast<std::size_t>(kPairRows), 0.0F);
  const auto add = [&counts](Table table, int row) {
    ASSERT_LT(row, rows_of(table));
    counts[static_cast<std::size_t>(first_row(table) + row)] += 1;
  };
  Position board = p;
  if (p.has_hand()) board.undo_give();
  const int empty = std::popcount(p.empty()), phase = p.has_hand() ? kCounts : 0;
  const Mask wins = board.winning_squares(piece(x));
  const Mask available = p.available();
  int safe_now = 0;
  for (const int q : BitsOf(available)) safe_now += board.winning_squares(piece(q)) == 0;
  add(kEmpty, phase + empty);
  add(kSafe, phase + safe_now);
  if (p.has_hand() && p.hand() == piece(x)) add(kHand, 0);
  if (wins != 0) add(kLoses, 0);
  const Position after = played(board, x, s);
  if (after.is_won()) {
    add(kPair, kWins);
    return counts;
  }
  const Mask safe = safe_gives(after);
  add(kPair, std::popcount(safe));
  if (safe == 0) return counts;
  const bool can_be = p.has_hand() ? p.hand() == piece(x) : wins == 0;
  const bool fourth = can_be && empty >= kFewestFourthSquares && empty <= kMostFourthSquares;
  int least = kSquares, none = 0, least_holding = kFourthCounts - 1, none_holding = 0;
  for (const int q : BitsOf(safe)) {
    const Replies::Counts replies = replies_by_playing(after, q);
    if (empty <= kMostReplySquares) {
      add(kReplySafe, replies.safe);
      add(kReplyOdd, replies.odd);
      add(kReplyOne, replies.one);
    }
    least = std::min(least, replies.safe);
    none += replies.safe == 0;
    if (empty > kMostThirdSquares || !can_be) continue;
    const ThirdPlacement::Counts third = third_by_playing(after, q);
    add(kThirdNone, third.none);
    add(kThirdOne, third.one);
    add(kThirdOdd, third.odd);
    add(kThirdLeast, third.least);
    if (!fourth) continue;
    const int holding = holding_by_playing(after, q);
    add(kFourthHolding, holding);
    least_holding = std::min(least_holding, holding);
    none_holding += holding == 0;
  }
  if (fourth) {
    add(kFourthLeast, least_holding);
    add(kFourthNone, none_holding);
  }
  if (empty <= kMostReplySquares) {
    add(kReplyLeast, least);
    add(kReplyNone, none);
  }
  return counts;
}

// The states of all lines, by looking at the pieces.
std::vector<float> lines_by_looking(const Position& p) {
  std::vector<float> counts;
  for (const Mask line : winning_sets(p.rules())) {
    for (int value = 0; value < kAttributeValues; ++value) {
      int on = 0;
      bool alive = (line & p.empty()) != 0;
      for (const int s : BitsOf(static_cast<Mask>(line & p.occupied()))) {
        alive = alive && (index(p.piece_at(square(s))) >> value / 2 & 1) == value % 2;
        ++on;
      }
      for (int state = 0; state < kLineStates; ++state) counts.push_back(alive && state == on ? 1.0F : 0.0F);
    }
  }
  return counts;
}

TEST(Counts, AreHowOftenEachRowIsAddedAndTheStatesOfLines) {
  Rng rng(31);
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    for (int i = 0; i < 100; ++i) {
      std::vector<float> all(static_cast<std::size_t>(counts_size(rules)), -1.0F);
      const Position p = random_position_at(4 + static_cast<int>(rng.below(27)), rng, rules);
      encode_counts(p, all);
      const Mask left = static_cast<Mask>(p.available() | (p.has_hand() ? 1U << index(p.hand()) : 0U));
      for (int s = 0; s < kSquares; ++s) {
        for (int x = 0; x < kPieces; ++x) {
          const auto at = all.begin() + (s * kPieces + x) * kPairRows;
          const std::vector<float> found(at, at + kPairRows);
          const bool there = (p.empty() >> s & 1) && (left >> x & 1);
          ASSERT_EQ(found, there ? by_playing(p, x, s) : std::vector<float>(static_cast<std::size_t>(kPairRows), 0.0F))
              << to_string(p) << ' ' << to_string(piece(x)) << ' ' << to_string(square(s));
        }
      }
      ASSERT_EQ(std::vector<float>(all.begin() + kPairCounts, all.end()), lines_by_looking(p)) << to_string(p);
    }
  }
}

TEST(Counts, TablesAreThoseOfTheLayout) {
  const PairsLayout layout({16, 2, kHeadWidth});
  std::set<std::string> names;
  for (int t = 0; t < kTables; ++t) {
    const PairsLayout::Entry& entry = layout.entries[static_cast<std::size_t>(pairs_entry::table(2, t))];
    EXPECT_EQ(entry.rows, rows_of(t)) << entry.name;
    EXPECT_TRUE(entry.table) << entry.name;
    names.insert(entry.name);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kTables));
}

TEST(Counts, NeedTheirRoom) {
  std::vector<float> small(static_cast<std::size_t>(counts_size(Rules::lines) - 1));
  EXPECT_THROW(encode_counts(Position(), small), std::invalid_argument);
  small.resize(small.size() + 1);
  EXPECT_NO_THROW(encode_counts(Position(), small));
}

}  // namespace
}  // namespace quarto::light
