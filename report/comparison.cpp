#include "report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "base/progress.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/report.h"

namespace quarto {
namespace {

using nlohmann::json;
using plot::escape;
using Line = std::vector<std::pair<double, double>>;

std::optional<double> number_at(const json& object, const std::string& key) {
  const json* at = &object;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t dot = std::min(key.find('.', begin), key.size());
    const auto next = at->is_object() ? at->find(key.substr(begin, dot - begin)) : at->end();
    if (!at->is_object() || next == at->end()) return std::nullopt;
    at = &*next;
    begin = dot + 1;
  }
  return at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

std::optional<double> last_of(const ComparedRun& run, const std::string& key) {
  for (auto line = run.metrics.rbegin(); line != run.metrics.rend(); ++line) {
    if (const auto value = number_at(*line, key)) return value;
  }
  return std::nullopt;
}

// Of the runs that have the figure.
struct Summary {
  double mean = 0, low = 0, high = 0;
  std::size_t n = 0;
};
std::optional<Summary> summary_of(const std::vector<ComparedRun>& runs, const RunGroup& group, const std::string& key) {
  std::vector<double> values;
  for (const std::size_t i : group.runs) {
    if (const auto value = last_of(runs[i], key)) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  return Summary{mean, *low, *high, values.size()};
}

std::string share_text(const std::optional<Summary>& s) {
  if (!s) return "";
  if (s->n == 1) return fmt::format("{:.1f}", 100 * s->mean);
  return fmt::format("{:.1f} ({:.1f} to {:.1f})", 100 * s->mean, 100 * s->low, 100 * s->high);
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
  std::stable_sort(keys.begin(), keys.end(),
                   [](const auto& a, const auto& b) { return a.starts_with("deep") && !b.starts_with("deep"); });
  return keys;
}

// Groups by the first of the figures, best first; those without come last.
std::vector<RunGroup> ranked(const std::vector<ComparedRun>& runs) {
  std::vector<RunGroup> groups = group_runs(runs);
  const std::vector<std::string> keys = agreement_keys(runs);
  if (keys.empty()) return groups;
  const auto score = [&](const RunGroup& g) {
    const auto s = summary_of(runs, g, "agreement." + keys[0]);
    return s ? s->mean : -1.0;
  };
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) { return score(a) > score(b); });
  return groups;
}

plot::LinePlot curves(const std::vector<ComparedRun>& runs, const std::vector<RunGroup>& groups, const std::string& key,
                      const std::string& x_key, double unit) {
  plot::LinePlot plot;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::vector<Line> lines;
    for (const std::size_t i : groups[g].runs) {
      Line line;
      for (const json& one : runs[i].metrics) {
        const auto x = number_at(one, x_key), y = number_at(one, key);
        if (x && y && (line.empty() || *x / unit > line.back().first)) line.emplace_back(*x / unit, *y);
      }
      if (!line.empty()) lines.push_back(std::move(line));
    }
    if (lines.empty()) continue;
    plot::Series series;
    series.label = groups[g].label;
    series.colour = static_cast<int>(g);
    series.dashed = g >= 8;
    series.band = true;
    for (const BandPoint& p : mean_with_band(lines)) {
      plot::Point point{p.x, p.mean, {}, {}};
      if (lines.size() > 1) {
        point.low = p.low;
        point.high = p.high;
      }
      series.points.push_back(point);
    }
    if (!series.points.empty()) {
      plot.series.push_back(std::move(series));
      continue;
    }
    // Nowhere are all of them known: as long as runs are short, each is drawn by itself.
    for (const Line& line : lines) {
      series.points.clear();
      for (const auto& [x, y] : line) series.points.push_back({x, y, {}, {}});
      plot.series.push_back(series);
      series.label.clear();
    }
  }
  return plot;
}

