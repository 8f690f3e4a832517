#include "light/pairs_input.h"

#include <bit>

namespace quarto::light {
namespace {

struct LineTable {
  int count = 0;
  std::array<Mask, kMostLines> squares{};
};

const LineTable& lines_of(Rules rules) {
  static const auto make = [](Rules r) {
    LineTable table;
    for (const Mask l : winning_sets(r)) table.squares[static_cast<std::size_t>(table.count++)] = l;
    return table;
  };
  static const std::array<LineTable, 2> tables = {make(Rules::lines), make(Rules::squares)};
  return tables[static_cast<std::size_t>(rules)];
}

// Colours as a set of eight bits.
using Colours = std::uint8_t;

constexpr auto kColourSetOf = [] {
  std::array<Colours, kPieces> table{};
  for (std::size_t p = 0; p < kPieces; ++p) {
    for (const int c : kColoursOf[p]) table[p] = static_cast<Colours>(table[p] | 1 << c);
  }
  return table;
}();

// By set of colours: the pieces that have none of them.
constexpr auto kWithout = [] {
  std::array<Mask, 256> table{};
  for (std::size_t colours = 0; colours < table.size(); ++colours) {
    for (std::size_t p = 0; p < kPieces; ++p) {
      if ((kColourSetOf[p] & colours) == 0) table[colours] = static_cast<Mask>(table[colours] | 1U << p);
    }
  }
  return table;
}();

// The colours that all pieces on these squares have.
Colours common(Lanes has, Mask full) {
  Colours colours = 0;
  for (int a = 0; a < kAttributes; ++a) {
    const Mask with = lane(has, a) & full;
    if (with == 0) colours = static_cast<Colours>(colours | 1 << (2 * a));
    if (with == full) colours = static_cast<Colours>(colours | 2 << (2 * a));
  }
  return colours;
}

}  // namespace

// Asking the board about every pair would cost more than a block of the network. Instead: a piece that is given next
// loses if it has a colour with which some line can be completed. After a placement on square s those colours are
// the ones of the lines with one gap elsewhere, and, of the colours of the piece placed, those of the lines through s
// with two gaps.
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

  std::array<Colours, kSquares> completes{}, prepares{};  // by column: lines with this gap only, and with one more
  const Lanes has = position.attributes();
  const LineTable& table = lines_of(position.rules());
  for (int l = 0; l < table.count; ++l) {
    const Mask squares_of = table.squares[static_cast<std::size_t>(l)], open = squares_of & empty;
    if (!open) continue;
    Line& out = line[static_cast<std::size_t>(lines)];
    out.columns = 0;
    for (const int s : BitsOf(open)) out.column[out.columns++] = column_of[static_cast<std::size_t>(s)];
    const int state = kSide - out.columns;
    const Colours colours = state == 0 ? Colours{0xFF} : common(has, squares_of & ~open);
    for (unsigned rest = colours; rest; rest &= rest - 1) {
      alive[static_cast<std::size_t>(alive_count++)] = {static_cast<std::uint8_t>(lines),
                                                        static_cast<std::uint8_t>(std::countr_zero(rest)),
                                                        static_cast<std::uint8_t>(state)};
    }
    for (int k = 0; k < out.columns && state >= 2; ++k) {
      Colours& set = (state == 3 ? completes : prepares)[out.column[static_cast<std::size_t>(k)]];
      set = static_cast<Colours>(set | colours);
    }
    ++lines;
  }

  // What can be completed on all columns but one: from the left and from the right.
  std::array<Colours, kSquares> elsewhere{};
  Colours before = 0, after = 0;
  for (int c = 0; c < n; ++c) {
    elsewhere[static_cast<std::size_t>(c)] = before;
    before = static_cast<Colours>(before | completes[static_cast<std::size_t>(c)]);
  }
  for (int c = n; c-- > 0;) {
    elsewhere[static_cast<std::size_t>(c)] = static_cast<Colours>(elsewhere[static_cast<std::size_t>(c)] | after);
    after = static_cast<Colours>(after | completes[static_cast<std::size_t>(c)]);
  }
  const Colours anywhere = before;
  safe = std::popcount(static_cast<Mask>(available & kWithout[anywhere]));

  i = 0;
  std::uint8_t* cell = category.data();
  for (const int p : BitsOf(left)) {
    if (p == held) hand = i;
    const Colours own = kColourSetOf[static_cast<std::size_t>(p)];
    const Mask others = left & ~(1U << p);
    loses[static_cast<std::size_t>(i)] = (own & anywhere) != 0;
    pieces[static_cast<std::size_t>(i++)] = static_cast<std::uint8_t>(p);
    for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c) {
      const auto danger = static_cast<Colours>(elsewhere[c] | (prepares[c] & own));
      const auto safe_after = static_cast<std::uint8_t>(std::popcount(static_cast<Mask>(others & kWithout[danger])));
      *cell++ = own & completes[c] ? std::uint8_t{kWins} : safe_after;
    }
  }
}

}  // namespace quarto::light
