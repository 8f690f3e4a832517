#include "env/full_boards.h"

#include <gtest/gtest.h>

#include "env/notation.h"
#include "env/position.h"
#include "env/random_play.h"
#include "env/symmetry.h"
#include "tests/support/sanitized.h"

namespace quarto {
namespace {

Mask random_half(Rng& rng) {
  Mask half = 0;
  while (std::popcount(half) < kPieces / 2) half |= bit(piece(random_bit(static_cast<Mask>(~half), rng)));
  return half;
}

TEST(FullBoards, FourPiecesWithoutAQuartoAndTheirPartitionsAreThePublishedNumbers) {
  EXPECT_EQ(sets_without_quarto().size(), 1284U);
  EXPECT_EQ(partitions_without_quarto(), 778339U);
}

TEST(FullBoards, ClassesOfHalvesCoverAllHalvesOnce) {
  int halves = 0;
  for (const HalfClass& c : half_classes()) {
    EXPECT_EQ(std::popcount(c.pieces), 8);
    halves += c.size;
  }
  EXPECT_EQ(halves, 12870) << "16 choose 8";
  EXPECT_EQ(half_classes().size(), 74U);
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
