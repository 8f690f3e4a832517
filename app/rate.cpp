// quartozero rate: plays a round robin of the named players and computes their ratings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/measure.h"
#include "app/output_file.h"
#include "app/sharing.h"
#include "app/solving.h"
#include "app/table.h"
#include "base/atomic_file.h"
#include "base/file.h"
#include "base/json_library.h"
#include "base/progress.h"
#include "base/tell.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/simulations_option.h"
#include "env/notation.h"
#include "eval/ladder.h"
#include "eval/match.h"
#include "eval/player_kit.h"
#include "eval/rating.h"
#include "eval/round_robin.h"
#include "model/evaluators.h"
#include "model/runtime.h"
#include "play/player.h"
#include "play/think.h"

namespace quarto::app {
namespace {

struct RateArguments {
  std::vector<std::string> networks;
  std::vector<int> sims{0, 8, 32, 128};
  std::string anchor, json, out;
  std::string clock;
  RoundRobin round_robin{};
  bool default_field = false, resume = false, markdown = false;
  CommonOptions common;
  SharingOptions sharing;
};

RoundRobin asked_for(const RateArguments& o) {
  RoundRobin r = o.round_robin;
  if (o.default_field || r.players.empty()) {
    r.players.insert(r.players.end(), default_field().begin(), default_field().end());
  }
  for (const std::string& path : o.networks) {
    for (const int n : o.sims) r.players.push_back(network_player(path, n));
  }
  if (!o.clock.empty()) r.clock = parse_clock(o.clock);
  r.rules = o.common.parsed_rules();
  r.players = named_players(r.players, r.rules);
  r.seed = o.common.seed;
  return make_round_robin(std::move(r));
}

// Loads all networks first, so that an error is reported before hours of games.
void require_networks(const RoundRobin& r, const std::string& device) {
  for (const auto& [name, checksum] : r.networks) {
    const auto file = weights_of(name)->name();
    require_rules(load_network_from(file, device), file, r.rules);
  }
}

std::string signed_number(double x) {
  const long rounded = std::lround(x);
  return rounded == 0 ? "0" : fmt::format("{:+}", rounded);
}

std::string label(const Ladder& o, std::size_t player, bool markdown) {
  return markdown ? fmt::format("`{}`", o.field.names[player]) : o.field.names[player];
}

std::string ranked(const Ladder& o, std::size_t row, bool markdown) {
  return fmt::format("{} {}", row + 1, label(o, o.order[row], markdown));
}

TextTable ladder(const Ladder& o, bool markdown) {
  TextTable table({"player", "Elo", "95% interval", "points %", "draws %", "games", "above next %"});
  table.add_rule();
  for (std::size_t row = 0; row < o.order.size(); ++row) {
    const std::size_t i = o.order[row];
    const PlayerRating& p = o.ratings.players[i];
    const bool last = row + 1 == o.order.size();
    table.add({ranked(o, row, markdown), signed_number(p.elo),
               o.anchor == i ? "anchor"
                             : fmt::format("{} to {}", signed_number(p.interval.low), signed_number(p.interval.high)),
               percent(p.score), percent(static_cast<double>(p.draws) / p.games()), std::to_string(p.games()),
               last ? "" : fmt::format("{:.0f}", 100 * o.ratings.above(i, o.order[row + 1]))});
  }
  return table;
}

// The points of the row's player against the column's, in percent.
TextTable crosstable(const Ladder& o, bool markdown) {
  const std::size_t n = o.order.size();
  const auto shares = o.shares();
  std::vector<std::string> header{""};
  for (std::size_t row = 0; row < n; ++row) header.push_back(std::to_string(row + 1));
  TextTable table(header);
  table.add_rule();
  for (std::size_t row = 0; row < n; ++row) {
    std::vector<std::string> line{ranked(o, row, markdown)};
    for (const std::size_t column : o.order) {
      const auto& share = shares[o.order[row]][column];
      line.push_back(share ? percent(*share) : "");
    }
    table.add(std::move(line));
  }
  return table;
}

void print(const Ladder& o, bool markdown) {
  const RoundRobin& r = o.round_robin;
  int games = 0, draws = 0, distinct = 0;
  std::string repeated, failed;
  for (const PlayerRating& p : o.ratings.players) {
    games += p.games();
    draws += p.draws;
  }
  for (const PairingResult& p : r.played) {
    distinct += p.distinct_games;
    if (p.a_forfeits > 0) failed += failure_text(p.a, p.a_forfeits, p.a_failure) + fmt::format(" (against {})\n", p.b);
    if (p.b_forfeits > 0) failed += failure_text(p.b, p.b_forfeits, p.b_failure) + fmt::format(" (against {})\n", p.a);
    if (2 * p.distinct_games < r.games) {
      repeated += fmt::format("{} against {}: only {} of {} games are different; raise --opening-plies\n", p.a, p.b,
                              p.distinct_games, r.games);
    }
  }
  games /= 2;
  draws /= 2;
  const auto show = [&](const TextTable& t) { fmt::print("{}\n", markdown ? t.markdown() : t.str()); };
  show(ladder(o, markdown));
  if (!markdown) fmt::print("Points of the row against the column, in percent\n\n");
  show(crosstable(o, markdown));
  fmt::print("{}, {} of {} games, openings of {} random plies, seed {}.\n", counted(o.field.names.size(), "player"),
             counted(r.played.size(), "pairing"), r.games, r.opening_plies, r.seed);
  fmt::print("{} games, {} of them different within their pairing, {}% drawn.\n", games, distinct,
             percent(static_cast<double>(draws) / games));
  fmt::print("{}; 95% intervals from {}{}.\n",
             o.anchor ? fmt::format("Elo 0 is {}", label(o, *o.anchor, markdown)) : "Elo 0 is the mean",
             counted(static_cast<std::size_t>(r.games) / 2, "opening"),
             r.games / 2 < kFewOpenings ? ", too few: they are too narrow" : "");
  fmt::print("The ratings predict the score of a pairing to {} points in a hundred (root mean square).\n{}{}",
             percent(o.ratings.misfit), repeated, failed);
}

std::string titled_as(const std::string& name, const Titles& titles) {
  const auto title = titles.find(name);
  return title == titles.end() ? name : title->second;
}

// The tables with the titles.
void print(const Ladder& ladder, const Titles& titles, bool markdown) {
  const auto rename = [&](std::string& name) { name = titled_as(name, titles); };
  RoundRobin titled = ladder.round_robin;
  for (PairingResult& pairing : titled.played) {
    rename(pairing.a);
    rename(pairing.b);
  }
  Field field = ladder.field;
  for (std::string& name : field.names) rename(name);
  print({titled, field, ladder.anchor, ladder.ratings, ladder.order, ladder.complete}, markdown);
}

bool play_in_shares(const RateArguments& o, RoundRobin& r, const PlayerOptions& players, RoundRobinHooks hooks) {
  o.sharing.require_processor(o.common.device, !r.networks.empty());
  Sharing sharing(o.sharing, rate_job(r, o.common.threads, !o.out.empty()), o.out,
                  {.table_bytes = players.table_bytes});
  hooks.on_progress = [&, shown = hooks.on_progress](RoundRobinProgress p) {
    p.a.clear();
    p.b = sharing.note();
    shown(p);
  };
  const bool complete = play_round_robin(r, sharing.shares(), hooks);
  if (complete) sharing.finish();
  return complete;
}

void run_rate(const RateArguments& o) {
  require_different_files({{"--out", o.out}, {"--json", o.json}});
  require_output("--json", o.json, FileKind::json);
  if (!o.out.empty()) require_writable(o.out);
  RoundRobin r = asked_for(o);
  for (const std::string& player : r.players) {
    if (!o.out.empty() && !is_utf8(player))
      throw RoundRobinError(fmt::format("--out keeps results by name, and '{}' is not UTF-8", as_utf8(player)));
  }
  const std::string anchor = named_player(o.anchor, r.rules);
  require_anchor(anchor, r.players);
  std::optional<WorkLock> lock;
  if (!o.out.empty()) lock.emplace(o.out);
  if (!o.out.empty() && std::filesystem::exists(o.out)) {
    if (!o.resume) {
      throw RoundRobinError(
          fmt::format("'{}' is there already: --resume goes on with it, or name another --out", o.out));
    }
    try {
      continue_from(r, parse_round_robin(read_text(o.out)));
    } catch (const RoundRobinError& e) {
      throw RoundRobinError(fmt::format("{}: {}", o.out, e.what()));
    }
  }
  if (o.sharing.wanted()) (void)kit_of(r.players);  // refuses engines before it starts one
  require_networks(r, o.common.device);

  const PlayerOptions players = o.common.players();
  const Titles titles = require_engines(r.players, players);
  std::unique_ptr<Progress> progress;
  RoundRobinHooks hooks;
  hooks.stop = &stop_on_interrupt();
  hooks.on_progress = [&](const RoundRobinProgress& p) {
    if (!progress) progress = std::make_unique<Progress>("round robin", p.expected_moves, "moves");
    const std::string b = titled_as(p.b, titles), who = p.a.empty() ? b : titled_as(p.a, titles) + " - " + b;
    progress->update(p.moves, fmt::format("pairing {} of {}: {}", p.pairing, p.pairings, who), p.seconds_left);
  };
  hooks.on_pairing = [&](const RoundRobin& now) {
    if (!o.out.empty()) write_file_atomic(o.out, to_text(now));
  };
  const bool complete = o.sharing.wanted() ? play_in_shares(o, r, players, hooks) : play_round_robin(r, players, hooks);
  progress.reset();
  if (!r.played.empty()) {
    try {
      const Ladder outcome = rated(r, anchor, complete);
      print(outcome, titles, o.markdown);
      if (!o.json.empty()) {
        auto json = to_json(outcome);
        add_titles(json, titles);
        write_json(o.json, json);
      }
    } catch (const NotLinked& e) {
      tell("there is no table{} yet: {}\n", o.json.empty() ? "" : ", nor a file for --json,", e.what());
    }
  }
  if (!complete) {
    throw Failed(fmt::format("stopped after {} of {} pairings; {}", r.played.size(),
                             r.played.size() + unplayed(r).size(),
                             o.out.empty()      ? "with --out FILE they would have been kept"
                             : r.played.empty() ? "nothing is lost"
                                                : "the same command with --resume goes on from " + o.out));
  }
}

}  // namespace

void add_rate(CLI::App& app) {
  auto o = std::make_shared<RateArguments>();
  CLI::App* command =
      app.add_subcommand("rate", "play a round robin between many players, and print a table of Elo ratings");
  command
      ->add_option("PLAYER", o->round_robin.players,
                   "players: " + player_names() + "; without any the field that --default-field adds")
      ->check(valid_player());
  CLI::Option* net =
      command->add_option("--net", o->networks, "a checkpoint, which takes part once for each of --simulations")
          ->allow_extra_args(false)  // one PATH per option, so that names of players can follow
          ->type_name("PATH");
  command->add_option(kSimulationsOption, o->sims, "simulations of each --net; 0 is the raw policy")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(0, kMostSimulations))
      ->capture_default_str()
      ->needs(net);
  command->add_flag("--default-field", o->default_field, fmt::format("add {}", fmt::join(default_field(), ", ")));
  command->add_option("--games", o->round_robin.games, "games of each pairing, rounded up to whole pairs")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  add_clock(*command, o->clock);
  add_engine_patience(*command, o->common);
  command
      ->add_option("--opening-plies", o->round_robin.opening_plies,
                   "random safe gives and places before the players choose")
      ->check(CLI::Range(0, kMaxOpeningPlies))
      ->capture_default_str();
  command->add_option("--anchor", o->anchor,
                      "the player whose Elo is 0, or mean (default: oneply, else the player named first)");
  auto* out =
      command->add_option("--out", o->out, "keep the results in this file, pairing by pairing")->type_name("FILE");
  command->add_flag("--resume", o->resume, "go on with what --out holds; players may be added")->needs(out);
  command->add_option("--json", o->json, "write ratings and pairings to this file")->type_name("FILE");
  command->add_flag("--markdown", o->markdown, "print tables in Markdown");
  add_table_option(
      *command, o->common.table_mb,
      "memory for exact values: one table for 'perfect', 'perfect:any' and 'endgame:E:' together, one for each of "
      "'strangler' and 'solver' while they play");
  o->common.add_to(*command);
  o->sharing.add_to(*command);
  command->get_option("--store")->excludes("--clock");
  command->footer(
      "Every two players meet from the same openings, each opening twice with the seats swapped. May be interrupted:\n"
      "what was finished is rated, and kept with --out. docs/measuring.md explains the tables.\n"
      "\n"
      "Examples:\n"
      "  quartozero rate --net checkpoints/small --out ladder.json             the whole ladder, from random to "
      "perfect\n"
      "  quartozero rate --net checkpoints/small --out ladder.json --resume    go on after an interruption\n"
      "  quartozero rate random oneply lookahead:2 rollout:64 --games 200     a quick one, in seconds\n"
      "  quartozero rate oneply --net runs/a/best --net runs/b/best --simulations 32   with a fixed point\n"
      "  quartozero rate --net runs/a/best --markdown > ladder.md             to paste into a README\n"
      "  quartozero rate --net runs/a/best --out ladder.json --store redis://localhost  with workers elsewhere:\n"
      "  quartozero worker --store redis://this-host                          there, any number, at any time");
  command->callback([o] { run_rate(*o); });
}

}  // namespace quarto::app
