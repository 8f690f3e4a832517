#include "app/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "app/solving.h"
#include "base/config.h"
#include "base/cores.h"
#include "base/option_limits.h"
#include "base/tell.h"
#include "cli/finite_range.h"
#include "data/suites.h"
#include "env/notation.h"
#include "model/evaluators.h"
#include "play/engine_player.h"
#include "play/levels.h"
#include "play/player.h"

namespace quarto::app {

namespace {

// What `read` throws is an error of the command line.
template <class Read>
CLI::Validator readable(const std::string& what, Read read) {
  return CLI::Validator(
      [read](std::string& text) -> std::string {
        try {
          (void)read(text);
          return {};
        } catch (const std::exception& e) {
          return e.what();
        }
      },
      what);
}

}  // namespace

CLI::Validator valid_player() {
  return readable("PLAYER", [](const std::string& name) {
    if (!names_level(name)) (void)parse_player(name);
    return true;
  });
}

std::string named_player(const std::string& name, Rules rules) {
  try {
    return without_level(name, rules);
  } catch (const PlayerError& e) {
    throw CLI::ValidationError(e.what());
  }
}

std::vector<std::string> named_players(const std::vector<std::string>& names, Rules rules) {
  std::vector<std::string> players;
  for (const std::string& name : names) {
    players.push_back(named_player(name, rules));
    if (players.back() != name) tell("{} is the player {}\n", name, players.back());
  }
  return players;
}

bool has_suites_or_says_so(Rules rules) {
  if (has_default_suites(rules)) return true;
  tell("there are no suites for the rules '{}' (docs/extending.md), so agreement is not measured\n", to_string(rules));
  return false;
}

void add_clock(CLI::App& command, std::string& clock) {
  command
      .add_option("--clock", clock,
                  "play by the clock: seconds of each player for a game, and what each decision adds; games are then "
                  "played one at a time, and a player without time left loses")
      ->type_name("SECONDS[+INCREMENT]")
      ->check(readable("CLOCK", parse_clock));
}

void add_engine_patience(CLI::App& command, CommonOptions& common) {
  command
      .add_option("--engine-patience", common.engine_patience,
                  "the most that engine:COMMAND may think about a move without a clock; then it has lost the game")
      ->type_name("SECONDS")
      ->check(FiniteRange(0.001, 86'400.0))
      ->capture_default_str();
}

Titles distinct(Titles titles, const std::set<std::string>& taken) {
  std::map<std::string, int> users;
  for (const std::string& title : taken) ++users[title];
  for (const auto& [name, title] : titles) ++users[title];
  for (auto& [name, title] : titles) {
    if (users[title] > 1) title = name;
  }
  return titles;
}

Titles require_engines(const std::vector<std::string>& players, const PlayerOptions& options,
                       const std::set<std::string>& taken) {
  Titles titles;
  for (const std::string& name : players) {
    titles[name] = name;
    const PlayerSpec inner = parse_inner_player(name);
    const auto* engine = std::get_if<spec::Engine>(&inner);
    if (!engine) continue;
    EnginePlayer player(name, engine->command, engine->simulations.value_or(-1), options);
    try {
      player.prepare();
    } catch (const PlayerFailed& e) {
      throw PlayerError(fmt::format("the player '{}' {}", e.player(), e.reason()));
    }
    const std::size_t around = name.rfind("engine", name.size() - engine->command.size() - 1);  // "endgame:9:" stays
    titles[name] = cut_to(player.title() == name ? name : name.substr(0, around) + player.title(), kWidestTitle);
  }
  return distinct(titles, taken);
}

std::vector<std::filesystem::path> named_suites(const std::vector<std::string>& names) {
  require_distinct("--suite: '{}'", names);
  return {names.begin(), names.end()};
}

std::string failure_text(const std::string& player, int games, const std::string& reason) {
  return fmt::format("{} lost {} {} because it failed; the first time it {}", player, games,
                     games == 1 ? "game" : "games", reason);
}

void add_search(CLI::App& command, std::vector<std::string>& changes) {
  command
      .add_option("--search", changes,
                  "change one key of the search, e.g. --search root=gumbel; may be repeated (the keys: search.* of\n"
                  "quartozero train CONFIG --print-config, whose values are those of self-play)")
      ->type_name("KEY=VALUE")
      ->take_all();
}

SearchConfig changed_search(const std::vector<std::string>& changes) {
  const SearchConfig search = search_with(changes);
  if (search.oracle_squares > 0)
    throw ConfigError("--search oracle_squares: agreement is measured without an oracle in the search");
  return search;
}

Rules CommonOptions::parsed_rules() const { return parse_rules(rules); }

PlayerOptions CommonOptions::players() const {
  PlayerOptions players;
  players.rules = parsed_rules();
  players.seed = seed;
  players.threads = threads;
  players.load = network_loader(device);
  players.table_bytes = table_mb << 20;
  players.engine_patience = std::chrono::milliseconds(std::llround(1000 * engine_patience));
  return players;
}

LoadedNetwork CommonOptions::load(const std::string& checkpoint) const {
  if (checkpoint == kUniformNetwork) return {std::make_shared<UniformEvaluator>(), parsed_rules(), {}};
  LoadedNetwork network = load_network_from(checkpoint, device);
  if (rules_option_ && rules_option_->count() > 0) require_rules(network, checkpoint, parsed_rules());
  if (const auto step = network.info.find("step"); step != network.info.end() && step->second == "0")
    tell("note: {}: these weights are untrained (step 0); a run's best weights are until its first evaluation\n",
         checkpoint);
  return network;
}

void CommonOptions::add_to(CLI::App& command) {
  threads = usable_cores();
  command.add_option("--seed", seed, "seed of all random numbers")->capture_default_str();
  command.add_option("--threads", threads, "worker threads (default: all cores)")->check(CLI::Range(1, kMostThreads));
  rules_option_ = add_rules_option(command, rules);
  command.add_option("--device", device, "where networks run: auto, cpu, cuda, cuda:N")->capture_default_str();
}

void CommonOptions::add_with_network_to(CLI::App& command) {
  add_to(command);
  command.get_option("--rules")->default_str("the network's");
}

}  // namespace quarto::app
