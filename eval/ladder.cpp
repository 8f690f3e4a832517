#include "eval/ladder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/json_library.h"
#include "env/notation.h"

namespace quarto {
namespace {

// The player with rating 0: the requested one, else `oneply`, else the first named. None for "mean".
std::optional<std::size_t> anchor_of(const std::string& asked, const std::vector<std::string>& names) {
  if (asked == "mean") return std::nullopt;
  for (const std::string& name : {asked, std::string("oneply")}) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  }
  return 0;
}

}  // namespace

std::vector<std::vector<std::optional<double>>> Ladder::shares() const {
  std::vector shares(order.size(), std::vector<std::optional<double>>(order.size()));
  for (const Pairing& p : field.pairings) {
    double points = 0;
    for (const PairScore& pair : p.pairs) points += pair.mean();
    shares[p.a][p.b] = points / static_cast<double>(p.pairs.size());
    shares[p.b][p.a] = 1 - *shares[p.a][p.b];
  }
  return shares;
}

const std::vector<std::string>& default_field() {
  static const std::vector<std::string> field{"random",      "oneply",       "lookahead:2",  "lookahead:4",
                                              "rollout:64",  "rollout:1000", "rollout:3000", "strangler",
                                              "perfect:any", "perfect"};
  return field;
}

void require_anchor(const std::string& anchor, const std::vector<std::string>& players) {
  if (anchor.empty() || anchor == "mean" || std::find(players.begin(), players.end(), anchor) != players.end()) return;
  throw RoundRobinError(
      fmt::format("--anchor '{}' is none of the players, which are {}", anchor, fmt::join(players, ", ")));
}

Ladder rated(const RoundRobin& r, const std::string& anchor, bool complete) {
  Ladder outcome{r, field_of(r), {}, {}, {}, complete};
  outcome.anchor = anchor_of(anchor, outcome.field.names);
  RatingOptions options;
  options.anchor = outcome.anchor;
  options.seed = r.seed;
  outcome.ratings = rate(outcome.field.names, outcome.field.pairings, options);
  outcome.order.resize(outcome.field.names.size());
  std::iota(outcome.order.begin(), outcome.order.end(), std::size_t{0});
  const auto& players = outcome.ratings.players;
  std::stable_sort(outcome.order.begin(), outcome.order.end(),
                   [&](std::size_t i, std::size_t j) { return players[i].elo > players[j].elo; });
  return outcome;
}

nlohmann::ordered_json to_json(const Ladder& o) {
  const RoundRobin& r = o.round_robin;
  nlohmann::ordered_json players = nlohmann::ordered_json::array(), pairings = players;
  for (std::size_t row = 0; row < o.order.size(); ++row) {
    const std::size_t i = o.order[row];
    const PlayerRating& p = o.ratings.players[i];
    players.push_back({{"name", o.field.names[i]},
                       {"elo", p.elo},
                       {"low", p.interval.low},
                       {"high", p.interval.high},
                       {"score", p.score},
                       {"games", p.games()},
                       {"wins", p.wins},
                       {"draws", p.draws},
                       {"losses", p.losses}});
    if (row + 1 < o.order.size()) players.back()["above_next"] = o.ratings.above(i, o.order[row + 1]);
  }
  for (std::size_t i = 0; i < r.played.size(); ++i) {
    const PairingResult& p = r.played[i];
    const Pairing& at = o.field.pairings[i];
    int outcomes[3] = {0, 0, 0};
    for (const PairScore& pair : p.pairs) {
      for (const double points : {pair.first, pair.second}) ++outcomes[points == 1 ? 0 : points == 0.5 ? 1 : 2];
    }
    const auto& rated = o.ratings.players;
    pairings.push_back({{"a", p.a},
                        {"b", p.b},
                        {"wins", outcomes[0]},
                        {"draws", outcomes[1]},
                        {"losses", outcomes[2]},
                        {"score", (outcomes[0] + outcomes[1] / 2.0) / r.games},
                        {"predicted", elo_to_score(rated[at.a].elo - rated[at.b].elo)},
                        {"distinct_games", p.distinct_games},
                        {"seconds", p.seconds}});
    if (p.a_forfeits > 0) pairings.back().update({{"a_forfeits", p.a_forfeits}, {"a_failure", p.a_failure}});
    if (p.b_forfeits > 0) pairings.back().update({{"b_forfeits", p.b_forfeits}, {"b_failure", p.b_failure}});
  }
  return {{"complete", o.complete},
          {"games", r.games},
          {"opening_plies", r.opening_plies},
          {"clock", r.clock ? nlohmann::json(to_string(*r.clock)) : nlohmann::json()},
          {"rules", to_string(r.rules)},
          {"seed", r.seed},
          {"anchor", o.anchor ? nlohmann::ordered_json(o.field.names[*o.anchor]) : nlohmann::ordered_json(nullptr)},
          {"misfit", o.ratings.misfit},
          {"players", players},
          {"pairings", pairings}};
}

}  // namespace quarto
