#include "env/symmetry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <set>

#include "env/notation.h"
#include "tests/support/random_positions.h"
#include "tests/support/sanitized.h"

namespace quarto {
namespace {

TEST(Symmetry, CountsAreThePublishedOnes) {
  EXPECT_EQ(board_symmetries(Rules::lines).size(), 32U);
  EXPECT_EQ(piece_symmetries().size(), 384U);
  EXPECT_EQ(symmetry_count(Rules::lines), 12288);
  EXPECT_EQ(symmetry_count(Rules::lines), kSymmetriesLines);
}

#ifndef QUARTOZERO_SANITIZED  // slow there, and all the work is the test's own
// Square after square, every image that is still free, dropping what maps a winning set to a set that does not win.
void extend(std::array<std::uint8_t, kSquares>& to, int next, const std::set<Mask>& wins,
            std::set<std::array<std::uint8_t, kSquares>>& found) {
  if (next == kSquares) {
    found.insert(to);
    return;
  }
  for (int image = 0; image < kSquares; ++image) {
    if (std::find(to.begin(), to.begin() + next, image) != to.begin() + next) continue;
    to[static_cast<std::size_t>(next)] = static_cast<std::uint8_t>(image);
    const bool keeps = std::all_of(wins.begin(), wins.end(), [&](Mask win) {
      if (std::bit_width(win) != next + 1) return true;  // not complete yet, or tested before
      Mask mapped = 0;
      for (const int s : BitsOf(win)) mapped |= bit(square(to[static_cast<std::size_t>(s)]));
      return wins.contains(mapped);
    });
    if (keeps) extend(to, next + 1, wins, found);
  }
}

TEST(Symmetry, ThoseOfTheBoardAreAllPermutationsThatKeepTheWinningSets) {
  for (const Rules rules : kAllRules) {
    const std::span<const Mask> sets = winning_sets(rules);
    std::array<std::uint8_t, kSquares> to{};
    std::set<std::array<std::uint8_t, kSquares>> expected, found;
    extend(to, 0, {sets.begin(), sets.end()}, expected);
    for (const BoardSymmetry& g : board_symmetries(rules)) found.insert(g.to);
    EXPECT_EQ(found, expected) << to_string(rules);
  }
}
#endif

TEST(Symmetry, PieceSymmetriesAreDistinctPermutationsThatKeepWhetherPiecesShare) {
  std::set<std::array<int, kPieces>> seen;
  for (const PieceSymmetry& g : piece_symmetries()) {
    std::array<int, kPieces> image{};
    for (int p = 0; p < kPieces; ++p) image[static_cast<std::size_t>(p)] = index(g.apply(piece(p)));
    EXPECT_EQ(std::set<int>(image.begin(), image.end()).size(), 16U);
    seen.insert(image);
    for (int p = 0; p < kPieces; ++p) {
      for (int q = 0; q < kPieces; ++q) {
        ASSERT_EQ(std::popcount(static_cast<unsigned>(p ^ q)),
                  std::popcount(
                      static_cast<unsigned>(image[static_cast<std::size_t>(p)] ^ image[static_cast<std::size_t>(q)])));
      }
    }
  }
  EXPECT_EQ(seen.size(), 384U);
}

TEST(Symmetry, PieceSymmetriesAreFoundByTheirOrderAndFlips) {
  for (std::size_t i = 0; i < piece_symmetries().size(); ++i) EXPECT_EQ(index_of(piece_symmetries()[i]), i);
}

TEST(Symmetry, TheFirstIsTheIdentity) {
  Rng rng(1);
  const Position p = random_position(rng);
  EXPECT_EQ(apply(symmetry(0), p), p);
}

TEST(Symmetry, InverseAndCompositionAreThoseOfAGroup) {
  Rng rng(2);
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    const auto count = static_cast<std::uint64_t>(symmetry_count(rules));
    for (int i = 0; i < 500; ++i) {
      const Symmetry g = symmetry(static_cast<int>(rng.below(count))), h = symmetry(static_cast<int>(rng.below(count)));
      const Position p = random_position(rng, rules);
      ASSERT_EQ(apply(inverse(g, rules), apply(g, p)), p);
      ASSERT_EQ(apply(compose(g, h, rules), p), apply(h, apply(g, p)));
      ASSERT_EQ(compose(g, inverse(g, rules), rules), Symmetry{});
    }
  }
}

// The image of every game is a game: legality, wins and threats are kept. All 12,288 for a few positions.
TEST(Symmetry, AllImagesKeepLegalMovesWinsAndThreats) {
  Rng rng(3);
  for (int i = 0; i < 6; ++i) {
    const Position p = random_position_at(9 + 3 * i, rng);
    for (int j = 0; j < symmetry_count(Rules::lines); ++j) {
      const Symmetry g = symmetry(j);
      const Position image = apply(g, p);
      for (int m = 0; m < kMoves; ++m) {
        const Move move{p.phase(), static_cast<std::uint8_t>(m)};
        const Move moved = apply(g, move, p.rules());
        ASSERT_EQ(p.is_legal(move), image.is_legal(moved));
        if (!p.is_legal(move)) continue;
        ASSERT_EQ(apply(g, p.after(move)), image.after(moved));
        ASSERT_EQ(p.after(move).is_won(), image.after(moved).is_won());
      }
    }
  }
}

TEST(Symmetry, PolicyHeadsMoveWithTheirMoves) {
  Rng rng(4);
  for (int i = 0; i < 200; ++i) {
    const Symmetry g = symmetry(static_cast<int>(rng.below(kSymmetriesLines)));
    for (const Phase phase : {Phase::place, Phase::give}) {
      PolicyHead head{};
      for (float& x : head) x = static_cast<float>(rng.uniform());
      const PolicyHead image = apply(g, head, phase, Rules::lines);
      for (int m = 0; m < kMoves; ++m) {
        const Move move{phase, static_cast<std::uint8_t>(m)};
        ASSERT_EQ(image[apply(g, move, Rules::lines).index], head[static_cast<std::size_t>(m)]);
      }
    }
  }
}

TEST(Symmetry, SquareSetImagesAgreeWithTheSymmetries) {
  Rng rng(5);
  const auto images = square_set_images(Rules::lines);
  for (std::size_t g = 0; g < images.size(); ++g) {
    for (int i = 0; i < 100; ++i) {
      const auto set = static_cast<Mask>(rng());
      ASSERT_EQ(images[g](set), board_symmetries(Rules::lines)[g].apply(set));
    }
  }
}

}  // namespace
}  // namespace quarto
