// The rules of Quarto, its texts and its symmetries, for the walk checker. Shares no code with the project: the
// formats are those of docs/formats.md, everything else is derived here from the rules.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace check {

using Squares = std::uint16_t;  // a set of squares: bit 4 * row + column
constexpr int kNoPiece = -1;

struct Position {
  Squares occupied = 0;
  std::array<Squares, 4> having{};  // for each attribute, the squares whose piece has it
  std::int16_t hand = kNoPiece;     // the piece to place; without one the side to act gives
  auto operator<=>(const Position&) const = default;
};
static_assert(sizeof(Position) == 12, "no padding: positions are saved and hashed as bytes");

inline bool placing(const Position& p) { return p.hand != kNoPiece; }
inline int ply_of(const Position& p) { return 2 * std::popcount(p.occupied) + (placing(p) ? 1 : 0); }
inline int empty_squares(int ply) { return 16 - ply / 2; }
inline bool first_player_acts(int ply) { return ply % 4 == 0 || ply % 4 == 3; }

inline int piece_on(const Position& p, int square) {
  int piece = 0;
  for (int a = 0; a < 4; ++a) piece |= (p.having[a] >> square & 1) << a;
  return piece;
}

/// The pieces neither on the board nor in hand: bit = piece.
inline std::uint16_t pieces_left(const Position& p) {
  unsigned left = 0xFFFF;
  for (int s = 0; s < 16; ++s)
    if (p.occupied >> s & 1) left &= ~(1u << piece_on(p, s));
  if (placing(p)) left &= ~(1u << p.hand);
  return static_cast<std::uint16_t>(left);
}

/// The squares or pieces, 0 to 15, that the side to act may choose; a won position has none either way to the caller.
inline std::vector<int> legal_moves(const Position& p) {
  const unsigned free = placing(p) ? static_cast<Squares>(~p.occupied) : pieces_left(p);
  std::vector<int> moves;
  for (int m = 0; m < 16; ++m)
    if (free >> m & 1) moves.push_back(m);
  return moves;
}

inline Position play(Position p, int move) {
  if (!placing(p)) {
    p.hand = static_cast<std::int16_t>(move);
    return p;
  }
  const auto bit = static_cast<Squares>(1u << move);
  p.occupied |= bit;
  for (int a = 0; a < 4; ++a)
    if (p.hand >> a & 1) p.having[a] |= bit;
  p.hand = kNoPiece;
  return p;
}

inline std::string square_text(int s) { return {static_cast<char>('a' + s % 4), static_cast<char>('1' + s / 4)}; }
inline std::string piece_text(int piece) { return {"0123456789ABCDEF"[piece]}; }
inline std::string move_text(const Position& p, int m) { return placing(p) ? square_text(m) : piece_text(m); }

/// The move that the text names, or -1 if it is not a legal one.
inline int parse_move(const Position& p, const std::string& text) {
  for (int m : legal_moves(p))
    if (move_text(p, m) == text) return m;
  return -1;
}

inline std::string text_of(const Position& p) {
  std::string text;
  for (int s = 0; s < 16; ++s) {
    if (s > 0 && s % 4 == 0) text += '/';
    text += p.occupied >> s & 1 ? piece_text(piece_on(p, s)) : ".";
  }
  return text + ' ' + (placing(p) ? piece_text(p.hand) : "-");
}

inline Position parse_position(const std::string& text) {
  const auto refuse = [&] { throw std::runtime_error("not a position: \"" + text + "\""); };
  const auto piece = [](char c) { return c == '.' ? -1 : static_cast<int>(std::string("0123456789ABCDEF").find(c)); };
  if (text.size() != 21 || text[4] != '/' || text[9] != '/' || text[14] != '/' || text[19] != ' ') refuse();
  Position p;
  for (int s = 0; s < 16; ++s) {
    const char c = text[s + s / 4];
    if (c == '.') continue;
    if (piece(c) < 0 || !(pieces_left(p) >> piece(c) & 1)) refuse();
    p = play(play(p, piece(c)), s);
  }
  if (text[20] == '-') return p;
  if (piece(text[20]) < 0 || !(pieces_left(p) >> piece(text[20]) & 1)) refuse();
  return play(p, piece(text[20]));
}

