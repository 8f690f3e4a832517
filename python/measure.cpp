// quartozero.measure(): agreement with exact play, of a network of the caller's.
#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/json_library.h"
#include "data/suites.h"
#include "eval/agreement.h"
#include "python/bind.h"
#include "python/evaluator.h"

namespace quarto::python {
namespace {

using Progress = std::function<void(const std::string&, std::size_t, std::size_t)>;

// What `quartozero eval --json` writes, but for what it says of its command line.
std::string measure(const py::object& evaluate, const std::vector<std::filesystem::path>& files,
                    const std::vector<int>& simulations, int proof_nodes, const std::string& root,
                    const Settings& settings, int limit, int side_by_side, std::uint64_t seed, bool baselines,
                    const Progress& on_progress) {
  const GivenEvaluator given = evaluator_of(evaluate);
  AgreementOptions options;
  options.simulations = simulations;
  options.search = search_config_of(proof_nodes, root, settings);
  options.batch = side_by_side;
  options.limit = limit;
  options.seed = seed;
  options.baselines = baselines;
  options.on_progress = [&](const std::string& what, std::size_t done, std::size_t total) {
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (on_progress) on_progress(what, done, total);
  };
  const py::gil_scoped_release others_may_run;
  return to_json(measure_agreement(*given.evaluator, read_suites(files, given.rules), options)).dump();
}

}  // namespace

void bind_measure(py::module_& m) {
  m.def("measure_json", &measure, py::arg("evaluate"), py::kw_only(), py::arg("files"), py::arg("simulations"),
        py::arg("proof_nodes"), py::arg("root"), py::arg("settings"), py::arg("limit"), py::arg("side_by_side"),
        py::arg("seed"), py::arg("baselines"), py::arg("on_progress"));
  m.def("rules_of", [](const py::object& evaluate) { return to_string(evaluator_of(evaluate).rules); });
}

}  // namespace quarto::python
