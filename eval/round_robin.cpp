#include "eval/round_robin.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/checksum.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_message.h"
#include "base/random.h"
#include "env/notation.h"
#include "eval/match.h"
#include "model/checkpoint.h"
#include "play/perfect.h"

namespace quarto {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

constexpr const char* kFormat = "quarto-round-robin/1";

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

struct Stopped {};

// The time of a player's moves and their number.
struct Cost {
  double guess = 0;  // seconds per move, used until enough moves are timed
  double seconds = 0;
  double moves = 0;
  double per_move() const { return moves < 20 ? guess : seconds / moves; }
};

// The order of magnitude on one core, for estimating the time left before a player has moved.
double guess_seconds(const PlayerSpec& spec) {
  using Kind = PlayerSpec::Kind;
  switch (spec.kind) {
    case Kind::random:
    case Kind::oneply:
      return 1e-6;
    case Kind::lookahead:
      return std::min(10.0, 1e-7 * std::pow(7, spec.number));
    case Kind::rollout:
      return 2e-6 * spec.number;
    case Kind::uniform:
      return 2e-6 * spec.number;
    case Kind::strangler:
      return 2e-7 * spec.strangler.nodes;
    case Kind::net:
    case Kind::light:
      return 3e-5 * (spec.number + 1);
    case Kind::solver:
      return 1e-3 * spec.number;
    case Kind::endgame:
      return guess_seconds(parse_player(spec.path)) + std::min(1.0, 1e-5 * std::pow(5, std::max(0, spec.number - 7)));
    case Kind::careless:
      return guess_seconds(parse_player(spec.path));
    case Kind::engine:
      return 0.01;
    case Kind::perfect:
    case Kind::perfect_any:
      break;
  }
  return 0.05;
}

class Clocked final : public Player {
 public:
  Clocked(std::unique_ptr<Player> player, Cost& cost) : player_(std::move(player)), cost_(cost) {}
  std::string name() const override { return player_->name(); }
  std::size_t preferred_batch() const override { return player_->preferred_batch(); }
  std::vector<Move> choose(std::span<const Position> positions) override {
    const auto start = Clock::now();
    std::vector<Move> moves = player_->choose(positions);
    cost_.seconds += seconds_since(start);
    cost_.moves += static_cast<double>(positions.size());
    return moves;
  }
  void prepare() override { player_->prepare(); }
  Move choose_by_clock(const Position& position, const GameClock& clock) override {
    const auto start = Clock::now();
    const Move move = player_->choose_by_clock(position, clock);
    cost_.seconds += seconds_since(start);
    ++cost_.moves;
    return move;
  }

