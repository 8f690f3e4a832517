#include "env/symmetry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace quarto {
namespace {

// Finds every permutation of the squares that maps winning sets to winning sets: squares get their images one at a
// time, and a branch ends as soon as a finished set's image is not a winning set. In increasing order of `to`, so the
// identity comes first.
class Enumeration {
 public:
  explicit Enumeration(Rules rules) : sets_(winning_sets(rules).begin(), winning_sets(rules).end()) {
    for (const Mask set : sets_) {
      for (const int s : BitsOf(set)) {
        for (const int t : BitsOf(set)) ++shared_[static_cast<std::size_t>(s)][static_cast<std::size_t>(t)];
      }
    }
  }

  std::vector<BoardSymmetry> run() {
    extend(0, 0);
    return std::move(found_);
  }

 private:
  void extend(int next, Mask used) {
    if (next == kSquares) {
      found_.push_back(current_);
      return;
    }
    for (const int image : BitsOf(static_cast<Mask>(~used))) {
      current_.to[static_cast<std::size_t>(next)] = static_cast<std::uint8_t>(image);
      if (consistent(next)) extend(next + 1, static_cast<Mask>(used | (1U << image)));
    }
  }

  // Every winning set whose last square is `next` has a winning set as its image. Pairs are compared first: squares
  // share as many winning sets as their images do, which cuts the search from half a second to nothing.
  bool consistent(int next) const {
    const std::size_t image_of_next = current_.to[static_cast<std::size_t>(next)];
    for (std::size_t s = 0; s <= static_cast<std::size_t>(next); ++s) {
      if (shared_[s][static_cast<std::size_t>(next)] != shared_[current_.to[s]][image_of_next]) return false;
    }
    for (const Mask set : sets_) {
      if (std::bit_width(set) - 1 != next) continue;
      Mask image = 0;
      for (const int s : BitsOf(set)) image |= static_cast<Mask>(1U << current_.to[static_cast<std::size_t>(s)]);
      if (std::find(sets_.begin(), sets_.end(), image) == sets_.end()) return false;
    }
    return true;
  }

