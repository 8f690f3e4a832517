// quartozero.Player: a network file that plays.
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>

#include "base/file.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "play/light_player.h"
#include "python/arrays.h"
#include "python/bind.h"
#include "python/interruptible.h"
#include "python/results.h"

namespace quarto::python {
namespace {

void require_ours(const LightPlayer& player, const Position& position) {
  if (position.rules() != player.info().rules) {
    throw py::value_error("the network knows the rules '" + to_string(player.info().rules) +
                          "', and the position is under '" + to_string(position.rules()) + "'");
  }
  require_unfinished(position);
}

std::unique_ptr<LightPlayer> load(const std::filesystem::path& path, int simulations, int proof_nodes,
                                  int exact_squares, double table_mb, const py::object& book, std::optional<int> sims,
                                  bool sharp) {
  SearchConfig search;
  if (proof_nodes < 0 || proof_nodes > kMostProofNodes) {
    throw py::value_error("proof_nodes must be from 0 to " + std::to_string(kMostProofNodes));
  }
  search.proof_nodes = proof_nodes;
  if (sharp && exact_squares == 0) throw py::value_error("sharp is of exact play: set exact_squares too");
  if (std::error_code none; path == path.filename() && !path.has_extension() && !std::filesystem::exists(path, none))
    throw FileError("there is no file '" + path.string() +
                    "'; quartozero.shipped_network() has the paths of networks that come along");
  return std::make_unique<LightPlayer>(LightPlayer::load(path, {.simulations = sims.value_or(simulations),
                                                                .search = search,
                                                                .exact_squares = exact_squares,
                                                                .sharp = sharp,
                                                                .table_bytes = table_bytes_of(table_mb),
                                                                .books = books_of(book)}));
}

py::dict info_of(const LightPlayer& player) {
  const light::NetworkInfo& info = player.info();
  py::dict all;
  all["network"] = "pairs";
  all["width"] = info.shape.width;
  all["blocks"] = info.shape.blocks;
  all["head"] = info.shape.head;
  all["rules"] = to_string(info.rules);
  all["track"] = info.track;
  all["step"] = info.step;
  for (const auto& [key, text] : info.extra) all[py::str(key)] = text;
  return all;
}

// A choice that takes well under a millisecond is not worth a thread of its own.
bool quick(const ChoiceLimits& limits, const Position& position) {
  return limits.simulations == 0 && !limits.clock && std::popcount(position.empty()) > limits.exact_squares;
}

std::string choose(LightPlayer& player, const Position& position, std::optional<double> clock, double increment) {
  require_ours(player, position);
  ChoiceLimits limits = player.limits();
  if (!(increment >= 0)) throw py::value_error("increment must be 0 or more (seconds)");
  if (increment > 0 && !clock) throw py::value_error("increment: only with clock, the seconds left for the game");
  if (clock) {
    limits.clock = GameClock{time_of(clock, "clock"),
                             time_of(increment > 0 ? std::optional(increment) : std::nullopt, "increment")};
    if (limits.simulations == 0) limits.simulations = kMostSimulations;
  }
  if (quick(limits, position)) {
    const py::gil_scoped_release others_may_run;
    return to_string(player.choose(position, limits).move);
  }
  return to_string(interruptible([&](const std::atomic<bool>& stop) {
    ChoiceLimits mine = limits;
    mine.stop = &stop;
    return player.choose(position, mine).move;
  }));
}

py::object evaluate_one(LightPlayer& player, const Position& position) {
  require_ours(player, position);
  Evaluation evaluation;
  {
    const py::gil_scoped_release others_may_run;
    evaluate(player.evaluator(), {&position, 1}, {&evaluation, 1});
  }
  return evaluation_object(position, evaluation);
}

// Evaluates positions and writes them as rows of the two arrays, in pieces that the threads take as they come.
class Rows {
 public:
  Rows(Evaluator& evaluator, const std::vector<Position>& positions, float* priors, float* outcomes)
      : evaluator_(evaluator), positions_(positions), priors_(priors), outcomes_(outcomes) {}

  void fill(int threads, const std::atomic<bool>& stop) {
    const std::size_t pieces = (positions_.size() + kPiece - 1) / kPiece;
    std::vector<std::future<void>> others;
    for (std::size_t t = 1; t < std::min(static_cast<std::size_t>(threads), pieces); ++t)
      others.push_back(std::async(std::launch::async, [this, &stop] { take(stop); }));
    take(stop);
    for (auto& other : others) other.get();
  }

 private:
  static constexpr std::size_t kPiece = 256;

  void take(const std::atomic<bool>& stop) {
    const auto batch = evaluator_.new_batch();
    std::array<Evaluation, kPiece> found;
    for (std::size_t from; !stop && (from = next_.fetch_add(kPiece)) < positions_.size();) {
      const std::size_t count = std::min(kPiece, positions_.size() - from);
      for (std::size_t i = 0; i < count; ++i) batch->add(positions_[from + i], found[i]);
      batch->compute();
      for (std::size_t i = 0; i < count; ++i) {
        const Evaluation& e = found[i];
        std::copy(e.prior.begin(), e.prior.end(), priors_ + (from + i) * kMoves);
        const std::array<float, kOutcomes> outcome = {e.win, e.draw, e.loss};
        std::copy(outcome.begin(), outcome.end(), outcomes_ + (from + i) * kOutcomes);
      }
    }
  }

