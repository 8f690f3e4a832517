// quartozero.match() and exploit(): players made of networks of the caller's, or named as the program names them.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <atomic>
#include <cmath>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/directory_lock.h"
#include "base/file.h"
#include "base/fnv.h"
#include "base/json_library.h"
#include "base/random.h"
#include "base/scratch_directory.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "eval/exploit.h"
#include "eval/match.h"
#include "light/load.h"
#include "play/player.h"
#include "python/bind.h"
#include "python/evaluator.h"
#include "solver/solver.h"

namespace quarto::python {
namespace {

using Networks = std::map<std::string, py::object>;  // by the NAME of net:NAME

// Players with networks of the caller's, all for the same rules.
class Makers {
 public:
  Makers(const Networks& networks, const std::string& rules, std::size_t table_bytes, int side_by_side) {
    options_.rules = parse_rules(rules);
    for (const auto& [name, network] : networks) {
      GivenEvaluator given = evaluator_of(network);
      if (given.rules != options_.rules)
        throw py::value_error("the network '" + name + "' is for the rules '" + to_string(given.rules) + "'");
      given_.emplace(name, std::move(given));
    }
    options_.load = [this](const std::filesystem::path& path) -> LoadedNetwork {
      const auto found = given_.find(path.string());
      if (found == given_.end()) throw PlayerError("net:" + path.string() + ": no network of this name was given");
      return {std::shared_ptr<Evaluator>(found->second.evaluator, [](Evaluator*) {}), found->second.rules};
    };
    options_.table_bytes = table_bytes;
    options_.batch = side_by_side;
  }
  Makers(const Makers&) = delete;
  Makers& operator=(const Makers&) = delete;

  std::unique_ptr<Player> make(const std::string& name, std::uint64_t seed) {
    PlayerOptions mine = options_;
    mine.seed = seed;
    try {
      return make_player(name, mine);
    } catch (const PlayerError& e) {
      throw py::value_error(e.what());
    }
  }
  Rules rules() const { return options_.rules; }
  const std::map<std::string, GivenEvaluator>& given() const { return given_; }

