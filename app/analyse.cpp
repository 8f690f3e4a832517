// quartozero analyse: whole games, every move with its exact loss.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/measure.h"
#include "app/output_file.h"
#include "app/solving.h"
#include "app/table.h"
#include "base/file.h"
#include "base/json_library.h"
#include "base/progress.h"
#include "base/utf8.h"
#include "env/notation.h"
#include "eval/game_analysis.h"
#include "report/analysis_page.h"

namespace quarto::app {
namespace {

// Of more games than this only the mistakes are listed.
constexpr std::size_t kFewGames = 3;

struct AnalyseArguments {
  std::vector<std::string> games;
  std::string json, html;
  ExactOptions exact;
  double time_limit = 10;
  bool moves = false;
};

bool is_file(const std::string& argument) {
  std::error_code unknown;
  return std::filesystem::exists(argument, unknown);
}

// A square or a piece: moves that stand alone are one game together.
bool is_move(const std::string& word) { return word.size() == 1 || word.size() == 2; }

std::vector<PlayedGame> games_of(const AnalyseArguments& o, Rules rules) {
  std::vector<PlayedGame> games;
  std::string loose;
  const auto add = [&](const std::string& text, const std::string& origin) {
    for (PlayedGame& game : parse_games(text, origin, rules)) games.push_back(std::move(game));
  };
  const auto add_loose = [&] {
    if (!loose.empty()) add(loose, "command line");
    loose.clear();
  };
  for (const std::string& argument : o.games) {
    if (is_move(argument) && !is_file(argument) && argument != "-") {
      loose += (loose.empty() ? "" : " ") + argument;
      continue;
    }
    add_loose();
    if (argument == "-") {
      add(read_standard_input(), "standard input");
    } else if (is_file(argument) || argument.find(' ') == std::string::npos) {
      add(read_file(argument), argument);
    } else {
      add(argument, "command line");
    }
  }
  add_loose();
  return games;
}

// By the name as the games have it. The command of an engine is cut to the width of a title.
Titles titles_in(const std::vector<JudgedGame>& games) {
  Titles titles;
  for (const JudgedGame& judged : games) {
    for (const std::string& name : judged.game.players)
      titles[name] = names_engine(name) ? cut_to(name, kWidestTitle) : name;
  }
  return distinct(titles);
}

std::string player_of(const PlayedGame& game, int player, const Titles& titles) {
  const std::string& name = game.players[static_cast<std::size_t>(player)];
  return name.empty() ? player == 0 ? "gives first" : "places first" : titles.at(name);
}

std::string value_text(const std::optional<Value>& value) { return value ? to_string(*value) : "?"; }

void print_game(const JudgedGame& judged, bool all_moves, const Titles& titles) {
  TextTable table({"move", "", "by", "value", "after", "loss", "better"});
  table.add_rule();
  int number = 0, mistakes = 0, unsolved = 0;
  for (const JudgedMove& m : judged.moves) {
    ++number;
    mistakes += m.loss() > 0;
    unsolved += !m.value || !m.after;
    if (!all_moves && m.loss() == 0) continue;
    std::string better;
    for (const Move b : m.better()) better += (better.empty() ? "" : " ") + to_string(b);
    table.add(
        {std::to_string(number),
         fmt::format("{} {}", m.before.has_hand() ? to_string(m.before.hand()) + " on" : "gives", to_string(m.move)),
         player_of(judged.game, m.player, titles), value_text(m.value), value_text(m.after),
         m.loss() > 0 ? std::to_string(m.loss()) : "", better});
  }
  const PlayedGame& game = judged.game;
  const std::array players{player_of(game, 0, titles), player_of(game, 1, titles)};
  fmt::print("{}: {} against {}, {}, {}; {}{}\n", game.name, players[0], players[1],
             counted(judged.moves.size(), "move"), result_text(game.points_of_first, judged.result, players, game.note),
             counted(mistakes, "mistake"), unsolved > 0 ? fmt::format(", {} moves not solved", unsolved) : "");
  if (all_moves || mistakes > 0) fmt::print("\n{}\n", table.str());
}

void print_players(const std::vector<JudgedGame>& games, const Titles& titles) {
  TextTable table({"player", "games", "moves", "right %", "mistakes", "win to draw", "win to loss", "draw to loss"});
  table.add_rule();
  for (const PlayerMistakes& p : mistakes_of(games)) {
    const auto title = titles.find(p.name);  // of a nameless one, its seat
    table.add({title == titles.end() ? p.name : title->second, std::to_string(p.games), std::to_string(p.moves),
               p.judged > 0 ? fmt::format("{:.1f}", 100.0 * (p.judged - p.mistakes()) / p.judged) : "",
               std::to_string(p.mistakes()), std::to_string(p.win_to_draw), std::to_string(p.win_to_loss),
               std::to_string(p.draw_to_loss)});
  }
  fmt::print("\n{}", table.str());
}

void run_analyse(const AnalyseArguments& o) {
  require_output("--json", o.json, FileKind::json);
  require_output("--html", o.html, FileKind::html);
  const Rules rules = o.exact.parsed_rules();
  const std::vector<PlayedGame> games = games_of(o, rules);
  Solver solver = o.exact.solver();
  AnalysisOptions options;
  options.rules = rules;
  options.limits = SolveLimits::within(o.time_limit);
  options.limits.stop = &stop_on_interrupt();
  Progress progress("analysing", games.size(), "games");
  options.on_progress = [&](std::size_t done) { progress.update(done); };
  const std::vector<JudgedGame> judged = analyse_games(games, solver, options);
  progress.finish();
  const Titles titles = titles_in(judged);
  for (const JudgedGame& game : judged) print_game(game, o.moves || games.size() <= kFewGames, titles);
  if (!judged.empty()) print_players(judged, titles);
  nlohmann::json json = to_json(judged, rules);
  json["complete"] = judged.size() == games.size();
  if (!o.json.empty()) write_json(o.json, json);
  if (!o.html.empty()) write_file_atomic(o.html, render_analysis(json));
  if (judged.size() < games.size())
    throw Failed(fmt::format("stopped: {} of {} games were analysed", judged.size(), games.size()));
}

}  // namespace

void add_analyse(CLI::App& app) {
  auto o = std::make_shared<AnalyseArguments>();
  CLI::App* command =
      app.add_subcommand("analyse", "judge whole games by exact values: who blundered where, what was better");
  command
      ->add_option("GAME", o->games,
                   "moves (0 a1 7 c2 ...), a file with a game on each line (what match --out-games writes, or moves "
                   "alone), or - for standard input")
      ->required();
  command->add_flag("--moves", o->moves,
                    fmt::format("list every move; without it, of more than {} games only the mistakes", kFewGames));
  command->add_option("--json", o->json, "write every move with the values of all its alternatives to this file")
      ->type_name("FILE");
  command->add_option("--html", o->html, "write a page with a board for every mistake to this file")->type_name("FILE");
  add_time_limit_option(*command, o->time_limit, "time limit of one position");
  o->exact.add_to(*command);
  add_idle_seed(*command);
  command->footer(
      "A move's loss is what it gives away under perfect play: 1 for a draw that becomes a loss or a win that becomes "
      "a\n"
      "draw, 2 for a win that becomes a loss. Ctrl-C keeps the games that are finished.\n"
      "\n"
      "Examples:\n"
      "  quartozero analyse 0 a1 7 c2 9 b2 2 d4 1\n"
      "  quartozero match net:checkpoints/small@32 perfect --games 20 --out-games games.txt\n"
      "  quartozero analyse games.txt --html games.html --json games.json");
  command->callback([o] { run_analyse(*o); });
}

}  // namespace quarto::app