 private:
  std::unique_ptr<Player> player_;
  Cost& cost_;
};

// True if the player uses ExactMemory.
bool is_exact(const std::string& name) {
  const auto kind = parse_player(name).kind;
  return kind == PlayerSpec::Kind::perfect || kind == PlayerSpec::Kind::perfect_any ||
         kind == PlayerSpec::Kind::endgame;
}

std::string results_of(const PairingResult& pairing) {
  std::string text;
  for (const PairScore& pair : pairing.pairs) {
    for (const double points : {pair.first, pair.second}) text += points == 1 ? 'W' : points == 0 ? 'L' : 'D';
  }
  return text;
}

double points_of(char result) {
  switch (result) {
    case 'W':
      return 1;
    case 'D':
      return 0.5;
    case 'L':
      return 0;
    default:
      throw RoundRobinError(fmt::format("'{}' is no result: expected W, D or L", result));
  }
}

bool between(const PairingResult& pairing, const std::string& a, const std::string& b) {
  return (pairing.a == a && pairing.b == b) || (pairing.a == b && pairing.b == a);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The estimated number of a player's moves in a game. After a short opening games seldom last to the last piece.
double moves_in_game(int opening_plies) { return (26 - std::min(opening_plies, 20)) / 2.0; }

PairingResult pairing_from(const json& from, const RoundRobin& r) {
  PairingResult p{from.at("a"),
                  from.at("b"),
                  {},
                  from.at("distinct_games"),
                  from.at("seconds"),
                  from.value("a_forfeits", 0),
                  from.value("b_forfeits", 0),
                  from.value("a_failure", ""),
                  from.value("b_failure", "")};
  const std::string results = from.at("results");
  if (p.a == p.b || !contains(r.players, p.a) || !contains(r.players, p.b)) {
    throw RoundRobinError(fmt::format("a pairing of '{}' and '{}', who are not two of its players", p.a, p.b));
  }
  if (std::any_of(r.played.begin(), r.played.end(), [&](const auto& other) { return between(other, p.a, p.b); })) {
    throw RoundRobinError(fmt::format("'{}' and '{}' are paired twice", p.a, p.b));
  }
  if (results.size() != static_cast<std::size_t>(r.games)) {
    throw RoundRobinError(
        fmt::format("{} results of '{}' and '{}', but {} games a pairing", results.size(), p.a, p.b, r.games));
  }
  for (std::size_t i = 0; i + 1 < results.size(); i += 2) {
    p.pairs.push_back({points_of(results[i]), points_of(results[i + 1])});
  }
  return p;
}

}  // namespace

RoundRobin make_round_robin(RoundRobin asked) {
  std::vector<std::string> names;
  for (std::string name : asked.players) {
    const PlayerSpec spec = parse_player(name);
    const bool net = spec.kind == PlayerSpec::Kind::net || spec.kind == PlayerSpec::Kind::light;
    if (net && spec.number == 0 && name.ends_with("@0")) name.resize(name.size() - 2);
    if (contains(names, name)) throw RoundRobinError(fmt::format("the player '{}' is named twice", name));
    if (const auto checkpoint = checkpoint_of(name)) {
      asked.networks[name] = fmt::format("{:08x}", crc32c(read_file(weights_file(*checkpoint))));
    }
    names.push_back(std::move(name));
  }
  if (names.size() < 2) {
    throw RoundRobinError(fmt::format("a round robin needs at least two players, and there {} {}",
                                      names.size() == 1 ? "is" : "are", names.size()));
  }
  asked.players = std::move(names);
  asked.games += asked.games % 2;
  return asked;
}

std::vector<std::pair<std::size_t, std::size_t>> unplayed(const RoundRobin& r) {
  std::vector<std::pair<std::size_t, std::size_t>> waiting;
  std::vector<char> linked(r.players.size());
  for (std::size_t a = 0; a < r.players.size(); ++a) {
    for (std::size_t b = a + 1; b < r.players.size(); ++b) {
      const auto same = [&](const PairingResult& p) { return between(p, r.players[a], r.players[b]); };
      if (std::none_of(r.played.begin(), r.played.end(), same)) {
        waiting.emplace_back(a, b);
      } else {
        linked[a] = linked[b] = 1;
      }
    }
  }
  // Each next pairing includes a player who has played, so that games link all players with games at any time.
  std::vector<std::pair<std::size_t, std::size_t>> left;
  while (!waiting.empty()) {
    auto next = std::find_if(waiting.begin(), waiting.end(),
                             [&](const auto& pairing) { return linked[pairing.first] || linked[pairing.second]; });
    if (next == waiting.end()) next = waiting.begin();
    linked[next->first] = linked[next->second] = 1;
    left.push_back(*next);
    waiting.erase(next);
  }
  return left;
}

std::string to_text(const RoundRobin& r) {
  nlohmann::ordered_json pairings = nlohmann::ordered_json::array();
  for (const PairingResult& p : r.played) {
    pairings.push_back({{"a", p.a},
                        {"b", p.b},
                        {"results", results_of(p)},
                        {"distinct_games", p.distinct_games},
                        {"seconds", p.seconds}});
    if (p.a_forfeits > 0) pairings.back().update({{"a_forfeits", p.a_forfeits}, {"a_failure", p.a_failure}});
    if (p.b_forfeits > 0) pairings.back().update({{"b_forfeits", p.b_forfeits}, {"b_failure", p.b_failure}});
  }
  nlohmann::ordered_json text{{"format", kFormat},           {"games", r.games},    {"opening_plies", r.opening_plies},
                              {"rules", to_string(r.rules)}, {"seed", r.seed},      {"players", r.players},
                              {"networks", r.networks},      {"pairings", pairings}};
  if (r.clock) text["clock"] = to_string(*r.clock);
  return text.dump(1) + "\n";
}

bool is_round_robin(const std::string& text) {
  const json from = json_or_null(text);
  return from.is_object() && from.contains("format") && from["format"] == kFormat;
}

RoundRobin parse_round_robin(const std::string& text) {
  try {
    const json from = parse_json(text);
    if (!from.is_object() || from.value("format", "") != kFormat) {
      throw RoundRobinError(fmt::format("no results of a round robin: expected \"format\": \"{}\"", kFormat));
    }
    RoundRobin r;
    r.games = from.at("games");
    r.opening_plies = from.at("opening_plies");
    r.rules = parse_rules(from.at("rules").get<std::string>());
    r.seed = from.at("seed");
    if (from.contains("clock")) r.clock = parse_clock(from.at("clock").get<std::string>());
    r.players = from.at("players").get<std::vector<std::string>>();
    r.networks = from.at("networks").get<std::map<std::string, std::string>>();
    for (const json& pairing : from.at("pairings")) r.played.push_back(pairing_from(pairing, r));
    return r;
  } catch (const JsonError& e) {
    throw RoundRobinError(fmt::format("no results of a round robin: {}", e.what()));
  } catch (const json::exception& e) {
    throw RoundRobinError(fmt::format("no results of a round robin: {}", without_library_code(e.what())));
  } catch (const std::invalid_argument& e) {
    throw RoundRobinError(fmt::format("no results of a round robin: {}", e.what()));
  }
}

void continue_from(RoundRobin& r, const RoundRobin& earlier) {
  std::vector<std::string> differences;
  const auto compare = [&](const char* option, const auto& there, const auto& here) {
    if (there != here) differences.push_back(fmt::format("{} is {} there and {} here", option, there, here));
  };
  compare("--games", earlier.games, r.games);
  compare("--opening-plies", earlier.opening_plies, r.opening_plies);
  compare("--rules", to_string(earlier.rules), to_string(r.rules));
  compare("--seed", earlier.seed, r.seed);
  const auto clock_text = [](const RoundRobin& of) { return of.clock ? to_string(*of.clock) : std::string("none"); };
  compare("--clock", clock_text(earlier), clock_text(r));
  for (const std::string& name : earlier.players) {
    if (!contains(r.players, name)) differences.push_back(fmt::format("'{}' plays there and not here", name));
  }
  for (const auto& [name, checksum] : earlier.networks) {
    const auto here = r.networks.find(name);
    if (here != r.networks.end() && here->second != checksum) {
      differences.push_back(fmt::format("the weights of '{}' have changed since", name));
    }
  }
  if (!differences.empty()) {
    throw RoundRobinError(fmt::format("these results are of another round robin: {}", fmt::join(differences, "; ")));
  }
  r.played = earlier.played;
}

bool play_round_robin(RoundRobin& r, PlayerOptions options, const RoundRobinHooks& hooks) {
  options.rules = r.rules;
  const auto left = unplayed(r);
  const bool perfection = std::any_of(left.begin(), left.end(), [&](const auto& pairing) {
    return is_exact(r.players[pairing.first]) || is_exact(r.players[pairing.second]);
  });
  if (perfection) options.exact_memory = std::make_shared<ExactMemory>(options);

  std::vector<Cost> costs(r.players.size());
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i].guess = guess_seconds(parse_player(r.players[i]));
  const double each = r.games * moves_in_game(r.opening_plies);  // moves of either player in a pairing

