#include "light/pairs_input.h"

#include <bit>

namespace quarto::light {
namespace {

// The attribute values that all pieces on these squares share.
AttributeValues common(Bitboards has, Mask full) {
  AttributeValues values = 0;
  for (int a = 0; a < kAttributes; ++a) {
    const Mask with = bitboard(has, a) & full;
    if (with == 0) values = static_cast<AttributeValues>(values | 1 << (2 * a));
    if (with == full) values = static_cast<AttributeValues>(values | 2 << (2 * a));
  }
  return values;
}

}  // namespace

// Computing each pair from the board would cost more than a block of the network. Instead, for each square s, this
// computes the attribute values with which a line can be completed after a placement on s; a piece with one of these
// values is not safe to give. They are the values of lines with one gap that do not contain s, and those values of the
// placed piece that belong to lines through s with two gaps.
PairsInput::PairsInput(const Position& position) {
  placing = position.has_hand();
  const int held = placing ? index(position.hand()) : -1;
  const Mask empty = position.empty(), available = position.available();
  const Mask left = static_cast<Mask>(available | (placing ? 1U << held : 0U));
  n = std::popcount(empty);

  std::array<std::uint8_t, kSquares> column_of{};
  int i = 0;
  for (const int s : BitsOf(empty)) {
    column_of[static_cast<std::size_t>(s)] = static_cast<std::uint8_t>(i);
    squares[static_cast<std::size_t>(i++)] = static_cast<std::uint8_t>(s);
  }

  std::array<AttributeValues, kSquares> completes{};  // by column: values of lines whose only gap is this square
  std::array<AttributeValues, kSquares> prepares{};   // by column: values of lines with this and one other gap
  const Bitboards has = position.attributes();
  const std::span<const Mask> sets = winning_sets(position.rules());
  for (std::size_t w = 0; w < sets.size(); ++w) {
    const Mask squares_of = sets[w], open = squares_of & empty;
    if (!open) continue;
    Line& out = line[static_cast<std::size_t>(lines)];
    out.which = static_cast<std::uint8_t>(w);
    out.columns = 0;
    for (const int s : BitsOf(open)) out.column[out.columns++] = column_of[static_cast<std::size_t>(s)];
    const int state = kSide - out.columns;
    const AttributeValues values = state == 0 ? AttributeValues{0xFF} : common(has, squares_of & ~open);
    for (unsigned rest = values; rest; rest &= rest - 1) {
      alive[static_cast<std::size_t>(alive_count++)] = {static_cast<std::uint8_t>(lines),
                                                        static_cast<std::uint8_t>(std::countr_zero(rest)),
                                                        static_cast<std::uint8_t>(state)};
    }
    for (int k = 0; k < out.columns && state >= 2; ++k) {
      AttributeValues& set = (state == 3 ? completes : prepares)[out.column[static_cast<std::size_t>(k)]];
      set = static_cast<AttributeValues>(set | values);
    }
    ++lines;
  }

  // The values that can be completed on all columns except one, from prefixes and suffixes.
  std::array<AttributeValues, kSquares> elsewhere{};
  AttributeValues before = 0, after = 0;
  for (int c = 0; c < n; ++c) {
    elsewhere[static_cast<std::size_t>(c)] = before;
    before = static_cast<AttributeValues>(before | completes[static_cast<std::size_t>(c)]);
  }
  for (int c = n; c-- > 0;) {
    elsewhere[static_cast<std::size_t>(c)] =
        static_cast<AttributeValues>(elsewhere[static_cast<std::size_t>(c)] | after);
    after = static_cast<AttributeValues>(after | completes[static_cast<std::size_t>(c)]);
  }
  const AttributeValues anywhere = before;
  safe = std::popcount(static_cast<Mask>(available & kPiecesWithout[anywhere]));

  i = 0;
  std::uint8_t* cell = category.data();
  Mask* gives = given.data();
  for (const int p : BitsOf(left)) {
    if (p == held) hand = i;
    const AttributeValues own = kAttributeValueSetOf[static_cast<std::size_t>(p)];
    const Mask others = left & ~(1U << p);
    loses[static_cast<std::size_t>(i)] = (own & anywhere) != 0;
    pieces[static_cast<std::size_t>(i++)] = static_cast<std::uint8_t>(p);
    for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c) {
      const auto danger = static_cast<AttributeValues>(elsewhere[c] | (prepares[c] & own));
      const auto safe_after = static_cast<Mask>(others & kPiecesWithout[danger]);
      const bool wins = (own & completes[c]) != 0;
      *cell++ = static_cast<std::uint8_t>(wins ? kWins : std::popcount(safe_after));
      *gives++ = wins ? Mask{0} : safe_after;
    }
  }
}

std::array<AttributeValues, kMostLines> PairsInput::values_by_line() const {
  std::array<AttributeValues, kMostLines> values{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(alive_count); ++i) {
    AttributeValues& set = values[alive[i].line];
    set = static_cast<AttributeValues>(set | 1U << alive[i].attribute_value);
  }
  return values;
}

}  // namespace quarto::light
