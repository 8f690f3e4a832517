// report: HTML pages and SVG pictures
// Uses: base, env, play.
// Promises: Each page is one self-contained file with inline CSS and SVG, without scripts, and loads nothing from
// elsewhere; text from outside is escaped. No strength is computed here: the pages read the JSON that the commands
// write.
//
// This header: the page about a training run or a checkpoint: curves, the agreement table with its intervals and
// baselines, a map of the strata, exploitability, the ladder, what was learned, the configuration.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json_library.h"

namespace quarto {

// A file of the run or the evaluation is missing or not what it should be; the message names the file and line.
class ReportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ReportInput {
  std::string title;
  std::string config;                        // text, shown as it is; may be empty
  std::vector<nlohmann::json> metrics;       // one object per line of metrics.jsonl
  std::optional<nlohmann::json> evaluation;  // what `quartozero eval --json` writes
  std::optional<nlohmann::json> study;       // what `quartozero study --json` writes
  std::optional<nlohmann::json> exploit;     // what `quartozero exploit --json` writes
  std::optional<nlohmann::json> ladder;      // what `quartozero rate --json` writes
};

// What has been measured, by file. Of those without a name, study.json, exploit.json and ratings.json beside the
// evaluation are taken if they are there and about the same checkpoint.
struct ReportFiles {
  std::optional<std::filesystem::path> evaluation{}, study{}, exploit{}, ladder{};
  bool look_beside = true;
};

// Reads RUN/metrics.jsonl and, where it exists, RUN/config.yaml; or, where RUN is a checkpoint, neither; and the files.
// A last line cut short (a run that is being written) is passed over. Throws ReportError and FileError.
ReportInput read_report_input(const std::filesystem::path& run, const ReportFiles& files);

// What `quartozero rate --json` wrote, as the text of `file`. Throws ReportError.
nlohmann::json parse_ladder(const std::string& text, const std::filesystem::path& file);

// Throws ReportError if there is neither a run nor a checkpoint in this directory.
void require_run(const std::filesystem::path& run);

// Every line of metrics.jsonl. A last line cut short is passed over. Throws ReportError and FileError.
std::vector<nlohmann::json> read_metrics(const std::filesystem::path& file);

// Metrics: any numeric key is plotted against "step" (or the line number). Keys that start with "loss" share a plot, as
// do those of the object "agreement" (or with names "agreement.SUITE"); the others have one each, and strings and
// nested values are left out.
std::string render_report(const ReportInput& input);

}  // namespace quarto
