// quartozero.Search: tree searches of many positions side by side.
#include "mcts/search.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/assign.h"
#include "base/random.h"
#include "env/notation.h"
#include "play/think.h"
#include "python/arrays.h"
#include "python/bind.h"
#include "python/evaluator.h"
#include "python/results.h"
#include "solver/prover.h"

namespace quarto::python {
namespace {

constexpr py::ssize_t kMostSideBySide = 1'000'000;

// The arrays of quartozero.Searches, row by row.
class Found {
 public:
  explicit Found(py::ssize_t rows)
      : best_(new_array<std::int8_t>({rows})),
        visits_(new_array<std::int32_t>({rows, kMoves})),
        policy_(new_array<float>({rows, kMoves})),
        values_(new_array<float>({rows})),
        at_least_(new_array<std::int8_t>({rows})),
        at_most_(new_array<std::int8_t>({rows})),
        simulations_(new_array<std::int32_t>({rows})) {
    std::fill_n(visits_.mutable_data(), rows * kMoves, 0);
  }

  void set(std::size_t row, const Search& search) {
    best_.mutable_data()[row] = static_cast<std::int8_t>(search.best_move().index);
    ValueBounds bounds{Value::loss, Value::loss};
    for (const RootMove& m : search.root_moves()) {
      visits_.mutable_data()[row * kMoves + m.move.index] = m.visits;
      bounds.low = std::max(bounds.low, m.bounds.low);
      bounds.high = std::max(bounds.high, m.bounds.high);
    }
    const auto policy = search.policy_target();
    std::copy(policy.begin(), policy.end(), policy_.mutable_data() + row * kMoves);
    values_.mutable_data()[row] = search.root_value();
    at_least_.mutable_data()[row] = static_cast<std::int8_t>(bounds.low);
    at_most_.mutable_data()[row] = static_cast<std::int8_t>(bounds.high);
    simulations_.mutable_data()[row] = search.simulations();
  }
  py::object object() const {
    return result_type("Searches")(best_, visits_, policy_, values_, at_least_, at_most_, simulations_);
  }

 private:
  py::array_t<std::int8_t> best_;
  py::array_t<std::int32_t> visits_;
  py::array_t<float> policy_, values_;
  py::array_t<std::int8_t> at_least_, at_most_;
  py::array_t<std::int32_t> simulations_;
};

class Searching {
 public:
  Searching(const py::object& evaluate, int simulations, int proof_nodes, const std::string& root,
            py::ssize_t side_by_side, const Settings& settings)
      : given_(evaluator_of(evaluate)),
        simulations_(simulations),
        side_by_side_(static_cast<std::size_t>(side_by_side)),
        config_(search_config_of(proof_nodes, root, settings)),
        evaluator_(*given_.evaluator, solver_prover()) {
    if (simulations < 1 || simulations > kMostSimulations)
      throw py::value_error("simulations must be from 1 to " + std::to_string(kMostSimulations));
    if (side_by_side < 1 || side_by_side > kMostSideBySide)
      throw py::value_error("side_by_side must be from 1 to " + std::to_string(kMostSideBySide));
  }

  py::object run(const py::object& many, std::uint64_t seed, bool noise) {
    const std::vector<Position> positions = positions_from(many, given_.rules);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (positions[i].is_terminal())
        throw py::value_error("row " + std::to_string(i) + ": the game is over in '" + to_string(positions[i]) + "'");
    }
    Found found(static_cast<py::ssize_t>(positions.size()));
    {
      const py::gil_scoped_release others_may_run;
      const auto batch = evaluator_.new_batch();
      for (std::size_t begin = 0; begin < positions.size(); begin += side_by_side_) {
        const std::size_t end = std::min(begin + side_by_side_, positions.size());
        std::vector<std::unique_ptr<Search>> searches;
        std::vector<Search*> running;
        for (std::size_t i = begin; i < end; ++i) {
          running.push_back(searches.emplace_back(std::make_unique<Search>(config_, mix_seed(seed, i))).get());
          running.back()->set_root(positions[i]);
          if (noise) running.back()->add_noise();
        }
        run_searches(running, *batch, simulations_);
        const py::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        for (std::size_t i = begin; i < end; ++i) found.set(i, *running[i - begin]);
      }
    }
    return found.object();
  }

  int simulations() const { return simulations_; }
  int proof_nodes() const { return config_.proof_nodes; }
  std::string rules() const { return to_string(given_.rules); }

 private:
  GivenEvaluator given_;
  int simulations_;
  std::size_t side_by_side_;
  SearchConfig config_;
  ProvingEvaluator evaluator_;
};

}  // namespace

void set_fields(const Settings& settings, const std::function<void(FieldVisitor&)>& visit) {
  for (const auto& [key, value] : settings) {
    const std::string text =
        py::isinstance<py::bool_>(value) ? (value.cast<bool>() ? "true" : "false") : py::str(value).cast<std::string>();
    try {
      config::set(key + "=" + text, visit, "settings");
    } catch (const ConfigError& e) {
      throw py::value_error(e.what());
    }
  }
}

void require_no_oracle(const SearchConfig& config) {
  if (config.oracle_squares > 0)
    throw py::value_error("settings: a search here has no oracle: oracle_squares must be 0");
}

SearchConfig search_config_of(int proof_nodes, const std::string& root, const Settings& settings) {
  SearchConfig config;
  const auto visit = config::visitor_of(config);
  set_fields({{"proof_nodes", py::int_(proof_nodes)}, {"root", py::str(root)}}, visit);
  set_fields(settings, visit);
  require_no_oracle(config);
  return config;
}

void bind_search(py::module_& m) {
  py::class_<Searching> search(
      m, "Search",
      "Tree searches with a network: a function (see Evaluator), an Evaluator or a Player. A position costs so many\n"
      "simulations, each with an evaluation at most; proof_nodes: of proof search at the leaves, 0: none.\n"
      "root: \"gumbel\" or \"puct\". side_by_side: positions whose searches wait for one batch. settings: other keys of\n"
      "the section `search` (quartozero train --print-config), as {\"c_puct\": 2}.");
  in_package(search)
      .def(py::init<const py::object&, int, int, const std::string&, py::ssize_t, const Settings&>(),
           py::arg("evaluate"), py::arg("simulations") = 32, py::arg("proof_nodes") = 0, py::arg("root") = "gumbel",
           py::kw_only(), py::arg("side_by_side") = 1024, py::arg("settings") = Settings())
      .def(
          "run", &Searching::run, py::arg("positions"), py::arg("seed") = 0, py::arg("noise") = false,
          "Searches positions, a sequence or an array as of to_array(), none of them over: Searches. noise: what makes\n"
          "self-play explore. The same seed gives the same answers, whatever the network is computed together with.")
      .def_property_readonly("simulations", &Searching::simulations)
      .def_property_readonly("proof_nodes", &Searching::proof_nodes)
      .def_property_readonly("rules", &Searching::rules);
}

}  // namespace quarto::python
