#include "eval/match.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/measure.h"
#include "app/output_file.h"
#include "app/solving.h"
#include "base/file.h"
#include "base/json_library.h"
#include "base/progress.h"
#include "base/tell.h"
#include "eval/game_text.h"
#include "model/evaluators.h"
#include "model/runtime.h"

namespace quarto::app {
namespace {

struct MatchArguments {
  std::string a, b, json, games_file;
  std::string clock;
  MatchOptions match{.side_by_side = 0};
  CommonOptions common;
};

// Without a negative zero.
std::string signed_elo(double x) { return fmt::format("{:+.0f}", std::round(x) + 0.0); }

std::string describe_elo(const EloEstimate& e) {
  if (e.elo && e.low && e.high) {
    return fmt::format("{} [{}, {}]", signed_elo(*e.elo), signed_elo(*e.low), signed_elo(*e.high));
  }
  if (!e.high && e.low)
    return fmt::format("at least {} (every point won: only a bound is known; it rises with --games)",
                       signed_elo(*e.low));
  if (!e.low && e.high)
    return fmt::format("at most {} (every point lost: only a bound is known; it falls with --games)",
                       signed_elo(*e.high));
  return "unknown";
}

// Why a player failed the first time.
std::string first_failure(const MatchResult& r, bool of_a) {
  for (const MatchGame& g : r.games) {
    if (!g.forfeit.empty() && (g.a_points == 0) == of_a) return g.forfeit;
  }
  return {};
}

void print(const MatchResult& r, const MatchOptions& options) {
  const auto games = static_cast<int>(r.games.size());
  fmt::print("{} against {}: {} games in {} pairs, openings of {} random plies\n\n", r.a, r.b, games, games / 2,
             options.opening_plies);
  fmt::print("  wins {}   draws {}   losses {}\n", r.wins, r.draws, r.losses);
  fmt::print("  score           {:.1f}% [{:.1f}, {:.1f}]\n", 100 * r.elo.score, 100 * r.elo.score_interval.low,
             100 * r.elo.score_interval.high);
  fmt::print("  Elo difference  {}\n", describe_elo(r.elo));
  fmt::print("  giving first    +{} ={} -{}      placing first  +{} ={} -{}\n", r.by_seat[0][0], r.by_seat[0][1],
             r.by_seat[0][2], r.by_seat[1][0], r.by_seat[1][1], r.by_seat[1][2]);
  if (options.clock) {
    fmt::print("  by the clock    {} s a game each; lost on time: {} {}, {} {}\n", to_string(*options.clock), r.a,
               r.a_lost_on_time, r.b, r.b_lost_on_time);
  }
  for (const bool of_a : {true, false}) {
    const int forfeits = of_a ? r.a_forfeits : r.b_forfeits;
    if (forfeits > 0) fmt::print("  {}\n", failure_text(of_a ? r.a : r.b, forfeits, first_failure(r, of_a)));
  }
  if (r.distinct_games < games) {
    fmt::print("  {} of the {} games are different{}\n", r.distinct_games, games,
               2 * r.distinct_games < games ? ": the interval is too narrow; raise --opening-plies" : "");
  }
  fmt::print("\nIntervals: 95%, from the scores of the pairs.\n");
}

void run_match(const MatchArguments& o) {
  require_different_files({{"--json", o.json}, {"--out-games", o.games_file}});
  require_output("--json", o.json, FileKind::json);
  require_output("--out-games", o.games_file, FileKind::games);
  PlayerOptions players = o.common.players();
  const std::vector<std::string> names = named_players({o.a, o.b}, players.rules);
  const Titles titles = require_engines(names, players);
  players.seed = player_seed(o.common.seed, true);
  const auto a = make_player(names[0], players);
  players.seed = player_seed(o.common.seed, false);
  const auto b = make_player(names[1], players);

  MatchOptions options = o.match;
  options.rules = players.rules;
  options.seed = o.common.seed;
  if (options.side_by_side == 0)
    options.side_by_side = games_side_by_side(*a, *b, o.common.threads, resolve_device(o.common.device) != "cpu");
  if (!o.clock.empty()) options.clock = parse_clock(o.clock);
  options.stop = &stop_on_interrupt();
  // Progress counts moves, because all games end at about the same time.
  const std::size_t asked = static_cast<std::size_t>(options.games + 1) / 2 * 2;
  const std::uint64_t expected = asked * static_cast<std::uint64_t>(expected_moves(options.opening_plies));
  Progress progress("match", expected, "moves");
  options.on_progress = [&](int games, std::uint64_t moves) {
    progress.update(std::min(moves, expected), fmt::format("{} games finished", games));
  };
  if (options.games % 2 != 0) tell("{} games are played: whole pairs, for equal seats\n", asked);
  MatchResult result = play_match(*a, *b, options);
  progress.finish();
  if (result.games.empty())
    throw Failed(
        "stopped before the two games of a pair had ended: there is no result. Many games go on side by side; with "
        "--side-by-side 1 they end one after the other");
  // Files keep the names, which say what played.
  if (!o.games_file.empty()) write_file_atomic(o.games_file, games_text(result, players.rules));
  nlohmann::json json = to_json(result);
  result.a = titles.at(names[0]);
  result.b = titles.at(names[1]);
  print(result, options);
  if (!o.json.empty()) {
    add_titles(json, titles);
    json["opening_plies"] = options.opening_plies;
    json["rules"] = o.common.rules;
    json["seed"] = o.common.seed;
    if (options.clock) json["clock"] = to_string(*options.clock);
    if (result.stopped) json["games_asked"] = asked;
    write_json(o.json, json);
  }
  if (result.stopped) {
    throw Failed(fmt::format("stopped: {} of {} games had ended, in whole pairs{}", result.games.size(), asked,
                             options.clock || options.side_by_side == 1
                                 ? ""
                                 : "; short games end first, so the score is not that of the whole match"));
  }
}

}  // namespace

void add_match(CLI::App& app) {
  auto o = std::make_shared<MatchArguments>();
  CLI::App* command = app.add_subcommand("match", "play games between two players, and print the difference in Elo");
  command->add_option("A", o->a, "a player: " + player_names())->required()->check(valid_player());
  command->add_option("B", o->b, "its opponent")->required()->check(valid_player());
  command->add_option("--games", o->match.games, "rounded up to whole pairs: the same opening with the seats swapped")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  command
      ->add_option("--opening-plies", o->match.opening_plies, "random safe gives and places before the players choose")
      ->check(CLI::Range(0, kMaxOpeningPlies))
      ->capture_default_str();
  command->add_option("--json", o->json, "write the result to this file");
  command->add_option("--out-games", o->games_file, "write the games to this file, one per line");
  command
      ->add_option(
          "--side-by-side", o->match.side_by_side,
          "games in progress at a time; 0: 256, or 32 for each thread where that costs no time and changes no game")
      ->check(CLI::Range(0, 65536))
      ->capture_default_str();
  add_clock(*command, o->clock);
  add_engine_patience(*command, o->common);
  add_table_option(*command, o->common.table_mb,
                   "memory for the exact values of 'perfect', 'solver', 'strangler' and 'endgame', and of each network "
                   "by the clock");
  o->common.add_to(*command);
  command->footer(
      "Players:\n" + player_help() +
      "\n"
      "Examples:\n"
      "  quartozero match net:runs/a/checkpoint@64 rollout:1000 --games 200\n"
      "  quartozero match net:runs/a/checkpoint perfect --games 100 --opening-plies 8\n"
      "  quartozero match light:a.light light:b.light --clock 10+0.1     ten seconds a game, 0.1 more each decision\n"
      "  quartozero match \"engine:python3 examples/engine/adapter.py\" oneply --games 20     somebody else's program\n"
      "Ctrl-C ends the match: the pairs of games that have ended are kept and printed.");
  command->callback([o] { run_match(*o); });
}

}  // namespace quarto::app
