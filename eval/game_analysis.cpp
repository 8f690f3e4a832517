#include "eval/game_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "env/notation.h"

namespace quarto {
namespace {

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

const char* seat_name(int player) { return player == 0 ? "gives first" : "places first"; }

nlohmann::json json_of(const std::optional<Value>& value) {
  return value ? nlohmann::json(static_cast<int>(*value)) : nlohmann::json();
}

}  // namespace

std::vector<PlayedGame> parse_games(std::string_view text, const std::string& origin, Rules rules) {
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
      if (a && b) names = {*a, *b};
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
        game.note = trimmed(columns[3].substr(std::min(columns[3].find_first_not_of("# "), columns[3].size())));
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

std::vector<Move> JudgedMove::better() const {
  std::vector<Move> moves;
  if (loss() == 0) return moves;
  for (const Move m : before.moves()) {
    if (values[m.index] == value) moves.push_back(m);
  }
  return moves;
}

std::vector<JudgedGame> analyse_games(std::span<const PlayedGame> games, Solver& solver,
                                      const AnalysisOptions& options) {
  std::vector<JudgedGame> judged;
  for (const PlayedGame& game : games) {
    JudgedGame whole{game, {}, {}};
    // From the end: values of later positions are in the table when those of earlier ones ask for them.
    std::vector<Position> positions{Position(options.rules)};
    for (const Move m : game.moves) positions.push_back(positions.back().after(m));
    for (std::size_t i = game.moves.size(); i-- > 0;) {
      const MoveSolution solution = solver.solve_moves(positions[i], options.limits);
      if (options.limits.stop && *options.limits.stop) return judged;
      const Move move = game.moves[i];
      whole.moves.push_back({positions[i], move, positions[i].player_to_act(), solution.value,
                             solution.values[move.index], solution.values});
    }
    std::reverse(whole.moves.begin(), whole.moves.end());
    if (const Position& end = positions.back(); end.is_terminal()) {
      const Value value = end.terminal_value();
      whole.result = end.player_to_act() == 0 ? value : -value;
    }
    judged.push_back(std::move(whole));
    if (options.on_progress) options.on_progress(judged.size());
  }
  return judged;
}

std::vector<PlayerMistakes> mistakes_of(std::span<const JudgedGame> games) {
  std::vector<PlayerMistakes> players;
  for (const JudgedGame& judged : games) {
    for (int seat = 0; seat < 2; ++seat) {
      std::string name = judged.game.players[static_cast<std::size_t>(seat)];
      if (name.empty()) name = seat_name(seat);
      auto at = std::find_if(players.begin(), players.end(), [&](const auto& p) { return p.name == name; });
      if (at == players.end()) at = players.insert(players.end(), {name, 0, 0, 0, 0, 0, 0});
      ++at->games;
      for (const JudgedMove& m : judged.moves) {
        if (m.player != seat) continue;
        ++at->moves;
        if (!m.value || !m.after) continue;
        ++at->judged;
        if (m.loss() == 2) ++at->win_to_loss;
        if (m.loss() == 1) ++(*m.value == Value::win ? at->win_to_draw : at->draw_to_loss);
      }
    }
  }
  return players;
}

nlohmann::json to_json(std::span<const JudgedGame> games, Rules rules) {
  nlohmann::json out = {{"format", "quarto-analysis/1"},
                        {"rules", to_string(rules)},
                        {"players", nlohmann::json::array()},
                        {"games", nlohmann::json::array()}};
  for (const PlayerMistakes& p : mistakes_of(games)) {
    out["players"].push_back({{"name", p.name},
                              {"games", p.games},
                              {"moves", p.moves},
                              {"judged", p.judged},
                              {"mistakes", p.mistakes()},
                              {"win_to_draw", p.win_to_draw},
                              {"win_to_loss", p.win_to_loss},
                              {"draw_to_loss", p.draw_to_loss}});
  }
  for (const JudgedGame& judged : games) {
    nlohmann::json moves = nlohmann::json::array();
    for (const JudgedMove& m : judged.moves) {
      nlohmann::json better = nlohmann::json::array(), values = nlohmann::json::object();
      for (const Move b : m.better()) better.push_back(to_string(b));
      for (const Move l : m.before.moves()) values[to_string(l)] = json_of(m.values[l.index]);
      moves.push_back({{"move", to_string(m.move)},
                       {"player", m.player},
                       {"position", to_string(m.before)},
                       {"value", json_of(m.value)},
                       {"after", json_of(m.after)},
                       {"loss", m.value && m.after ? nlohmann::json(m.loss()) : nlohmann::json()},
                       {"better", better},
                       {"values", values}});
    }
    out["games"].push_back(
        {{"name", judged.game.name},
         {"players", judged.game.players},
         {"result", json_of(judged.result)},
         {"points_of_first",
          judged.game.points_of_first ? nlohmann::json(*judged.game.points_of_first) : nlohmann::json()},
         {"note", judged.game.note},
         {"moves", moves}});
  }
  return out;
}

}  // namespace quarto