inline std::uint64_t mixed(std::uint64_t z) {
  z ^= z >> 33;
  z *= 0xFF51AFD7ED558CCDull;
  z ^= z >> 33;
  z *= 0xC4CEB9FE1A85EC53ull;
  return z ^ z >> 33;
}

inline std::uint64_t hash_of(const Position& p) {
  std::uint64_t sets = 0;
  for (Squares having : p.having) sets = sets << 16 | having;
  return mixed(mixed(sets) + p.occupied * 64u + static_cast<unsigned>(p.hand + 1));
}

/// A set of rules: which four squares are a line, and the board symmetries that follow from that.
class Rules {
 public:
  explicit Rules(bool squares_too) : squares_(squares_too) {
    for (int i = 0; i < 4; ++i) {
      lines_.push_back(static_cast<Squares>(0x000F << 4 * i));  // rows
      lines_.push_back(static_cast<Squares>(0x1111 << i));      // columns
    }
    lines_.push_back(0x8421);  // the long diagonals
    lines_.push_back(0x1248);
    for (int s = 0; squares_ && s < 11; ++s)
      if (s % 4 < 3) lines_.push_back(static_cast<Squares>(0x0033 << s));  // 2x2 squares by their first corner
    std::array<int, 16> image{};
    find_symmetries(image, 0, 0);
    least_.resize(65536);
    reaching_.resize(65536);
    for (unsigned set = 0; set < 65536; ++set) {
      least_[set] = 0xFFFF;
      for (std::size_t g = 0; g < symmetries_.size(); ++g) least_[set] = std::min(least_[set], moved(g, set));
      for (std::size_t g = 0; g < symmetries_.size(); ++g)
        if (moved(g, set) == least_[set]) reaching_[set].push_back(static_cast<std::uint8_t>(g));
    }
  }

  bool squares() const { return squares_; }
  std::string name() const { return squares_ ? "squares" : "lines"; }
  const std::vector<Squares>& lines() const { return lines_; }
  std::size_t board_symmetries() const { return symmetries_.size(); }

  /// A line is full and its pieces share an attribute's value.
  bool won(const Position& p) const {
    return std::any_of(lines_.begin(), lines_.end(), [&](Squares line) {
      return (p.occupied & line) == line && std::any_of(p.having.begin(), p.having.end(), [&](Squares having) {
               return (having & line) == line || (having & line) == 0;
             });
    });
  }
  bool over(const Position& p) const { return p.occupied == 0xFFFF || won(p); }

  /// A piece is in hand and some square completes a line with it.
  bool wins_at_once(const Position& p) const {
    const auto moves = legal_moves(p);
    return placing(p) && std::any_of(moves.begin(), moves.end(), [&](int m) { return won(play(p, m)); });
  }

  /// The least image of docs/formats.md, "Records of walks": it stands for all images of the position. Inverting an
  /// attribute, and permuting attributes, act on the four numbers 2 x set + hand alone: the lesser of each number and
  /// its inverse, in ascending order, is the least for a symmetry of the board.
  Position least_image(const Position& p) const {
    const unsigned all = 2u * least_[p.occupied] + (placing(p) ? 1 : 0);
    std::array<unsigned, 4> best{~0u, ~0u, ~0u, ~0u};
    for (std::uint8_t g : reaching_[p.occupied]) {
      std::array<unsigned, 4> numbers{};
      for (int a = 0; a < 4; ++a) {
        numbers[a] = 2u * moved(g, p.having[a]) + (placing(p) ? p.hand >> a & 1 : 0);
        numbers[a] = std::min(numbers[a], numbers[a] ^ all);
      }
      std::sort(numbers.begin(), numbers.end());
      best = std::min(best, numbers);
    }
    Position image;
    image.occupied = least_[p.occupied];
    if (placing(p)) image.hand = 0;
    for (int a = 0; a < 4; ++a) {
      image.having[a] = static_cast<Squares>(best[a] / 2);
      if (best[a] % 2) image.hand = static_cast<std::int16_t>(image.hand | 1 << a);
    }
    return image;
  }