 private:
  std::map<std::string, GivenEvaluator> given_;
  PlayerOptions options_;
};

// A walk asks again: in other batches, and about images of what it has asked. A function that then says something else
// is no player that can be proven anything of.
void require_repeatable(Evaluator& evaluator, const std::string& name, Rules rules) {
  constexpr std::size_t kSample = 64;
  constexpr float kTolerance = 1e-3F;
  Rng rng(1);
  std::vector<Position> positions;
  while (positions.size() < kSample) positions.push_back(unfinished_position(rng, rules));
  std::vector<Evaluation> together(kSample), alone(kSample);
  evaluate(evaluator, positions, together);
  for (std::size_t i = 0; i < kSample; ++i) {
    evaluate(evaluator, {&positions[i], 1}, {&alone[i], 1});
    float most = std::abs(together[i].value() - alone[i].value());
    for (std::size_t m = 0; m < kMoves; ++m) most = std::max(most, std::abs(together[i].prior[m] - alone[i].prior[m]));
    if (most <= kTolerance) continue;
    throw py::value_error("'" + name + "' does not answer alike twice: in '" + to_string(positions[i]) +
                          "' a probability differs by " + std::to_string(most) + " between a batch of " +
                          std::to_string(kSample) + " and one of 1");
  }
}

// The fingerprint of some of a player's choices, which shows most changes of its weights.
std::string probe_of(Player& player, Rules rules) {
  constexpr std::size_t kSample = 256;
  Rng rng(2);
  std::vector<Position> positions;
  while (positions.size() < kSample) positions.push_back(unfinished_position(rng, rules));
  std::string moves;
  for (const Move move : player.choose(positions)) moves += static_cast<char>('a' + move.index);
  return std::to_string(fnv1a(moves));
}

void look_for_signals() {
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

std::string match_json(const std::string& a, const std::string& b, const Networks& networks, const std::string& rules,
                       int games, int opening_plies, int side_by_side, double table_mb, std::uint64_t seed,
                       const std::function<void(int, int)>& on_progress) {
  Makers makers(networks, rules, table_bytes_of(table_mb), side_by_side);
  const auto first = makers.make(a, player_seed(seed, true)), second = makers.make(b, player_seed(seed, false));
  MatchOptions options;
  options.games = games;
  options.opening_plies = opening_plies;
  options.rules = makers.rules();
  options.seed = seed;
  options.side_by_side = side_by_side;
  options.on_progress = [&](int done, std::uint64_t) {
    look_for_signals();
    const py::gil_scoped_acquire lock;
    if (on_progress) on_progress(done, games);
  };
  const py::gil_scoped_release others_may_run;
  return to_json(play_match(*first, *second, options)).dump();
}

std::string exploit_json(const std::string& name, const Networks& networks, const std::string& rules, int solve_squares,
                         std::optional<double> seconds, int side_by_side, double table_mb,
                         const std::optional<std::filesystem::path>& out, const std::string& fingerprint,
                         const std::function<void(int, int, std::uint64_t, std::uint64_t)>& on_progress) {
  Makers makers(networks, rules, table_bytes_of(table_mb), side_by_side);
  const auto player = makers.make(name, 0);
  if (!player->deterministic()) throw py::value_error("'" + name + "' chooses by chance or by the clock");
  ExploitOptions options;
  options.rules = makers.rules();
  options.solve_squares = solve_squares;
  options.exact_squares = player->exact_squares();
  options.portion = static_cast<std::size_t>(side_by_side);
  options.seconds = seconds.value_or(0);
  const auto behind = network_of(name);
  options.identity = behind && makers.given().contains(behind->path)
                         ? as_utf8(name + " " + proofs_of(name, {}) + " of Python, " + fingerprint)
                         : walk_identity(name, {}, "cpu");
  if (!out) {  // nobody goes on with it
    options.save_seconds = 1e9;
    options.flush = Flush::no;
  }
  // Ctrl-C and errors of the caller's end the walk as a stop does, which writes what is not yet written.
  std::atomic<bool> stop = false;
  std::exception_ptr thrown;
  options.stop = &stop;
  options.on_progress = [&](const ExploitOptions::Progress& now) {
    if (thrown) return;
    try {
      look_for_signals();
      const py::gil_scoped_acquire lock;
      if (on_progress) on_progress(now.seat, now.ply, now.positions, now.lost);
    } catch (...) {
      thrown = std::current_exception();
      stop = true;
    }
  };
  const Books books = books_of(py::bool_(true));
  const py::gil_scoped_release others_may_run;
  for (const auto& [network, given] : makers.given()) require_repeatable(*given.evaluator, network, given.rules);
  std::optional<ScratchDirectory> scratch;
  std::optional<DirectoryLock> lock;
  options.directory = out ? *out : scratch.emplace("exploit").path();
  if (out) {
    require_own_directory(*out, {"gives-first", "places-first"}, "a walk");
    make_directories(*out);
    lock.emplace(*out);
    options.probe = probe_of(*player, options.rules);
  }
  Solver solver({.table_bytes = table_bytes_of(table_mb), .threads = 1, .books = books});
  try {
    const ExploitResult result = exploit(*player, solver, options);
    if (!thrown) return to_json(result).dump();
  } catch (const ExploitError& e) {
    throw py::value_error(e.what());
  } catch (...) {
    if (!thrown) throw;
  }
  std::rethrow_exception(thrown);
}

// The line protocol on this process's standard input and output, with this network under this name.
void run_engine(const py::object& network, const std::string& name) {
  const GivenEvaluator given = evaluator_of(network);
  engine::Settings settings;
  settings.name = "quartozero with " + name;
  settings.network = name;
  settings.load = [&](const std::filesystem::path& path) -> LoadedNetwork {
    if (path != name) return load_light_network(path);
    return {std::shared_ptr<Evaluator>(given.evaluator, [](Evaluator*) {}), given.rules, {}};
  };
  const py::gil_scoped_release others_may_run;
  engine::run(std::cin, std::cout, settings);
}

}  // namespace

void bind_players(py::module_& m) {
  m.def("match_json", &match_json, py::arg("a"), py::arg("b"), py::kw_only(), py::arg("networks"), py::arg("rules"),
        py::arg("games"), py::arg("opening_plies"), py::arg("side_by_side"), py::arg("table_mb"), py::arg("seed"),
        py::arg("on_progress"));
  m.def("exploit_json", &exploit_json, py::arg("player"), py::kw_only(), py::arg("networks"), py::arg("rules"),
        py::arg("solve_squares"), py::arg("seconds"), py::arg("side_by_side"), py::arg("table_mb"), py::arg("out"),
        py::arg("fingerprint"), py::arg("on_progress"));
  m.def("run_engine", &run_engine, py::arg("network"), py::arg("name"));
}

}  // namespace quarto::python
