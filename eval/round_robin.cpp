#include "eval/round_robin.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/random.h"
#include "env/notation.h"
#include "eval/match.h"
#include "eval/round_robin_text.h"
#include "play/perfect.h"

namespace quarto {
namespace {

using Clock = std::chrono::steady_clock;

struct Stopped {};

// The time of a player's moves and their number.
struct Cost {
  double guess = 0;  // seconds per move, used until enough moves are timed
  double seconds = 0;
  double moves = 0;
  double per_move() const { return moves < 20 ? guess : seconds / moves; }
};

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

// Of a player in a game.
double moves_in_game(int opening_plies) { return expected_moves(opening_plies) / 2.0; }

PairingResult play_pairing(Player& a, Player& b, const RoundRobin& r, const std::string& a_name,
                           const std::string& b_name, const std::function<void(int, std::uint64_t)>& on_progress) {
  MatchOptions match;
  match.games = r.games;
  match.opening_plies = r.opening_plies;
  match.rules = r.rules;
  match.seed = r.seed;
  match.clock = r.clock;
  match.on_progress = on_progress;
  const auto start = Clock::now();
  const MatchResult result = play_match(a, b, match);
  PairingResult pairing{a_name,           b_name, {}, result.distinct_games, seconds_since(start), result.a_forfeits,
                        result.b_forfeits};
  for (const MatchGame& game : result.games) {
    std::string& why = game.a_points == 0 ? pairing.a_failure : pairing.b_failure;
    if (why.empty()) why = game.forfeit;
  }
  for (std::size_t g = 0; g + 1 < result.games.size(); g += 2)
    pairing.pairs.push_back({result.games[g].a_points, result.games[g + 1].a_points});
  return pairing;
}

std::unique_ptr<Player> first_player(const std::string& name, PlayerOptions options, const RoundRobin& r) {
  options.seed = player_seed(r.seed, true);
  return make_player(name, options);
}
std::unique_ptr<Player> second_player(const std::string& name, PlayerOptions options, const RoundRobin& r) {
  options.seed = player_seed(r.seed, false);
  return make_player(name, options);
}

// The order of play of all pairings of these players. What was played before players were added, or came earlier from
// somebody else than what stands before it, is put in its place, so that the end is the same.
class OrderOfPlay {
 public:
  explicit OrderOfPlay(const RoundRobin& r) {
    RoundRobin fresh = r;
    fresh.played.clear();
    for (const auto& [a, b] : unplayed(fresh)) places_.emplace(std::minmax(r.players[a], r.players[b]), places_.size());
  }
  void insert(std::vector<PairingResult>& played, PairingResult pairing) const {
    const std::size_t place = place_of(pairing);
    const auto before =
        std::find_if(played.begin(), played.end(), [&](const PairingResult& p) { return place_of(p) > place; });
    played.insert(before, std::move(pairing));
  }

