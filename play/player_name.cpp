#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <set>

#include "base/assign.h"
#include "base/nearest.h"
#include "base/shipped.h"
#include "play/player.h"
#include "play/think.h"

namespace quarto {
namespace {

constexpr int kMaxNumber = 100'000'000;
// As many gives and places as a game has.
constexpr int kMaxPlies = 2 * kSquares;
// endgame:E: and careless:P: around one player. More would change nothing.
constexpr int kMostAround = 8;

// A name that no file can have is that of none.
bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

int parse_count(const std::string& name, std::string_view text, int least, int most = kMaxNumber) {
  int n = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || stop != text.data() + text.size() || n < least || n > most) {
    throw PlayerError(
        fmt::format("player '{}': expected a whole number from {} to {} in place of '{}'", name, least, most, text));
  }
  return n;
}

// "20000,safe=1,traps=0": a number alone, which can only come first, is the nodes.
StranglerOptions parse_strangler(const std::string& name, std::string_view settings) {
  StranglerOptions options;
  std::set<std::string, std::less<>> seen;
  for (bool first = true;; first = false) {
    const auto comma = settings.find(',');
    std::string setting(settings.substr(0, comma));
    if (first && setting.find('=') == std::string::npos) {
      setting = fmt::format("nodes={}", parse_count(name, setting, 1));
    }
    try {
      config::set(setting, config::visitor_of(options));
    } catch (const ConfigError& e) {
      // The message speaks of an option --set, which is not how this was written.
      const std::string what = e.what(), origin = "--set " + setting + ": ";
      throw PlayerError(
          fmt::format("player '{}': {}", name, what.substr(what.rfind(origin, 0) == 0 ? origin.size() : 0)));
    }
    const std::string key = setting.substr(0, setting.find('='));
    if (!seen.insert(key).second) throw PlayerError(fmt::format("player '{}': {} is set twice", name, key));
    if (comma == std::string_view::npos) break;
    settings.remove_prefix(comma + 1);
  }
  if (options.safe == 0 && options.traps == 0) {
    throw PlayerError(fmt::format("player '{}': safe and traps are both 0, which makes all moves alike", name));
  }
  return options;
}

bool digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "N" or "N:K" to simulations and proof nodes.
void parse_search(const std::string& name, std::string_view text, int least, PlayerSpec& spec) {
  const auto colon = text.find(':');
  spec.number = parse_count(name, text.substr(0, colon), least, kMostSimulations);
  if (colon != std::string_view::npos) spec.proof_nodes = parse_count(name, text.substr(colon + 1), 0, kMostProofNodes);
}

// What follows "net:" or "light:".
PlayerSpec parse_net(const std::string& name, PlayerSpec::Kind kind) {
  PlayerSpec spec{kind, 0, name.substr(name.find(':') + 1)};
  std::string& path = spec.path;
  // A path may hold an '@' itself; a number of simulations has only digits after the last one.
  const auto at = path.rfind('@');
  const std::string_view search = at == std::string::npos ? std::string_view() : std::string_view(path).substr(at + 1);
  if (digits(search.substr(0, search.find(':'))) && search.find('/') == std::string_view::npos) {
    parse_search(name, search, 0, spec);
    path.resize(at);
  } else if (at != std::string::npos && !exists(path) && exists(path.substr(0, at))) {
    throw PlayerError(
        fmt::format("player '{}': '{}' after '@' is no number of simulations", name, path.substr(at + 1)));
  }
  if (path.empty()) throw PlayerError(fmt::format("player '{}': a path is missing after the colon", name));
  return spec;
}

PlayerSpec parse_engine(const std::string& name) {
  const auto colon = name.find(':');
  PlayerSpec spec{PlayerSpec::Kind::engine, -1};
  if (name[6] == '@') spec.number = parse_count(name, std::string_view(name).substr(7, colon - 7), 0);
  if (colon != std::string::npos) spec.path = name.substr(colon + 1);
  if (spec.path.find_first_not_of(" \t") == std::string::npos) {
    throw PlayerError(
        fmt::format("player '{}': expected the command that starts the engine after the colon, e.g. "
                    "'engine:python3 examples/engine/adapter.py'",
                    name));
  }
  if (spec.path.find_first_of("\n\r") != std::string::npos)
    throw PlayerError("the command of an engine must be one line");
  return spec;
}

PlayerSpec parse_at_depth(const std::string& name, int depth);

// "endgame:E:PLAYER" and "careless:P:PLAYER", the number from 1 to `most`.
PlayerSpec parse_wrapped(const std::string& name, PlayerSpec::Kind kind, int most, const char* example, int depth) {
  if (depth >= kMostAround) throw PlayerError(fmt::format("more than {} players around one another", kMostAround));
  const std::string rest = name.substr(name.find(':') + 1);
  const auto colon = rest.find(':');
  const int number = parse_count(name, std::string_view(rest).substr(0, colon), 1, most);
  if (colon == std::string::npos || colon + 1 == rest.size())
    throw PlayerError(fmt::format("player '{}': expected another player after the number, e.g. {}", name, example));
  const std::string other = rest.substr(colon + 1);
  parse_at_depth(other, depth + 1);  // throws
  return {kind, number, other};
}

// " (did you mean 'rollout:N'?)", or nothing.
std::string hint(const std::string& name) {
  if (exists(name)) return fmt::format(" (did you mean 'net:{}'?)", name);
  const std::string head = name.substr(0, name.find_first_of(":@"));
  if (!head.empty() && find_shipped("checkpoints/" + head))
    return fmt::format(" (did you mean 'net:checkpoints/{}'?)", name);
  const std::string close = nearest(head, {"random", "oneply", "lookahead", "rollout", "uniform", "strangler", "net",
                                           "light", "solver", "perfect", "endgame", "careless", "engine"});
  if (close.empty()) return {};
  const std::string full = close == "lookahead" || close == "rollout" ? close + ":N"
                           : close == "uniform"                       ? "uniform@N"
                           : close == "net"                           ? "net:PATH"
                           : close == "light"                         ? "light:PATH"
                           : close == "solver"                        ? "solver:MS"
                           : close == "endgame"                       ? "endgame:E:PLAYER"
                           : close == "careless"                      ? "careless:P:PLAYER"
                           : close == "engine"                        ? "engine:COMMAND"
                                                                      : close;
  return fmt::format(" (did you mean '{}'?)", full);
}

}  // namespace

