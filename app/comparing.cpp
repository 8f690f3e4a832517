#include "app/comparing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "app/table.h"
#include "base/json_library.h"
#include "base/progress.h"
#include "report/report.h"
#include "train/config.h"

namespace quarto::app {
namespace {

using nlohmann::json;

struct ComparedRun {
  std::string name;                           // its directory
  std::vector<json> metrics;                  // one object per line of metrics.jsonl
  std::map<std::string, std::string> config;  // "learner.batch": "256", every key but the seed
};

// Runs of one configuration.
struct RunGroup {
  std::string label;  // what sets it apart: "learner.batch 256, network.width 32"
  std::vector<const ComparedRun*> runs;
};

ComparedRun read_run(const std::string& directory) {
  const std::filesystem::path run = directory;
  require_run(run);
  ComparedRun read{directory, read_metrics(run / "metrics.jsonl"), flat_config(load_saved_config(run / "config.yaml"))};
  read.config.erase("seed");
  return read;
}

std::string setting_of(const ComparedRun& run, const std::string& key) {
  const auto at = run.config.find(key);
  return at == run.config.end() ? "not set" : at->second;
}

// In the order of their first runs.
std::vector<RunGroup> group_runs(const std::vector<ComparedRun>& runs) {
  std::vector<RunGroup> groups;
  std::set<std::string> differing;
  for (const ComparedRun& run : runs) {
    for (const auto& [key, value] : run.config) {
      if (std::any_of(runs.begin(), runs.end(), [&](const auto& other) { return setting_of(other, key) != value; }))
        differing.insert(key);
    }
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const RunGroup& g) { return g.runs.front()->config == run.config; });
    if (same == groups.end()) {
      groups.push_back({"", {&run}});
    } else {
      same->runs.push_back(&run);
    }
  }
  for (RunGroup& g : groups) {
    const ComparedRun& first = *g.runs.front();
    // With many settings the run's name says more.
    if (differing.empty() || differing.size() > 3) {
      g.label = first.name;
      if (g.runs.size() > 1) g.label += " and " + counted(g.runs.size() - 1, "more seed");
      continue;
    }
    for (const std::string& key : differing)
      g.label += (g.label.empty() ? "" : ", ") + key + " " + setting_of(first, key);
  }
  return groups;
}

// The last that each of the runs has, of those that have it. In `object` of the line, if that is not empty.
std::vector<double> last_of(const RunGroup& group, const std::string& object, const std::string& key) {
  std::vector<double> values;
  for (const ComparedRun* run : group.runs) {
    for (auto line = run->metrics.rbegin(); line != run->metrics.rend(); ++line) {
      const json& in = object.empty() ? *line : line->value(object, json::object());
      if (!in.is_object() || !in.contains(key) || !in.at(key).is_number()) continue;
      values.push_back(in.at(key).get<double>());
      break;
    }
  }
  return values;
}