 private:
  std::size_t place_of(const PairingResult& p) const { return places_.at(std::minmax(p.a, p.b)); }

  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

}  // namespace

RoundRobin make_round_robin(RoundRobin asked) {
  std::vector<std::string> names;
  for (std::string name : asked.players) {
    const PlayerSpec spec = parse_player(name);
    const auto* net = std::get_if<spec::Network>(&spec);
    // As network_player() has it.
    if (net && name.ends_with("@0") && net->path.find('@') == std::string::npos) name.resize(name.size() - 2);
    if (has_name(names, name)) throw RoundRobinError(fmt::format("the player '{}' is named twice", name));
    if (const auto weights = weights_of(name))
      asked.networks[name] = fmt::format("{:08x}", crc32c(read_file(weights->file)));
    if (std::string proofs = proofs_of(name, {}); !proofs.empty()) asked.proofs[name] = std::move(proofs);
    names.push_back(std::move(name));
  }
  if (names.size() < 2) {
    throw RoundRobinError(fmt::format("a round robin needs at least two players, and there {} {}",
                                      names.size() == 1 ? "is" : "are", names.size()));
  }
  require_few_players(names.size());
  asked.players = std::move(names);
  asked.games += asked.games % 2;
  return asked;
}

std::vector<std::pair<std::size_t, std::size_t>> unplayed(const RoundRobin& r) {
  std::vector<std::pair<std::size_t, std::size_t>> waiting;
  std::vector<char> linked(r.players.size());
  for (std::size_t a = 0; a < r.players.size(); ++a) {
    for (std::size_t b = a + 1; b < r.players.size(); ++b) {
      const auto same = [&](const PairingResult& p) { return is_between(p, r.players[a], r.players[b]); };
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
    if (!has_name(r.players, name)) differences.push_back(fmt::format("'{}' plays there and not here", name));
  }
  for (const auto& [name, checksum] : earlier.networks) {
    const auto here = r.networks.find(name);
    if (here != r.networks.end() && here->second != checksum) {
      differences.push_back(fmt::format("the weights of '{}' have changed since", name));
    }
  }
  for (const std::string& name : earlier.players) {
    const auto here = r.proofs.find(name);
    if (here == r.proofs.end()) continue;
    const auto written = earlier.proofs.find(name);
    const std::string there = written != earlier.proofs.end() ? written->second : "proof_nodes unknown";
    if (there == here->second) continue;
    differences.push_back(
        fmt::format("the search of '{}' has {} there and {} here, so it is another player: begin again with another "
                    "--out",
                    name, there, here->second));
  }
  if (!differences.empty()) {
    throw RoundRobinError(fmt::format("these results are of another round robin: {}", fmt::join(differences, "; ")));
  }
  const OrderOfPlay order(r);
  r.played.clear();
  for (const PairingResult& pairing : earlier.played) order.insert(r.played, pairing);
}

bool play_round_robin(RoundRobin& r, PlayerOptions options, const RoundRobinHooks& hooks) {
  options.rules = r.rules;
  const auto left = unplayed(r);
  const OrderOfPlay order(r);
  std::vector<std::string> playing;
  for (const auto& [a, b] : left) playing.insert(playing.end(), {r.players[a], r.players[b]});
  if (uses_exact_memory(playing)) options.exact_memory = std::make_shared<ExactMemory>(options);

  std::vector<Cost> costs(r.players.size());
  for (std::size_t i = 0; i < costs.size(); ++i) costs[i].guess = guess_seconds(parse_player(r.players[i]));
  const double each = r.games * moves_in_game(r.opening_plies);  // moves of either player in a pairing

  RoundRobinProgress progress;
  progress.pairings = r.played.size() + left.size();
  progress.expected_moves = static_cast<std::uint64_t>(2 * each * static_cast<double>(left.size()));
  for (std::size_t at = 0; at < left.size(); ++at) {
    if (hooks.stop && *hooks.stop) return false;
    const auto a = left[at].first, b = left[at].second;
    progress.pairing = r.played.size() + 1;
    progress.a = r.players[a];
    progress.b = r.players[b];
    const auto on_progress = [&](int, std::uint64_t moves) {
      if (hooks.stop && *hooks.stop) throw Stopped{};
      if (!hooks.on_progress) return;
      const auto made = std::min(static_cast<double>(moves), 2 * each);
      progress.moves = static_cast<std::uint64_t>(2 * each * static_cast<double>(at) + made);
      double seconds_left = (each - made / 2) * (costs[a].per_move() + costs[b].per_move());
      for (std::size_t later = at + 1; later < left.size(); ++later)
        seconds_left += each * (costs[left[later].first].per_move() + costs[left[later].second].per_move());
      progress.seconds_left = seconds_left;
      hooks.on_progress(progress);
    };
    try {
      Clocked player_a(first_player(r.players[a], options, r), costs[a]);
      Clocked player_b(second_player(r.players[b], options, r), costs[b]);
      order.insert(r.played, play_pairing(player_a, player_b, r, r.players[a], r.players[b], on_progress));
    } catch (const Stopped&) {
      return false;
    }
    if (hooks.on_pairing) hooks.on_pairing(r);
  }
  return true;
}

bool play_round_robin(RoundRobin& r, Shares& shares, const RoundRobinHooks& hooks) {
  const auto left = unplayed(r);
  const OrderOfPlay order(r);
  std::map<std::uint64_t, std::string> asked;
  for (const auto& [a, b] : left) {
    const std::string input = pairing_input(r.players[a], r.players[b]);
    asked[shares.ask(input)] = input;
  }
  const auto start = Clock::now();
  const double each = 2 * r.games * moves_in_game(r.opening_plies);
  RoundRobinProgress progress;
  progress.pairings = r.played.size() + left.size();
  progress.expected_moves = static_cast<std::uint64_t>(each * static_cast<double>(left.size()));
  for (std::size_t done = 0; done < left.size(); ++done) {
    progress.pairing = r.played.size() + 1;
    progress.moves = static_cast<std::uint64_t>(each * static_cast<double>(done));
    const auto result = shares.take_any([&] {
      if (hooks.on_progress) {
        // How long the first pairings take nobody knows.
        if (done > 0)
          progress.seconds_left =
              seconds_since(start) / static_cast<double>(done) * static_cast<double>(left.size() - done);
        hooks.on_progress(progress);
      }
      return hooks.stop && *hooks.stop;
    });
    if (!result) return false;
    PairingResult pairing = pairing_of_share(asked.at(result->first), r, result->second);
    progress.a = pairing.a;
    progress.b = pairing.b;
    order.insert(r.played, std::move(pairing));
    if (hooks.on_pairing) hooks.on_pairing(r);
  }
  return true;
}

std::string pairing_share(const std::string& input, const RoundRobin& r, PlayerOptions options,
                          const std::function<std::string(const std::string&)>& here, const std::atomic<bool>& stop) {
  const auto [a, b] = pairing_of_input(input, r);
  options.rules = r.rules;
  const auto player_a = first_player(here(a), options, r), player_b = second_player(here(b), options, r);
  try {
    return pairing_text(play_pairing(*player_a, *player_b, r, a, b, [&](int, std::uint64_t) {
      if (stop) throw Stopped{};
    }));
  } catch (const Stopped&) {
    return "";
  }
}

bool uses_exact_memory(const std::vector<std::string>& players) {
  return std::any_of(players.begin(), players.end(),
                     [](const std::string& name) { return uses_exact_memory(parse_player(name)); });
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
