// quartozero.read_suite: positions with exact values.
#include <pybind11/stl/filesystem.h>

#include "data/suites.h"
#include "env/notation.h"
#include "python/bind.h"
#include "python/results.h"

namespace quarto::python {

void bind_suite(py::module_& m) {
  m.def(
      "read_suite",
      [](const std::filesystem::path& path, const std::string& rules) {
        const Suite suite = read_suite(path, parse_rules(rules));
        require_values(suite, path.string(), parse_rules(rules));
        py::list entries;
        for (const SuiteEntry& e : suite.entries) {
          entries.append(
              result_type("SuiteEntry")(e.position, value_object(e.value), values_by_move(e.position, e.moves)));
        }
        return entries;
      },
      py::arg("path"), py::arg("rules") = "lines",
      "The positions of a suite with the exact values of all their moves: a list of SuiteEntry. The file does not say\n"
      "its rules: ValueError if its values are those of other rules.");
}

}  // namespace quarto::python