// -1: none of them.
double mean_of(const std::vector<double>& values) {
  if (values.empty()) return -1;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::string share_text(const std::vector<double>& shares) {
  if (shares.empty()) return "";
  const std::string mean = fmt::format("{:.1f}", 100 * mean_of(shares));
  const auto [low, high] = std::minmax_element(shares.begin(), shares.end());
  return shares.size() == 1 ? mean : fmt::format("{} ({:.1f} to {:.1f})", mean, 100 * *low, 100 * *high);
}

// How far runs are apart that differ only in the seed, in deep agreement: one to two points. web/dashboard/series.js
// says the same.
constexpr double kSeedNoise = 0.02;

// Says whether the best configuration leads by more than chance in the seeds; "" if there is nothing to compare. The
// groups are sorted by this figure.
std::string seed_note(const std::vector<RunGroup>& groups, const std::string& key) {
  std::vector<const RunGroup*> measured;
  for (const RunGroup& g : groups) {
    if (!last_of(g, "agreement", key).empty()) measured.push_back(&g);
  }
  if (measured.size() < 2) return "";
  const RunGroup& best = *measured[0];
  const auto lead_over = [&](const RunGroup& g) {
    return mean_of(last_of(best, "agreement", key)) - mean_of(last_of(g, "agreement", key));
  };
  // The mean of several seeds is known better.
  const auto noise = [&](const RunGroup& g) {
    return kSeedNoise *
           std::sqrt((1.0 / static_cast<double>(best.runs.size()) + 1.0 / static_cast<double>(g.runs.size())) / 2);
  };
  std::string near;
  const RunGroup* last = nullptr;
  for (std::size_t i = 1; i < measured.size(); ++i) {
    if (lead_over(*measured[i]) > noise(*measured[i])) continue;
    last = measured[i];
    near += (near.empty() ? "" : "; ") + last->label;
  }
  const char* seeds = "runs that differ only in the seed differ by one to two points";
  if (near.empty()) {
    return fmt::format("{}: {} leads by {:.1f} points, more than the noise of seeds ({}).", key, best.label,
                       100 * lead_over(*measured[1]), seeds);
  }
  return fmt::format("{}: the lead of {} over {} is at most {:.1f} points, within the noise of seeds ({}).", key,
                     best.label, near, 100 * lead_over(*last), seeds);
}

// The figures measured, deep first: it tells networks apart best.
std::vector<std::string> agreement_keys(const std::vector<ComparedRun>& runs) {
  std::set<std::string> found;
  for (const ComparedRun& run : runs) {
    for (const json& line : run.metrics) {
      const auto agreement = line.find("agreement");
      if (agreement == line.end() || !agreement->is_object()) continue;
      for (const auto& [key, value] : agreement->items()) found.insert(key);
    }
  }
  std::vector<std::string> keys(found.begin(), found.end());
  std::stable_partition(keys.begin(), keys.end(), [](const std::string& key) { return key.starts_with("deep"); });
  return keys;
}

}  // namespace

void print_comparison(const std::vector<std::string>& directories) {
  std::vector<ComparedRun> runs;
  for (const std::string& directory : directories) runs.push_back(read_run(directory));
  const std::vector<std::string> keys = agreement_keys(runs);
  std::vector<RunGroup> groups = group_runs(runs);
  if (!keys.empty()) {
    const auto score = [&](const RunGroup& g) { return mean_of(last_of(g, "agreement", keys[0])); };
    std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) { return score(a) > score(b); });
  }
  std::vector<std::string> header{"configuration", "seeds"};
  for (const std::string& key : keys) header.push_back(key + " %");
  header.insert(header.end(), {"iterations", "games", "samples", "time"});
  TextTable table(header);
  table.add_rule();
  for (const RunGroup& group : groups) {
    std::vector<std::string> row{group.label, std::to_string(group.runs.size())};
    for (const std::string& key : keys) row.push_back(share_text(last_of(group, "agreement", key)));
    for (const char* key : {"iteration", "games", "positions"}) {
      const std::vector<double> last = last_of(group, "", key);
      row.push_back(last.empty() ? "" : format_count(mean_of(last)));
    }
    const std::vector<double> seconds = last_of(group, "", "seconds");
    row.push_back(seconds.empty() ? "" : format_duration(mean_of(seconds)));
    table.add(std::move(row));
  }
  fmt::print("{}", table.str());
  if (keys.empty()) return;
  if (const std::string note = keys[0].starts_with("deep") ? seed_note(groups, keys[0]) : ""; !note.empty())
    fmt::print("\n{}\n", note);
  fmt::print(
      "\nColumns with %: agreement with perfect play at each run's last measurement, on a sample of the suites "
      "(evaluation.positions of each row). Several seeds: the mean, the lowest and the highest. The command "
      "quartozero eval measures one checkpoint on all positions.\n");
}

}  // namespace quarto::app
