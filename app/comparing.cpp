#include "app/comparing.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/table.h"
#include "report/report.h"
#include "train/config.h"

namespace quarto::app {

std::vector<ComparedRun> compared_runs(const std::vector<std::string>& directories) {
  std::vector<ComparedRun> runs;
  for (const std::string& directory : directories) {
    const std::filesystem::path run = directory;
    require_run(run, false);
    const auto same = std::find_if(runs.begin(), runs.end(), [&](const ComparedRun& r) {
      std::error_code unknown;
      return r.name == directory || std::filesystem::equivalent(r.name, run, unknown);
    });
    if (same != runs.end()) {
      throw ReportError(same->name == directory
                            ? fmt::format("'{}' is named twice", directory)
                            : fmt::format("'{}' is named twice, first as '{}'", directory, same->name));
    }
    runs.push_back(
        {directory, read_metrics(run / "metrics.jsonl"), flat_config(load_saved_config(run / "config.yaml"))});
  }
  return runs;
}

void print_comparison(const std::vector<ComparedRun>& runs) {
  const std::vector<std::vector<std::string>> rows = comparison_table(runs);
  TextTable table(rows.front());
  table.add_rule();
  for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
  fmt::print("{}", table.str());
  const std::vector<std::string>& header = rows.front();
  if (std::any_of(header.begin(), header.end(), [](const std::string& name) { return name.ends_with(" %"); })) {
    fmt::print("\n{}\n", kComparedAgreement);
  }
}

}  // namespace quarto::app
