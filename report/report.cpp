#include "report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "base/json.h"
#include "base/printable.h"
#include "base/progress.h"
#include "base/text.h"
#include "env/types.h"
#include "play/player.h"
#include "report/page.h"
#include "report/plot.h"
#include "report/report_sections.h"
#include "report/study_page.h"

namespace quarto {
namespace {

using nlohmann::json;
using plot::escape;

// ---- the run -------------------------------------------------------------------------------------------------------

constexpr std::string_view kAgreement = "agreement.";

using Curves = std::map<std::string, std::vector<plot::Point>>;

// Every numeric key of every line, "agreement" and other objects flattened to "object.key".
void collect(const json& object, const std::string& prefix, double x, Curves& curves) {
  for (const auto& [key, value] : object.items()) {
    const std::string name = prefix.empty() ? key : prefix + "." + key;
    if (value.is_number()) curves[name].push_back({x, value.get<double>(), {}, {}});
    if (value.is_object()) collect(value, name, x, curves);
  }
}

Curves curves_against(const std::vector<json>& metrics, const std::string& x_key, double x_unit) {
  Curves curves;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const auto x = metrics[i].find(x_key);
    const bool has_x = x != metrics[i].end() && x->is_number();
    if (x_key == "seconds" && !has_x) continue;
    collect(metrics[i], "", has_x ? x->get<double>() / x_unit : static_cast<double>(i + 1), curves);
    const json intervals = metrics[i].value("agreement_interval", json::object());
    for (const auto& [name, interval] : intervals.items()) {
      const auto curve = curves.find(std::string(kAgreement) + name);
      if (curve == curves.end() || !interval.is_array() || interval.size() != 2) continue;
      if (!interval[0].is_number() || !interval[1].is_number()) continue;
      curve->second.back().low = interval[0].get<double>();
      curve->second.back().high = interval[1].get<double>();
    }
  }
  return curves;
}

std::string readable(std::string key) {
  constexpr std::string_view kPerSecond = "_per_s";
  if (key.ends_with(kPerSecond)) key.replace(key.size() - kPerSecond.size(), kPerSecond.size(), " per second");
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

plot::LinePlot group(const Curves& curves, const std::string& prefix, const std::string& title,
                     const std::string& x_label) {
  plot::LinePlot result;
  result.title = title;
  result.x_label = x_label;
  for (const auto& [key, points] : curves) {
    if (!key.starts_with(prefix)) continue;
    std::string label = prefix.back() == '.' ? key.substr(prefix.size()) : readable(key);
    if (key == prefix) label = "total";
    result.series.push_back({label, points, static_cast<int>(result.series.size()), false});
  }
  return result;
}

// Random play's and the one-ply rule's agreement by suite: of the positions that the run measured, or else from the
// evaluation.
std::map<std::string, std::map<std::string, double>> levels_of(const ReportInput& input) {
  std::map<std::string, std::map<std::string, double>> levels;
  for (const json& line : input.metrics) {
    const json players = line.value("agreement_levels", json::object());
    for (const auto& [player, suites] : players.items()) {
      if (!suites.is_object()) continue;
      for (const auto& [suite, share] : suites.items()) {
        if (share.is_number()) levels[player][suite] = share.get<double>();
      }
    }
  }
  if (!levels.empty() || !input.evaluation) return levels;
  for (const json& mean : input.evaluation->at("baseline_means"))
    levels[mean.at("player").get<std::string>()][mean.at("suite").get<std::string>()] = mean.at("agreement");
  return levels;
}

// Horizontal lines at them.
void add_levels(plot::LinePlot& target, const std::map<std::string, std::map<std::string, double>>& levels) {
  if (target.series.empty()) return;
  double low = 1e300, high = -1e300;
  std::set<std::string> suites;
  for (const plot::Series& s : target.series) {
    for (const plot::Point& p : s.points) {
      low = std::min(low, p.x);
      high = std::max(high, p.x);
    }
    suites.insert(s.label.substr(0, s.label.find('@')));
  }
  for (const auto& [player, name] : {std::pair{"oneply", "one-ply rule"}, {"random", "random play"}}) {
    const auto known = levels.find(player);
    if (known == levels.end()) continue;
    for (const auto& [suite, y] : known->second) {
      if (!suites.contains(suite)) continue;
      int colour = 7;
      for (const plot::Series& s : target.series) {
        if (s.label == suite) colour = s.colour;
      }
      target.series.push_back({suite + ", " + name, {{low, y, {}, {}}, {high, y, {}, {}}}, colour, true});
    }
  }
}

std::string run_section(const ReportInput& input) {
  if (input.metrics.empty()) return "";
  const bool steps =
      std::any_of(input.metrics.begin(), input.metrics.end(), [](const json& m) { return m.contains("step"); });
  const std::string x_label = steps ? "step" : "line of metrics.jsonl";
  const Curves by_step = curves_against(input.metrics, "step", 1);
  double longest = 0;
  if (by_step.contains("seconds")) longest = by_step.at("seconds").back().y;
  const double unit = longest > 7200 ? 3600 : 60;
  const Curves by_time = curves_against(input.metrics, "seconds", unit);

  std::string out = "<h2>Training</h2>";
  const bool measured = std::any_of(by_step.begin(), by_step.end(),
                                    [](const auto& curve) { return curve.first.starts_with(kAgreement); });
  if (measured) {
    out +=
        "<p class=\"soft\">Agreement during training is measured on a small sample of the suites, drawn once for the "
        "run";
    out += input.evaluation ? "; the result above is of other positions, and of the weights that were evaluated: "
                              "the two differ by chance."
                            : ": quartozero eval measures all positions, and gives other figures.";
    out += "</p>";
  }
  out += "<div class=\"tiles\">";
  const auto last = [&](const std::string& key) -> std::optional<double> {
    const auto at = by_step.find(key);
    if (at == by_step.end()) return std::nullopt;
    return at->second.back().y;
  };
  for (const auto& [key, value] : by_step) {
    if (key.starts_with(kAgreement))
      out += html_tile(html_percent(value.back().y), key.substr(kAgreement.size()) + ", last measured");
  }
  if (const auto x = last("loss")) out += html_tile(fmt::format("{:.4g}", *x), "loss at the end");
  if (const auto x = last("step")) out += html_tile(plot::short_number(*x), "steps");
  if (const auto x = last("games")) out += html_tile(plot::short_number(*x), "games");
  if (const auto x = last("positions")) out += html_tile(plot::short_number(*x), "samples");
  if (const auto x = last("seconds")) out += html_tile(format_duration(*x), "training time");
  out += "</div><div class=\"plots\">";

  std::set<std::string> shown = {"step", "seconds", "iteration", "lr"};
  const auto agreement_plot = [levels = levels_of(input)](const Curves& curves, const std::string& title,
                                                          const std::string& label) {
    plot::LinePlot agreement = group(curves, std::string(kAgreement), title, label);
    agreement.percent = agreement.to_hundred = true;
    add_levels(agreement, levels);
    return plot::svg(agreement);
  };
  out += agreement_plot(by_step, "Agreement with perfect play, with 95% intervals", x_label);
  out += agreement_plot(by_time, "Agreement against time", unit == 60 ? "minutes" : "hours");
  plot::LinePlot loss = group(by_step, "loss", "Loss", x_label);
  loss.logarithmic = true;
  out += plot::svg(loss);
  if (by_step.contains("lr")) {
    plot::LinePlot rate;
    rate.title = "Learning rate";
    rate.x_label = x_label;
    rate.series.push_back({"learning rate", by_step.at("lr"), 2, false});
    out += plot::svg(rate);
  }
  out += "</div>";
  for (const auto& [key, points] : by_step) {
    if (key.starts_with("agreement") || key.starts_with("loss")) shown.insert(key);
  }
  std::string rest;
  for (const auto& [key, points] : by_step) {
    const bool constant = std::all_of(points.begin(), points.end(), [&](const auto& p) { return p.y == points[0].y; });
    if (shown.contains(key) || (constant && points.size() > 1)) continue;
    plot::LinePlot single;
    single.title = readable(key);
    single.x_label = x_label;
    single.series.push_back({readable(key), points, 0, false});
    single.width = 380;
    single.height = 220;
    rest += plot::svg(single);
  }
  if (!rest.empty()) {
    out += "<details><summary>Speed, games and the machine</summary><div class=\"plots small\">" + rest +
           "</div></details>";
  }
  return out;
}

// ---- the figures of eval --------------------------------------------------------------------------------------------

// Whose figures those of a row or a mean are.
struct Measured {
  std::string player;
  std::optional<int> sims;  // nothing where the player's name says all

  auto operator<=>(const Measured&) const = default;
};
Measured measured_in(const json& row) {
  return {row.value("player", "net"),
          row.at("sims").is_null() ? std::nullopt : std::optional(row.at("sims").get<int>())};
}

// By name; engines have the names that they give themselves.
using Titles = std::map<std::string, std::string>;
Titles titles_in(const json& evaluation) { return evaluation.value("titles", Titles()); }

std::string label_of(const Measured& of, const Titles& titles) {
  if (of.sims && of.player == "net") return *of.sims == 0 ? "network, policy" : fmt::format("network @{}", *of.sims);
  if (of.sims && of.player == "random") return "random play";
  if (of.sims && of.player == "oneply") return "one-ply rule";
  if (of.sims && of.player == "uniform") return fmt::format("search alone @{}", *of.sims);
  const auto title = titles.find(of.player);
  return title == titles.end() ? of.player : title->second;
}

// ---- the result ----------------------------------------------------------------------------------------------------

// The figures that people look for first, of what was measured.
std::string result_section(const ReportInput& input) {
  std::string tiles;
  if (input.evaluation) {
    for (const json& mean : input.evaluation->at("means")) {
      const Measured of = measured_in(mean);
      const std::string what = !of.sims        ? label_of(of, titles_in(*input.evaluation))
                               : *of.sims == 0 ? "raw network"
                                               : fmt::format("search @{}", *of.sims);
      tiles += html_tile(html_percent(mean.at("agreement").get<double>()),
                         fmt::format("{}, {}", mean.at("suite").get<std::string>(), what));
    }
  }
  if (input.exploit) {
    const auto lost = input.exploit->at("losing_lines").get<std::uint64_t>();
    const bool unbeatable = input.exploit->at("unbeatable").get<bool>();
    const std::string only = input.exploit->at("seat");
    tiles += html_tile(unbeatable ? "unbeatable" : std::to_string(lost),
                       unbeatable                                   ? "proven: every line was tried"
                       : !input.exploit->at("complete").get<bool>() ? "losing lines found before the walk was stopped"
                       : only == "both"                             ? "losing lines, of all lines"
                                        : fmt::format("losing lines, of all lines in which it {} first", only));
  }
  if (input.ladder) {
    const std::string checkpoint = input.evaluation ? input.evaluation->value("checkpoint", "") : "";
    const json* best = nullptr;
    for (const json& p : input.ladder->at("players")) {
      const std::string named = checkpoint_named(p.at("name"));
      const bool own = checkpoint.empty() ? !named.empty() : named == checkpoint;
      if (own && (!best || p.at("elo").get<double>() > best->at("elo").get<double>())) best = &p;
    }
    if (best) {
      const json& anchor = input.ladder->at("anchor");
      tiles += html_tile(fmt::format("{:+.0f}", best->at("elo").get<double>()),
                         fmt::format("Elo over {}, {}", anchor.is_string() ? anchor.get<std::string>() : "the mean",
                                     best->at("name").get<std::string>()));
    }
  }
  if (tiles.empty()) return "";
  return "<h2>Result</h2><p class=\"soft\">Agreement with perfect play, in the positions where the move matters; means "
         "over phase and number of pieces.</p><div class=\"tiles\">" +
         tiles + "</div>";
}

// Links to the sections, and the body with the anchors that they go to.
std::string with_contents(const std::string& body) {
  std::string links, out;
  int n = 0;
  for (std::size_t at = 0;;) {
    const std::size_t next = body.find("<h2>", at);
    out += body.substr(at, next - at);
    if (next == std::string::npos) break;
    const std::size_t end = body.find("</h2>", next);
    ++n;
    links += fmt::format("<li><a href=\"#s{}\">{}</a></li>", n, body.substr(next + 4, end - next - 4));
    out += fmt::format("<h2 id=\"s{}\">", n);
    at = next + 4;
  }
  return n < 2 ? out : "<nav><ul class=\"contents\">" + links + "</ul></nav>" + out;
}

// ---- the evaluation ------------------------------------------------------------------------------------------------

struct Row {
  Measured of;
  std::string label, suite, phase;
  int pieces = 0;
  long long positions = 0;
  double agreement = 0, low = 0, high = 0;
};

std::vector<Row> rows_of(const json& list, const Titles& titles) {
  std::vector<Row> rows;
  for (const json& r : list) {
    const Measured of = measured_in(r);
    rows.push_back({of, label_of(of, titles), r.at("suite"), r.at("phase"), r.at("pieces"), r.at("positions"),
                    r.at("agreement"), r.at("low"), r.at("high")});
    const Row& row = rows.back();
    // The table of strata has a column for each number.
    if (row.pieces < 0 || row.pieces > kPieces || (row.phase != "place" && row.phase != "give")) {
      throw std::invalid_argument(fmt::format("a row of {} pieces, phase '{}'", row.pieces, printable(row.phase, 40)));
    }
  }
  return rows;
}

std::string means_table(const json& evaluation, const std::string& suite) {
  std::string out =
      "<div class=\"scroll\"><table><tr><th>player</th><th>mean over all strata</th><th>7 to 13 pieces</th></tr>";
  for (const char* key : {"means", "baseline_means"}) {
    const std::string middle_key = std::string(key) + "_7_to_13";
    for (const json& m : evaluation.at(key)) {
      if (m.at("suite") != suite) continue;
      std::string middle = "–";
      for (const json& other : evaluation.at(middle_key)) {
        if (other.at("suite") == suite && measured_in(other) == measured_in(m))
          middle = html_percent(other.at("agreement"));
      }
      out += fmt::format(
          "<tr{}><td>{}</td><td>{}</td><td>{}</td></tr>", key == std::string_view("means") ? " class=\"net\"" : "",
          escape(label_of(measured_in(m), titles_in(evaluation))), html_percent(m.at("agreement")), middle);
    }
  }
  return out + "</table></div>";
}

std::string strata_plots(const std::vector<Row>& rows, const std::vector<Row>& baselines, const std::string& suite) {
  std::string out = "<div class=\"plots\">";
  for (const std::string phase : {"place", "give"}) {
    plot::LinePlot p;
    p.title = phase == "place" ? "Placing" : "Giving";
    p.x_label = "pieces on the board";
    p.percent = p.whole_x = true;
    const auto add = [&](const std::vector<Row>& from, bool baseline) {
      std::map<Measured, plot::Series> series;
      std::vector<Measured> order;
      for (const Row& r : from) {
        if (r.suite != suite || r.phase != phase) continue;
        if (!series.contains(r.of)) order.push_back(r.of);
        plot::Point point{static_cast<double>(r.pieces), r.agreement, {}, {}};
        if (!baseline) {
          point.low = r.low;
          point.high = r.high;
        }
        series[r.of].label = r.label;
        series[r.of].points.push_back(point);
      }
      int n = 0;
      for (const Measured& of : order) {
        plot::Series& s = series[of];
        std::sort(s.points.begin(), s.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
        s.dashed = baseline;
        // A search without the network has the colour of the same search with it; other baselines take theirs from
        // the palette's end.
        s.colour = baseline ? 7 - n % 8 : n;
        for (const plot::Series& net : p.series) {
          if (baseline && of.player == "uniform" && net.label == label_of({"net", of.sims}, {})) s.colour = net.colour;
        }
        ++n;
        p.series.push_back(s);
      }
    };
    add(rows, false);
    add(baselines, true);
    out += plot::svg(p);
  }
  return out + "</div>";
}

std::string strata_map(const std::vector<Row>& rows, const std::vector<Row>& baselines, const std::string& suite) {
  std::set<int> pieces;
  plot::HeatMap map;
  map.title = "Agreement in percent, by pieces on the board";
  std::vector<Row> all = rows;
  all.insert(all.end(), baselines.begin(), baselines.end());
  const auto short_label = [](const Row& r) {
    if (r.of.sims && r.of.player == "oneply") return std::string("one-ply");
    if (!r.of.sims || r.of.player != "net") return r.label;
    return *r.of.sims == 0 ? std::string("policy") : fmt::format("@{}", *r.of.sims);
  };
  std::vector<std::pair<Measured, std::string>> keys;  // and phase
  std::map<Measured, std::string> labels;
  for (const Row& r : all) {
    if (r.suite != suite || (r.of.sims && (r.of.player == "random" || r.of.player == "uniform"))) continue;
    pieces.insert(r.pieces);
    labels[r.of] = short_label(r);
    const std::pair key{r.of, r.phase};
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  for (const int n : pieces) map.columns.push_back(std::to_string(n));
  for (const auto& [of, phase] : keys) {
    map.rows.push_back(labels.at(of) + ", " + phase);
    map.shares.emplace_back(pieces.size());
    map.tips.emplace_back(pieces.size());
    for (const Row& r : all) {
      if (r.suite != suite || r.phase != phase || r.of != of) continue;
      const auto column = static_cast<std::size_t>(std::distance(pieces.begin(), pieces.find(r.pieces)));
      map.shares.back()[column] = r.agreement;
      map.tips.back()[column] = fmt::format("{} of {} positions, 95%: {} to {}", html_percent(r.agreement), r.positions,
                                            html_percent(r.low), html_percent(r.high));
    }
  }
  return plot::svg(map);
}

std::string rows_table(const std::vector<Row>& rows, const std::vector<Row>& baselines, const std::string& suite) {
  std::string out =
      "<details><summary>All strata with intervals</summary><div class=\"scroll\"><table><tr><th>player</th><th "
      "class=\"l\">phase</th><th>pieces</th><th>positions</th><th>agreement</th><th>95% from</th><th>to</th></tr>";
  for (const auto* list : {&rows, &baselines}) {
    for (const Row& r : *list) {
      if (r.suite != suite) continue;
      out += fmt::format(
          "<tr><td>{}</td><td class=\"l\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
          escape(r.label), escape(r.phase), r.pieces, r.positions, html_percent(r.agreement), html_percent(r.low),
          html_percent(r.high));
    }
  }
  return out + "</table></div></details>";
}

std::string value_head_table(const json& evaluation) {
  const json& list = evaluation.at("value_head");
  if (list.empty()) return "";
  std::string out =
      "<h2>Outcome head</h2><p class=\"soft\">Win, draw or loss for the player to act, over all positions of a suite. "
      "The last columns are a constant guess with the suite's own frequencies.</p><div class=\"scroll\"><table><tr>"
      "<th>suite</th><th>positions</th><th>cross-entropy, nats</th><th>right</th><th>95% "
      "from</th><th>to</th><th>constant: cross-entropy</th><th>right</th></tr>";
  for (const json& v : list) {
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{:.3f}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.3f}</td><td>{}</td></tr>",
        escape(v.at("suite").get<std::string>()), v.at("positions").get<long long>(),
        v.at("cross_entropy").get<double>(), html_percent(v.at("right")), html_percent(v.at("low")),
        html_percent(v.at("high")), v.at("base_cross_entropy").get<double>(), html_percent(v.at("base_right")));
  }
  return out + "</table></div>";
}

std::string evaluation_section(const json& evaluation) {
  const Titles titles = titles_in(evaluation);
  const std::vector<Row> rows = rows_of(evaluation.at("rows"), titles);
  const std::vector<Row> baselines = rows_of(evaluation.at("baselines"), titles);
  std::vector<std::string> suites;
  for (const Row& r : rows) {
    if (std::find(suites.begin(), suites.end(), r.suite) == suites.end()) suites.push_back(r.suite);
  }
  std::string changed;
  for (const json& setting : evaluation.value("search", json::array()))
    changed += (changed.empty() ? " with " : ", ") + setting.get<std::string>();
  std::string out = fmt::format(
      "<h2>Agreement with perfect play</h2><p class=\"soft\">Of the positions in which the move matters, the share in "
      "which the chosen move keeps the exact value. Policy is the raw network's likeliest legal move; @N a search of N "
      "simulations without noise, {}. Means are unweighted over phase and number of pieces; bars are Wilson intervals of "
      "95%.</p>",
      changed.empty() ? "which proves at its leaves" : escape(changed.substr(1)));
  for (const std::string& suite : suites) {
    out += fmt::format("<h3>Suite {}</h3>", escape(suite));
    out += means_table(evaluation, suite) + strata_plots(rows, baselines, suite) + strata_map(rows, baselines, suite) +
           rows_table(rows, baselines, suite);
  }
  return out + value_head_table(evaluation);
}

// What `quartozero COMMAND --json` wrote, known by an array it has.
json parse_figures(const std::string& text, const std::filesystem::path& file, const char* key, const char* command) {
  json value = json_or_null(text);
  if (!value.is_object() || !value.contains(key) || !value[key].is_array()) {
    throw ReportError(
        fmt::format("{}: not what `quartozero {} --json` writes: \"{}\" is missing", file.string(), command, key));
  }
  return value;
}
json read_figures(const std::filesystem::path& file, const char* key, const char* command) {
  return parse_figures(read_text(file), file, key, command);
}

}  // namespace

json parse_ladder(const std::string& text, const std::filesystem::path& file) {
  return parse_figures(text, file, "players", "rate");
}

std::vector<json> read_metrics(const std::filesystem::path& file) {
  std::vector<json> metrics;
  const std::string text = read_text(file);
  for (std::size_t begin = 0, line = 1; begin < text.size(); ++line) {
    const std::size_t newline = text.find('\n', begin);
    const std::size_t end = std::min(newline, text.size());
    const std::string_view one = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (one.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    json value = json_or_null(one);
    if (value.is_object()) {
      metrics.push_back(std::move(value));
    } else if (newline != std::string::npos) {
      throw ReportError(fmt::format("{}:{}: not a JSON object", file.string(), line));
    }
  }
  return metrics;
}

void require_run(const std::filesystem::path& run) {
  std::error_code none;
  const auto has = [&](const char* name) { return std::filesystem::exists(run / name, none); };
  if (has("metrics.jsonl") || has("model.safetensors")) return;
  if (has("checkpoint") && has("config.yaml"))
    throw ReportError(fmt::format("'{}': no iteration of this run has finished yet", run.string()));
  throw ReportError(
      fmt::format("'{}' is no run (it has no metrics.jsonl), nor a checkpoint (no model.safetensors)", run.string()));
}

ReportInput read_report_input(const std::filesystem::path& run, const ReportFiles& files) {
  ReportInput input;
  std::error_code none;
  input.title = std::filesystem::absolute(run).lexically_normal().filename().string();
  if (input.title.empty())
    input.title = std::filesystem::absolute(run).lexically_normal().parent_path().filename().string();
  const std::filesystem::path metrics = run / "metrics.jsonl";
  require_run(run);
  if (std::filesystem::exists(metrics, none)) input.metrics = read_metrics(metrics);
  if (std::filesystem::exists(run / "config.yaml", none)) input.config = read_text(run / "config.yaml");
  if (files.evaluation) input.evaluation = read_figures(*files.evaluation, "rows", "eval");
  const auto about_the_same = [&](const json& value) {
    const std::string checkpoint = input.evaluation->value("checkpoint", "");
    if (value.contains("checkpoint")) return value["checkpoint"] == checkpoint;
    const auto by = [&](const json& name) { return name.is_string() && checkpoint_named(name) == checkpoint; };
    if (value.contains("player")) return by(value["player"]);
    const json players = value.value("players", json::array());
    return std::any_of(players.begin(), players.end(), [&](const json& p) { return by(p.value("name", json())); });
  };
  // One that was made of something else says nothing about this evaluation.
  const auto beside = [&](const std::optional<std::filesystem::path>& file, const char* name, const auto& read,
                          std::optional<json>& out) {
    if (file) {
      out = read(*file);
      return;
    }
    if (!files.evaluation || !files.look_beside) return;
    const std::filesystem::path there = files.evaluation->parent_path() / name;
    if (!std::filesystem::exists(there, none)) return;
    json value = read(there);
    if (about_the_same(value)) out = std::move(value);
  };
  beside(files.study, "study.json", read_study, input.study);
  beside(
      files.exploit, "exploit.json", [](const auto& f) { return read_figures(f, "seats", "exploit"); }, input.exploit);
  beside(
      files.ladder, "ratings.json", [](const auto& f) { return parse_ladder(read_text(f), f); }, input.ladder);
  return input;
}

std::string render_report(const ReportInput& input) {
  std::string body;
  // Whose file is wrong is said.
  const auto add = [&](const char* what, const auto& section) { body += from_json_of(what, section); };
  add("what eval, exploit or rate wrote is", [&] { return result_section(input); });
  if (input.evaluation) add("what eval wrote is", [&] { return evaluation_section(*input.evaluation); });
  if (input.exploit) add("what exploit wrote is", [&] { return exploit_section(*input.exploit); });
  if (input.ladder) add("what rate wrote is", [&] { return ladder_section(*input.ladder); });
  if (input.study) body += study_section(*input.study);
  if (!input.metrics.empty()) add("the metrics of the run are", [&] { return run_section(input); });
  if (!input.config.empty()) {
    body += "<h2>Configuration</h2><details><summary>config.yaml</summary><pre>" + escape(input.config) +
            "</pre></details>";
  }
  std::string subtitle = "A Quarto network, measured against exact values.";
  if (input.evaluation && input.evaluation->contains("checkpoint")) {
    subtitle += " Evaluated checkpoint: " + input.evaluation->at("checkpoint").get<std::string>() + ".";
  }
  return html_page(input.title, subtitle, with_contents(body));
}

}  // namespace quarto
