// python: the Python module
// Uses: base, env, solver, mcts, light, data, selfplay, play, engine, eval.
// Promises: Python types and Python errors, never an abort. The interpreter's lock is not held while anything is
// computed, only while objects and arrays are converted. Ctrl-C ends whatever takes long.
//
// This header: what the sources of the module share.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/fields.h"
#include "base/option_limits.h"
#include "env/position.h"
#include "mcts/config.h"
#include "solver/book.h"
#include "solver/solver.h"

namespace quarto::python {

namespace py = pybind11;

void bind_results(py::module_& m);
void bind_position(py::module_& m);
void bind_arrays(py::module_& m);
void bind_batch(py::module_& m);
void bind_solver(py::module_& m);
void bind_evaluator(py::module_& m);
void bind_measure(py::module_& m);
void bind_player(py::module_& m);
void bind_players(py::module_& m);
void bind_search(py::module_& m);
void bind_streams(py::module_& m);
void bind_suite(py::module_& m);

// Everything with a name of its own belongs to the package, not to the compiled module inside it.
template <class Class>
Class& in_package(Class& c) {
  c.attr("__module__") = "quartozero";
  return c;
}

// ValueError for a number of threads that nobody means.
inline void require_threads(int threads) {
  if (threads < 1 || threads > kMostThreads)
    throw py::value_error("threads must be from 1 to " + std::to_string(kMostThreads));
}

// A move as people write it, under the position's phase.
inline Move move_of(const Position& position, int index) {
  return {position.phase(), static_cast<std::uint8_t>(index)};
}

// The game's end as an error: for what makes no sense then.
void require_unfinished(const Position& position);

// book=: False none, True those that come with the program, else the path of one.
Books books_of(const py::object& choice);
// table_mb=, checked.
std::size_t table_bytes_of(double megabytes);
// settings=: keys of a configuration.
using Settings = std::map<std::string, py::object>;
// Sets what `visit` visits, checked.
void set_fields(const Settings& settings, const std::function<void(FieldVisitor&)>& visit);
// proof_nodes=, root=, settings= (other keys of the section `search`), checked.
SearchConfig search_config_of(int proof_nodes, const std::string& root, const Settings& settings);
void require_no_oracle(const SearchConfig& config);
// seconds=: None is no limit.
std::chrono::milliseconds time_of(std::optional<double> seconds, const char* name = "seconds");

}  // namespace quarto::python
