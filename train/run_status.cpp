#include "train/run_status.h"

#include <algorithm>

#include "env/notation.h"
#include "train/throughput.h"

namespace quarto {

// In concurrent mode the two durations overlap, so they do not show which part is slower.
std::string bottleneck_of(const RunStatus& s) {
  if (s.store.used) {
    return store_bottleneck(s.counts, s.store.figures.actors,
                            s.in_turn ? s.self_play_seconds + s.learning_seconds : s.self_play_seconds,
                            s.store.waited_seconds, s.store.actors_waited_for_store, s.store.figures.answer_seconds);
  }
  return bottleneck(s.counts, s.on_gpu, s.in_turn ? s.self_play_seconds : 0, s.in_turn ? s.learning_seconds : 0);
}

nlohmann::json metrics_of(const RunStatus& s) {
  const auto per_second = [](std::uint64_t n, double seconds) {
    return seconds > 0 ? static_cast<double>(n) / seconds : 0.0;
  };
  const TimeShares shares = time_shares(s.counts);
  nlohmann::json line = {{"iteration", s.iteration},
                         {"seconds", s.elapsed},
                         {"games", s.games},
                         {"positions", s.samples},
                         {"step", s.steps},
                         {"replay", s.replay_size},
                         {"loss", s.loss.total},
                         {"loss_place", s.loss.place},
                         {"loss_give", s.loss.give},
                         {"loss_outcome", s.loss.outcome},
                         {"gradient_norm", s.loss.gradient_norm},
                         {"lr", s.learning_rate},
                         {"self_play_seconds", s.self_play_seconds},
                         {"learning_seconds", s.learning_seconds},
                         {"games_per_s", per_second(s.counts.games, s.self_play_seconds)},
                         {"positions_per_s", per_second(s.counts.moves, s.self_play_seconds)},
                         {"simulations_per_s", per_second(s.counts.simulations, s.self_play_seconds)},
                         {"evaluations_per_s", per_second(s.counts.evaluations, s.self_play_seconds)},
                         {"batch", per_second(s.counts.evaluations, static_cast<double>(s.counts.batches))},
                         {"batch_fill", batch_fill(s.counts)},
                         {"cache_hits", cache_share(s.counts)},
                         {"network_share", shares.network},
                         {"tree_share", shares.tree},
                         {"asking_share", shares.asking}};
  if (!s.game.moves.empty()) {
    line["game"] = s.game.moves;
    line["game_result"] = s.game.result;
  }
  if (s.measured.is_object()) line.update(s.measured);
  if (s.match_score) line["match_score"] = *s.match_score;
  if (s.store.used) {
    const StoreFigures& f = s.store.figures;
    line["store"] = {{"actors", f.actors},
                     {"results", f.queue},
                     {"leased", f.leased},
                     {"bytes", f.bytes},
                     {"duplicates", f.duplicates},
                     {"old", f.old},
                     {"refused", f.refused},
                     {"expired_leases", f.expired},
                     {"played_again", f.replayed},
                     {"outages", f.outages},
                     {"answer_ms", 1000 * f.answer_seconds},
                     {"waited_seconds", s.store.waited_seconds},
                     {"actors_waited_for_store_seconds", s.store.actors_waited_for_store}};
  }
  line["limit"] = bottleneck_of(s);
  return line;
}

ShownGame shown_game(const std::vector<GameRecord>& games) {
  if (games.empty()) return {};
  const auto whole =
      std::find_if(games.begin(), games.end(), [](const GameRecord& game) { return game.start.ply() == 0; });
  const GameRecord& game = whole != games.end() ? *whole : games.front();
  Position end = game.start;
  for (const Move m : game.moves) end.play(m);
  std::string result = "draw";
  if (game.result != Value::draw) {
    const int winner = game.result == Value::win ? end.player_to_act() : 1 - end.player_to_act();
    result = winner == 0 ? "first player wins" : "second player wins";
  }
  if (!end.is_terminal()) result += ", proven before the end";
  const std::string from = game.start.ply() == 0 ? "" : to_string(game.start) + " : ";
  return {from + to_string(game.moves), result};
}

}  // namespace quarto
