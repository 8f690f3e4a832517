#include "eval/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <stdexcept>

#include "base/json_library.h"
#include "base/random.h"
#include "env/notation.h"
#include "env/one_ply.h"
#include "env/random_play.h"

namespace quarto {
namespace {

struct Table {
  std::size_t game;
  Position position;
  bool over = false;
};

// True if A acts.
bool a_acts(const Position& position, const MatchGame& game) { return (position.player_to_act() == 0) == game.a_first; }

void play_move(Position& position, Move move, const Player& player, MatchGame& game) {
  if (!position.is_legal(move)) {
    throw std::logic_error(fmt::format("player {} chose {} in {}, which is not legal", player.name(), to_string(move),
                                       to_string(position)));
  }
  position.play(move);
  game.moves.push_back(move);
}

void settle(const Position& end, MatchGame& game) {
  const int value = static_cast<int>(end.terminal_value());
  game.a_points = (1 + (a_acts(end, game) ? value : -value)) / 2.0;
  game.ended = true;
}

bool stopped(const MatchOptions& options) { return options.stop && *options.stop; }

void lose(MatchGame& game, bool a_loses, const std::string& why) {
  game.a_points = a_loses ? 0 : 1;
  game.forfeit = why;
  game.ended = true;
}

// Plays all games one after the other, each player with its own clock.
void play_by_clock(Player& a, Player& b, const MatchOptions& options, std::vector<MatchGame>& games) {
  std::uint64_t moves = 0;
  std::array<bool, 2> ready{};
  for (std::size_t g = 0; g < games.size(); ++g) {
    MatchGame& game = games[g];
    Position position(options.rules);
    for (const Move m : game.moves) position.play(m);
    // A program that failed in the last game is started again while no clock runs.
    for (const bool of_a : {true, false}) {
      bool& is_ready = ready[of_a ? 0 : 1];
      if (is_ready || !game.forfeit.empty()) continue;
      try {
        (of_a ? a : b).prepare();
        is_ready = true;
      } catch (const PlayerFailed& e) {
        lose(game, of_a, e.reason());
      }
    }
    std::array<GameClock, 2> clocks = {*options.clock, *options.clock};
    while (game.forfeit.empty() && !position.is_terminal()) {
      const bool a_moves = a_acts(position, game);
      Player& player = a_moves ? a : b;
      GameClock& clock = clocks[a_moves ? 0 : 1];
      if (stopped(options)) return;
      const auto start = std::chrono::steady_clock::now();
      Move move;
      std::string failure;
      try {
        move = player.choose_by_clock(position, clock);
      } catch (const PlayerFailed& e) {
        failure = e.reason();
        ready[a_moves ? 0 : 1] = false;
      }
      clock.spend(std::chrono::steady_clock::now() - start);
      if (clock.flag_fallen()) {
        game.on_time = true;
        game.a_points = a_moves ? 0 : 1;
        game.ended = true;
        break;
      }
      if (!failure.empty()) {
        lose(game, a_moves, failure);
        break;
      }
      play_move(position, move, player, game);
      ++moves;
      if (options.on_progress) options.on_progress(static_cast<int>(g), moves);
    }
    if (!game.on_time && game.forfeit.empty()) settle(position, game);
  }
}

// Plays all games in batches, `side_by_side` at a time. Games that are over when it is stopped have ended.
void play_in_batches(Player& a, Player& b, const MatchOptions& options, std::vector<MatchGame>& games) {
  std::vector<Table> tables;
  std::size_t next_game = 0;
  int finished = 0;
  std::uint64_t moves_made = 0;
  const auto clear_tables = [&] {
    std::erase_if(tables, [&](const Table& t) {
      if (!t.over && !t.position.is_terminal()) return false;
      if (!t.over) settle(t.position, games[t.game]);
      ++finished;
      return true;
    });
  };
  while (next_game < games.size() || !tables.empty()) {
    while (tables.size() < static_cast<std::size_t>(options.side_by_side) && next_game < games.size()) {
      Position p(options.rules);
      for (const Move m : games[next_game].moves) p.play(m);
      tables.push_back({next_game++, p});
    }
    // First the games in which A acts, then those in which B acts.
    for (const bool turn_of_a : {true, false}) {
      std::vector<Table*> waiting;
      for (Table& t : tables) {
        if (!t.over && !t.position.is_terminal() && a_acts(t.position, games[t.game]) == turn_of_a)
          waiting.push_back(&t);
      }
      Player& player = turn_of_a ? a : b;
      const std::size_t portion = std::max<std::size_t>(1, player.preferred_batch());
      for (std::size_t begin = 0; begin < waiting.size(); begin += portion) {
        if (stopped(options)) return clear_tables();
        const std::size_t end = std::min(waiting.size(), begin + portion);
        std::vector<Position> positions;
        for (std::size_t i = begin; i < end; ++i) positions.push_back(waiting[i]->position);
        try {
          const std::vector<Move> moves = player.choose(positions);
          for (std::size_t i = begin; i < end; ++i)
            play_move(waiting[i]->position, moves.at(i - begin), player, games[waiting[i]->game]);
        } catch (const PlayerFailed& e) {
          for (std::size_t i = begin; i < end; ++i) {
            lose(games[waiting[i]->game], turn_of_a, e.reason());
            waiting[i]->over = true;
          }
        }
        moves_made += end - begin;
        if (options.on_progress) options.on_progress(finished, moves_made);
      }
    }
    clear_tables();
  }
}

}  // namespace

int games_side_by_side(const Player& a, const Player& b, int threads, bool on_gpu) {
  constexpr int kForEachThread = 32;
  const int most = MatchOptions{}.side_by_side;
  for (const Player* player : {&a, &b}) {
    if (on_gpu || !player->deterministic() || player->depends_on_batch()) return most;
  }
  return threads < most / kForEachThread ? threads * kForEachThread : most;
}

std::vector<Move> random_opening(int plies, Rules rules, std::uint64_t seed) {
  Rng rng(seed);
  while (true) {
    Position p(rules);
    std::vector<Move> moves;
    while (p.ply() < plies) {
      const Mask winning = p.has_hand() ? p.winning_squares(p.hand()) : Mask{0};
      const auto safe = static_cast<Mask>(safe_moves(p) & ~winning);
      if (safe == 0) break;
      moves.push_back({p.phase(), static_cast<std::uint8_t>(random_bit(safe, rng))});
      p.play(moves.back());
    }
    if (p.ply() == plies) return moves;
  }
}

std::uint64_t player_seed(std::uint64_t match_seed, bool of_a) { return mix_seed(match_seed, of_a ? 1 : 2); }

int expected_moves(int opening_plies) { return 26 - std::min(opening_plies, 20); }

MatchResult play_match(Player& a, Player& b, const MatchOptions& options) {
  if (options.games < 1) throw std::invalid_argument("a match needs at least one game");
  if (options.opening_plies < 0 || options.opening_plies > kMaxOpeningPlies) {
    throw std::invalid_argument(
        fmt::format("openings have 0 to {} plies, not {}", kMaxOpeningPlies, options.opening_plies));
  }
  if (options.side_by_side < 1) throw std::invalid_argument("at least one game must be in progress at a time");

  MatchResult result;
  result.a = a.name();
  result.b = b.name();
  result.games.resize((static_cast<std::size_t>(options.games) + 1) / 2 * 2);
  for (std::size_t g = 0; g < result.games.size(); ++g) {
    result.games[g].a_first = g % 2 == 0;
    result.games[g].moves = random_opening(options.opening_plies, options.rules, mix_seed(options.seed, g / 2));
  }

  if (options.clock) {
    play_by_clock(a, b, options, result.games);
  } else {
    play_in_batches(a, b, options, result.games);
  }

  // Only a stop leaves games that have not ended. Theirs go, and the other game of their pair with them.
  std::vector<MatchGame> whole;
  for (std::size_t g = 0; g + 1 < result.games.size(); g += 2) {
    if (!result.games[g].ended || !result.games[g + 1].ended) continue;
    whole.push_back(std::move(result.games[g]));
    whole.push_back(std::move(result.games[g + 1]));
  }
  result.stopped = whole.size() < result.games.size();
  result.games = std::move(whole);
  if (result.games.empty()) return result;

  std::vector<PairScore> pairs;
  std::set<std::string> distinct;
  for (std::size_t g = 0; g < result.games.size(); ++g) {
    const MatchGame& game = result.games[g];
    const std::size_t outcome = game.a_points == 1 ? 0 : game.a_points == 0.5 ? 1 : 2;
    ++(outcome == 0 ? result.wins : outcome == 1 ? result.draws : result.losses);
    ++result.by_seat[game.a_first ? 0 : 1][outcome];
    if (game.on_time) ++(game.a_points == 0 ? result.a_lost_on_time : result.b_lost_on_time);
    if (!game.forfeit.empty()) ++(game.a_points == 0 ? result.a_forfeits : result.b_forfeits);
    distinct.insert(to_string(game.moves));
    if (g % 2 == 1) pairs.push_back({result.games[g - 1].a_points, game.a_points});
  }
  result.distinct_games = static_cast<int>(distinct.size());
  result.elo = estimate_elo(pairs);
  return result;
}

nlohmann::json to_json(const MatchResult& r) {
  const auto optional = [](const std::optional<double>& x) { return x ? nlohmann::json(*x) : nlohmann::json(nullptr); };
  const auto seat = [](const std::array<int, 3>& s) {
    return nlohmann::json{{"wins", s[0]}, {"draws", s[1]}, {"losses", s[2]}};
  };
  nlohmann::json json = {{"a", r.a},
                         {"b", r.b},
                         {"games", r.games.size()},
                         {"distinct_games", r.distinct_games},
                         {"wins", r.wins},
                         {"draws", r.draws},
                         {"losses", r.losses},
                         {"a_lost_on_time", r.a_lost_on_time},
                         {"b_lost_on_time", r.b_lost_on_time},
                         {"score", r.elo.score},
                         {"score_low", r.elo.score_interval.low},
                         {"score_high", r.elo.score_interval.high},
                         {"elo", optional(r.elo.elo)},
                         {"elo_low", optional(r.elo.low)},
                         {"elo_high", optional(r.elo.high)},
                         {"a_gave_first", seat(r.by_seat[0])},
                         {"b_gave_first", seat(r.by_seat[1])}};
  if (r.a_forfeits + r.b_forfeits > 0) {
    json["a_forfeits"] = r.a_forfeits;
    json["b_forfeits"] = r.b_forfeits;
  }
  return json;
}

}  // namespace quarto
