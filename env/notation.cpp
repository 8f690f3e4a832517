#include "env/notation.h"

#include <fmt/format.h>

#include <optional>

namespace quarto {
namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return std::nullopt;
}

std::string shown(std::string_view text, std::size_t at) {
  if (at >= text.size()) return "the end of the text";
  const auto c = static_cast<unsigned char>(text[at]);
  if (c < 0x20 || c >= 0x7F) return fmt::format("byte 0x{:02X}", c);
  return fmt::format("'{}'", text[at]);
}

[[noreturn]] void fail(std::string_view text, std::size_t at, const std::string& expected) {
  throw NotationError(at + 1, fmt::format("character {}: found {}, expected {}", at + 1, shown(text, at), expected));
}

[[noreturn]] void reject(std::size_t at, const std::string& why) {
  throw NotationError(at + 1, fmt::format("character {}: {}", at + 1, why));
}

}  // namespace

NotationError::NotationError(std::size_t column, const std::string& message)
    : std::runtime_error(message), column_(column) {}

Position parse_position(std::string_view text, Rules rules) {
  Bitboards attributes = 0;
  Mask occupied = 0, used = 0;
  std::array<int, kPieces> seen_on{};
  std::size_t at = 0;
  const auto take = [&](char wanted, const char* expected) {
    if (at >= text.size() || text[at] != wanted) fail(text, at, expected);
    ++at;
  };
  for (int row = 0; row < kSide; ++row) {
    if (row > 0) take('/', "'/' between rows of four squares");
    for (int column = 0; column < kSide; ++column, ++at) {
      const auto digit = at < text.size() ? hex_digit(text[at]) : std::nullopt;
      if (!digit && (at >= text.size() || text[at] != '.')) {
        const bool short_row = column > 0 && (at >= text.size() || text[at] == '/' || text[at] == ' ');
        fail(text, at,
             short_row ? fmt::format("a piece 0..F or '.' for {}: row {} has {} of its {} squares",
                                     to_string(square(row * kSide + column)), row + 1, column, kSide)
                       : "a piece 0..F or '.' for an empty square");
      }
      if (!digit) continue;
      const Square s = square(row * kSide + column);
      const Piece p = piece(*digit);
      if (used & bit(p)) {
        reject(at, fmt::format("piece {} is already on {}", kHex[*digit], to_string(square(seen_on[*digit]))));
      }
      used |= bit(p);
      seen_on[*digit] = index(s);
      occupied |= bit(s);
      attributes |= kSpread[*digit] & broadcast(bit(s));
    }
  }
  take(' ', "a blank before the piece in hand");
  const std::size_t hand_at = at;
  const auto digit = at < text.size() ? hex_digit(text[at]) : std::nullopt;
  if (!digit && (at >= text.size() || text[at] != '-')) fail(text, at, "the piece in hand 0..F, or '-' for none");
  ++at;
  if (at < text.size()) fail(text, at, "the end of the text after the piece in hand");
  if (digit && (used & (1U << *digit))) {
    reject(hand_at,
           fmt::format("piece {} is in hand and also on {}", kHex[*digit], to_string(square(seen_on[*digit]))));
  }
  const Position board = Position::from_parts(rules, attributes, occupied, false, piece(0));
  if (!digit) return board;
  if (board.is_won()) reject(hand_at, "the board already has a quarto, so no piece can be in hand");
  return Position::from_parts(rules, attributes, occupied, true, piece(*digit));
}

std::string to_string(const Position& position) {
  std::string text;
  text.reserve(21);
  for (int s = 0; s < kSquares; ++s) {
    if (s > 0 && s % kSide == 0) text += '/';
    text += (position.occupied() & bit(square(s))) ? kHex[index(position.piece_at(square(s)))] : '.';
  }
  text += ' ';
  text += position.has_hand() ? kHex[index(position.hand())] : '-';
  return text;
}

Square parse_square(std::string_view text) {
  if (text.empty() || text[0] < 'a' || text[0] > 'd') fail(text, 0, "a column a..d");
  if (text.size() < 2 || text[1] < '1' || text[1] > '4') fail(text, 1, "a row 1..4");
  if (text.size() > 2) fail(text, 2, "the end of the square");
  return square((text[1] - '1') * kSide + (text[0] - 'a'));
}

Piece parse_piece(std::string_view text) {
  const auto digit = text.empty() ? std::nullopt : hex_digit(text[0]);
  if (!digit) fail(text, 0, "a piece 0..F");
  if (text.size() > 1) fail(text, 1, "the end of the piece");
  return piece(*digit);
}

Move parse_move(std::string_view text, Phase phase) {
  return phase == Phase::place ? Move::place(parse_square(text)) : Move::give(parse_piece(text));
}

std::string to_string(Square s) {
  return {static_cast<char>('a' + index(s) % kSide), static_cast<char>('1' + index(s) / kSide)};
}
std::string to_string(Piece p) { return {kHex[static_cast<std::size_t>(index(p))]}; }
std::string to_string(Move m) { return m.phase == Phase::place ? to_string(m.square()) : to_string(m.piece()); }

std::vector<Move> parse_game(std::string_view text, Rules rules) {
  std::vector<Move> game;
  Position position(rules);
  std::size_t at = 0;
  while (true) {
    while (at < text.size() && text[at] == ' ') ++at;
    if (at >= text.size()) return game;
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (position.is_terminal()) reject(at, fmt::format("move '{}' after the game has ended", word));
    Move move;
    try {
      move = parse_move(word, position.phase());
    } catch (const NotationError& e) {
      throw NotationError(at + e.column(), fmt::format("character {}: move {} ('{}') is not a {}: {}", at + 1,
                                                       game.size() + 1, word, to_string(position.phase()), e.what()));
    }
    if (!position.is_legal(move)) {
      reject(at, fmt::format("move {} ('{}') is illegal: {}", game.size() + 1, word,
                             move.phase == Phase::place ? "the square is taken" : "the piece is already in play"));
    }
    position.play(move);
    game.push_back(move);
    at = end;
  }
}

std::string to_string(const std::vector<Move>& game) {
  std::string text;
  for (const Move m : game) {
    if (!text.empty()) text += ' ';
    text += to_string(m);
  }
  return text;
}

Rules parse_rules(std::string_view text) {
  if (const auto rules = value_named<Rules>(text)) return *rules;
  throw std::invalid_argument(fmt::format("unknown rules '{}': expected {}", text, rules_in_words()));
}
std::string rules_in_words() {
  std::string words;
  for (std::size_t i = 0; i < kAllRules.size(); ++i) {
    if (i > 0) words += i + 1 < kAllRules.size() ? ", " : " or ";
    words += fmt::format("'{}'", name_of(kAllRules[i]));
  }
  return words;
}
std::string to_string(Rules rules) { return std::string(name_of(rules)); }
std::string to_string(Phase phase) { return phase == Phase::place ? "place" : "give"; }
std::string to_string(Value value) { return value == Value::win ? "win" : value == Value::loss ? "loss" : "draw"; }

}  // namespace quarto
