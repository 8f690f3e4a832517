// env: the rules, symmetries, notation, network input; contracts for evaluators, provers, oracles, network loaders
// Uses: base.
// Promises: Values without hidden state: every function may be called from any number of threads on distinct objects.
//
// This header: the vocabulary. Squares, pieces, moves and values are distinct types, so that one cannot be passed
// for another.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstdint>

namespace quarto {

inline constexpr int kSide = 4;
inline constexpr int kSquares = kSide * kSide;
inline constexpr int kAttributes = 4;
inline constexpr int kPieces = 1 << kAttributes;
// Either phase offers at most this many moves: one per square, one per piece. It is the size of a policy head.
inline constexpr int kMoves = 16;
static_assert(kSquares == kMoves && kPieces == kMoves);

// a1 = 0, b1 = 1, d1 = 3, a2 = 4, d4 = 15.
enum class Square : std::uint8_t {};

// Bit 0 dark, bit 1 tall, bit 2 round, bit 3 solid; a clear bit is light, short, square, hollow.
enum class Piece : std::uint8_t {};

// A set of squares (bit s is square s) or of pieces (bit p is piece p).
using Mask = std::uint16_t;

constexpr int index(Square s) { return static_cast<int>(s); }
constexpr int index(Piece p) { return static_cast<int>(p); }
constexpr Square square(int i) { return static_cast<Square>(i); }
constexpr Piece piece(int i) { return static_cast<Piece>(i); }
constexpr Mask bit(Square s) { return static_cast<Mask>(1U << index(s)); }
constexpr Mask bit(Piece p) { return static_cast<Mask>(1U << index(p)); }

// place: a piece is in hand and the player to act puts it on a square.
// give:  no piece is in hand and the player to act picks the piece the *other* player must place.
enum class Phase : std::uint8_t { place, give };

// The outcome for the player to act under perfect play.
enum class Value : std::int8_t { loss = -1, draw = 0, win = 1 };
constexpr Value operator-(Value v) { return static_cast<Value>(-static_cast<int>(v)); }
constexpr auto operator<=>(Value a, Value b) { return static_cast<int>(a) <=> static_cast<int>(b); }

// A move of the phase it names: a square to place on, or a piece to give.
struct Move {
  Phase phase = Phase::place;
  std::uint8_t index = 0;  // 0..15: the square or the piece, and the move's slot in the policy head of its phase

  static constexpr Move place(Square s) { return {Phase::place, static_cast<std::uint8_t>(s)}; }
  static constexpr Move give(Piece p) { return {Phase::give, static_cast<std::uint8_t>(p)}; }
  constexpr Square square() const { return static_cast<Square>(index); }
  constexpr Piece piece() const { return static_cast<Piece>(index); }
  friend constexpr bool operator==(Move, Move) = default;
};

// Visits the set bits of a mask from the lowest: `for (int i : BitsOf(mask))`.
class BitsOf {
 public:
  struct End {};
  class Iterator {
   public:
    constexpr explicit Iterator(Mask rest) : rest_(rest) {}
    constexpr int operator*() const { return std::countr_zero(rest_); }
    constexpr Iterator& operator++() {
      rest_ = static_cast<Mask>(rest_ & (rest_ - 1));
      return *this;
    }
    constexpr bool operator!=(End) const { return rest_ != 0; }

   private:
    Mask rest_;
  };
  constexpr explicit BitsOf(Mask mask) : mask_(mask) {}
  constexpr Iterator begin() const { return Iterator(mask_); }
  constexpr End end() const { return {}; }

 private:
  Mask mask_;
};

// The moves of a phase that are set in a mask, from the lowest: `for (const Move m : position.moves())`.
class MovesOf {
 public:
  class Iterator {
   public:
    constexpr Iterator(Phase phase, BitsOf::Iterator at) : phase_(phase), at_(at) {}
    constexpr Move operator*() const { return {phase_, static_cast<std::uint8_t>(*at_)}; }
    constexpr Iterator& operator++() {
      ++at_;
      return *this;
    }
    constexpr bool operator!=(BitsOf::End end) const { return at_ != end; }

   private:
    Phase phase_;
    BitsOf::Iterator at_;
  };
  constexpr MovesOf(Phase phase, Mask mask) : phase_(phase), mask_(mask) {}
  constexpr Iterator begin() const { return {phase_, BitsOf(mask_).begin()}; }
  constexpr BitsOf::End end() const { return {}; }
  constexpr bool empty() const { return mask_ == 0; }
  constexpr int size() const { return std::popcount(mask_); }

 private:
  Phase phase_;
  Mask mask_;
};

}  // namespace quarto