  RoundRobinProgress progress;
  progress.pairings = r.played.size() + left.size();
  progress.expected_moves = static_cast<std::uint64_t>(2 * each * static_cast<double>(left.size()));
  for (std::size_t at = 0; at < left.size(); ++at) {
    if (hooks.stop && *hooks.stop) return false;
    const auto [a, b] = left[at];
    progress.pairing = r.played.size() + 1;
    progress.a = r.players[a];
    progress.b = r.players[b];
    MatchOptions match;
    match.games = r.games;
    match.opening_plies = r.opening_plies;
    match.rules = r.rules;
    match.seed = r.seed;
    match.clock = r.clock;
    match.on_progress = [&](int, std::uint64_t moves) {
      if (hooks.stop && *hooks.stop) throw Stopped{};
      if (!hooks.on_progress) return;
      const auto made = std::min(static_cast<double>(moves), 2 * each);
      progress.moves = static_cast<std::uint64_t>(2 * each * static_cast<double>(at) + made);
      progress.seconds_left = (each - made / 2) * (costs[a].per_move() + costs[b].per_move());
      for (std::size_t later = at + 1; later < left.size(); ++later) {
        progress.seconds_left += each * (costs[left[later].first].per_move() + costs[left[later].second].per_move());
      }
      hooks.on_progress(progress);
    };
    const auto start = Clock::now();
    try {
      // The same seeds as in app/match.cpp.
      options.seed = mix_seed(r.seed, 1);
      Clocked player_a(make_player(r.players[a], options), costs[a]);
      options.seed = mix_seed(r.seed, 2);
      Clocked player_b(make_player(r.players[b], options), costs[b]);
      const MatchResult result = play_match(player_a, player_b, match);
      PairingResult pairing{r.players[a],      r.players[b],     {}, result.distinct_games, seconds_since(start),
                            result.a_forfeits, result.b_forfeits};
      for (const MatchGame& game : result.games) {
        std::string& why = game.a_points == 0 ? pairing.a_failure : pairing.b_failure;
        if (why.empty()) why = game.forfeit;
      }
      for (std::size_t g = 0; g + 1 < result.games.size(); g += 2) {
        pairing.pairs.push_back({result.games[g].a_points, result.games[g + 1].a_points});
      }
      r.played.push_back(std::move(pairing));
    } catch (const Stopped&) {
      return false;
    }
    if (hooks.on_pairing) hooks.on_pairing(r);
  }
  return true;
}

Field field_of(const RoundRobin& r) {
  Field field;
  for (const std::string& name : r.players) {
    const auto plays = [&](const PairingResult& p) { return p.a == name || p.b == name; };
    if (std::any_of(r.played.begin(), r.played.end(), plays)) field.names.push_back(name);
  }
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(field.names.begin(), field.names.end(), name) - field.names.begin());
  };
  for (const PairingResult& p : r.played) field.pairings.push_back({place(p.a), place(p.b), p.pairs});
  return field;
}

}  // namespace quarto
