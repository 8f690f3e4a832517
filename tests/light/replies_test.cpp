#include "light/replies.h"

#include <gtest/gtest.h>

#include <memory>

#include "env/notation.h"
#include "tests/light/by_playing.h"
#include "tests/support/random_positions.h"
#include "tests/support/sanitized.h"

namespace quarto::light {
namespace {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

void expect_counts(const Position& p, const PairsInput& in, const Replies& replies, int row, int column) {
  const int pair = row * in.n + column;
  Position after = p;
  if (p.has_hand()) after.undo_give();
  after.give(piece(in.pieces[at(row)]));
  after.place(square(in.squares[at(column)]));
  Mask given = 0;
  for (const int q : BitsOf(after.available())) {
    if (!after.is_won() && after.winning_squares(piece(q)) == 0) given = static_cast<Mask>(given | 1U << q);
  }
  ASSERT_EQ(in.given[at(pair)], given) << to_string(p);
  if (in.n > kMostReplySquares) given = 0;
  ASSERT_EQ(Replies::given(in, pair), given) << to_string(p);
  if (!given) return;
  int least = kSquares, none = 0;
  for (const int q : BitsOf(given)) {
    const Replies::Counts expected = replies_by_playing(after, q), got = replies.of(pair, q);
    ASSERT_EQ(got.safe, expected.safe) << to_string(p) << " " << row << " " << column << " " << q;
    ASSERT_EQ(got.odd, expected.odd) << to_string(p) << " " << row << " " << column << " " << q;
    ASSERT_EQ(got.one, expected.one) << to_string(p) << " " << row << " " << column << " " << q;
    least = std::min(least, expected.safe);
    none += expected.safe == 0;
  }
  ASSERT_EQ(replies.least[at(pair)], least) << to_string(p);
  ASSERT_EQ(replies.none[at(pair)], none) << to_string(p);
}

TEST(Replies, CountsAreWhatPlayingTwoPlacementsWouldShow) {
  const auto replies = std::make_unique<Replies>();
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    Rng rng(8);
    int checked = 0;
    while (checked < 10'000) {
      const Position p = random_position(rng, rules);
      if (p.is_terminal()) continue;
      const PairsInput in(p);
      replies->count(in);
      // All pairs of a fuller board, some of an emptier one: playing them all would take minutes.
      const bool all = in.n <= 6;
      for (int i = 0; i < (all ? in.n * in.n : 2); ++i) {
        const int pair = all ? i : static_cast<int>(rng.below(static_cast<std::uint64_t>(in.n * in.n)));
        expect_counts(p, in, *replies, pair / in.n, pair % in.n);
        if (HasFatalFailure()) return;
      }
      ++checked;
    }
  }
}

TEST(Replies, ImagesOfAPositionHaveTheSameCounts) {
  const auto mine = std::make_unique<Replies>(), theirs = std::make_unique<Replies>();
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    Rng rng(9);
    for (const int plies : {13, 20}) {
      Position p = random_position_at(plies, rng, rules);
      while (p.is_terminal()) p = random_position_at(plies, rng, rules);
      const PairsInput in(p);
      mine->count(in);
      for (int g = 0; g < symmetry_count(rules); g += kStride) {
        const Symmetry s = symmetry(g);
        const PairsInput image(apply(s, p));
        theirs->count(image);
        for (int pair = 0; pair < in.n * in.n; ++pair) {
          const int other = image_of_pair(s, in, pair, image, rules);
          if (in.given[at(pair)]) {
            ASSERT_EQ(mine->least[at(pair)], theirs->least[at(other)]) << to_string(p) << " image " << g;
            ASSERT_EQ(mine->none[at(pair)], theirs->none[at(other)]) << to_string(p) << " image " << g;
          }
          for (const int q : BitsOf(in.given[at(pair)])) {
            const Replies::Counts a = mine->of(pair, q), b = theirs->of(other, image_of(s, Phase::give, q, rules));
            ASSERT_EQ(a.safe, b.safe) << to_string(p) << " image " << g;
            ASSERT_EQ(a.odd, b.odd) << to_string(p) << " image " << g;
            ASSERT_EQ(a.one, b.one) << to_string(p) << " image " << g;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace quarto::light
