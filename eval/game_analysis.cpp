#include "eval/game_analysis.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_library.h"
#include "env/notation.h"

namespace quarto {
namespace {

const char* seat_name(int player) { return player == 0 ? "gives first" : "places first"; }

nlohmann::json json_of(const std::optional<Value>& value) {
  return value ? nlohmann::json(static_cast<int>(*value)) : nlohmann::json();
}

}  // namespace

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
