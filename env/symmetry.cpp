#include "env/symmetry.h"

#include <fmt/format.h>

#include <algorithm>
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

// The order of the attributes in two bits each.
constexpr std::size_t packed_order(const std::array<std::uint8_t, kAttributes>& to) {
  return to[0] | static_cast<std::size_t>(to[1]) << 2 | static_cast<std::size_t>(to[2]) << 4 |
         static_cast<std::size_t>(to[3]) << 6;
}

struct PieceTable {
  std::array<PieceSymmetry, kPieceSymmetries> symmetries{};
  std::array<std::array<Piece, kPieces>, kPieceSymmetries> images{};
  std::array<std::uint16_t, 256> first_of_order{};  // by packed_order(): the index of the symmetry without a flip
  std::array<std::uint16_t, kPieceSymmetries> inverses{};

  constexpr PieceTable() {
    std::array<std::uint8_t, kAttributes> order = {0, 1, 2, 3};
    std::size_t at = 0;
    do {
      first_of_order[packed_order(order)] = static_cast<std::uint16_t>(at);
      for (unsigned flip = 0; flip < kPieces; ++flip) symmetries[at++] = {order, static_cast<std::uint8_t>(flip)};
    } while (std::next_permutation(order.begin(), order.end()));
    for (std::size_t i = 0; i < symmetries.size(); ++i) {
      const PieceSymmetry& g = symmetries[i];
      for (int p = 0; p < kPieces; ++p) images[i][static_cast<std::size_t>(p)] = g.apply(piece(p));
      PieceSymmetry back{};
      for (std::size_t a = 0; a < kAttributes; ++a) back.to[g.to[a]] = static_cast<std::uint8_t>(a);
      back.flip = static_cast<std::uint8_t>(index(back.apply(piece(g.flip))));
      inverses[i] = index_of(back);
    }
  }
  constexpr std::uint16_t index_of(const PieceSymmetry& g) const {
    return static_cast<std::uint16_t>(first_of_order[packed_order(g.to)] + g.flip);
  }
};

constexpr PieceTable kPieceTable;

struct BoardTable {
  std::vector<BoardSymmetry> symmetries;
  std::vector<SquareSetImages> images;
  std::vector<std::uint16_t> inverses;
  std::array<std::array<std::uint16_t, kMostBoardSymmetries>, kMostBoardSymmetries> composed{};  // [first][second]

  explicit BoardTable(Rules rules) : symmetries(Enumeration(rules).run()) {
    if (symmetries.size() > kMostBoardSymmetries) {
      throw std::logic_error(fmt::format("the rules '{}' have {} board symmetries: at most {} can be used",
                                         name_of(rules), symmetries.size(), kMostBoardSymmetries));
    }
    for (std::size_t first = 0; first < symmetries.size(); ++first) {
      images.emplace_back(symmetries[first]);
      for (std::size_t second = 0; second < symmetries.size(); ++second) {
        BoardSymmetry both{};
        for (std::size_t s = 0; s < kSquares; ++s) both.to[s] = symmetries[second].to[symmetries[first].to[s]];
        const auto at = std::find(symmetries.begin(), symmetries.end(), both) - symmetries.begin();
        composed[first][second] = static_cast<std::uint16_t>(at);
        if (at == 0) inverses.push_back(static_cast<std::uint16_t>(second));
      }
    }
  }
};

const BoardTable& board_table(Rules rules) { return made_once_for<BoardTable>(rules); }

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
std::span<const PieceSymmetry> piece_symmetries() { return kPieceTable.symmetries; }
std::uint16_t index_of(const PieceSymmetry& g) { return kPieceTable.index_of(g); }

int symmetry_count(Rules rules) { return static_cast<int>(board_symmetries(rules).size()) * kPieceSymmetries; }

Symmetry symmetry(int i) {
  return {static_cast<std::uint16_t>(i / kPieceSymmetries), static_cast<std::uint16_t>(i % kPieceSymmetries)};
}

Symmetry compose(Symmetry first, Symmetry second, Rules rules) {
  const PieceSymmetry &a = kPieceTable.symmetries[first.piece], &b = kPieceTable.symmetries[second.piece];
  PieceSymmetry both{};
  for (std::size_t i = 0; i < kAttributes; ++i) both.to[i] = b.to[a.to[i]];
  both.flip = static_cast<std::uint8_t>(index(b.apply(piece(a.flip))));
  return {board_table(rules).composed[first.board][second.board], kPieceTable.index_of(both)};
}

Symmetry inverse(Symmetry g, Rules rules) {
  return {board_table(rules).inverses[g.board], kPieceTable.inverses[g.piece]};
}

Square apply(Symmetry g, Square s, Rules rules) {
  return square(board_table(rules).symmetries[g.board].to[static_cast<std::size_t>(s)]);
}

Piece apply(Symmetry g, Piece p) { return kPieceTable.images[g.piece][static_cast<std::size_t>(index(p))]; }

Move apply(Symmetry g, Move m, Rules rules) {
  return m.phase == Phase::place ? Move::place(apply(g, m.square(), rules)) : Move::give(apply(g, m.piece()));
}

Position apply(Symmetry g, const Position& position) {
  const BoardTable& table = board_table(position.rules());
  const PieceSymmetry& pieces = kPieceTable.symmetries[g.piece];
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
  if (phase == Phase::place) {
    const BoardSymmetry& board = board_table(rules).symmetries[g.board];
    for (std::size_t s = 0; s < kSquares; ++s) image[board.to[s]] = head[s];
  } else {
    const auto& pieces = kPieceTable.images[g.piece];
    for (std::size_t p = 0; p < kPieces; ++p) image[static_cast<std::size_t>(index(pieces[p]))] = head[p];
  }
  return image;
}

}  // namespace quarto
