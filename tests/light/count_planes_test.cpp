#include "light/count_planes.h"

#include <gtest/gtest.h>

#include <vector>

#include "env/notation.h"
#include "tests/light/by_playing.h"
#include "tests/support/random_positions.h"

namespace quarto::light {
namespace {

// The numbers of one pair as docs/networks.md orders the tables, by playing.
std::vector<float> by_playing(const Position& p, int x, int s) {
  std::vector<float> counts(static_cast<std::size_t>(kPairCounts), 0.0F);
  Position board = p;
  if (p.has_hand()) board.undo_give();
  const bool can_be = p.has_hand() ? p.hand() == piece(x) : board.winning_squares(piece(x)) == 0;
  const Position after = played(board, x, s);
  if (after.is_won() || safe_gives(after) == 0) return counts;
  const int empty = std::popcount(p.empty());
  const auto add = [&counts](int first, int row) { counts[static_cast<std::size_t>(first + row)] += 1; };
  int least = kSquares, none = 0, least_holding = 7, none_holding = 0;
  const bool fourth = can_be && empty >= 5 && empty <= 8;
  for (const int q : BitsOf(safe_gives(after))) {
    const Replies::Counts replies = replies_by_playing(after, q);
    if (empty <= 12) {
      add(0, replies.safe);
      add(16, replies.odd);
      add(32, replies.one);
    }
    least = std::min(least, replies.safe);
    none += replies.safe == 0;
    if (empty > 8 || !can_be) continue;
    const ThirdPlacement::Counts third = third_by_playing(after, q);
    add(80, third.none);
    add(88, third.one);
    add(96, third.odd);
    add(104, third.least);
    if (!fourth) continue;
    const int holding = holding_by_playing(after, q);
    add(112, holding);
    least_holding = std::min(least_holding, holding);
    none_holding += holding == 0;
  }
  if (fourth) {
    add(120, least_holding);
    add(128, none_holding);
  }
  if (empty <= 12) {
    add(48, least);
    add(64, none);
  }
  return counts;
}

TEST(CountPlanes, AreHowOftenEachTableRowIsAdded) {
  Rng rng(31);
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    for (int i = 0; i < 60; ++i) {
      const int size = kPairCounts;
      std::vector<float> all(static_cast<std::size_t>(kCountsSize), -1.0F);
      const Position p = random_position_at(4 + static_cast<int>(rng.below(27)), rng, rules);
      if (p.is_terminal()) continue;
      encode_counts(p, all);
      const Mask left = static_cast<Mask>(p.available() | (p.has_hand() ? 1U << index(p.hand()) : 0U));
      for (int s = 0; s < kSquares; ++s) {
        for (int x = 0; x < kPieces; ++x) {
          const auto* first = all.data() + (s * kPieces + x) * size;
          const std::vector<float> got(first, first + size);
          const bool exists = (p.empty() >> s & 1) && (left >> x & 1);
          const bool play = exists && (std::popcount(p.empty()) <= 8 || (s + x) % 7 == 0);  // emptier boards are slow
          if (exists && !play) continue;
          ASSERT_EQ(got, play ? by_playing(p, x, s) : std::vector<float>(static_cast<std::size_t>(size), 0.0F))
              << to_string(p) << " square " << s << " piece " << x;
        }
      }
    }
  }
}

TEST(CountPlanes, NeedTheirRoom) {
  std::vector<float> small(static_cast<std::size_t>(kCountsSize - 1));
  EXPECT_THROW(encode_counts(Position(), small), std::invalid_argument);
  small.resize(small.size() + 1);
  EXPECT_NO_THROW(encode_counts(Position(), small));
}

}  // namespace
}  // namespace quarto::light
