#include "app/forecast.h"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

#include "app/table.h"
#include "base/progress.h"
#include "base/shipped.h"
#include "base/text.h"
#include "bench/selfplay.h"
#include "model/checkpoint.h"
#include "train/config.h"

namespace quarto::app {

std::vector<CurvePoint> read_curve(const std::filesystem::path& config) {
  std::filesystem::path file = or_shipped(config);
  file.replace_extension(".curve.tsv");
  if (!std::filesystem::exists(file)) return {};
  std::istringstream lines(read_text(file));
  std::vector<CurvePoint> curve;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line[0] == '#' || line.starts_with("games\t")) continue;
    std::istringstream fields(line);
    CurvePoint p;
    std::string rest;
    if (!(fields >> p.games >> p.decisive >> p.deep >> p.searched_decisive >> p.searched_deep) || fields >> rest ||
        p.games <= (curve.empty() ? 0 : curve.back().games)) {
      throw std::runtime_error(
          fmt::format("{}:{}: expected five numbers, the games above those of the line before", file.string(), number));
    }
    curve.push_back(p);
  }
  return curve;
}

std::string forecast_text(const std::string& config, const std::vector<CurvePoint>& curve, double games_a_second) {
  std::string text = fmt::format("{}: {} games an hour on this machine\n", config, format_count(3600 * games_a_second));
  if (curve.empty()) {
    return text + "There is no curve of this configuration, so there is no forecast of its agreement.\n";
  }
  TextTable table({"after", "games", "decisive", "deep", "decisive @32", "deep @32"});
  for (const CurvePoint& p : curve) {
    table.add({format_duration(p.games / games_a_second), fmt::format("{:.0f}", p.games),
               fmt::format("{:.1f}", p.decisive), fmt::format("{:.1f}", p.deep),
               fmt::format("{:.1f}", p.searched_decisive), fmt::format("{:.1f}", p.searched_deep)});
  }
  return text +
         "What a run of it reached, in percent of agreement, and when it would here (another seed differs by a "
         "point or two):\n\n" +
         table.str();
}

void print_forecast(const std::string& config, double seconds) {
  const RunConfig run = load_run_config(config, {});
  const std::vector<CurvePoint> curve = read_curve(config);
  // Trained weights play other games than fresh ones, so those of the same shape are better, where they ship.
  std::string weights;
  if (const auto zero = find_shipped("checkpoints/zero");
      zero && read_weights_info(*zero).network == run.network.resolved()) {
    weights = zero->string();
  }
  const bench::RunSpeed speed = bench::run_speed(run, weights, seconds);
  fmt::print("{}\n{}", speed.evaluated_by, forecast_text(config, curve, speed.games_a_second));
}

}  // namespace quarto::app
