// The common options, defaults and messages of the commands that measure and play.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "env/network_loader.h"
#include "env/rules.h"
#include "mcts/config.h"
#include "play/player.h"

namespace quarto::app {

// --seed, --threads, --device, --rules
struct CommonOptions {
  std::uint64_t seed = 0;
  int threads = 1;
  std::string device = "auto";
  std::string rules = "lines";
  // Of commands that have options for them.
  std::size_t table_mb = PlayerOptions{}.table_bytes >> 20;
  double engine_patience = std::chrono::duration<double>(PlayerOptions{}.engine_patience).count();

  Rules parsed_rules() const;
  // The network of this checkpoint, or without one ("uniform") an evaluator that knows nothing. Its rules are those it
  // was trained for, which --rules may name but not change. Throws NetworkMismatch, and what load_network_from()
  // throws.
  LoadedNetwork load(const std::string& checkpoint) const;
  PlayerOptions players() const;  // by name
  void add_to(CLI::App& command);
  // The same for commands that measure one network, whose rules are the default.
  void add_with_network_to(CLI::App& command);

 private:
  const CLI::Option* rules_option_ = nullptr;
};

// Whether there are suites to measure agreement on by default. If a rule set has none, a line on standard error says
// that agreement is not measured.
bool has_suites_or_says_so(Rules rules);

// Throws CLI::ValidationError unless the values differ, since figures are told apart by them. `option` is a format:
// "--simulations: {}" says "--simulations: 8 is named twice".
template <class Value>
void require_distinct(const std::string& option, const std::vector<Value>& values) {
  for (auto value = values.begin(); value != values.end(); ++value) {
    if (std::find(values.begin(), value, *value) != value)
      throw CLI::ValidationError(fmt::format("{} is named twice", fmt::format(fmt::runtime(option), *value)));
  }
}
// The files of --suite, which must differ.
std::vector<std::filesystem::path> named_suites(const std::vector<std::string>& names);

// --clock SECONDS[+INCREMENT] (play/clock.h). Invalid text is an error of the command line.
void add_clock(CLI::App& command, std::string& clock);

// --engine-patience SECONDS: the most for a decision of engine:COMMAND without a clock.
void add_engine_patience(CLI::App& command, CommonOptions& common);

// What to call players where people read it, by their names.
using Titles = std::map<std::string, std::string>;
// In characters; longer ones are cut.
inline constexpr std::size_t kWidestTitle = 40;
// The same, but players that would share a title, with each other or with what else is `taken`, have their names.
Titles distinct(Titles titles, const std::set<std::string>& taken = {});
// Adds "titles": {NAME: TITLE} with those that are not the name.
template <class Json>
void add_titles(Json& json, const Titles& titles) {
  for (const auto& [name, title] : titles) {
    if (title != name) json["titles"][as_utf8(name)] = title;
  }
}

// Starts every engine among these players once, so that a wrong command is an error before hours of games. The result
// has all players: an engine has the name that its program gives, others have their own. Throws PlayerError, which
// names the engine and what it did.
Titles require_engines(const std::vector<std::string>& players, const PlayerOptions& options,
                       const std::set<std::string>& taken = {});

// "engine:a lost 3 games because it failed; the first time it ended with status 1".
std::string failure_text(const std::string& player, int games, const std::string& reason);

// --search KEY=VALUE, for commands that measure a search against exact values.
void add_search(CLI::App& command, std::vector<std::string>& changes);
// The default search with these changes. Throws ConfigError for what is no setting of the search, and for an oracle in
// the search: it would be measured against itself.
SearchConfig changed_search(const std::vector<std::string>& changes);

// For options whose value is a player's name: an unknown name is an error of the command line.
CLI::Validator valid_player();
// What such an option names under these rules: without_level(). A level that these rules do not have is an error of the
// command line.
std::string named_player(const std::string& name, Rules rules);
// The same of several; a line on standard error says who the levels are.
std::vector<std::string> named_players(const std::vector<std::string>& names, Rules rules);

}  // namespace quarto::app
