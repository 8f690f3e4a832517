#include "web/engine.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <stdexcept>

#include "base/random.h"
#include "env/notation.h"
#include "env/one_ply.h"
#include "env/quartos.h"
#include "env/random_play.h"
#include "light/counts.h"
#include "light/evaluator.h"
#include "play/careless.h"
#include "play/choose.h"
#include "play/hint.h"
#include "play/levels.h"
#include "play/lookahead.h"
#include "web/json.h"

namespace quarto::web {
namespace {

// For each of the page's two workers, with as much again for distances; a phone has room for both.
constexpr std::size_t kTableBytes = std::size_t{64} << 20;
constexpr int kMostOfThePage = 100'000;
constexpr int kMostPlies = 6;  // about a second

int number(Value v) { return static_cast<int>(v); }
std::optional<int> number(std::optional<Value> v) { return v ? std::optional(number(*v)) : std::nullopt; }

struct Game {
  Position position;
  std::vector<Move> moves;
};

// Throws NotationError whose column is that of `text`.
Game play(Position position, std::string_view text) {
  Game game{position, {}};
  std::size_t at = 0;
  while (true) {
    at = text.find_first_not_of(" \t\r\n,;", at);
    if (at == std::string_view::npos) return game;
    Position& p = game.position;
    const std::string which = fmt::format("move {} (character {})", game.moves.size() + 1, at + 1);
    if (p.is_terminal()) throw NotationError(at + 1, which + ": the game is over before it");
    const std::string_view token = text.substr(at, p.phase() == Phase::place ? 2 : 1);
    Move move;
    try {
      move = parse_move(token, p.phase());
    } catch (const NotationError&) {
      throw NotationError(at + 1, fmt::format("{}: '{}' is no {}", which, token,
                                              p.phase() == Phase::place ? "square a1..d4" : "piece 0..F"));
    }
    if (!p.is_legal(move)) {
      throw NotationError(
          at + 1,
          fmt::format("{}: {}", which,
                      p.phase() == Phase::place ? fmt::format("{} is taken", to_string(move))
                                                : fmt::format("piece {} is no longer there to give", to_string(move))));
    }
    p.play(move);
    game.moves.push_back(move);
    at += token.size();
  }
}

std::vector<int> bits(Mask mask) {
  std::vector<int> all;
  for (const int i : BitsOf(mask)) all.push_back(i);
  return all;
}

void write_state(Json& json, std::string_view start, const Game& game) {
  const Position& p = game.position;
  json.open('{').key("rules").value(to_string(p.rules()));
  json.key("start").value(start).key("position").value(to_string(p));
  json.key("moves").open('[');
  for (const Move m : game.moves) json.value(to_string(m));
  json.close(']');
  json.key("phase").value(to_string(p.phase())).key("player").value(p.player_to_act());
  json.key("hand").value(p.has_hand() ? std::optional(index(p.hand())) : std::nullopt);
  json.key("board").open('[');
  for (int s = 0; s < kSquares; ++s) {
    json.value((p.occupied() >> s) & 1U ? std::optional(index(p.piece_at(square(s)))) : std::nullopt);
  }
  json.close(']').key("available").values(bits(p.available())).key("legal").values(bits(p.legal_moves()));
  json.key("over").value(p.is_terminal());
  json.key("winner").value(p.is_won() ? std::optional(p.player_to_act()) : std::nullopt);
  json.key("lines").open('[');
  for (const Quarto& quarto : quartos(p))
    json.open('{').key("squares").values(bits(quarto.squares)).key("shared").values(quarto.shared).close('}');
  json.close(']').close('}');
}

void write_thought(Json& json, const Thought& thought) {
  json.open('{').key("best").value(to_string(thought.best)).key("value").value(thought.value);
  json.key("proven").value(number(thought.proven));
  json.key("network").open('{').key("win").value(thought.network.win).key("draw").value(thought.network.draw);
  json.key("loss").value(thought.network.loss).key("prior").values(thought.network.prior).close('}');
  json.key("moves").open('[');
  for (const RootMove& m : thought.moves) {
    json.open('{').key("move").value(to_string(m.move)).key("index").value(static_cast<int>(m.move.index));
    json.key("visits").value(m.visits).key("prior").value(m.prior).key("value").value(m.value);
    json.key("proven").value(number(m.proven()));
    json.key("low").value(static_cast<int>(m.bounds.low)).key("high").value(static_cast<int>(m.bounds.high)).close('}');
  }
  json.close(']').key("line").open('[');
  for (const Move m : thought.line) json.value(to_string(m));
  json.close(']').key("simulations").value(thought.simulations).key("seconds").value(thought.seconds).close('}');
}

void write_choice(Json& json, const Choice& choice) {
  json.key("move").value(to_string(choice.move)).key("by").value(to_string(choice.by));
  json.key("value").value(choice.value).key("proven").value(number(choice.proven));
  json.key("seconds").value(choice.seconds).key("complete").value(choice.sharp_complete);
}

void require_simulations(int simulations) {
  if (simulations < 0 || simulations > kMostOfThePage)
    throw std::invalid_argument(fmt::format("simulations: {} is not 0..{}", simulations, kMostOfThePage));
}

template <class Answer>
std::string answered(Answer answer) {
  Json json;
  try {
    answer(json);
    return json.text();
  } catch (const std::exception& e) {
    Json error;
    return error.open('{').key("error").value(e.what()).close('}').text();
  }
}

}  // namespace

std::string Engine::add_network(const std::string& name, std::string_view bytes) {
  return answered([&](Json& json) {
    if (name == kUniformNetwork) throw std::invalid_argument(fmt::format("the name '{}' is taken", name));
    light::LightNetwork network = light::parse_network_file(bytes, name);
    const light::NetworkInfo& info = network.info;
    json.open('{').key("name").value(name).key("rules").value(to_string(info.rules)).key("track").value(info.track);
    json.key("width").value(info.shape.width).key("blocks").value(info.shape.blocks);
    json.key("step").value(static_cast<double>(info.step)).key("extra").open('{');
    for (const auto& [key, text] : info.extra) json.key(key).value(text);
    json.close('}').close('}');
    networks_[name] = {info, std::make_unique<PairsEvaluator>(network.kernel)};
  });
}

std::string Engine::set_book(std::string_view bytes) {
  return answered([&](Json& json) {
    const auto book = Book::parse(std::string(bytes), "opening book");
    books_.add(book);
    solver_.reset();
    json.open('{').key("rules").value(to_string(book->rules())).key("last_ply").value(book->last_ply()).close('}');
  });
}

std::string Engine::state(std::string_view rules, std::string_view start, std::string_view moves) const {
  return answered([&](Json& json) {
    const Rules under = parse_rules(rules);
    const Position from = start.empty() ? Position(under) : parse_position(start, under);
    write_state(json, to_string(from), play(from, moves));
  });
}

std::string Engine::levels(std::string_view rules) const {
  return answered([&](Json& json) {
    json.open('[');
    for (const Level& level : quarto::levels(parse_rules(rules))) {
      json.open('{').key("name").value(level.name);
      json.key("network").value(level.network).key("lookahead").value(level.lookahead);
      json.key("careless").value(level.careless).key("simulations").value(level.simulations);
      json.key("exactSquares").value(level.exact_squares).key("sharp").value(level.sharp()).close('}');
    }
    json.close(']');
  });
}

Evaluator& Engine::evaluator_of(const std::string& network, Rules rules) const {
  static UniformEvaluator uniform;
  if (network == kUniformNetwork) return uniform;
  const auto found = networks_.find(network);
  if (found == networks_.end()) throw std::invalid_argument(fmt::format("there is no network '{}'", network));
  if (found->second.info.rules != rules) {
    throw std::invalid_argument(fmt::format("the network '{}' knows the rules '{}', not '{}'", network,
                                            to_string(found->second.info.rules), to_string(rules)));
  }
  return *found->second.evaluator;
}

SharedSolver& Engine::solver() {
  if (!solver_) solver_ = std::make_unique<SharedSolver>(SolverOptions{.table_bytes = kTableBytes, .books = books_});
  return *solver_;
}

std::string Engine::think(const std::string& network, std::string_view rules, std::string_view position,
                          int simulations) const {
  return answered([&](Json& json) {
    const Rules under = parse_rules(rules);
    Evaluator& evaluator = evaluator_of(network, under);
    require_simulations(simulations);
    ThinkLimits limits;
    limits.simulations = simulations;
    write_thought(json, quarto::think(evaluator, parse_position(position, under), limits));
  });
}

ChoiceLimits Engine::limits_of(const Position& position, int simulations, int exact_squares,
                               std::chrono::milliseconds time) const {
  require_simulations(simulations);
  ChoiceLimits limits;
  limits.simulations = simulations;
  limits.exact_squares = exact_squares;
  limits.exact_time = time;
  if (solved_ && solved_->first == position) limits.known = &solved_->second;
  return limits;
}

std::string Engine::choose(const std::string& network, std::string_view rules, std::string_view position,
                           int simulations, int exact_squares, std::chrono::milliseconds time, bool sharp) {
  return answered([&](Json& json) {
    const Position p = parse_position(position, parse_rules(rules));
    Evaluator& evaluator = evaluator_of(network, p.rules());
    json.open('{');
    ChoiceLimits limits = limits_of(p, simulations, exact_squares, time);
    limits.sharp = sharp;
    write_choice(json, quarto::choose(evaluator, &solver(), p, limits));
    json.close('}');
  });
}

std::string Engine::hint(const std::string& network, std::string_view rules, std::string_view position, int simulations,
                         int exact_squares, std::chrono::milliseconds time) {
  return answered([&](Json& json) {
    const Position p = parse_position(position, parse_rules(rules));
    Evaluator& evaluator = evaluator_of(network, p.rules());
    const Hint found = quarto::hint(evaluator, &solver(), p, limits_of(p, simulations, exact_squares, time));
    json.open('{');
    write_choice(json, found.choice);
    json.key("alike").value(found.alike).close('}');
  });
}

std::string Engine::simple(std::string_view rules, std::string_view position, int lookahead, int careless,
                           unsigned seed) const {
  return answered([&](Json& json) {
    const Position p = parse_position(position, parse_rules(rules));
    if (p.is_terminal()) throw std::invalid_argument("no move can be chosen: the game is over");
    if (lookahead < 0 || lookahead > kMostPlies)
      throw std::invalid_argument(fmt::format("lookahead: {} is not 0..{}", lookahead, kMostPlies));
    if (careless < 0 || careless > 100)
      throw std::invalid_argument(fmt::format("careless: {} is not 0..100", careless));
    Rng rng(seed);
    std::optional<Move> move = careless_move(p, careless, rng);
    const bool looked = !move;
    if (!move && lookahead > 0) move = lookahead_move(p, lookahead, rng);
    if (!move) move = Move{p.phase(), static_cast<std::uint8_t>(random_bit(one_ply_moves(p), rng))};
    json.open('{').key("move").value(to_string(*move)).key("by").value(looked ? "rule" : "chance").close('}');
  });
}

std::string Engine::solve(std::string_view rules, std::string_view position, std::chrono::milliseconds time) {
  return answered([&](Json& json) {
    const Position p = parse_position(position, parse_rules(rules));
    SolveLimits limits;
    limits.time = time;
    // As exact play does it: of the canonical image.
    const MoveSolution solution = exact_choice(solver(), p, limits).solution;
    solved_.emplace(p, solution);
    bool complete = true;
    json.open('{').key("values").open('[');
    for (int m = 0; m < kMoves; ++m) {
      const auto value = solution.values[static_cast<std::size_t>(m)];
      complete = complete && (value || !((p.legal_moves() >> m) & 1U));
      json.value(number(value));
    }
    json.close(']').key("value").value(number(solution.value)).key("complete").value(complete);
    json.key("nodes").value(static_cast<double>(solution.stats.nodes));
    json.key("seconds").value(solution.stats.seconds).close('}');
  });
}

std::string Engine::distances(std::string_view rules, std::string_view position, std::chrono::milliseconds time) {
  return answered([&](Json& json) {
    const Position p = parse_position(position, parse_rules(rules));
    if (!solved_ || solved_->first != p) throw std::invalid_argument("solve() of this position comes first");
    SolveLimits limits;
    limits.time = time;
    const auto found =
        solver().ask(limits, [&](Solver& s, const SolveLimits& l) { return s.distances(p, solved_->second, l); });
    json.open('{').key("placements").open('[');
    for (int m = 0; m < kMoves; ++m)
      json.value(found ? found->placements[static_cast<std::size_t>(m)] : std::optional<int>());
    json.close(']').key("best").value(found ? found->best : std::nullopt);
    json.key("complete").value(found && found->complete).close('}');
  });
}

std::string Engine::counts(std::string_view rules, std::string_view position) const {
  return answered([&](Json& json) {
    const Position p = parse_position(position, parse_rules(rules));
    if (p.is_terminal()) throw std::invalid_argument("a finished game has no counts");
    std::vector<float> numbers(static_cast<std::size_t>(light::counts_size(p.rules())));
    light::encode_counts(p, numbers);
    json.open('{').key("size").value(static_cast<int>(numbers.size())).key("numbers").open('[');
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != 0) json.value(static_cast<int>(i)).value(numbers[i]);
    }
    json.close(']').close('}');
  });
}

}  // namespace quarto::web
