// Every player by name: one row each, with the form of its name, what it does, how its name is read, how long a move
// takes, and how it is made.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <type_traits>

#include "base/assign.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/random.h"
#include "base/shipped.h"
#include "env/notation.h"
#include "env/one_ply.h"
#include "light/load.h"
#include "play/careless.h"
#include "play/endgame.h"
#include "play/engine_player.h"
#include "play/levels.h"
#include "play/makers.h"
#include "play/perfect.h"
#include "play/shipped_networks.h"
#include "play/think.h"
#include "play/timed_solver.h"
#include "solver/prover.h"

namespace quarto {
namespace {

constexpr int kMaxNumber = 100'000'000;
// As many gives and places as a game has.
constexpr int kMaxPlies = 2 * kSquares;
// endgame:E: and careless:P: around one player. More would change nothing.
constexpr int kMostAround = 8;

// What follows a player's own word in its name.
struct Rest {
  const std::string& name;  // all of it, for messages
  char separator;           // ':' or '@'; 0: nothing follows
  std::string_view text;
  int around;  // players around this one

  PlayerError error(const std::string& what) const { return PlayerError(fmt::format("player '{}': {}", name, what)); }
  int count(std::string_view digits, int least, int most = kMaxNumber) const {
    if (const auto n = number_from<int>(digits); n && *n >= least && *n <= most) return *n;
    throw error(fmt::format("expected a whole number from {} to {} in place of '{}'", least, most, digits));
  }
  int count(int least, int most = kMaxNumber) const { return count(text, least, most); }
  // "N" or "N:K".
  spec::Search search(std::string_view numbers, int least) const {
    const auto colon = numbers.find(':');
    spec::Search search{count(numbers.substr(0, colon), least, kMostSimulations)};
    if (colon != numbers.npos) search.proof_nodes = count(numbers.substr(colon + 1), 0, kMostProofNodes);
    return search;
  }
};

// A name that no file can have is that of none.
bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

bool digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "20000,safe=1,traps=0": a number alone, which can only come first, is the nodes.
spec::Strangler read_strangler(const Rest& rest) {
  StranglerOptions options;
  std::set<std::string> seen;
  std::string_view settings = rest.text;
  for (bool more = rest.separator != 0; more;) {
    const auto comma = settings.find(',');
    std::string setting(settings.substr(0, comma));
    if (seen.empty() && setting.find('=') == std::string::npos)
      setting = fmt::format("nodes={}", rest.count(setting, 1));
    try {
      config::set(setting, config::visitor_of(options));
    } catch (const ConfigError& e) {
      // The message speaks of an option --set, which is not how this was written.
      const std::string what = e.what(), origin = "--set " + setting + ": ";
      throw rest.error(what.substr(what.starts_with(origin) ? origin.size() : 0));
    }
    const std::string key = setting.substr(0, setting.find('='));
    if (!seen.insert(key).second) throw rest.error(key + " is set twice");
    more = comma != settings.npos;
    if (more) settings.remove_prefix(comma + 1);
  }
  if (options.safe == 0 && options.traps == 0)
    throw rest.error("safe and traps are both 0, which makes all moves alike");
  return {options};
}

spec::Network read_network(const Rest& rest, bool light, std::string_view before = "") {
  spec::Network network{std::string(rest.text), {}, light};
  std::string& path = network.path;
  // A path may hold an '@' itself; a number of simulations has only digits after the last one.
  const auto at = path.rfind('@');
  const std::string search = at == path.npos ? "" : path.substr(at + 1);
  if (digits(search.substr(0, search.find(':'))) && search.find('/') == search.npos) {
    network.search = rest.search(search, 0);
    path.resize(at);
  } else if (at != path.npos && !exists(path) && exists(path.substr(0, at))) {
    throw rest.error(fmt::format("'{}' after '@' is no number of simulations", search));
  }
  if (path.empty()) throw rest.error("a path is missing after the colon");
  path.insert(0, before);
  return network;
}

spec::Engine read_engine(const Rest& rest) {
  spec::Engine engine;
  const auto colon = rest.separator == '@' ? rest.text.find(':') : 0;
  if (rest.separator == '@') engine.simulations = rest.count(rest.text.substr(0, colon), 0);
  if (rest.separator == ':')
    engine.command = rest.text;
  else if (colon != rest.text.npos)
    engine.command = rest.text.substr(colon + 1);
  if (engine.command.find_first_not_of(" \t") == std::string::npos) {
    throw rest.error(
        "expected the command that starts the engine after the colon, e.g. "
        "'engine:python3 examples/engine/adapter.py'");
  }
  if (engine.command.find_first_of("\n\r") != std::string::npos)
    throw PlayerError("the command of an engine must be one line");
  return engine;
}

PlayerSpec parse(const std::string& name, int around);

// What may follow the number of a player around another.
struct AroundOption {
  std::string_view word;
  bool given = false;
};

// The number, from 1 to `most`, and the name of the player within.
std::pair<int, std::string> read_around(const Rest& rest, int most, const char* example,
                                        AroundOption* option = nullptr) {
  if (rest.around >= kMostAround)
    throw PlayerError(fmt::format("more than {} players around one another", kMostAround));
  const auto colon = rest.text.find(':');
  std::string_view digits = rest.text.substr(0, colon);
  if (option && digits.ends_with(option->word)) {
    digits.remove_suffix(option->word.size());
    option->given = true;
  }
  const int number = rest.count(digits, 1, most);
  if (colon == rest.text.npos || colon + 1 == rest.text.size())
    throw rest.error(fmt::format("expected another player after the number, e.g. {}", example));
  std::string other(rest.text.substr(colon + 1));
  parse(other, rest.around + 1);  // throws
  return {number, other};
}

// With the proofs that the name has.
PlayerOptions searching(PlayerOptions options, const spec::Search& search) {
  options.search.proof_nodes = search.proof_nodes.value_or(options.search.proof_nodes);
  return options;
}

std::unique_ptr<Player> make_network(const spec::Network& s, const std::string& name, const PlayerOptions& options) {
  const LoadedNetwork network = s.light || !options.load ? load_light_network(s.path) : options.load(s.path);
  require_rules(network, s.path, options.rules);
  return make_network_player(name, network.evaluator, s.search.simulations, searching(options, s.search));
}

std::unique_ptr<Player> make_endgame(const spec::Endgame& s, const std::string& name, PlayerOptions options) {
  // By the clock the other player goes on solving what this one has not solved in its share of the time.
  if (!options.exact_memory) options.exact_memory = std::make_shared<ExactMemory>(options);
  options.clock_solver = {options.exact_memory, &options.exact_memory->solver};
  return std::make_unique<EndgamePlayer>(name, make_player(s.player, options), s.squares, s.sharp, options);
}

struct Row {
  std::string_view word;        // with which its names begin
  std::string_view separators;  // what may follow the word
  std::string_view arguments;   // for help texts; in brackets what may be left out
  std::string_view help;
  std::size_t spec;  // PlayerSpec::index()
  std::function<PlayerSpec(const Rest&)> read;
  std::function<double(const PlayerSpec&)> seconds;  // guess_seconds()
  std::function<std::unique_ptr<Player>(const PlayerSpec&, const std::string& name, const PlayerOptions&)> make;

