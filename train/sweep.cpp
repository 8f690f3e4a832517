#include "train/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "train/run_directory.h"

namespace quarto {
namespace {

constexpr std::size_t kMostRuns = 1000;

// "key=1,2,4" to the key and its values.
std::pair<std::string, std::vector<std::string>> parse_axis(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ConfigError(fmt::format("--set {}: expected key=value or key=value,value,...", text));
  std::vector<std::string> values;
  for (std::size_t at = equals + 1;;) {
    const auto comma = text.find(',', at);
    values.push_back(text.substr(at, comma - at));
    if (comma == std::string::npos) break;
    at = comma + 1;
  }
  return {text.substr(0, equals), values};
}

std::string file_name_of(std::string text) {
  for (char& c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '=' || c == '_';
    if (!plain) c = '-';
  }
  return text;
}

}  // namespace

std::vector<SweepRun> plan_sweep(const std::filesystem::path& config, const std::vector<std::string>& sets,
                                 const std::vector<std::string>& seeds, const std::filesystem::path& out) {
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;
  for (const std::string& text : sets) {
    axes.push_back(parse_axis(text));
    for (std::size_t i = 0; i + 1 < axes.size(); ++i) {
      if (axes[i].first == axes.back().first)
        throw ConfigError(fmt::format("--set {}: '{}' is set twice; list its values after one =", text, axes[i].first));
    }
  }
  if (!seeds.empty()) {
    if (std::any_of(axes.begin(), axes.end(), [](const auto& axis) { return axis.first == "seed"; }))
      throw ConfigError("--set seed and --seeds: 'seed' is set twice; --seeds 1,2,3 is enough");
    axes.emplace_back("seed", seeds);
  }
  std::map<std::string, int> last_parts;
  const auto last_part = [](const std::string& key) { return key.substr(key.rfind('.') + 1); };
  for (const auto& [key, values] : axes) ++last_parts[last_part(key)];
  std::vector<SweepRun> runs{{}};
  for (const auto& [key, values] : axes) {
    std::vector<SweepRun> next;
    for (const SweepRun& run : runs) {
      for (const std::string& value : values) {
        SweepRun more = run;
        more.sets.push_back(key + "=" + value);
        const std::string shown = last_parts[last_part(key)] > 1 ? key : last_part(key);
        if (values.size() > 1) more.name += (more.name.empty() ? "" : "_") + file_name_of(shown + "=" + value);
        next.push_back(std::move(more));
      }
    }
    runs = std::move(next);
    if (runs.size() > kMostRuns) throw ConfigError(fmt::format("more than {} runs", kMostRuns));
  }
  std::set<std::string> names;
  for (SweepRun& run : runs) {
    if (run.name.empty()) run.name = "run";
    if (!names.insert(run.name).second) throw ConfigError(fmt::format("two runs would be called '{}'", run.name));
    run.directory = out / run.name;
    run.config = load_run_config(config, run.sets);
    const RunPlan planned = plan_run(config, run.sets, run.directory, true);
    if (!planned.changes.empty()) {
      throw RunError(
          fmt::format("'{}' was begun with another configuration: {}; name another --out, or the same settings",
                      run.directory.string(), fmt::join(planned.changes, "; ")));
    }
  }
  return runs;
}

}  // namespace quarto
