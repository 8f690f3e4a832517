// quartozero solve: exact values of positions, and of whole suites.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/output_file.h"
#include "app/solving.h"
#include "base/clock.h"
#include "base/json_library.h"
#include "base/progress.h"
#include "base/stride.h"
#include "base/tell.h"
#include "data/suites.h"
#include "env/notation.h"
#include "solver/solver.h"

namespace quarto::app {
namespace {

struct SolveOptions {
  std::string position, suite;
  bool moves = false, json = false;
  ExactOptions exact;
  double time_limit = 0;
};

constexpr int kWrongShown = 20;

// Ctrl-C ends the search, and what is known is printed.
SolveLimits limits_of(const SolveOptions& options) {
  SolveLimits limits = SolveLimits::within(options.time_limit);
  limits.stop = &stop_on_interrupt();
  return limits;
}

Failed not_solved(const SolveOptions& options) {
  if (was_interrupted()) return Failed("stopped: what had not been found is missing above");
  return Failed(fmt::format("not solved within {} s", options.time_limit));
}

nlohmann::json json_of(std::optional<Value> value) {
  return value ? nlohmann::json(static_cast<int>(*value)) : nlohmann::json(nullptr);
}

std::string text_of(std::optional<Value> value) { return value ? to_string(*value) : "not solved"; }

// "win in 3", "draw"; "loss" alone where the time did not suffice for the number.
std::string text_of(std::optional<Value> value, std::optional<int> placements) {
  return text_of(value) + (placements ? fmt::format(" in {}", *placements) : "");
}
nlohmann::json json_of(std::optional<int> number) { return number ? nlohmann::json(*number) : nlohmann::json(nullptr); }

// Legal moves, best first: the shortest win, the longest loss; unsolved ones last.
std::vector<Move> best_first(const Position& position, const MoveSolution& solution, const MoveDistances& distances) {
  std::vector<Move> moves;
  for (const Move m : position.moves()) moves.push_back(m);
  constexpr int kUnknown = kSquares + 1;  // further than any that is known
  const auto rank = [&](Move m) {
    const int value = solution.values[m.index] ? static_cast<int>(*solution.values[m.index]) : -2;
    return std::pair(value, -value * distances.placements[m.index].value_or(kUnknown));
  };
  std::stable_sort(moves.begin(), moves.end(), [&rank](Move a, Move b) { return rank(a) > rank(b); });
  return moves;
}

void solve_position(const SolveOptions& options) {
  const Position position = parse_with_caret(options.position, options.exact.parsed_rules());
  Solver solver = options.exact.solver();
  const SolveLimits limits = limits_of(options);
  MoveSolution solution;
  MoveDistances distances;
  if (options.moves) {
    with_progress("solving", solver, limits, 0, [&](const SolveLimits& l) {
      std::tie(solution, distances) = solve_with_distances(solver, position, l);
    });
  } else {
    Solution only;
    with_progress("solving", solver, limits, 0, [&](const SolveLimits& l) { only = solver.solve(position, l); });
    solution.value = only.value;
    solution.stats = only.stats;
  }
  const std::vector<Move> moves = best_first(position, solution, distances);
  bool solved = solution.value.has_value();
  if (options.moves) {
    for (const Move m : moves) solved = solved && solution.values[m.index];
  }

  if (options.json) {
    nlohmann::ordered_json report;
    report["position"] = to_string(position);
    report["phase"] = to_string(position.phase());
    report["over"] = position.is_terminal();
    report["value"] = json_of(solution.value);
    if (options.moves) {
      report["ends_in"] = json_of(distances.best);
      report["moves"] = nlohmann::ordered_json::object();
      report["placements"] = nlohmann::ordered_json::object();
      for (const Move m : moves) {
        report["moves"][to_string(m)] = json_of(solution.values[m.index]);
        report["placements"][to_string(m)] = json_of(distances.placements[m.index]);
      }
    }
    report["nodes"] = solution.stats.nodes + distances.stats.nodes;
    report["seconds"] = solution.stats.seconds + distances.stats.seconds;
    print_json(report);
  } else {
    if (position.is_terminal()) {
      fmt::print("the game is over: {}\n", position.is_won() ? "a line is complete, and whoever placed last has won"
                                                             : "the board is full without a winner");
    }
    fmt::print("{:5}  {}\n", "value", text_of(solution.value, distances.best));
    if (options.moves) {
      for (const Move m : moves) {
        fmt::print("{:5}  {}\n", to_string(m), text_of(solution.values[m.index], distances.placements[m.index]));
      }
    }
  }
  std::fflush(stdout);
  if (was_interrupted() && (!solved || !distances.complete)) throw not_solved(options);
  if (solved && !distances.complete) {
    tell("{} s did not suffice to find in how many placements every move ends: those without a number take longer\n",
         options.time_limit);
  }
  if (!solved) throw not_solved(options);
}

// The results of checking a suite.
struct Tally {
  std::string file;
  std::size_t positions = 0, moves = 0, wrong = 0, unsolved = 0;

