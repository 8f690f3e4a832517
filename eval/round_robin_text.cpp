#include "eval/round_robin_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/json_message.h"
#include "base/printable.h"
#include "env/notation.h"
#include "eval/match.h"

namespace quarto {
namespace {

using nlohmann::json;

constexpr int kMostGames = 1'000'000;  // of a pairing
constexpr const char* kFormat = "quarto-round-robin/1";

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

PairingResult pairing_from(const json& from, const RoundRobin& r) {
  const auto forfeits = [&from](const char* key) {
    return from.contains(key) ? integer_in(from.at(key), 0, kMostGames) : 0;
  };
  PairingResult p;
  p.a = from.at("a").get<std::string>();
  p.b = from.at("b").get<std::string>();
  p.distinct_games = integer_in(from.at("distinct_games"), 0, kMostGames);
  p.seconds = from.at("seconds").get<double>();
  p.a_forfeits = forfeits("a_forfeits");
  p.b_forfeits = forfeits("b_forfeits");
  p.a_failure = from.value("a_failure", "");
  p.b_failure = from.value("b_failure", "");
  const std::string results = from.at("results");
  if (p.a == p.b || !has_name(r.players, p.a) || !has_name(r.players, p.b)) {
    throw RoundRobinError(fmt::format("a pairing of '{}' and '{}', who are not two of its players", p.a, p.b));
  }
  if (std::any_of(r.played.begin(), r.played.end(), [&](const auto& other) { return is_between(other, p.a, p.b); })) {
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

nlohmann::ordered_json to_json(const PairingResult& p) {
  nlohmann::ordered_json pairing{
      {"a", p.a}, {"b", p.b}, {"results", results_of(p)}, {"distinct_games", p.distinct_games}, {"seconds", p.seconds}};
  if (p.a_forfeits > 0) pairing.update({{"a_forfeits", p.a_forfeits}, {"a_failure", p.a_failure}});
  if (p.b_forfeits > 0) pairing.update({{"b_forfeits", p.b_forfeits}, {"b_failure", p.b_failure}});
  return pairing;
}

// What read() returns. That JSON is wrong becomes a RoundRobinError, which says `what` first.
template <class Read>
auto checked(const std::string& what, const Read& read) {
  try {
    return read();
  } catch (const JsonError& e) {
    throw RoundRobinError(what + e.what());
  } catch (const json::exception& e) {
    throw RoundRobinError(what + without_library_code(e.what()));
  } catch (const std::invalid_argument& e) {
    throw RoundRobinError(what + e.what());
  }
}

}  // namespace

bool is_between(const PairingResult& pairing, const std::string& a, const std::string& b) {
  return (pairing.a == a && pairing.b == b) || (pairing.a == b && pairing.b == a);
}

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string to_text(const RoundRobin& r) {
  nlohmann::ordered_json pairings = nlohmann::ordered_json::array();
  for (const PairingResult& p : r.played) pairings.push_back(to_json(p));
  nlohmann::ordered_json text{{"format", kFormat},           {"games", r.games},    {"opening_plies", r.opening_plies},
                              {"rules", to_string(r.rules)}, {"seed", r.seed},      {"players", r.players},
                              {"networks", r.networks},      {"pairings", pairings}};
  if (r.clock) text["clock"] = to_string(*r.clock);
  if (!r.proofs.empty()) text["proofs"] = r.proofs;
  return text.dump(1) + "\n";
}

bool is_round_robin(const std::string& text) {
  const json from = json_or_null(text);
  return from.is_object() && from.contains("format") && from["format"] == kFormat;
}

RoundRobin parse_round_robin(const std::string& text) {
  return checked("no results of a round robin: ", [&] {
    const json from = parse_json(text);
    if (!from.is_object() || from.value("format", "") != kFormat) {
      throw RoundRobinError(fmt::format("no results of a round robin: expected \"format\": \"{}\"", kFormat));
    }
    RoundRobin r;
    r.games = integer_in(from.at("games"), 2, kMostGames);
    if (r.games % 2 != 0) throw RoundRobinError("its games are not whole pairs");
    r.opening_plies = integer_in(from.at("opening_plies"), 0, kMaxOpeningPlies);
    r.rules = parse_rules(from.at("rules").get<std::string>());
    if (!from.at("seed").is_number_unsigned()) throw RoundRobinError("its seed is not a whole number");
    r.seed = from.at("seed");
    if (from.contains("clock")) r.clock = parse_clock(from.at("clock").get<std::string>());
    r.players = from.at("players").get<std::vector<std::string>>();
    require_few_players(r.players.size());
    r.networks = from.at("networks").get<std::map<std::string, std::string>>();
    if (from.contains("proofs")) r.proofs = from.at("proofs").get<std::map<std::string, std::string>>();
    for (const json& pairing : from.at("pairings")) r.played.push_back(pairing_from(pairing, r));
    return r;
  });
}

std::string pairing_input(const std::string& a, const std::string& b) { return json{{"a", a}, {"b", b}}.dump(); }

std::string pairing_text(const PairingResult& pairing) { return json_text(to_json(pairing)); }

std::pair<std::string, std::string> pairing_of_input(const std::string& input, const RoundRobin& r) {
  return checked("", [&] {
    const json from = parse_json(input);
    const std::pair<std::string, std::string> two{from.at("a"), from.at("b")};
    if (two.first == two.second || !has_name(r.players, two.first) || !has_name(r.players, two.second))
      throw RoundRobinError("a pairing of two who are not two of the players");
    return two;
  });
}

PairingResult pairing_of_share(const std::string& input, const RoundRobin& r, const std::string& result) {
  const auto asked = pairing_of_input(input, r);
  return checked("", [&] {
    RoundRobin alone = r;
    alone.played.clear();
    PairingResult pairing = pairing_from(parse_json(result), alone);
    if (std::pair(pairing.a, pairing.b) != asked) throw RoundRobinError("it is of another pairing");
    const auto within = [](auto n, auto least, auto most) {
      if (!(n >= least && n <= most)) throw RoundRobinError("a number in it is out of range");
    };
    within(pairing.distinct_games, 1, r.games);
    within(pairing.seconds, 0.0, 1e9);
    within(pairing.a_forfeits, 0, r.games);
    within(pairing.b_forfeits, 0, r.games);
    for (std::string* why : {&pairing.a_failure, &pairing.b_failure}) *why = printable(*why);
    return pairing;
  });
}

}  // namespace quarto
