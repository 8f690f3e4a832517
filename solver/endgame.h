// The search of search.h without table, names and trimming: for the last few squares, and for a prover's questions
// (prover.h). The number of empty squares and the question are template arguments. Up to eight empty squares
// this is faster than with a table.
//
// All squares for a piece are looked at together, one byte for each. After p on s these attribute values complete a line:
//
//     OR(completes[c], c != s) | prepares[s] & own(p)
//
// completes[c] are those of the lines whose only gap is c, prepares[s] those of the lines with s and one more gap. What
// has none of them is safe to give.
#pragma once

#include <type_traits>

#include "solver/state.h"
#include "solver/table.h"

namespace quarto::solver {

// The result that follows from the number of empty squares alone, if the giver has a safe piece. With one empty square
// the opponent places the last piece, so the giver gets a draw and no more. With two, the opponent gives the last piece
// and cannot win any more.
constexpr bool known_by_count(int empty, Goal goal) { return goal == Goal::draw ? empty <= 2 : empty <= 1; }
constexpr bool holds_by_count(Goal goal) { return goal == Goal::draw; }

// Counts nodes. An exhausted budget ends a search; what the search then returns is not an answer.
struct Unlimited {
  std::uint64_t nodes = 0;

  bool enter() {
    ++nodes;
    return true;
  }
  static constexpr bool exhausted() { return false; }
};
struct Limited {
  std::uint64_t nodes = 0, limit = 0;
  bool out = false;

  bool enter() {
    if (nodes >= limit) {
      out = true;
      return false;
    }
    ++nodes;
    return true;
  }
  bool exhausted() const { return out; }
};

// What is safe to give after a piece was placed on each square.
class SafeAfter {
 public:
  SafeAfter(Bytes16 low, Bytes16 high) : squares_(nonzero(low | high)), low_(low), high_(high) {}

  // Those after which something is safe.
  std::uint32_t squares() const { return squares_; }
  // For many squares: reads what is in memory, since an element of a vector in a register would first be stored.
  class Sets {
   public:
    explicit Sets(const SafeAfter& of) {
      std::memcpy(low_.data(), &of.low_, sizeof of.low_);
      std::memcpy(high_.data(), &of.high_, sizeof of.high_);
    }
    Mask on(int s) const {
      return static_cast<Mask>(low_[static_cast<std::size_t>(s)] | high_[static_cast<std::size_t>(s)] << 8);
    }

   private:
    std::array<std::uint8_t, kSquares> low_, high_;
  };

 private:
  std::uint32_t squares_;
  Bytes16 low_, high_;  // pieces 0 to 7, 8 to 15
};

// What a board says of the next placement.
template <Rules kRules>
class Answers {
 public:
  Answers(const State<kRules>& state, const Geometry<kRules>& geometry)
      : open_(bytes_of(state.empty)),
        prepares_(geometry.by_square(state.alive & state.gaps.equal_to(2))),
        left_(state.left) {
    const auto one_gap = state.alive & state.gaps.equal_to(1);
    if (one_gap.nonzero()) elsewhere_ = union_of_others(geometry.by_square(one_gap) & open_);
  }

  // `piece` completes no line.
  SafeAfter safe_after(Piece piece) const {
    const Bytes16 values = elsewhere_ | (prepares_ & splat(kAttributeValueSetOf[static_cast<std::size_t>(piece)]));
    const Bytes16 low = values & splat(15), high = values >> 4;
    const auto left = static_cast<Mask>(left_ & ~bit(piece));
    const auto without = [&](std::size_t half, unsigned of_left) {
      return look_up(load(kWithout[half][0]), low) & look_up(load(kWithout[half][1]), high) & open_ &
             splat(static_cast<std::uint8_t>(of_left));
    };
    return {without(0, left & 0xFF), without(1, left >> 8)};
  }

 private:
  // [half of the pieces][half of the values][set of these values]: the pieces without any.
  static constexpr auto kWithout = [] {
    std::array<std::array<std::array<std::uint8_t, 16>, 2>, 2> table{};
    for (std::size_t set = 0; set < 16; ++set) {
      for (std::size_t half = 0; half < 2; ++half) {
        table[half][0][set] = static_cast<std::uint8_t>(kPiecesWithout[set] >> (8 * half));
        table[half][1][set] = static_cast<std::uint8_t>(kPiecesWithout[set << 4] >> (8 * half));
      }
    }
    return table;
  }();

  Bytes16 open_, prepares_, elsewhere_{};
  Mask left_;
};

template <int kEmpty, Goal kGoal, Rules kRules, class Budget>
bool placer_reaches_in_endgame(const State<kRules>& state, Piece piece, const SafeAfter& safe,
                               const Geometry<kRules>& geometry, Budget& budget);

// As kEmpty: this many empty squares or more.
inline constexpr int kManyEmpty = 10;

// With at least this many empty squares the opponent's replies are sorted as in search.h, fewest safe pieces first, and
// the pieces to give, fewest replies first. With fewer, sorting takes more time than it saves.
inline constexpr int kOrderedFrom = 5, kGivesOrderedFrom = 7;

// Numbers below 256 by a key below 256, smallest first; equal keys in order of number.
template <int kMost>
class SmallestFirst {
 public:
  void insert(int key, int number) {
    const auto entry = static_cast<std::uint16_t>(key << 8 | number);
    std::size_t i = count_++;
    for (; i > 0 && entries_[i - 1] > entry; --i) entries_[i] = entries_[i - 1];
    entries_[i] = entry;
  }
  struct Iterator {
    const std::uint16_t* at;
    int operator*() const { return *at & 0xFF; }
    void operator++() { ++at; }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  Iterator begin() const { return {entries_.data()}; }
  Iterator end() const { return {entries_.data() + count_}; }

