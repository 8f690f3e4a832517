// Reads and checks requests. compute.cpp computes the answers.
#include "serve/api.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/nearest.h"
#include "env/notation.h"
#include "env/quartos.h"
#include "serve/kinds.h"

namespace quarto::serve {
namespace {

constexpr std::size_t kMostPositionBytes = 64, kMostGameBytes = 256;
constexpr int kAnalysisSimulations = 400;

RequestError missing(const std::string& field, const std::string& what) {
  return RequestError(400, "missing_field", fmt::format("{}: missing; {}", field, what), field);
}

std::optional<Rules> rules_of(const Fields& fields) {
  const auto text = fields.text("rules", kMostNameBytes);
  if (!text) return std::nullopt;
  const auto rules = value_named<Rules>(*text);
  if (!rules) throw invalid("rules", fmt::format("must be {}, not {}", rules_in_words(), in_quotes(*text)));
  return rules;
}

Position position_of(const std::string& text, const std::string& field, Rules rules) {
  try {
    return parse_position(text, rules);
  } catch (const NotationError& e) {
    throw invalid(field, fmt::format("{}: {}", in_quotes(text), e.what()));
  }
}

// The position given by "position" or "game".
Position position_of(const Fields& fields, Rules rules) {
  const auto text = fields.text("position", kMostPositionBytes), game = fields.text("game", kMostGameBytes);
  if (text && game) throw invalid("game", "'position' and 'game' exclude each other");
  if (text) return position_of(*text, "position", rules);
  if (!game) throw missing("position", "e.g. \"..../2F.A/E9../.8B3 -\", or a game, e.g. \"0 a1 7 c2\"");
  Position position(rules);
  try {
    for (const Move m : parse_game(*game, rules)) position.play(m);
  } catch (const NotationError& e) {
    throw invalid("game", fmt::format("{}: {}", in_quotes(*game), e.what()));
  }
  return position;
}

void refuse_finished(const Position& position, const std::string& field) {
  if (!position.is_terminal()) return;
  throw RequestError(
      400, "game_over",
      fmt::format("{}: the game is over: {}", field, position.is_won() ? "there is a quarto" : "the board is full"),
      field);
}

NetworkPointer network_of(const Fields& fields, const Catalogue& catalogue, std::optional<Rules> rules) {
  const auto name = fields.text("network", kMostNameBytes);
  if (NetworkPointer network = catalogue.find(name, rules)) return network;
  if (const NetworkPointer of_other_rules = rules ? catalogue.find(name, std::nullopt) : nullptr) {
    throw invalid("network", fmt::format("'{}' was trained for the rules '{}', not '{}'", of_other_rules->name,
                                         to_string(of_other_rules->rules), to_string(*rules)));
  }
  const std::vector<std::string> names = catalogue.names();
  const std::string all = fmt::format("the networks are {}", fmt::join(names, ", "));
  throw RequestError(
      400, "unknown_network",
      fmt::format("network: there is no {}; {}", in_quotes(*name), did_you_mean_or(nearest(*name, names), all)),
      "network");
}

std::chrono::milliseconds whole_milliseconds(double seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

constexpr std::int64_t kMostServedProofNodes = 10'000;  // of one question

// The position and the limits of a search; `simulations` unless the request limits it.
void parse_search(const Fields& fields, const Limits& limits, int simulations, Task& task) {
  task.positions = {position_of(fields, task.network->rules)};
  refuse_finished(task.positions.front(), fields.has("game") ? "game" : "position");
  const auto asked = fields.whole("simulations", 0, limits.simulations);
  const auto time = fields.whole("time_ms", 1, task.most.count());
  if (time) task.time = std::chrono::milliseconds(*time);
  if (const auto nodes = fields.whole("proof_nodes", 0, kMostServedProofNodes))
    task.search.proof_nodes = static_cast<int>(*nodes);
  task.simulations = asked ? static_cast<int>(*asked) : time ? limits.simulations : simulations;
}

}  // namespace

bool is_network_name(std::string_view name) {
  return !name.empty() && name.size() <= kMostNameBytes && name != kNoNetwork &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
             std::string_view::npos;
}

Catalogue::Catalogue(std::vector<ServedNetwork> networks, std::shared_ptr<NetworkSource> more)
    : more_(std::move(more)) {
  for (ServedNetwork& n : networks) {
    if (n.name == kNoNetwork)
      throw std::invalid_argument(fmt::format("the name '{}' is reserved for the uniform evaluator", kNoNetwork));
    if (!is_network_name(n.name))
      throw std::invalid_argument(
          fmt::format("{}: a network's name consists of at most {} letters, digits, '.', '_' and '-'",
                      in_quotes(n.name), kMostNameBytes));
    if (std::any_of(networks_.begin(), networks_.end(), [&n](const auto& other) { return other->name == n.name; }))
      throw std::invalid_argument(fmt::format("two networks are called '{}'", n.name));
    if (more_ && more_->may_have(n.name))
      throw std::invalid_argument(
          fmt::format("'{}' may be the name of a training run's network: give another one with NAME=PATH", n.name));
    networks_.push_back(std::make_shared<const ServedNetwork>(std::move(n)));
  }
  const auto uniform = std::make_shared<UniformEvaluator>();
  for (const Rules rules : kAllRules)
    uniform_.push_back(std::make_shared<const ServedNetwork>(ServedNetwork{{uniform, rules, {}}, kNoNetwork}));
}

std::vector<NetworkLabel> Catalogue::more_labels() const {
  std::vector<NetworkLabel> labels;
  if (!more_) return labels;
  for (NetworkLabel& label : more_->labels()) {
    const auto same = [&label](const NetworkPointer& other) { return other->name == label.name; };
    if (is_network_name(label.name) && std::none_of(networks_.begin(), networks_.end(), same))
      labels.push_back(std::move(label));
  }
  return labels;
}

std::vector<NetworkLabel> Catalogue::labels() const {
  std::vector<NetworkLabel> labels;
  for (const NetworkPointer& n : networks_) labels.push_back({n->name, n->rules, n->info});
  for (NetworkLabel& label : more_labels()) labels.push_back(std::move(label));
  for (const NetworkPointer& n : uniform_) labels.push_back({n->name, n->rules, n->info});
  return labels;
}

NetworkPointer Catalogue::find(const std::optional<std::string>& name, std::optional<Rules> rules) const {
  const auto fits = [&](const std::string& of, Rules under) {
    return (!name || of == *name) && (!rules || under == *rules);
  };
  const auto among = [&](const std::vector<NetworkPointer>& networks) -> NetworkPointer {
    for (const NetworkPointer& n : networks) {
      if (fits(n->name, n->rules)) return n;
    }
    return nullptr;
  };
  if (const NetworkPointer found = among(networks_)) return found;
  if (name != kNoNetwork) {
    for (const NetworkLabel& label : more_labels()) {
      if (!fits(label.name, label.rules)) continue;
      try {
        if (NetworkPointer found = more_->find(label.name); found && (!rules || found->rules == *rules)) return found;
      } catch (const std::exception& e) {
        if (!name) continue;  // another one will do
        throw RequestError(409, "unreadable", fmt::format("network: {}: {}", label.name, e.what()), "network");
      }
    }
  }
  return among(uniform_);
}

std::vector<std::string> Catalogue::names() const {
  std::vector<std::string> names;
  for (const NetworkLabel& label : labels()) {
    if (names.empty() || names.back() != label.name) names.push_back(label.name);
  }
  return names;
}

Task parse_task(Kind kind, const nlohmann::json& body, const Catalogue& catalogue, const Limits& limits,
                Priority priority, const std::vector<std::string>& extra) {
  const KindRow& row = row_of(kind);
  std::vector<std::string> names = row.fields;
  names.insert(names.end(), extra.begin(), extra.end());
  const Fields fields(body, std::move(names));

  Task task;
  task.kind = kind;
  task.most = whole_milliseconds(priority == Priority::interactive ? limits.seconds : limits.job_seconds);
  // A network has one rule set. Without "network" and "rules" the first network is used, with its rules.
  task.network = network_of(fields, catalogue, rules_of(fields));
  row.parse(fields, limits, task);
  return task;
}

void parse_move(const Fields& fields, const Limits& limits, Task& task) {
  // A game is a day long at most.
  constexpr std::int64_t kLongestClock = 24 * 3600 * 1000;
  const auto left = fields.whole("clock_ms", 1, kLongestClock);
  const auto increment = fields.whole("increment_ms", 0, kLongestClock);
  if (increment && !left)
    throw RequestError(400, "invalid_value", "increment_ms: only with clock_ms, the time left for the game",
                       "increment_ms");
  if (left) task.clock = GameClock{std::chrono::milliseconds(*left), std::chrono::milliseconds(increment.value_or(0))};
  // By the clock the search has no limit of its own, unless the request sets one.
  parse_search(fields, limits, left ? limits.simulations : 0, task);
  task.exact_squares = static_cast<int>(fields.whole("exact_squares", 0, kSquares).value_or(0));
  task.sharp = fields.flag("sharp").value_or(false);
  if (task.sharp && task.exact_squares == 0)
    throw RequestError(400, "invalid_value", "sharp: only with exact_squares, which says where play is exact", "sharp");
}

void parse_analysis(const Fields& fields, const Limits& limits, Task& task) {
  parse_search(fields, limits, std::min(kAnalysisSimulations, limits.simulations), task);
  task.exact = fields.flag("exact").value_or(false);
  task.placements = fields.flag("placements").value_or(false);
  if (task.placements && !task.exact) throw invalid("placements", "only with exact");
}

void parse_evaluation(const Fields& fields, const Limits& limits, Task& task) {
  const auto texts = fields.texts("positions", static_cast<std::size_t>(limits.positions), kMostPositionBytes);
  if (!texts) throw missing("positions", "e.g. [\"..../2F.A/E9../.8B3 -\"]");
  for (std::size_t i = 0; i < texts->size(); ++i) {
    const std::string field = fmt::format("positions[{}]", i);
    task.positions.push_back(position_of((*texts)[i], field, task.network->rules));
    refuse_finished(task.positions.back(), field);
  }
}

Json play(const nlohmann::json& body) {
  const Fields fields(body, {"position", "game", "rules", "move"});
  const Rules rules = rules_of(fields).value_or(Rules::lines);
  Position position = position_of(fields, rules);
  Json answer;
  if (const auto text = fields.text("move", kMostNameBytes)) {
    refuse_finished(position, fields.has("game") ? "game" : "position");
    try {
      const Move move = parse_move(*text, position.phase());
      if (!position.is_legal(move)) {
        throw invalid("move", move.phase == Phase::place ? to_string(move) + " is taken"
                                                         : "piece " + to_string(move) + " is on the board already");
      }
      position.play(move);
      answer["move"] = to_string(move);
    } catch (const NotationError& e) {
      throw invalid("move",
                    fmt::format("{}: {} ({})", in_quotes(*text), e.what(),
                                position.phase() == Phase::place ? "a piece is in hand: the move must be a square"
                                                                 : "no piece is in hand: the move must be a piece"));
    }
  }

  answer["position"] = to_string(position);
  answer["rules"] = to_string(rules);
  answer["phase"] = to_string(position.phase());
  answer["player"] = position.player_to_act() == 0 ? "first" : "second";
  answer["over"] = position.is_terminal();
  answer["legal_moves"] = Json::array();
  for (const int m : BitsOf(position.legal_moves()))
    answer["legal_moves"].push_back(to_string(Move{position.phase(), static_cast<std::uint8_t>(m)}));
  answer["lines"] = Json::array();
  if (!position.is_terminal()) return answer;
  answer["winner"] = position.is_won() ? answer["player"] : Json();
  for (const Quarto& quarto : quartos(position)) {
    Json squares = Json::array();
    for (const int s : BitsOf(quarto.squares)) squares.push_back(to_string(square(s)));
    answer["lines"].push_back({{"squares", std::move(squares)}, {"shared", quarto.shared}});
  }
  return answer;
}

}  // namespace quarto::serve