std::string verdict(const std::vector<ComparedRun>& runs, const std::vector<RunGroup>& groups) {
  const std::vector<std::string> keys = agreement_keys(runs);
  if (keys.empty()) return "<p>None of these runs has measured its agreement with perfect play.</p>";
  const std::string key = "agreement." + keys[0];
  std::optional<double> spread;  // none where every configuration has one seed
  for (const RunGroup& g : groups) {
    if (const auto s = summary_of(runs, g, key); s && s->n > 1) spread = std::max(spread.value_or(0), s->high - s->low);
  }
  const auto best = summary_of(runs, groups[0], key);
  if (!best) return "";
  std::string text = fmt::format("<p><strong>{}</strong> is at {:.1f}% of <code>{}</code>", escape(groups[0].label),
                                 100 * best->mean, escape(keys[0]));
  double ahead = 0;
  if (groups.size() > 1) {
    if (const auto second = summary_of(runs, groups[1], key)) {
      ahead = best->mean - second->mean;
      text += fmt::format(", {:.1f} points above <strong>{}</strong>", 100 * ahead, escape(groups[1].label));
    }
  }
  text += ". ";
  if (!spread) {
    text += "Every configuration has one seed here, and two seeds differ by one to three points.";
  } else {
    text += fmt::format("Seeds of one configuration differ by up to {:.1f} points{}.", 100 * *spread,
                        groups.size() > 1 && ahead <= *spread ? ", which is more: the difference may be chance" : "");
  }
  return text + "</p>";
}

}  // namespace

std::vector<RunGroup> group_runs(const std::vector<ComparedRun>& runs) {
  std::vector<RunGroup> groups;
  const auto without_seed = [](std::map<std::string, std::string> config) {
    config.erase("seed");
    return config;
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto config = without_seed(runs[i].config);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const RunGroup& g) {
      return without_seed(runs[g.runs.front()].config) == config;
    });
    if (same != groups.end())
      same->runs.push_back(i);
    else
      groups.push_back({"", {i}, {}});
  }
  std::set<std::string> keys;
  for (const RunGroup& g : groups) {
    for (const auto& [key, value] : without_seed(runs[g.runs.front()].config)) keys.insert(key);
  }
  for (const std::string& key : keys) {
    const auto value = [&](const RunGroup& g) {
      const auto& config = runs[g.runs.front()].config;
      const auto at = config.find(key);
      return at == config.end() ? std::string("not set") : at->second;
    };
    const bool differs =
        std::any_of(groups.begin(), groups.end(), [&](const RunGroup& g) { return value(g) != value(groups[0]); });
    if (!differs) continue;
    for (RunGroup& g : groups) g.settings[key] = value(g);
  }
  for (RunGroup& g : groups) {
    // With many settings the run's name says more.
    if (g.settings.empty() || g.settings.size() > 3) {
      g.label = runs[g.runs.front()].name;
      if (g.runs.size() > 1) g.label += " and " + counted(g.runs.size() - 1, "more seed");
      continue;
    }
    for (const auto& [key, value] : g.settings) g.label += (g.label.empty() ? "" : ", ") + key + " " + value;
  }
  return groups;
}

std::vector<BandPoint> mean_with_band(const std::vector<Line>& lines) {
  // Where a single line is known it is drawn as it is; of several, where all are.
  double first = std::numeric_limits<double>::lowest(), last = std::numeric_limits<double>::max();
  std::set<double> xs;
  for (const Line& line : lines) {
    if (line.empty()) continue;
    first = std::max(first, line.front().first);
    last = std::min(last, line.back().first);
    for (const auto& [x, y] : line) xs.insert(x);
  }
  std::vector<BandPoint> points;
  for (const double x : xs) {
    if (x < first || x > last) continue;
    BandPoint p{x, 0, std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest()};
    for (const Line& line : lines) {
      const auto next = std::lower_bound(line.begin(), line.end(), std::pair(x, std::numeric_limits<double>::lowest()));
      double y = next->second;
      if (next->first > x) {
        const auto before = std::prev(next);
        y = before->second + (next->second - before->second) * (x - before->first) / (next->first - before->first);
      }
      p.mean += y / static_cast<double>(lines.size());
      p.low = std::min(p.low, y);
      p.high = std::max(p.high, y);
    }
    points.push_back(p);
  }
  return points;
}

std::vector<std::vector<std::string>> comparison_table(const std::vector<ComparedRun>& runs) {
  const std::vector<std::string> keys = agreement_keys(runs);
  std::vector<std::vector<std::string>> table{{"configuration", "seeds"}};
  for (const std::string& key : keys) table[0].push_back(key + " %");
  for (const char* name : {"iterations", "games", "samples", "time"}) table[0].emplace_back(name);
  for (const RunGroup& group : ranked(runs)) {
    std::vector<std::string> row{group.label, std::to_string(group.runs.size())};
    for (const std::string& key : keys) row.push_back(share_text(summary_of(runs, group, "agreement." + key)));
    for (const char* key : {"iteration", "games", "positions"}) {
      const auto s = summary_of(runs, group, key);
      row.push_back(s ? format_count(s->mean) : "");
    }
    const auto seconds = summary_of(runs, group, "seconds");
    row.push_back(seconds ? format_duration(seconds->mean) : "");
    table.push_back(std::move(row));
  }
  return table;
}