 private:
  std::array<std::uint16_t, kMost> entries_;
  std::size_t count_ = 0;
};

// True if the giver reaches the goal. `safe` is state.safe(), not empty. Counts each give in `budget`.
template <int kEmpty, Goal kGoal, Rules kRules, class Budget>
bool giver_reaches_in_endgame(const State<kRules>& state, Mask safe, const Geometry<kRules>& geometry, Budget& budget) {
  if (!budget.enter()) return false;
  if constexpr (known_by_count(kEmpty, kGoal)) {
    return holds_by_count(kGoal);
  } else {
    const Answers<kRules> answers(state, geometry);
    if constexpr (kEmpty < kGivesOrderedFrom) {
      for (; safe != 0; safe = static_cast<Mask>(safe & (safe - 1))) {
        const Piece p = piece(std::countr_zero(safe));
        if (!placer_reaches_in_endgame<kEmpty, other(kGoal)>(state, p, answers.safe_after(p), geometry, budget))
          return !budget.exhausted();
      }
    } else {
      SmallestFirst<kPieces> order;
      for (const int p : BitsOf(safe)) order.insert(std::popcount(answers.safe_after(piece(p)).squares()), p);
      for (const int p : order) {
        const SafeAfter after = answers.safe_after(piece(p));
        if (!placer_reaches_in_endgame<kEmpty, other(kGoal)>(state, piece(p), after, geometry, budget))
          return !budget.exhausted();
      }
    }
    return false;
  }
}

// True if the placer of a safe piece, who gives next, reaches the goal. kEmpty includes the square to be filled. `safe`
// is of the piece.
template <int kEmpty, Goal kGoal, Rules kRules, class Budget>
bool placer_reaches_in_endgame(const State<kRules>& state, Piece piece, const SafeAfter& safe,
                               const Geometry<kRules>& geometry, Budget& budget) {
  if constexpr (known_by_count(kEmpty - 1, kGoal)) {
    return holds_by_count(kGoal) && safe.squares() != 0;
  } else {
    const SafeAfter::Sets sets(safe);
    const Placement<kRules> placement(state, piece, geometry);
    const auto reaches_on = [&](int s) {
      const State<kRules> child = placement.on(s, geometry);
      if constexpr (kEmpty == kManyEmpty) {
        if (std::popcount(state.empty) > kManyEmpty)
          return giver_reaches_in_endgame<kManyEmpty, kGoal>(child, sets.on(s), geometry, budget);
      }
      return giver_reaches_in_endgame<kEmpty - 1, kGoal>(child, sets.on(s), geometry, budget);
    };
    if constexpr (kEmpty < kOrderedFrom) {
      for (std::uint32_t rest = safe.squares(); rest != 0; rest &= rest - 1) {
        if (reaches_on(std::countr_zero(rest))) return true;
        if (budget.exhausted()) return false;
      }
    } else {
      SmallestFirst<kEmpty == kManyEmpty ? kSquares : kEmpty> order;
      for (const int s : BitsOf(static_cast<Mask>(safe.squares()))) order.insert(std::popcount(sets.on(s)), s);
      for (const int s : order) {
        if (reaches_on(s)) return true;
        if (budget.exhausted()) return false;
      }
    }
    return false;
  }
}

// Calls `level` with a number of empty squares as a constant; `empty` is 1 to kMost, or more if that is kManyEmpty.
template <int kMost, class Level>
bool at_level(int empty, const Level& level) {
  if constexpr (kMost > 1) {
    if (empty < kMost) return at_level<kMost - 1>(empty, level);
  }
  return level(std::integral_constant<int, kMost>());
}

// The giver's search with the number of empty squares and the question as run-time arguments.
template <int kMost, Rules kRules, class Budget>
bool endgame(const State<kRules>& state, Mask safe, Goal goal, const Geometry<kRules>& geometry, Budget& budget) {
  return at_level<kMost>(std::popcount(state.empty), [&](auto empty) {
    return goal == Goal::draw ? giver_reaches_in_endgame<empty(), Goal::draw>(state, safe, geometry, budget)
                              : giver_reaches_in_endgame<empty(), Goal::win>(state, safe, geometry, budget);
  });
}

// The same for the placer of a piece that completes no line.
template <int kMost, Rules kRules, class Budget>
bool endgame(const State<kRules>& state, Piece piece, Goal goal, const Geometry<kRules>& geometry, Budget& budget) {
  const SafeAfter safe = Answers<kRules>(state, geometry).safe_after(piece);
  return at_level<kMost>(std::popcount(state.empty), [&](auto empty) {
    return goal == Goal::draw ? placer_reaches_in_endgame<empty(), Goal::draw>(state, piece, safe, geometry, budget)
                              : placer_reaches_in_endgame<empty(), Goal::win>(state, piece, safe, geometry, budget);
  });
}

}  // namespace quarto::solver
