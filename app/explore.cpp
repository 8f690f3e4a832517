// quartozero explore: the opening explorer.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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
#include "data/suites.h"
#include "env/notation.h"
#include "eval/opening_explorer.h"

namespace quarto::app {
namespace {

struct ExploreArguments {
  std::vector<std::string> words, games, suites;
  std::string json;
  ExactOptions exact;
  double time_limit = 60;
};

// "0 a1 7", or "..../2F.A/E9../.8B3 - C c2": moves from the empty board, or from the position that comes first.
Position position_of(const std::vector<std::string>& words, Rules rules) {
  std::vector<std::string> all;
  for (const std::string& word : words) {
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t end = std::min(word.find(' ', at), word.size());
      if (end > at) all.push_back(word.substr(at, end - at));
      at = end + 1;
    }
  }
  Position position(rules);
  std::size_t next = 0;
  if (!all.empty() && all[0].find('/') != std::string::npos) {
    position = parse_with_caret(all[0] + (all.size() > 1 ? " " + all[1] : ""), rules);
    next = 2;
  }
  for (; next < all.size(); ++next) {
    const auto refuse = [&](const std::string& why) {
      throw std::runtime_error(fmt::format("move '{}' in '{}': {}", all[next], to_string(position), why));
    };
    if (position.is_terminal()) refuse("the game is over");
    try {
      const Move move = parse_move(all[next], position.phase());
      if ((position.legal_moves() >> move.index & 1) == 0)
        refuse(position.has_hand() ? "the square is taken" : "the piece is not there any more");
      position = position.after(move);
    } catch (const NotationError& e) {
      refuse(e.what());
    }
  }
  return position;
}

std::vector<std::string> names(const std::vector<Move>& moves) {
  std::vector<std::string> names;
  for (const Move m : moves) names.push_back(to_string(m));
  return names;
}

std::string points_percent(const PlayedCount& played) {
  return played.scored == 0 ? "" : fmt::format("{:.1f}", 100 * played.points / static_cast<double>(played.scored));
}

void run_explore(const ExploreArguments& o) {
  require_output("--json", o.json, FileKind::json);
  const Rules rules = o.exact.parsed_rules();
  const Position position = position_of(o.words, rules);
  OpeningStatistics statistics;
  std::size_t games = 0;
  for (const std::string& file : o.games) {
    const std::vector<PlayedGame> read = parse_games(read_file(file), file, rules);
    games += read.size();
    statistics.add(read, rules);
  }
  const std::vector<std::filesystem::path> suites = named_suites(o.suites);
  for (const Suite& suite : read_suites(suites, rules)) statistics.add(suite);
  Solver solver = o.exact.solver();
  SolveLimits limits = SolveLimits::within(o.time_limit);
  limits.stop = &stop_on_interrupt();
  std::vector<ExploredMove> moves;
  with_progress("solving " + to_string(position), solver, limits, 0,
                [&](const SolveLimits& l) { moves = explore(position, statistics, solver, l); });

  fmt::print("{}\n", to_string(position));
  if (moves.empty()) {
    fmt::print("The game is over: {}.\n", position.is_won() ? "there is a quarto" : "the board is full");
  } else {
    std::vector<std::string> header = {position.has_hand() ? "place " + to_string(position.hand()) + " on" : "give",
                                       "value"};
    if (!o.games.empty()) header.insert(header.end(), {"games", "points %"});
    if (!o.suites.empty()) header.emplace_back("in suites");
    TextTable table(header);
    table.add_rule();
    for (const ExploredMove& m : moves) {
      std::vector<std::string> row = {fmt::format("{}", fmt::join(names(m.moves), " ")),
                                      m.value ? to_string(*m.value) : "?"};
      if (!o.games.empty()) row.insert(row.end(), {std::to_string(m.played.games), points_percent(m.played)});
      if (!o.suites.empty()) row.push_back(std::to_string(m.in_suites));
      table.add(std::move(row));
    }
    fmt::print("\n{}", table.str());
  }
  if (!o.games.empty()) fmt::print("\nof {} games\n", games);
  if (!o.json.empty()) {
    nlohmann::json list = nlohmann::json::array();
    for (const ExploredMove& m : moves) {
      list.push_back({{"moves", names(m.moves)},
                      {"value", m.value ? nlohmann::json(static_cast<int>(*m.value)) : nlohmann::json()},
                      {"games", m.played.games},
                      {"scored", m.played.scored},
                      {"points", m.played.points},
                      {"in_suites", m.in_suites}});
    }
    const nlohmann::json json = {
        {"position", to_string(position)}, {"rules", o.exact.rules}, {"games", games}, {"moves", list}};
    write_json(o.json, json);
  }
  const bool unsolved = std::any_of(moves.begin(), moves.end(), [](const ExploredMove& m) { return !m.value; });
  if (unsolved && was_interrupted()) throw Failed("stopped: some moves were not solved");
  if (unsolved) throw Failed(fmt::format("some moves were not solved in {} s; --time-limit gives more", o.time_limit));
}

}  // namespace

void add_explore(CLI::App& app) {
  auto o = std::make_shared<ExploreArguments>();
  CLI::App* command = app.add_subcommand(
      "explore", "explore openings: what each move of a position is worth, and how often it was played");
  command->add_option(
      "MOVES", o->words,
      "moves from the empty board (0 a1 7), or a position, and moves from it; nothing: the empty board");
  command
      ->add_option(
          "--games", o->games,
          "count the games of this file (what match --out-games writes, or a game on each line); may be repeated")
      ->type_name("FILE")
      ->take_all();
  command->add_option("--suite", o->suites, "count the positions of this suite; may be repeated")
      ->type_name("FILE")
      ->take_all();
  command->add_option("--json", o->json, "write the table to this file")->type_name("FILE");
  add_time_limit_option(*command, o->time_limit, "time limit of the search for exact values");
  o->exact.add_to(*command);
  add_idle_seed(*command);
  command->footer(
      "Moves that lead to images of the same position under the game's symmetries stand on one line. Early positions "
      "are\n"
      "in the opening book (--book); positions count however a game reached them. 'points %' is for whoever moves.\n"
      "\n"
      "Examples:\n"
      "  quartozero explore\n"
      "  quartozero explore 0 a1 7\n"
      "  quartozero match net:checkpoints/small@32 perfect --games 20 --opening-plies 0 --out-games games.txt\n"
      "  quartozero explore 0 a1 --games games.txt --suite eval/suites/deep.tsv");
  command->callback([o] { run_explore(*o); });
}

}  // namespace quarto::app