std::string render_comparison(const std::vector<ComparedRun>& runs) {
  if (runs.size() < 2) throw ReportError("a comparison needs at least two runs");
  const std::vector<RunGroup> groups = ranked(runs);
  std::vector<std::vector<std::string>> results = comparison_table(runs);
  for (auto& row : results) {
    for (std::string& cell : row) cell = escape(cell);
  }
  const std::vector<std::string> header = results[0];
  results.erase(results.begin());
  std::string body = "<h2>Result</h2>" + verdict(runs, groups) + html_table(header, results);
  body += fmt::format("<p class=\"soft\">{}</p>", kComparedAgreement);

  body += "<h2>What differs</h2>";
  std::vector<std::vector<std::string>> settings;
  for (const auto& [key, unused] : groups[0].settings) {
    std::vector<std::string> row{"<code>" + escape(key) + "</code>"};
    for (const RunGroup& g : groups) row.push_back(escape(g.settings.at(key)));
    settings.push_back(std::move(row));
  }
  if (settings.empty()) {
    body += "<p>Nothing but the seed: the runs are of one configuration.</p>";
  } else {
    std::vector<std::string> columns{"setting"};
    for (const RunGroup& g : groups) columns.push_back(escape(g.label));
    body += html_table(columns, settings);
  }

  body += "<h2>Curves</h2><div class=\"plots\">";
  double longest = 0;
  for (const ComparedRun& run : runs) longest = std::max(longest, last_of(run, "seconds").value_or(0));
  const bool hours = longest > 7200;
  struct Axis {
    const char *key, *label;
    double unit;
  };
  const Axis axes[] = {{"seconds", hours ? "hours" : "minutes", hours ? 3600.0 : 60.0},
                       {"games", "games of self-play", 1},
                       {"step", "learning steps", 1}};
  for (const std::string& key : agreement_keys(runs)) {
    for (const Axis& axis : axes) {
      plot::LinePlot plot = curves(runs, groups, "agreement." + key, axis.key, axis.unit);
      plot.title = fmt::format("Agreement, {}, by {}", key, axis.label);
      plot.x_label = axis.label;
      plot.percent = true;
      body += plot::svg(plot);
    }
  }
  for (const auto& [key, title] : {std::pair{"loss", "Loss of a sample: place or give, + outcome"},
                                   std::pair{"games_per_s", "Games of self-play per second"}}) {
    plot::LinePlot plot = curves(runs, groups, key, "seconds", axes[0].unit);
    plot.title = title;
    plot.x_label = axes[0].label;
    body += plot::svg(plot);
  }
  body += "</div><h2>Runs</h2>";
  std::vector<std::vector<std::string>> list;
  for (const RunGroup& g : groups) {
    for (const std::size_t i : g.runs) {
      const auto seed = runs[i].config.find("seed");
      std::vector<std::string> row{escape(runs[i].name), escape(g.label),
                                   seed == runs[i].config.end() ? "" : escape(seed->second)};
      for (const std::string& key : agreement_keys(runs)) {
        const auto value = last_of(runs[i], "agreement." + key);
        row.push_back(value ? html_percent(*value) : "");
      }
      const auto iteration = last_of(runs[i], "iteration"), seconds = last_of(runs[i], "seconds");
      row.push_back(iteration ? fmt::format("{:.0f}", *iteration) : "");
      row.push_back(seconds ? format_duration(*seconds) : "");
      list.push_back(std::move(row));
    }
  }
  std::vector<std::string> columns{"run", "configuration", "seed"};
  for (const std::string& key : agreement_keys(runs)) columns.push_back(escape(key));
  columns.insert(columns.end(), {"iterations", "time"});
  body += html_table(columns, list, {0, 1});
  return html_page(fmt::format("{} runs compared", runs.size()),
                   "Training runs beside each other; runs that differ only in the seed are averaged, with a band from "
                   "the lowest to the highest.",
                   body);
}

}  // namespace quarto
