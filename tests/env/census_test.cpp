#include "env/census.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "env/canonical.h"
#include "env/full_boards.h"
#include "env/notation.h"
#include "env/position.h"
#include "env/random_play.h"
#include "env/symmetry.h"
#include "tests/support/sanitized.h"

namespace quarto {
namespace {

constexpr double kFactorial16 = 20'922'789'888'000.0;

TEST(Census, PositionsStandInTheirCanonicalFormAndInOrder) {
  for (const auto& level : distinct_positions(6)) {
    for (std::size_t i = 0; i < level.size(); ++i) {
      ASSERT_EQ(canonical_form(level[i]).position, level[i]);
      if (i > 0) {
        ASSERT_LT(canonical_key(level[i - 1]), canonical_key(level[i]));
      }
    }
  }
}

TEST(Census, ImagesOfTheDistinctPositionsAreAllPlacements) {
  for (const Rules rules : kAllRules) {
    const auto levels = distinct_positions(5, WonBoards::end, rules);
    for (const int pieces : {0, 1, 2}) {
      std::size_t images = 0;
      for (const Position& p : levels[static_cast<std::size_t>(2 * pieces + 1)]) {
        std::set<std::uint64_t> orbit;
        for (int g = 0; g < symmetry_count(rules); ++g) orbit.insert(apply(symmetry(g), p).key());
        images += orbit.size();
      }
      EXPECT_EQ(static_cast<double>(images), placements(pieces)) << pieces << " down, 1 in hand, " << to_string(rules);
    }
  }
  EXPECT_DOUBLE_EQ(placements(16), kFactorial16);
}

// How many cycles of each length a permutation has.
template <typename Permutation>
std::array<int, 17> cycles(const Permutation& to) {
  std::array<int, 17> count{};
  std::array<bool, 16> seen{};
  for (std::size_t start = 0; start < to.size(); ++start) {
    std::size_t length = 0;
    for (std::size_t i = start; !seen[i]; i = to[i]) seen[i] = true, ++length;
    ++count[length];
  }
  count[0] = 0;  // starts on cycles that were already counted
  return count;
}

// The number of positions up to symmetry by Burnside's lemma: the mean, over all symmetries, of the number of
// placements that the symmetry keeps. Pieces on a kept placement fill whole cycles of squares with cycles of pieces of
// the same length, turned in any of `length` ways; the piece in hand is one that the symmetry keeps. Shares no code
// with the census, and wins do not end a game here.
std::array<std::uint64_t, 10> count_by_burnside(Rules rules) {
  std::vector<std::array<std::size_t, 16>> boards, pieces;
  if (rules == Rules::squares) {  // the rotations and reflections
    for (int g = 0; g < 8; ++g) {
      std::array<std::size_t, 16>& to = boards.emplace_back();
      for (int row = 0; row < 4; ++row) {
        for (int column = 0; column < 4; ++column) {
          int r = (g & 1) != 0 ? 3 - row : row, c = (g & 2) != 0 ? 3 - column : column;
          if ((g & 4) != 0) std::swap(r, c);
          to[static_cast<std::size_t>(4 * row + column)] = static_cast<std::size_t>(4 * r + c);
        }
      }
    }
  } else {
    for (const BoardSymmetry& g : board_symmetries(rules)) {
      std::array<std::size_t, 16>& to = boards.emplace_back();
      for (std::size_t s = 0; s < 16; ++s) to[s] = g.to[s];
    }
  }
  std::array<std::size_t, 4> order = {0, 1, 2, 3};
  do {
    for (std::size_t flip = 0; flip < 16; ++flip) {
      std::array<std::size_t, 16>& to = pieces.emplace_back();
      for (std::size_t p = 0; p < 16; ++p) {
        to[p] = flip;
        for (std::size_t i = 0; i < 4; ++i) to[p] ^= ((p >> i) & 1U) << order[i];
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));

  std::array<std::uint64_t, 10> kept{};
  for (const auto& board : boards) {
    const std::array<int, 17> of_squares = cycles(board);
    for (const auto& piece : pieces) {
      const std::array<int, 17> of_pieces = cycles(piece);
      // ways[n][k]: to put down n pieces, k of which the symmetry keeps.
      std::array<std::array<std::uint64_t, 6>, 6> ways{};
      ways[0][0] = 1;
      for (std::size_t length = 1; length <= 4; ++length) {
        const auto before = ways;
        const auto squares_left = static_cast<std::uint64_t>(of_squares[length]);
        const auto pieces_left = static_cast<std::uint64_t>(of_pieces[length]);
        std::uint64_t choices = 1;
        for (std::uint64_t m = 1; m <= std::min(squares_left, pieces_left); ++m) {
          choices = choices * (squares_left - m + 1) * (pieces_left - m + 1) * length / m;
          const std::size_t more = m * length;
          for (std::size_t n = 0; n + more < 6; ++n) {
            for (std::size_t k = 0; k <= n; ++k) ways[n + more][k + (length == 1 ? more : 0)] += before[n][k] * choices;
          }
        }
      }
      for (std::size_t n = 0; n < 5; ++n) {
        for (std::size_t k = 0; k <= n; ++k) {
          kept[2 * n] += ways[n][k];
          kept[2 * n + 1] += ways[n][k] * (static_cast<std::uint64_t>(of_pieces[1]) - k);
        }
      }
    }
  }
  for (std::uint64_t& count : kept) count /= boards.size() * pieces.size();
  return kept;
}

TEST(Census, CountsAreThePublishedOnes) {
  const std::vector<std::size_t> expected = {1, 1, 2, 8, 40, 148, 454, 3382, 10374, 91558};
  const auto ended = distinct_positions(9), played_on = distinct_positions(9, WonBoards::play_on);
  std::size_t total = 0;
  for (std::size_t ply = 0; ply < expected.size(); ++ply) {
    EXPECT_EQ(ended[ply].size(), expected[ply]) << "ply " << ply;
    total += played_on[ply].size();
  }
  EXPECT_EQ(std::count_if(ended[8].begin(), ended[8].end(), [](const Position& p) { return p.is_won(); }), 28);
  EXPECT_EQ(played_on[9].size(), 91746U);
  EXPECT_EQ(total, 106156U);
  for (const Position& p : ended[9]) ASSERT_FALSE(p.is_won());
}

TEST(Census, CountsAreThoseOfBurnsidesLemma) {
  for (const Rules rules : kAllRules) {
    const auto expected = count_by_burnside(rules);
    const auto levels = distinct_positions(9, WonBoards::play_on, rules);
    for (std::size_t ply = 0; ply < levels.size(); ++ply)
      EXPECT_EQ(levels[ply].size(), expected[ply]) << "ply " << ply << ", " << to_string(rules);
  }
}

#ifndef QUARTOZERO_SANITIZED  // slow there, for code that other tests run as well
// Every order of every set of four that shares an attribute, on every set of squares that wins.
TEST(Census, WonBoardsWithFourPiecesAreTheQuartos) {
  for (const Rules rules : kAllRules) {
    std::set<CanonicalKey> boards, with_hand;
    for (const Mask squares : winning_sets(rules)) {
      for (unsigned set = 0; set <= 0xFFFF; ++set) {
        if (std::popcount(set) != 4) continue;
        std::array<int, 4> order{};
        std::size_t n = 0;
        for (const int p : BitsOf(static_cast<Mask>(set))) order[n++] = p;
        const int all = order[0] & order[1] & order[2] & order[3], any = order[0] | order[1] | order[2] | order[3];
        if (all == 0 && any == 15) continue;
        do {
          Position board(rules);
          n = 0;
          for (const int s : BitsOf(squares)) {
            board.give(piece(order[n++]));
            board.place(square(s));
          }
          if (!boards.insert(canonical_key(board)).second) continue;
          for (const int p : BitsOf(board.available()))
            with_hand.insert(canonical_key(board.after(Move::give(piece(p)))));
        } while (std::next_permutation(order.begin(), order.end()));
      }
    }
    const auto ended = distinct_positions(9, WonBoards::end, rules),
               played_on = distinct_positions(9, WonBoards::play_on, rules);
    EXPECT_EQ(std::count_if(ended[8].begin(), ended[8].end(), [](const Position& p) { return p.is_won(); }),
              static_cast<std::ptrdiff_t>(boards.size()))
        << to_string(rules);
    EXPECT_EQ(played_on[9].size() - ended[9].size(), with_hand.size()) << to_string(rules);
  }
}
#endif

// Four standard deviations: wrong once in 16,000 seeds.
void expect_share(int pieces, double share, Rules rules, std::uint64_t samples = 200'000) {
  Rng rng(1);
  const auto n = static_cast<double>(samples);
  const double found = static_cast<double>(sample_without_quarto(pieces, samples, rng, rules)) / n;
  EXPECT_NEAR(found, share, 4 * std::sqrt(share * (1 - share) / n)) << pieces << " pieces, " << to_string(rules);
}

TEST(Census, FourPiecesMakeAQuartoOnALineIfTheyShareAnAttribute) {
  for (const Rules rules : kAllRules) {
    expect_share(3, 1, rules);
    // 10 (under Rules::squares 19) of 1,820 sets of squares win, and of 1,820 sets of pieces all but 1,284 share an
    // attribute.
    const auto sets = static_cast<double>(winning_sets(rules).size());
    expect_share(4, 1 - sets / 1820 * (1820.0 - static_cast<double>(sets_without_quarto().size())) / 1820, rules);
  }
}

TEST(Census, TheShareOfFullBoardsWithoutAQuartoIsTheExactCounts) {
  expect_share(16, 414'298'141'056 / kFactorial16, Rules::lines);
#ifndef QUARTOZERO_SANITIZED  // minutes there, for code that the rules `lines` have run
  // One board in 331: more samples for as sharp a test. `facts` computes the same number (tests/app/facts_command_test.cpp).
  expect_share(16, 63'235'397'376 / kFactorial16, Rules::squares, 2'000'000);
#endif
}

Mask random_half(Rng& rng) {
  Mask half = 0;
  while (std::popcount(half) < kPieces / 2) half |= bit(piece(random_bit(static_cast<Mask>(~half), rng)));
  return half;
}

TEST(FullBoards, FourPiecesWithoutAQuartoAndTheirPartitionsAreThePublishedNumbers) {
  EXPECT_EQ(sets_without_quarto().size(), 1284U);
  EXPECT_EQ(partitions_without_quarto(), 778339U);
}

#ifndef QUARTOZERO_SANITIZED  // slow there, for code that the next test runs as well
// The plain way: square after square, every piece allowed there, dropping boards with a quarto.
std::uint64_t enumerate(Position& board, Mask top) {
  const int next = board.pieces_on_board();
  if (next == kSquares) return 1;
  std::uint64_t boards = 0;
  for (const int p : BitsOf(board.available() & (next < kSquares / 2 ? top : 0xFFFF))) {
    board.give(piece(p));
    const bool quarto = (board.winning_squares(board.hand()) & bit(square(next))) != 0;
    if (!quarto) {
      board.place(square(next));
      boards += enumerate(board, top);
      board.undo_place(square(next));
    }
    board.undo_give();
  }
  return boards;
}

TEST(FullBoards, ACountIsThatOfPlainEnumeration) {
  // All light pieces on top leave no board: each row above and below shares its colour.
  EXPECT_EQ(full_boards_with_top(0x5555), 0U);
  const Mask top = 0x036F;  // no piece symmetry but the identity keeps it
  std::uint64_t boards[kAllRules.size()];
  for (const Rules rules : kAllRules) {
    Position empty(rules);
    boards[static_cast<int>(rules)] = full_boards_with_top(top, rules);
    EXPECT_EQ(boards[static_cast<int>(rules)], enumerate(empty, top)) << to_string(rules);
  }
  EXPECT_GT(boards[0], boards[1]) << "2x2 squares win as well";
  EXPECT_GT(boards[1], 0U);
}
#endif

TEST(FullBoards, ImagesAndComplementsHaveTheSameCount) {
  for (const Rules rules : kAllRules) {
    Rng rng(3);
    const Mask top = random_half(rng);
    const std::uint64_t boards = full_boards_with_top(top, rules);
    EXPECT_GT(boards, 0U);
    const PieceSymmetry& g = piece_symmetries()[rng.below(piece_symmetries().size())];
    Mask image = 0;
    for (const int p : BitsOf(top)) image |= bit(g.apply(piece(p)));
    EXPECT_EQ(full_boards_with_top(image, rules), boards);
    EXPECT_EQ(full_boards_with_top(static_cast<Mask>(~top), rules), boards) << "the board upside down";
  }
}

}  // namespace
}  // namespace quarto
