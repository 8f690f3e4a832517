#include "app/comparing.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/table.h"
#include "base/config.h"
#include "report/report.h"
#include "train/config.h"

namespace quarto::app {

std::vector<ComparedRun> compared_runs(const std::vector<std::string>& directories) {
  std::vector<ComparedRun> runs;
  for (const std::string& directory : directories) {
    const std::filesystem::path run = directory;
    if (!std::filesystem::exists(run / "metrics.jsonl"))
      throw ReportError(fmt::format("'{}' is no run: it has no metrics.jsonl", directory));
    if (std::any_of(runs.begin(), runs.end(), [&](const ComparedRun& r) { return r.name == directory; }))
      throw ReportError(fmt::format("'{}' is named twice", directory));
    ComparedRun compared{directory, read_metrics(run / "metrics.jsonl"), {}};
    RunConfig config = load_saved_config(run / "config.yaml");
    const nlohmann::json flat = config::to_json(config::visitor_of(config)).flatten();
    for (const auto& [pointer, value] : flat.items()) {
      std::string key = pointer.substr(1);
      std::replace(key.begin(), key.end(), '/', '.');
      compared.config[key] = value.is_string() ? value.get<std::string>() : value.dump();
    }
    runs.push_back(std::move(compared));
  }
  return runs;
}

void print_comparison(const std::vector<ComparedRun>& runs) {
  const std::vector<std::vector<std::string>> rows = comparison_table(runs);
  TextTable table(rows.front());
  table.add_rule();
  for (std::size_t i = 1; i < rows.size(); ++i) table.add(rows[i]);
  fmt::print("{}", table.str());
}

}  // namespace quarto::app