std::string player_names() {
  return "random, oneply, lookahead:N, rollout:N, uniform@N[:K], strangler[:NODES], net:PATH[@N[:K]], "
         "light:PATH[@N[:K]], "
         "solver:MS, "
         "perfect[:any], "
         "endgame:E:PLAYER, "
         "careless:P:PLAYER, "
         "engine[@N]:COMMAND";
}

namespace {

PlayerSpec parse_at_depth(const std::string& name, int depth) {
  using Kind = PlayerSpec::Kind;
  // What follows the prefix, if the name begins with it.
  const auto after = [&](std::string_view prefix) -> std::optional<std::string_view> {
    if (name.compare(0, prefix.size(), prefix) != 0) return std::nullopt;
    return std::string_view(name).substr(prefix.size());
  };
  if (name == "random") return {Kind::random};
  if (name == "oneply") return {Kind::oneply};
  if (name == "perfect") return {Kind::perfect};
  if (name == "perfect:any") return {Kind::perfect_any};
  if (name == "strangler") return {Kind::strangler};
  if (const auto n = after("lookahead:")) return {Kind::lookahead, parse_count(name, *n, 1, kMaxPlies)};
  if (const auto n = after("rollout:")) return {Kind::rollout, parse_count(name, *n, 1)};
  if (const auto n = after("uniform@")) {
    PlayerSpec spec{Kind::uniform};
    parse_search(name, *n, 1, spec);
    return spec;
  }
  if (const auto n = after("solver:")) return {Kind::solver, parse_count(name, *n, 1)};
  if (const auto settings = after("strangler:")) return {Kind::strangler, 0, {}, parse_strangler(name, *settings)};
  if (after("net:")) return parse_net(name, Kind::net);
  if (after("light:")) return parse_net(name, Kind::light);
  if (after("endgame:")) return parse_wrapped(name, Kind::endgame, kSquares, "endgame:7:net:PATH@32", depth);
  if (after("careless:")) return parse_wrapped(name, Kind::careless, 100, "careless:25:oneply", depth);
  if (names_engine(name)) return parse_engine(name);
  throw PlayerError(fmt::format("unknown player '{}'{}; the players are {}", name, hint(name), player_names()));
}

}  // namespace

PlayerSpec parse_player(const std::string& name) { return parse_at_depth(name, 0); }

std::string network_player(const std::string& path, int simulations) {
  const bool bare = simulations == 0 && path.find('@') == std::string::npos;
  return bare ? "net:" + path : fmt::format("net:{}@{}", path, simulations);
}

bool names_engine(std::string_view name) { return name.starts_with("engine:") || name.starts_with("engine@"); }

PlayerSpec parse_inner_player(const std::string& name) {
  PlayerSpec spec = parse_player(name);
  while (spec.kind == PlayerSpec::Kind::endgame || spec.kind == PlayerSpec::Kind::careless)
    spec = parse_player(spec.path);
  return spec;
}

std::optional<std::filesystem::path> checkpoint_of(const std::string& name) {
  const PlayerSpec spec = parse_inner_player(name);
  if (spec.kind != PlayerSpec::Kind::net && spec.kind != PlayerSpec::Kind::light) return std::nullopt;
  return spec.path;
}

std::string proofs_of(const std::string& name, const SearchConfig& search) {
  const PlayerSpec spec = parse_inner_player(name);
  using Kind = PlayerSpec::Kind;
  const bool searches =
      (spec.kind == Kind::net || spec.kind == Kind::light || spec.kind == Kind::uniform) && spec.number > 0;
  if (!searches) return "";
  const int nodes = spec.proof_nodes.value_or(search.proof_nodes);
  if (nodes == 0) return "proof_nodes 0";
  return fmt::format("proof_nodes {} proof_squares {} proof_growth {}", nodes, search.proof_squares,
                     search.proof_growth);
}

}  // namespace quarto