  /// One of the images of a position, chosen by a number. The same number gives the same image.
  Position some_image(const Position& p, std::uint64_t number) const {
    const std::size_t g = number % symmetries_.size();
    const auto inverted = static_cast<int>(number >> 8 & 15);
    std::array<int, 4> order{0, 1, 2, 3};
    for (int k = static_cast<int>(number >> 12 & 0xFFFF) % 24; k > 0; --k)
      std::next_permutation(order.begin(), order.end());
    Position image;
    image.occupied = moved(g, p.occupied);
    if (placing(p)) image.hand = 0;
    for (int a = 0; a < 4; ++a) {
      const int invert = inverted >> a & 1;
      image.having[a] = moved(g, p.having[order[a]]) ^ (invert ? image.occupied : 0);
      // In integers: g++ 12.2 with -O1 compiles ((hand >> i & 1) != 0) != (bool)invert wrongly here.
      if (placing(p)) image.hand = static_cast<std::int16_t>(image.hand | ((p.hand >> order[a] & 1) ^ invert) << a);
    }
    return image;
  }

  /// h of docs/formats.md, "Records of walks".
  std::uint64_t digest(const Position& p) const {
    const Position image = least_image(p);
    std::uint64_t attributes = 0;
    for (int a = 0; a < 4; ++a) attributes += static_cast<std::uint64_t>(image.having[a]) << 16 * a;
    std::uint64_t rest = image.occupied;
    if (placing(image)) rest += (static_cast<std::uint64_t>(image.hand) << 16) + (1u << 20);
    if (squares_) rest += 1u << 21;
    return mixed(mixed(attributes) + 0x9E3779B97F4A7C15ull * (rest + 1));
  }

 private:
  Squares moved(std::size_t g, unsigned set) const {
    return symmetries_[g][0][set & 255] | symmetries_[g][1][set >> 8];
  }

  /// Every permutation of the squares that maps lines to lines, by search: the image of each square in turn, given up
  /// as soon as squares of one line have images that are not on one line.
  void find_symmetries(std::array<int, 16>& image, int square, unsigned used) {
    if (square == 16) {
      auto& tables = symmetries_.emplace_back();
      for (unsigned byte = 0; byte < 256; ++byte)
        for (int s = 0; s < 8; ++s)
          if (byte >> s & 1) {
            tables[0][byte] |= static_cast<Squares>(1u << image[s]);
            tables[1][byte] |= static_cast<Squares>(1u << image[s + 8]);
          }
      return;
    }
    for (int to = 0; to < 16; ++to) {
      if (used >> to & 1) continue;
      image[square] = to;
      const bool keeps_lines = std::all_of(lines_.begin(), lines_.end(), [&](Squares line) {
        unsigned images = 0;  // of the line's squares so far
        for (int s = 0; s <= square; ++s) images |= static_cast<unsigned>(line >> s & 1) << image[s];
        return std::any_of(lines_.begin(), lines_.end(), [&](Squares other) { return (images & ~other) == 0; });
      });
      if (keeps_lines) find_symmetries(image, square + 1, used | 1u << to);
    }
  }

  bool squares_;
  std::vector<Squares> lines_;
  std::vector<std::array<std::array<Squares, 256>, 2>> symmetries_;  // images of the low and the high eight squares
  std::vector<Squares> least_;                                       // of each set of squares, the least image
  std::vector<std::vector<std::uint8_t>> reaching_;                  // the symmetries that lead to it
};

}  // namespace check