  // Counts one value and reports it if it is wrong; `move` is empty for the position's own value.
  void check(const SuiteEntry& entry, const std::string& move, Value expected, std::optional<Value> found) {
    if (!found) {
      ++unsolved;
      return;
    }
    if (*found == expected) return;
    if (wrong++ < kWrongShown) {
      tell("{}:{}: {}: {}found {}, the suite has {}\n", file, entry.line, to_string(entry.position),
           move.empty() ? "" : "move " + move + ": ", to_string(*found), to_string(expected));
    }
  }
};

void solve_suite(const SolveOptions& options) {
  const Suite suite = read_suite(options.suite, options.exact.parsed_rules());
  Solver solver = options.exact.solver();
  const auto start = std::chrono::steady_clock::now();
  Tally tally{options.suite};
  {
    Progress progress("checking " + suite.name, suite.entries.size(), "positions");
    const std::size_t stride = spreading_stride(suite.entries.size());
    for (std::size_t i = 0, at = 0; i < suite.entries.size(); ++i, at = (at + stride) % suite.entries.size()) {
      const SuiteEntry& entry = suite.entries[at];
      const MoveSolution solution = solver.solve_moves(entry.position, limits_of(options));
      if (was_interrupted()) break;
      ++tally.positions;
      tally.check(entry, "", entry.value, solution.value);
      for (const Move move : entry.position.moves()) {
        ++tally.moves;
        tally.check(entry, to_string(move), *entry.moves[move.index], solution.values[move.index]);
      }
      progress.update(tally.positions, tally.wrong > 0 ? fmt::format("{} wrong", tally.wrong) : "");
    }
  }
  const double seconds = seconds_since(start);
  if (tally.wrong > kWrongShown) tell("... and {} more\n", tally.wrong - kWrongShown);
  if (options.json) {
    const nlohmann::ordered_json report = {{"suite", suite.name},  {"positions", tally.positions},
                                           {"moves", tally.moves}, {"wrong", tally.wrong},
                                           {"seconds", seconds},   {"unsolved", tally.unsolved}};
    print_json(report);
  } else {
    fmt::print("{} positions, {} moves, {} wrong\n", tally.positions, tally.moves, tally.wrong);
  }
  std::fflush(stdout);
  // Wrong values first: values of other rules explain them, and a busy machine leaves some unsolved as well.
  if (tally.wrong > 0) require_values(suite, options.suite, options.exact.parsed_rules());
  if (was_interrupted())
    throw Failed(fmt::format("stopped after {} of {} positions", tally.positions, suite.entries.size()));
  if (tally.unsolved > 0) {
    throw Failed(fmt::format("{} values not solved within {} s a position", tally.unsolved, options.time_limit));
  }
  if (tally.wrong > 0) throw Failed("");
}

}  // namespace

void add_solve(CLI::App& app) {
  auto options = std::make_shared<SolveOptions>();
  CLI::App* command =
      app.add_subcommand("solve", "find the exact value of a position and of its moves, under perfect play");
  command->footer(
      "A position is four rows, row 1 first, joined by '/', '.' for an empty square; a blank; and the piece in hand,\n"
      "or '-' if a piece is to be given. A piece is a hex digit: 1 dark, 2 tall, 4 round, 8 solid, added up. The "
      "value\n"
      "is for the player to act, who places the piece in hand or else gives one. Early positions are in the opening\n"
      "book, and all others take a fraction of a second; with --rules squares a few seconds at worst. --moves says in\n"
      "how many placements a move wins or loses when the winner hurries and the loser delays: those of both players "
      "from\n"
      "now on, this move and the last one included, gives not counted. That takes up to ten seconds with 12 squares "
      "empty.\n"
      "\n"
      "Examples:\n"
      "  quartozero solve \"..../2F.A/E9../.8B3 -\"                    is this a win for whoever gives now?\n"
      "  quartozero solve \"..../2F.A/E9../.8B3 -\" --moves            every piece that could be given, best first\n"
      "  quartozero solve \"..../2F.A/E9../.8B3 6\" --moves --json     every square for piece 6, for programs\n"
      "  quartozero solve \"..../..../..../...0 1\" --book none --time-limit 60     by search alone, for a minute at "
      "most\n"
      "  quartozero solve --suite eval/suites/deep.tsv               check a file of positions with known values\n"
      "\n"
      "Exit status: 0 solved (and no value of the suite wrong), 1 not solved in time, wrong values or bad input,\n"
      "2 the command line was wrong.");
  auto* position = command->add_option("POSITION", options->position, "position to solve, in quotes");
  auto* suite = command->add_option("--suite", options->suite, "check every value and every move of this suite instead")
                    ->type_name("FILE")
                    ->excludes(position);
  command
      ->add_flag("--moves", options->moves,
                 "also the value of every legal move and its distance from the end, best first")
      ->excludes(suite);
  command->add_flag("--json", options->json, "one line of JSON instead of text");
  options->exact.add_to(*command);
  add_time_limit_option(*command, options->time_limit, "time limit per position");
  add_idle_seed(*command);
  command->callback([options] {
    if (options->suite.empty() && options->position.empty()) {
      throw CLI::RequiredError("solve: a position or --suite FILE");
    }
    options->suite.empty() ? solve_position(*options) : solve_suite(*options);
  });
}

}  // namespace quarto::app
