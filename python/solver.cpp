// quartozero.Solver: exact values.
#include "solver/solver.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/option_limits.h"
#include "env/notation.h"
#include "play/shared_solver.h"
#include "python/arrays.h"
#include "python/bind.h"
#include "python/interruptible.h"
#include "python/results.h"

namespace quarto::python {
namespace {

constexpr double kMostSeconds = 1e8;

// A solver for Python's threads: they wait for each other, and Ctrl-C ends a wait and a search.
class PythonSolver {
 public:
  explicit PythonSolver(const SolverOptions& options) : solver_(options), threads_(options.threads) {
    solver_.prepare();  // a table too large is an error now
  }

  // ask(solver, limits). Without a result only when stopped, which the caller does not see, or when another thread had
  // the solver for the whole time.
  template <class Ask>
  auto ask(std::chrono::milliseconds time, const Ask& ask) {
    return interruptible([&](const std::atomic<bool>& stop) {
      SolveLimits limits;
      limits.time = time;
      limits.stop = &stop;
      return solver_.ask(limits, ask);
    });
  }
  int threads() const { return threads_; }

 private:
  SharedSolver solver_;
  int threads_;
};

std::unique_ptr<PythonSolver> make_solver(double table_mb, int threads, const py::object& book) {
  SolverOptions options;
  options.table_bytes = table_bytes_of(table_mb);
  require_threads(threads);
  options.threads = threads;
  options.books = books_of(book);
  return std::make_unique<PythonSolver>(options);
}

float number(std::optional<Value> value) {
  return value ? static_cast<float>(static_cast<int>(*value)) : std::numeric_limits<float>::quiet_NaN();
}

// What is not known is nan: all of it, until it is.
py::array_t<float> array_of_nan(std::vector<py::ssize_t> shape) {
  auto values = new_array<float>(std::move(shape));
  std::fill_n(values.mutable_data(), values.size(), number(std::nullopt));
  return values;
}

py::object solve(PythonSolver& solver, const Position& position, std::optional<double> seconds) {
  const auto found =
      solver.ask(time_of(seconds), [&](Solver& s, const SolveLimits& limits) { return s.solve(position, limits); });
  return value_object(found ? found->value : std::nullopt);
}

py::dict solve_moves(PythonSolver& solver, const Position& position, std::optional<double> seconds) {
  const auto found = solver.ask(time_of(seconds),
                                [&](Solver& s, const SolveLimits& limits) { return s.solve_moves(position, limits); });
  return values_by_move(position, found.value_or(MoveSolution{}).values);
}

py::dict distances(PythonSolver& solver, const Position& position, std::optional<double> seconds) {
  const auto found = solver.ask(time_of(seconds), [&](Solver& s, const SolveLimits& limits) {
    return solve_with_distances(s, position, limits);
  });
  const auto [solution, known] = found.value_or(std::pair<MoveSolution, MoveDistances>{});
  py::dict by_move;
  const py::object type = result_type("MoveDistance");
  for (const Move m : position.moves())
    by_move[py::str(to_string(m))] = type(value_object(solution.values[m.index]), known.placements[m.index]);
  return by_move;
}

py::array_t<float> solve_batch(PythonSolver& solver, const py::object& many, std::optional<double> seconds,
                               const std::string& rules) {
  const std::vector<Position> positions = positions_from(many, parse_rules(rules));
  const auto found = solver.ask(time_of(seconds),
                                [&](Solver& s, const SolveLimits& limits) { return s.solve_all(positions, limits); });
  auto values = array_of_nan({static_cast<py::ssize_t>(positions.size())});
  if (found) std::transform(found->begin(), found->end(), values.mutable_data(), number);
  return values;
}

py::array_t<float> solve_moves_batch(PythonSolver& solver, const py::object& many, std::optional<double> seconds,
                                     const std::string& rules) {
  const std::vector<Position> positions = positions_from(many, parse_rules(rules));
  const auto found = solver.ask(
      time_of(seconds), [&](Solver& s, const SolveLimits& limits) { return s.solve_moves_of_all(positions, limits); });
  auto values = array_of_nan({static_cast<py::ssize_t>(positions.size()), kMoves});
  if (!found) return values;
  float* out = values.mutable_data();
  for (const MoveSolution& solution : *found)
    out = std::transform(solution.values.begin(), solution.values.end(), out, number);
  return values;
}

}  // namespace

Books books_of(const py::object& choice) {
  if (choice.is_none()) return {};
  if (py::isinstance<py::bool_>(choice)) {
    if (!choice.cast<bool>()) return {};
    Books books = Books::shipped();
    for (const Rules rules : kAllRules) {
      if (!books.of(rules)) throw BookError("the opening book for the rules '" + to_string(rules) + "' is missing");
    }
    return books;
  }
  if (!py::isinstance<py::str>(choice) && !py::hasattr(choice, "__fspath__"))
    throw py::type_error("book must be True, False or a path");
  return Book::open(choice.cast<std::filesystem::path>());
}

std::size_t table_bytes_of(double megabytes) {
  if (!(megabytes > 0 && megabytes <= kMostTableMb)) {
    throw py::value_error("table_mb must be above 0 and at most " + std::to_string(kMostTableMb));
  }
  return static_cast<std::size_t>(megabytes * (1 << 20));
}

std::chrono::milliseconds time_of(std::optional<double> seconds, const char* name) {
  if (!seconds) return std::chrono::milliseconds{0};
  if (!(*seconds > 0 && *seconds <= kMostSeconds)) {
    throw py::value_error(std::string(name) + " must be above 0 (and at most 1e8), or None for no limit");
  }
  return SolveLimits::within(*seconds).time;
}

void bind_solver(py::module_& m) {
  py::class_<PythonSolver> solver(
      m, "Solver",
      "Exact values. What it has found it keeps in a table, so solving related positions is cheap.\n\n"
      "table_mb: the size of the table, taken as it is needed. threads: how many it computes with. book: the exact\n"
      "values of early positions, True for the books that come with the program, False for none, or a path.\n"
      "Several threads may share one: they wait for each other.");
  in_package(solver)
      .def(py::init(&make_solver), py::arg("table_mb") = 64.0, py::arg("threads") = 1, py::arg("book") = true)
      .def("solve", &solve, py::arg("position"), py::arg("seconds") = py::none(),
           "The Value for the player to act; None if the seconds did not suffice.")
      .def("solve_moves", &solve_moves, py::arg("position"), py::arg("seconds") = py::none(),
           "{move: Value} for the player to act; None for those that the seconds did not suffice for.")
      .def(
          "distances", &distances, py::arg("position"), py::arg("seconds") = py::none(),
          "{move: MoveDistance}: the value, and in how many placements a won or lost move ends under best play: those\n"
          "of both players from now on, this move and the last one included. None for those that the seconds did not\n"
          "suffice for.")
      .def("solve_batch", &solve_batch, py::arg("positions"), py::arg("seconds") = py::none(),
           py::arg("rules") = "lines",
           "Of many positions (a sequence, or an array), dealt out to the threads: float32 [N] of 1, 0, -1, and nan\n"
           "where the seconds (for all together) did not suffice.")
      .def("solve_moves_batch", &solve_moves_batch, py::arg("positions"), py::arg("seconds") = py::none(),
           py::arg("rules") = "lines",
           "Of every move of many positions: float32 [N, 16] by index of the move, nan where it is illegal too.")
      .def_property_readonly("threads", &PythonSolver::threads);
}

}  // namespace quarto::python