  std::vector<Mask> sets_;
  std::array<std::array<int, kSquares>, kSquares> shared_{};  // how many winning sets hold both squares
  BoardSymmetry current_{};
  std::vector<BoardSymmetry> found_;
};

std::vector<PieceSymmetry> enumerate_piece_symmetries() {
  std::vector<PieceSymmetry> all;
  std::vector<int> order(kAttributes);
  std::iota(order.begin(), order.end(), 0);
  do {
    PieceSymmetry g{};
    for (std::size_t i = 0; i < kAttributes; ++i) g.to[i] = static_cast<std::uint8_t>(order[i]);
    for (unsigned flip = 0; flip < kPieces; ++flip) {
      g.flip = static_cast<std::uint8_t>(flip);
      all.push_back(g);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return all;
}

struct BoardTable {
  std::vector<BoardSymmetry> symmetries;
  std::vector<SquareSetImages> images;
  std::vector<std::uint16_t> inverses;

  explicit BoardTable(Rules rules) : symmetries(Enumeration(rules).run()) {
    if (symmetries.size() > kMostBoardSymmetries) {
      throw std::logic_error(fmt::format("the rules '{}' have {} board symmetries: at most {} can be used",
                                         name_of(rules), symmetries.size(), kMostBoardSymmetries));
    }
    for (const BoardSymmetry& g : symmetries) {
      images.emplace_back(g);
      BoardSymmetry back{};
      for (std::size_t s = 0; s < kSquares; ++s) back.to[g.to[s]] = static_cast<std::uint8_t>(s);
      inverses.push_back(index_of(back));
    }
  }

  std::uint16_t index_of(const BoardSymmetry& g) const {
    const auto at = std::find(symmetries.begin(), symmetries.end(), g);
    assert(at != symmetries.end());
    return static_cast<std::uint16_t>(at - symmetries.begin());
  }
};

const BoardTable& board_table(Rules rules) { return made_once_for<BoardTable>(rules); }

const std::vector<PieceSymmetry>& piece_table() {
  // Never destroyed, as made_once_for().
  static const auto& all = *new std::vector<PieceSymmetry>(enumerate_piece_symmetries());
  return all;
}

std::uint16_t piece_index_of(const PieceSymmetry& g) {
  const auto& all = piece_table();
  const auto at = std::find(all.begin(), all.end(), g);
  assert(at != all.end());
  return static_cast<std::uint16_t>(at - all.begin());
}

// The piece symmetry is affine over bits, so it is known from the images of 0 and of the single bits.
PieceSymmetry piece_symmetry_from(auto&& image) {
  PieceSymmetry g{};
  g.flip = static_cast<std::uint8_t>(index(image(piece(0))));
  for (int i = 0; i < kAttributes; ++i) {
    const unsigned moved = static_cast<unsigned>(index(image(piece(1 << i)))) ^ g.flip;
    g.to[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(std::countr_zero(moved));
  }
  return g;
}

}  // namespace

Mask BoardSymmetry::apply(Mask squares) const {
  Mask image = 0;
  for (const int s : BitsOf(squares)) image |= static_cast<Mask>(1U << to[static_cast<std::size_t>(s)]);
  return image;
}

SquareSetImages::SquareSetImages(const BoardSymmetry& g) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    halves_[0][byte] = g.apply(static_cast<Mask>(byte));
    halves_[1][byte] = g.apply(static_cast<Mask>(byte << 8));
  }
}

std::span<const SquareSetImages> square_set_images(Rules rules) { return board_table(rules).images; }

SmallestSetImages::SmallestSetImages(Rules rules) : image(1 << kSquares), reached_by(1 << kSquares) {
  const auto images = square_set_images(rules);
  for (std::size_t set = 0; set < image.size(); ++set) {
    Mask best = 0xFFFF;
    std::uint32_t by = 0;
    for (std::size_t g = 0; g < images.size(); ++g) {
      const Mask of_set = images[g](static_cast<Mask>(set));
      if (of_set < best) by = 0;
      best = std::min(best, of_set);
      if (of_set == best) by |= 1U << g;
    }
    image[set] = best;
    reached_by[set] = by;
  }
}

const SmallestSetImages& smallest_set_images(Rules rules) { return made_once_for<SmallestSetImages>(rules); }

std::span<const BoardSymmetry> board_symmetries(Rules rules) { return board_table(rules).symmetries; }
std::span<const PieceSymmetry> piece_symmetries() { return piece_table(); }

int symmetry_count(Rules rules) { return static_cast<int>(board_symmetries(rules).size()) * kPieceSymmetries; }

Symmetry symmetry(int i) {
  return {static_cast<std::uint16_t>(i / kPieceSymmetries), static_cast<std::uint16_t>(i % kPieceSymmetries)};
}

Symmetry compose(Symmetry first, Symmetry second, Rules rules) {
  const BoardTable& table = board_table(rules);
  BoardSymmetry board{};
  for (std::size_t s = 0; s < kSquares; ++s) {
    board.to[s] = table.symmetries[second.board].to[table.symmetries[first.board].to[s]];
  }
  const PieceSymmetry& a = piece_table()[first.piece];
  const PieceSymmetry& b = piece_table()[second.piece];
  return {table.index_of(board), piece_index_of(piece_symmetry_from([&](Piece p) { return b.apply(a.apply(p)); }))};
}

Symmetry inverse(Symmetry g, Rules rules) {
  const PieceSymmetry& forward = piece_table()[g.piece];
  PieceSymmetry back{};
  for (std::size_t i = 0; i < kAttributes; ++i) back.to[forward.to[i]] = static_cast<std::uint8_t>(i);
  back.flip = static_cast<std::uint8_t>(index(PieceSymmetry{back.to, 0}.apply(piece(forward.flip))));
  return {board_table(rules).inverses[g.board], piece_index_of(back)};
}

Square apply(Symmetry g, Square s, Rules rules) {
  return square(board_table(rules).symmetries[g.board].to[static_cast<std::size_t>(s)]);
}

Piece apply(Symmetry g, Piece p) { return piece_table()[g.piece].apply(p); }

Move apply(Symmetry g, Move m, Rules rules) {
  return m.phase == Phase::place ? Move::place(apply(g, m.square(), rules)) : Move::give(apply(g, m.piece()));
}

Position apply(Symmetry g, const Position& position) {
  const BoardTable& table = board_table(position.rules());
  const PieceSymmetry& pieces = piece_table()[g.piece];
  const Mask occupied = table.images[g.board](position.occupied());
  Bitboards attributes = 0;
  for (int i = 0; i < kAttributes; ++i) {
    const int to = pieces.to[static_cast<std::size_t>(i)];
    Mask image = table.images[g.board](bitboard(position.attributes(), i));
    if ((pieces.flip >> to) & 1) image = static_cast<Mask>(image ^ occupied);
    attributes |= static_cast<Bitboards>(image) << (16 * to);
  }
  const bool has_hand = position.has_hand();
  return Position::from_parts(position.rules(), attributes, occupied, has_hand,
                              has_hand ? pieces.apply(position.hand()) : piece(0));
}

PolicyHead apply(Symmetry g, const PolicyHead& head, Phase phase, Rules rules) {
  PolicyHead image{};
  for (int i = 0; i < kMoves; ++i) {
    const Move moved = apply(g, Move{phase, static_cast<std::uint8_t>(i)}, rules);
    image[moved.index] = head[static_cast<std::size_t>(i)];
  }
  return image;
}

}  // namespace quarto