  bool stands_alone() const { return arguments.empty() || (arguments.front() == '[' && arguments.back() == ']'); }
  // Its name without what may be left out.
  std::string shortest() const {
    std::string text(word);
    int depth = 0;
    for (const char c : arguments) {
      depth += c == '[';
      if (depth == 0) text += c;
      depth -= c == ']';
    }
    return text;
  }
};

template <class Read, class Seconds, class Make>
Row row(std::string_view word, std::string_view separators, std::string_view arguments, std::string_view help,
        Read read, Seconds seconds, Make make) {
  using Spec = std::invoke_result_t<Read, const Rest&>;
  return {word,
          separators,
          arguments,
          help,
          PlayerSpec(Spec{}).index(),
          read,
          [seconds](const PlayerSpec& s) { return seconds(std::get<Spec>(s)); },
          [make](const PlayerSpec& s, const std::string& name, const PlayerOptions& options) {
            return make(std::get<Spec>(s), name, options);
          }};
}

const std::vector<Row>& rows() {
  using Options = const PlayerOptions&;
  using Name = const std::string&;
  const auto network_seconds = [](const spec::Network& s) { return 3e-5 * (s.search.simulations + 1); };
  static const std::vector<Row> all = {
      row(
          "random", "", "", "any legal move", [](const Rest&) { return spec::Random{}; },
          [](const spec::Random&) { return 1e-6; },
          [](const spec::Random&, Name name, Options o) {
            return make_chance_player(
                name, [](const Position& p) { return p.legal_moves(); }, o.seed);
          }),
      row(
          "oneply", "", "", "wins if it can, never gives a loser if it need not, otherwise at random",
          [](const Rest&) { return spec::OnePly{}; }, [](const spec::OnePly&) { return 1e-6; },
          [](const spec::OnePly&, Name name, Options o) {
            return make_chance_player(
                name, [](const Position& p) { return one_ply_moves(p); }, o.seed);
          }),
      row(
          "lookahead", ":", ":N", "plain search of N gives and places, blind beyond them",
          [](const Rest& rest) { return spec::Lookahead{rest.count(1, kMaxPlies)}; },
          [](const spec::Lookahead& s) { return std::min(10.0, 1e-7 * std::pow(7, s.plies)); },
          [](const spec::Lookahead& s, Name name, Options o) { return make_lookahead(name, s.plies, o); }),
      row(
          "rollout", ":", ":N", "plain Monte Carlo tree search (UCT) with N random playouts a move",
          [](const Rest& rest) { return spec::Rollout{rest.count(1)}; },
          [](const spec::Rollout& s) { return 2e-6 * s.playouts; },
          [](const spec::Rollout& s, Name name, Options o) { return make_rollout(name, s.playouts, o); }),
      row(
          "uniform", "@", "@N[:K]", "our search over an evaluator that knows nothing; N and K as for net",
          [](const Rest& rest) { return spec::Uniform{rest.search(rest.text, 1)}; },
          [](const spec::Uniform& s) { return 2e-6 * s.search.simulations; },
          [](const spec::Uniform& s, Name name, Options o) {
            return make_network_player(name, std::make_shared<UniformEvaluator>(), s.search.simulations,
                                       searching(o, s.search));
          }),
      row(
          "strangler", ":", "[:NODES]",
          "a heuristic and alpha-beta, exact near the end; also nodes=, depth=, safe=, traps=, exact= after the colon",
          read_strangler, [](const spec::Strangler& s) { return 2e-7 * s.options.nodes; },
          [](const spec::Strangler& s, Name name, Options o) { return make_strangler(name, s.options, o); }),
      row(
          "net", ":", ":PATH[@N[:K]]",
          "a checkpoint: the raw network, or a search of N simulations, with proofs of K nodes at its leaves (0: none)",
          [](const Rest& rest) { return read_network(rest, false); }, network_seconds, make_network),
      row(
          "light", ":", ":PATH[@N[:K]]", "the same with a light file",
          [](const Rest& rest) { return read_network(rest, true); }, network_seconds, make_network),
      row(
          "torchscript", ":", ":FILE[@N[:K]]",
          "the same with a TorchScript module, which is a program: run none that you do not trust",
          [](const Rest& rest) { return read_network(rest, false, kTorchScript); }, network_seconds, make_network),
      row(
          "solver", ":", ":MS", "exact values where MS milliseconds a move suffice, else as oneply",
          [](const Rest& rest) { return spec::TimedSolver{rest.count(1)}; },
          [](const spec::TimedSolver& s) { return 1e-3 * s.milliseconds; },
          [](const spec::TimedSolver& s, Name, Options o) {
            return std::make_unique<TimedSolverPlayer>(s.milliseconds, o);
          }),
      row(
          "perfect", ":", "[:any]", "exact values, and of the moves that keep the value the best trap, or any",
          [](const Rest& rest) {
            if (rest.separator != 0 && rest.text != "any")
              throw rest.error("expected 'any' after the colon, or nothing");
            return spec::Perfect{rest.separator != 0};
          },
          [](const spec::Perfect&) { return 0.05; },
          [](const spec::Perfect& s, Name, Options o) {
            return std::make_unique<PerfectPlayer>(o, s.any ? PerfectStyle::any : PerfectStyle::traps);
          }),
      row(
          "endgame", ":", ":E[,sharp]:PLAYER",
          "another player, with exact play from E empty squares on; sharp: that wins soonest, loses last, and sets traps",
          [](const Rest& rest) {
            AroundOption sharp{",sharp"};
            const auto [squares, other] = read_around(rest, kSquares, "endgame:7:net:PATH@32", &sharp);
            return spec::Endgame{squares, other, sharp.given};
          },
          [](const spec::Endgame& s) {
            return guess_seconds(parse_player(s.player)) +
                   std::min(1.0, 1e-5 * std::pow(5, std::max(0, s.squares - 7)));
          },
          make_endgame),
      row(
          "careless", ":", ":P:PLAYER", "another player that makes P percent of its moves without looking",
          [](const Rest& rest) {
            const auto [percent, other] = read_around(rest, 100, "careless:25:oneply");
            return spec::Careless{percent, other};
          },
          [](const spec::Careless& s) { return guess_seconds(parse_player(s.player)); },
          [](const spec::Careless& s, Name name, Options o) {
            // The other player's draws are not those by which its turn is passed over.
            return std::make_unique<CarelessPlayer>(name, make_player(s.player, o), s.percent, mix_seed(o.seed, 0));
          }),
      row(
          "engine", ":@", "[@N]:COMMAND", "a program that speaks the line protocol, with `go` or `go sims N`",
          read_engine, [](const spec::Engine&) { return 0.01; },
          [](const spec::Engine& s, Name name, Options o) {
            return std::make_unique<EnginePlayer>(name, s.command, s.simulations.value_or(-1), o);
          }),
  };
  return all;
}

const Row& row_of(const PlayerSpec& spec) {
  return *std::find_if(rows().begin(), rows().end(), [&](const Row& row) { return row.spec == spec.index(); });
}

// The levels of all rules, each once.
std::vector<std::string_view> all_levels() {
  std::vector<std::string_view> names;
  for (const Rules rules : kAllRules) {
    for (const Level& level : levels(rules)) {
      if (std::find(names.begin(), names.end(), level.name) == names.end()) names.push_back(level.name);
    }
  }
  return names;
}

// " (did you mean 'rollout:N'?)", or nothing.
std::string meant(const std::string& name, const std::string& head) {
  if (exists(name)) {
    const bool script = std::filesystem::path(name).extension() == ".pt";
    return did_you_mean(fmt::format("{}{}", script ? kTorchScript : "net:", name));
  }
  if (!head.empty() && find_shipped("checkpoints/" + head)) return did_you_mean("net:checkpoints/" + name);
  std::vector<std::string> words;
  for (const Row& row : rows()) words.emplace_back(row.word);
  for (const std::string_view level : all_levels()) words.emplace_back(level);
  std::string close = nearest(head, words);
  for (const Row& row : rows()) {
    if (row.word == close) close = row.shortest();
  }
  return did_you_mean(close);
}

PlayerSpec parse(const std::string& name, int around) {
  const std::size_t end = std::min(name.find_first_of(":@"), name.size());
  const std::string head = name.substr(0, end);
  const Rest rest{name, end < name.size() ? name[end] : '\0',
                  std::string_view(name).substr(std::min(end + 1, name.size())), around};
  for (const Row& row : rows()) {
    const bool fits =
        rest.separator == 0 ? row.stands_alone() : row.separators.find(rest.separator) != row.separators.npos;
    if (row.word == head && fits) return row.read(rest);
  }
  if (names_level(name)) {
    throw PlayerError(
        fmt::format("'{}' is a level: which player it is depends on the rules, and without_level() says it", name));
  }
  throw PlayerError(fmt::format("unknown player '{}'{}; the players are {}", name, meant(name, head), player_names()));
}

// The level in the name, as it stands at its end; "": there is none.
std::string_view level_in(const std::string& name) {
  const auto colon = name.rfind(':');
  const std::string_view word = std::string_view(name).substr(colon == name.npos ? 0 : colon + 1);
  const auto all = all_levels();
  if (std::find(all.begin(), all.end(), word) == all.end()) return {};
  try {
    // What is before it must be players around another.
    if (is_player<spec::Random>(name.substr(0, name.size() - word.size()) + "random")) return word;
  } catch (const PlayerError&) {
    // Said by who reads the name.
  }
  return {};
}

}  // namespace

bool names_level(const std::string& name) { return !level_in(name).empty(); }

std::string without_level(const std::string& name, Rules rules) {
  const std::string word(level_in(name));
  if (word.empty()) return name;
  const Level* level = find_level(word, rules);
  if (!level) {
    throw PlayerError(fmt::format("'{}' is none of the levels under the rules '{}': {}", word, to_string(rules),
                                  fmt::join(level_names(rules), ", ")));
  }
  std::string folder = "checkpoints";
  if (!level->network.empty() && level->network != kUniformNetwork) {
    const auto file = shipped_network(level->network);
    if (!file) {
      throw PlayerError(
          fmt::format("'{}' plays by the shipped network checkpoints/{}/model.light, which is not there; 'careful' "
                      "needs none, and any other player has a name, too: {}",
                      word, level->network, player_names()));
    }
    // The name is the same on every machine, unless another file would be found by it here.
    std::error_code ignored;
    const auto found = or_shipped(std::filesystem::path(folder) / level->network / file->filename());
    if (!std::filesystem::equivalent(found, *file, ignored)) folder = file->parent_path().parent_path().string();
  }
  return name.substr(0, name.size() - word.size()) + player_of(*level, folder);
}

std::string player_names() {
  std::string names;
  for (const Row& row : rows()) names += fmt::format("{}{}{}", names.empty() ? "" : ", ", row.word, row.arguments);
  return fmt::format("{}, or a level: {}", names, fmt::join(all_levels(), ", "));
}

std::string player_help() {
  std::string text;
  for (const Row& row : rows())
    text += fmt::format("  {:19}  {}\n", fmt::format("{}{}", row.word, row.arguments), row.help);
  return text + fmt::format("  {:19}  the levels of quartozero play: {}\n", "LEVEL", fmt::join(all_levels(), ", "));
}

PlayerSpec parse_player(const std::string& name) { return parse(name, 0); }

std::string network_player(const std::string& path, int simulations) {
  const bool bare = simulations == 0 && path.find('@') == std::string::npos;
  const std::string name = (path.starts_with(kTorchScript) ? "" : "net:") + path;
  return bare ? name : fmt::format("{}@{}", name, simulations);
}

bool names_engine(std::string_view name) { return name.starts_with("engine:") || name.starts_with("engine@"); }

PlayerSpec parse_inner_player(const std::string& name) {
  PlayerSpec spec = parse_player(name);
  while (true) {
    if (const auto* endgame = std::get_if<spec::Endgame>(&spec)) {
      spec = parse_player(std::string(endgame->player));
    } else if (const auto* careless = std::get_if<spec::Careless>(&spec)) {
      spec = parse_player(std::string(careless->player));
    } else {
      return spec;
    }
  }
}

std::optional<spec::Network> network_of(const std::string& name) {
  const PlayerSpec spec = parse_inner_player(name);
  const auto* network = std::get_if<spec::Network>(&spec);
  return network ? std::optional(*network) : std::nullopt;
}

std::optional<Weights> weights_of(const std::string& name) {
  const auto network = network_of(name);
  if (!network) return std::nullopt;
  return find_weights(network->path, network->light ? std::optional(Weights::Kind::light) : std::nullopt);
}

double guess_seconds(const PlayerSpec& spec) { return row_of(spec).seconds(spec); }

SearchConfig search_with(const std::vector<std::string>& changes) {
  SearchConfig search;
  for (const std::string& change : changes) config::set(change, config::visitor_of(search), "--search");
  return search;
}

bool uses_exact_memory(const PlayerSpec& spec) {
  return std::holds_alternative<spec::Perfect>(spec) || std::holds_alternative<spec::Endgame>(spec);
}

std::string proofs_of(const std::string& name, const SearchConfig& config) {
  const PlayerSpec inner = parse_inner_player(name);
  spec::Search search;
  if (const auto* network = std::get_if<spec::Network>(&inner)) search = network->search;
  if (const auto* uniform = std::get_if<spec::Uniform>(&inner)) search = uniform->search;
  if (search.simulations == 0) return "";
  const int nodes = search.proof_nodes.value_or(config.proof_nodes);
  if (nodes == 0) return "proof_nodes 0";
  return fmt::format("proof_nodes {} proof_squares {} proof_growth {} prover {}", nodes, config.proof_squares,
                     config.proof_growth, kProverVersion);
}

std::unique_ptr<Player> make_player(const std::string& name, const PlayerOptions& options) {
  const PlayerSpec spec = parse_player(name);
  return row_of(spec).make(spec, name, options);
}

}  // namespace quarto
