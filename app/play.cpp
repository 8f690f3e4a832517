#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "app/commands.h"
#include "app/measure.h"
#include "app/session.h"
#include "app/solving.h"
#include "cli/finite_range.h"
#include "env/notation.h"
#include "light/load.h"
#include "model/evaluators.h"
#include "play/levels.h"
#include "play/shipped_networks.h"
#include "solver/book.h"

namespace quarto::app {
namespace {

struct PlayArguments {
  std::string opponent, level = "strong", first = "me", colour = "auto";
  std::optional<std::string> position{};
  double analysis_seconds = 10;
  bool ascii = false;
  CommonOptions common;
};

// An invalid position is an error of the command line.
Position start_position(const std::string& text, Rules rules) {
  try {
    const Position start = parse_position(text, rules);
    if (start.is_terminal()) throw CLI::ValidationError("--position", "that game is over: " + text);
    return start;
  } catch (const NotationError& e) {
    throw CLI::ValidationError("--position", with_caret(e, text));
  }
}

// The network that gives hints under these rules; null: no shipped one knows them.
std::shared_ptr<Evaluator> adviser_for(Rules rules) {
  const auto file = shipped_network(rules);
  return file ? load_light_network(*file).evaluator : nullptr;
}

void run_play(const PlayArguments& o) {
  const Rules rules = o.common.parsed_rules();
  SessionOptions session;
  session.start = Position(rules);
  if (o.position) session.start = start_position(*o.position, rules);
  session.user_first = o.first == "me";
  session.analysis_time = std::chrono::milliseconds(static_cast<long long>(o.analysis_seconds * 1000));
  session.solver = {.table_bytes = o.common.table_mb << 20, .threads = o.common.threads, .books = Books::shipped()};
  session.style = default_style();
  if (o.ascii) session.style.unicode = false;
  if (o.colour != "auto") session.style.colour = o.colour == "always";

  const PlayerOptions player = o.common.players();
  session.adviser = adviser_for(rules);
  const std::string& asked = o.opponent.empty() ? o.level : o.opponent;
  const std::string opponent = named_player(asked, rules);
  const Titles titles = require_engines({opponent}, player);
  session.opponent = opponent == asked ? titles.at(opponent) : asked;
  Session(make_player(opponent, player), session, std::cin, std::cout).run();
}

}  // namespace

void add_play(CLI::App& app) {
  auto o = std::make_shared<PlayArguments>();
  CLI::App* command = app.add_subcommand("play", "play a game at the terminal");
  CLI::Option* level =
      command->add_option("--level", o->level,
                          fmt::format("how strong the opponent is, from the weakest to the strongest: {}",
                                      fmt::join(level_names(Rules::lines), ", ")));
  level->check(CLI::IsMember(level_names(Rules::lines)))->capture_default_str();
  command->add_option("--opponent", o->opponent, "a player by its name: " + player_names())
      ->check(valid_player())
      ->excludes(level);
  command->add_option("--first", o->first, "who acts first")
      ->check(CLI::IsMember({"me", "opponent"}))
      ->capture_default_str();
  command->add_option("--position", o->position, "start from here, e.g. \"..../2F.A/E9../.8B3 -\"");
  command->add_option("--analysis-seconds", o->analysis_seconds, "most time for a hint or an analysis")
      ->check(FiniteRange(0.01, 1e6))
      ->capture_default_str();
  add_engine_patience(*command, o->common);
  add_table_option(*command, o->common.table_mb, "memory for exact values");
  command->add_flag("--ascii", o->ascii, "draw without Unicode");
  command->add_option("--color,--colour", o->colour, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  o->common.add_to(*command);
  command->footer(
      "Examples:\n"
      "  quartozero play\n"
      "  quartozero play --level beginner\n"
      "  quartozero play --opponent net:runs/a/checkpoint@200 --first opponent\n"
      "During a game, `help` lists the commands. docs/web.md describes the levels.");
  command->callback([o] { run_play(*o); });
}

}  // namespace quarto::app
