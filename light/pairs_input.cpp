#include "light/pairs_input.h"

#include <bit>

namespace quarto::light {
namespace {

using Lines = std::array<Mask, kMostLines>;

const Lines& lines_of(Rules rules) {
  static const auto make = [](Rules r) {
    Lines lines{};
    const auto sets = winning_sets(r);
    for (std::size_t i = 0; i < sets.size(); ++i) lines[i] = sets[i];
    return lines;
  };
  static const std::array<Lines, 2> tables = {make(Rules::lines), make(Rules::squares)};
  return tables[static_cast<std::size_t>(rules)];
}

}  // namespace

PairsInput::PairsInput(const Position& position) {
  // As if nothing were in hand: every piece that is not on the board could be placed.
  Position board = position;
  placing = board.has_hand();
  const int held = placing ? index(board.hand()) : -1;
  if (placing) board.undo_give();
  const Mask left = board.available(), empty = board.empty(), losing = board.losing_gives();
  n = std::popcount(empty);
  safe = std::popcount(static_cast<Mask>(position.available() & ~losing));

  std::array<std::uint8_t, kSquares> column_of{};
  int i = 0;
  for (const int s : BitsOf(empty)) {
    column_of[static_cast<std::size_t>(s)] = static_cast<std::uint8_t>(i);
    squares[static_cast<std::size_t>(i++)] = static_cast<std::uint8_t>(s);
  }
  i = 0;
  std::uint8_t* cell = category.data();
  for (const int p : BitsOf(left)) {
    if (p == held) hand = i;
    loses[static_cast<std::size_t>(i)] = (losing >> p) & 1;
    pieces[static_cast<std::size_t>(i++)] = static_cast<std::uint8_t>(p);
    const Mask wins = losing >> p & 1 ? board.winning_squares(piece(p)) : Mask{0};
    board.give(piece(p));
    for (const int s : BitsOf(empty)) {
      if (wins >> s & 1) {
        *cell++ = kWins;
        continue;
      }
      Position after = board;
      after.place(square(s));
      *cell++ = static_cast<std::uint8_t>(std::popcount(static_cast<Mask>(after.available() & ~after.losing_gives())));
    }
    board.undo_give();
  }

  const Lanes has = board.attributes();
  for (const Mask l : lines_of(board.rules())) {
    const Mask open = l & empty;
    if (!open) continue;  // full, or not a line of these rules
    Line& out = line[static_cast<std::size_t>(lines)];
    out.columns = 0;
    for (const int s : BitsOf(open)) out.column[out.columns++] = column_of[static_cast<std::size_t>(s)];
    const Mask full = l & ~open;
    for (int a = 0; a < kAttributes; ++a) {
      const Mask with = lane(has, a) & full;
      for (const int polarity : {0, 1}) {
        if ((polarity ? full & ~with : with) != 0) continue;
        alive[static_cast<std::size_t>(alive_count++)] = {static_cast<std::uint8_t>(lines),
                                                          static_cast<std::uint8_t>(2 * a + polarity),
                                                          static_cast<std::uint8_t>(std::popcount(full))};
      }
    }
    ++lines;
  }
}

}  // namespace quarto::light
