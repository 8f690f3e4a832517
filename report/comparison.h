// Several training runs beside each other, as one HTML page: results first, then the settings that differ, then curves.
// Runs that differ in nothing but the seed are one configuration: their mean is drawn, with a band from the lowest to
// the highest.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json_library.h"

namespace quarto {

struct ComparedRun {
  std::string name;                           // its directory
  std::vector<nlohmann::json> metrics;        // one object per line of metrics.jsonl
  std::map<std::string, std::string> config;  // "learner.batch": "256", every key
};

// Runs of one configuration.
struct RunGroup {
  std::string label;                            // what sets it apart: "learner.batch 256, network.width 32"
  std::vector<std::size_t> runs;                // indices, in the order given
  std::map<std::string, std::string> settings;  // the keys in which the groups differ
};

// In the order of their first runs. A label names no settings if all groups have the same; then there is one group.
std::vector<RunGroup> group_runs(const std::vector<ComparedRun>& runs);

// The mean of several curves, with the lowest and the highest, where all of them are known: linear between the points
// of each. Points are (x, y) in order of x; `lines` must not be empty. The result has the x of all of them.
struct BandPoint {
  double x = 0, mean = 0, low = 0, high = 0;
};
std::vector<BandPoint> mean_with_band(const std::vector<std::vector<std::pair<double, double>>>& lines);

// The whole page. Throws ReportError (report/report.h) for fewer than two runs.
std::string render_comparison(const std::vector<ComparedRun>& runs);
// What its columns of agreement are.
constexpr const char* kComparedAgreement =
    "Columns with %: agreement with perfect play at each run's last measurement, on a sample of the suites "
    "(evaluation.positions of each row). Several seeds: the mean, the lowest and the highest. The command "
    "quartozero eval measures one checkpoint on all positions.";
// The same table of results as plain text, for the terminal.
std::vector<std::vector<std::string>> comparison_table(const std::vector<ComparedRun>& runs);

}  // namespace quarto
