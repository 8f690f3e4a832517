#include "data/suite.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/shipped.h"
#include "base/text.h"
#include "env/notation.h"
#include "env/one_ply.h"

namespace quarto {
namespace {

// A part of a line, knowing where it stands.
struct Field {
  std::string_view text;
  std::size_t column;  // of its first character, from 1
};

class LineParser {
 public:
  LineParser(std::string_view line, std::size_t number, const std::string& origin, Rules rules)
      : line_(line), number_(number), origin_(origin), rules_(rules) {}

  SuiteEntry parse() const {
    const std::size_t first = line_.find('\t');
    if (first == line_.npos) fail(line_.size() + 1, "expected a tab after the position, then its value");
    const std::size_t second = line_.find('\t', first + 1);
    if (second == line_.npos) fail(line_.size() + 1, "expected a tab after the value, then the moves");

    SuiteEntry entry;
    entry.line = number_;
    try {
      entry.position = parse_position(line_.substr(0, first), rules_);
    } catch (const NotationError& e) {
      fail(e.column(), fmt::format("position '{}': {}", line_.substr(0, first), e.what()));
    }
    if (entry.position.is_terminal()) {
      fail(1, fmt::format("the game is over in this position by the rules '{}'; is it a suite of other rules?",
                          to_string(rules_)));
    }
    entry.value = parse_value({line_.substr(first + 1, second - first - 1), first + 2});
    for (std::size_t at = second + 1; at <= line_.size();) {
      const std::size_t end = std::min(line_.find(' ', at), line_.size());
      parse_move_value({line_.substr(at, end - at), at + 1}, entry);
      at = end + 1;
    }
    check(entry, first + 2);
    return entry;
  }

 private:
  [[noreturn]] void fail(std::size_t column, const std::string& message) const {
    throw SuiteError(fmt::format("{}:{}: column {}: {}", origin_, number_, column, message));
  }

  Value parse_value(const Field& field) const {
    if (field.text == "1") return Value::win;
    if (field.text == "0") return Value::draw;
    if (field.text == "-1") return Value::loss;
    fail(field.column, fmt::format("'{}' is not a value: expected 1, 0 or -1", field.text));
  }

  void parse_move_value(const Field& field, SuiteEntry& entry) const {
    const std::size_t colon = field.text.find(':');
    if (colon == field.text.npos) {
      fail(field.column,
           fmt::format("'{}': expected a move, ':' and its value, with one blank between moves", field.text));
    }
    const std::string_view text = field.text.substr(0, colon);
    Move move;
    try {
      move = parse_move(text, entry.position.phase());
    } catch (const NotationError& e) {
      fail(field.column, fmt::format("'{}' is not a {}: {}", text, to_string(entry.position.phase()), e.what()));
    }
    if (!entry.position.is_legal(move)) fail(field.column, fmt::format("move {} is illegal here", to_string(move)));
    auto& value = entry.moves[move.index];
    if (value) fail(field.column, fmt::format("move {} is listed twice", to_string(move)));
    value = parse_value({field.text.substr(colon + 1), field.column + colon + 1});
  }

  void check(const SuiteEntry& entry, std::size_t value_column) const {
    Value best = Value::loss;
    for (const Move m : entry.position.moves()) {
      const auto value = entry.moves[m.index];
      if (!value) fail(line_.size() + 1, fmt::format("legal move {} is missing", to_string(m)));
      if (*value > best) best = *value;
    }
    if (best != entry.value) {
      fail(value_column, fmt::format("the position's value is {}, but its best move's is {}",
                                     static_cast<int>(entry.value), static_cast<int>(best)));
    }
  }

  std::string_view line_;
  std::size_t number_;
  const std::string& origin_;
  Rules rules_;
};

bool has_two_values(const SuiteEntry& entry, Mask moves) {
  std::optional<Value> seen;
  for (const int m : BitsOf(moves)) {
    const auto value = entry.moves[static_cast<std::size_t>(m)];
    if (!value) continue;
    if (seen && *seen != *value) return true;
    seen = value;
  }
  return false;
}

}  // namespace

bool SuiteEntry::decisive() const { return has_two_values(*this, position.legal_moves()); }

bool deep(const SuiteEntry& entry) {
  const Position& position = entry.position;
  if (position.has_hand() && position.winning_squares(position.hand()) != 0) return false;
  return has_two_values(entry, safe_moves(position));
}

std::vector<SuiteEntry> parse_suite(std::string_view given, const std::string& origin, Rules rules) {
  const std::string plain = plain_text(given);
  const std::string_view text = plain;
  const std::string_view head = text.substr(0, 4096);
  const auto binary = [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t' && c != '\n' && c != '\r'; };
  if (std::any_of(head.begin(), head.end(), binary)) {
    throw SuiteError(
        fmt::format("{}: a binary file, and a suite is text: lines of position, value and moves with values", origin));
  }
  std::vector<SuiteEntry> entries;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (!line.empty()) entries.push_back(LineParser(line, number, origin, rules).parse());
  }
  if (entries.empty()) throw SuiteError(fmt::format("{}:1: column 1: no positions in this suite", origin));
  return entries;
}

Suite read_suite(const std::filesystem::path& named, Rules rules) {
  const std::filesystem::path path = or_shipped(named);
  return {path.stem().string(), parse_suite(read_file(path), path.string(), rules)};
}

std::string to_json(const SuiteEntry& entry) {
  const Position& p = entry.position;
  std::vector<int> board;
  std::vector<std::string> values;
  for (int i = 0; i < kSquares; ++i) {
    const Square s = square(i);
    board.push_back(p.occupied() & bit(s) ? index(p.piece_at(s)) : -1);
  }
  for (const auto& value : entry.moves) values.push_back(value ? fmt::to_string(static_cast<int>(*value)) : "null");
  return fmt::format(R"({{"rules":"{}","position":"{}","phase":"{}","board":[{}],"hand":{},"value":{},"values":[{}]}})",
                     to_string(p.rules()), to_string(p), to_string(p.phase()), fmt::join(board, ","),
                     p.has_hand() ? index(p.hand()) : -1, static_cast<int>(entry.value), fmt::join(values, ","));
}

std::string to_string(const SuiteEntry& entry) {
  std::string text = fmt::format("{}\t{}\t", to_string(entry.position), static_cast<int>(entry.value));
  const char* separator = "";
  for (const Move m : entry.position.moves()) {
    const auto value = entry.moves[m.index];
    if (!value) continue;
    text += fmt::format("{}{}:{}", separator, to_string(m), static_cast<int>(*value));
    separator = " ";
  }
  return text;
}

std::string to_string(const std::vector<SuiteEntry>& entries) {
  std::string text;
  for (const SuiteEntry& entry : entries) text += to_string(entry) + '\n';
  return text;
}

double keeps_value(const SuiteEntry& entry, Move move) {
  const auto& value = entry.moves[move.index];
  return value && *value == entry.value ? 1 : 0;
}

double keeping_share(const SuiteEntry& entry, Mask moves) {
  double kept = 0, n = 0;
  for (const Move m : MovesOf(entry.position.phase(), moves)) {
    kept += keeps_value(entry, m);
    n += 1;
  }
  return kept / n;
}

}  // namespace quarto