  Evaluator& evaluator_;
  const std::vector<Position>& positions_;
  float *priors_, *outcomes_;
  std::atomic<std::size_t> next_ = 0;
};

py::object evaluate_batch(LightPlayer& player, const py::object& many, int threads) {
  require_threads(threads);
  const std::vector<Position> positions = positions_from(many, player.info().rules);
  const auto over = std::find_if(positions.begin(), positions.end(), [](const Position& p) { return p.is_terminal(); });
  if (over != positions.end()) {
    throw py::value_error("row " + std::to_string(over - positions.begin()) + ": the game is over in '" +
                          to_string(*over) + "'");
  }
  const auto rows = static_cast<py::ssize_t>(positions.size());
  auto priors = new_array<float>({rows, kMoves}), outcomes = new_array<float>({rows, kOutcomes});
  Rows work(player.evaluator(), positions, priors.mutable_data(), outcomes.mutable_data());
  interruptible([&](const std::atomic<bool>& stop) { work.fill(threads, stop); });
  return result_type("Evaluations")(priors, outcomes);
}

py::object thought_object(const Position& position, const Thought& thought) {
  py::list moves, line;
  for (const RootMove& m : thought.moves) {
    moves.append(result_type("MoveThought")(to_string(m.move), m.visits, m.prior, m.value, value_object(m.proven()),
                                            value_object(m.bounds.low), value_object(m.bounds.high)));
  }
  for (const Move m : thought.line) line.append(to_string(m));
  return result_type("Thought")(to_string(thought.best), thought.value, value_object(thought.proven), line, moves,
                                thought.simulations, thought.seconds, evaluation_object(position, thought.network));
}

py::object think(LightPlayer& player, const Position& position, std::optional<int> simulations,
                 std::optional<double> seconds, std::optional<int> sims) {
  if (sims) simulations = sims;
  require_ours(player, position);
  ThinkLimits limits;
  limits.time = time_of(seconds);
  limits.simulations = simulations;
  if (!simulations && !seconds) limits.simulations = player.options().simulations;
  return thought_object(position, interruptible([&](const std::atomic<bool>& stop) {
                          ThinkLimits mine = limits;
                          mine.stop = &stop;
                          return player.think(position, mine);
                        }));
}

std::string player_shown(const LightPlayer& player) {
  std::string text =
      "<quartozero.Player: track '" + player.info().track + "', " + std::to_string(player.info().step) + " steps";
  if (player.options().simulations > 0) text += ", " + std::to_string(player.options().simulations) + " simulations";
  if (player.options().exact_squares > 0) {
    text += std::string(player.options().sharp ? ", sharp and" : ",") + " exact from " +
            std::to_string(player.options().exact_squares) + " empty squares on";
  }
  return text + ">";
}

}  // namespace

void bind_player(py::module_& m) {
  py::class_<LightPlayer> player(
      m, "Player",
      "A trained network out of one file, alone or with a search. Several threads may share one: evaluating and\n"
      "thinking go on side by side, only exact play is one at a time.");
  in_package(player)
      .def_static(
          "load", &load, py::arg("path"), py::arg("simulations") = 0,
          py::arg("proof_nodes") = SearchConfig{}.proof_nodes, py::arg("exact_squares") = 0, py::arg("table_mb") = 64.0,
          py::arg("book") = true, py::kw_only(), py::arg("sims") = py::none(), py::arg("sharp") = false,
          "simulations (or sims): of the search for each move; 0: the network's own choice. proof_nodes: of proof\n"
          "search for each question at a leaf of that search; 0: none. exact_squares: exact play\n"
          "from so many empty squares on, by a solver with a table of table_mb and this book (see Solver). sharp: exact\n"
          "play wins soonest, loses last, and in a draw leaves the opponent the most squares that lose.")
      .def_property_readonly("info", &info_of, "What the file says of its network.")
      .def_property_readonly("simulations", [](const LightPlayer& p) { return p.options().simulations; })
      .def_property_readonly("proof_nodes", [](const LightPlayer& p) { return p.options().search.proof_nodes; })
      .def_property_readonly("exact_squares", [](const LightPlayer& p) { return p.options().exact_squares; })
      .def_property_readonly("sharp", [](const LightPlayer& p) { return p.options().sharp; })
      .def("choose", &choose, py::arg("position"), py::arg("clock") = py::none(), py::arg("increment") = 0.0,
           "The player's move. clock: the seconds it has left for the whole game, and increment those it gets after\n"
           "each decision; it decides itself how much to spend.")
      .def("evaluate", &evaluate_one, py::arg("position"), "The raw network's opinion: an Evaluation.")
      .def("evaluate_batch", &evaluate_batch, py::arg("positions"), py::arg("threads") = 1,
           "The raw network's opinion of many positions, a sequence or an array as of to_array(): Evaluations, that\n"
           "is priors float32 [N, 16] by index of the move, and outcomes float32 [N, 3]: win, draw, loss.")
      .def("think", &think, py::arg("position"), py::arg("simulations") = py::none(), py::arg("seconds") = py::none(),
           py::kw_only(), py::arg("sims") = py::none(),
           "A search, whatever it finds: a Thought. Ends after so many simulations or seconds, whichever comes first;\n"
           "without either, after the player's own simulations. With 0 simulations there is no search.")
      .def("__repr__", &player_shown);
}

}  // namespace quarto::python
