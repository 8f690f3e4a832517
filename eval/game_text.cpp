#include "eval/game_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "base/text.h"
#include "env/notation.h"
#include "eval/match.h"

namespace quarto {
namespace {

const char* points_text(double points) { return points == 1 ? "1" : points == 0 ? "0" : "1/2"; }

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// The text between `from` and `to`, if both are there in this order.
std::optional<std::string> between(std::string_view text, std::string_view from, std::string_view to) {
  const auto begin = text.find(from);
  if (begin == text.npos) return std::nullopt;
  const auto end = text.find(to, begin + from.size());
  if (end == text.npos) return std::nullopt;
  return std::string(text.substr(begin + from.size(), end - begin - from.size()));
}

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  for (std::size_t at = 0;;) {
    const auto tab = line.find('\t', at);
    columns.push_back(trimmed(line.substr(at, tab - at)));
    if (tab == line.npos) return columns;
    at = tab + 1;
  }
}

}  // namespace

std::string games_text(const MatchResult& result, Rules rules) {
  std::string text = fmt::format("# A = {}, B = {}; points of A, who gave first, moves; rules {}\n", result.a, result.b,
                                 to_string(rules));
  for (const MatchGame& g : result.games) {
    text += fmt::format("{}\t{}\t{}{}\n", points_text(g.a_points), g.a_first ? "A" : "B", to_string(g.moves),
                        g.on_time           ? "\t# lost on time"
                        : g.forfeit.empty() ? ""
                                            : "\t# failed: " + g.forfeit);
  }
  return text;
}

std::vector<PlayedGame> parse_games(std::string_view given, const std::string& origin, Rules rules) {
  const std::string plain = plain_text(given);
  const std::string_view text = plain;
  std::vector<PlayedGame> games;
  std::array<std::string, 2> names;  // of A and B
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    at = end + 1;
    ++number;
    if (line.empty()) continue;
    if (line.front() == '#') {
      const auto a = between(line, "A = ", ", B = "), b = between(line, ", B = ", "; points of A");
      if (a && b) names = {without_control_characters(*a), without_control_characters(*b)};
      for (const Rules other : kAllRules) {
        if (a && b && other != rules && line.ends_with("; rules " + to_string(other))) {
          throw GameTextError(fmt::format("{}:{}: games by the rules '{}', not '{}': use --rules {}", origin, number,
                                          to_string(other), to_string(rules), to_string(other)));
        }
      }
      continue;
    }
    const auto fail = [&](const std::string& why) {
      return GameTextError(fmt::format("{}:{}: {}", origin, number, why));
    };
    PlayedGame game;
    game.name = fmt::format("{}:{}", origin, number);
    std::string_view moves = line;
    if (line.find('\t') != line.npos) {
      const std::vector<std::string_view> columns = columns_of(line);
      if (columns.size() < 3) throw fail("expected moves, or points, who gave first and moves, with tabs between them");
      if (columns[0] != "1" && columns[0] != "1/2" && columns[0] != "0")
        throw fail(fmt::format("'{}' is not the points of A: expected 1, 1/2 or 0", columns[0]));
      if (columns[1] != "A" && columns[1] != "B")
        throw fail(fmt::format("'{}' did not give first: expected A or B", columns[1]));
      const bool a_first = columns[1] == "A";
      const double of_a = columns[0] == "1" ? 1 : columns[0] == "0" ? 0 : 0.5;
      game.points_of_first = a_first ? of_a : 1 - of_a;
      game.players = {names[a_first ? 0 : 1], names[a_first ? 1 : 0]};
      moves = columns[2];
      if (columns.size() > 3)
        game.note = without_control_characters(
            trimmed(columns[3].substr(std::min(columns[3].find_first_not_of("# "), columns[3].size()))));
    }
    try {
      game.moves = parse_game(moves, rules);
    } catch (const NotationError& e) {
      throw fail(e.what());
    }
    // Of a match's games one may have been lost before its first move, by an engine that did not answer.
    if (game.moves.empty() && !game.points_of_first) throw fail("no moves");
    games.push_back(std::move(game));
  }
  if (games.empty()) throw GameTextError(fmt::format("{}: no game in it", origin));
  return games;
}

}  // namespace quarto
