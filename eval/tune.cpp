#include "eval/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <stdexcept>

#include "base/parallel.h"
#include "base/random.h"
#include "env/canonical.h"

namespace quarto {
namespace {

constexpr double kFinestStep = 2;  // degrees

}  // namespace

TuneReport tune_strangler(std::span<const Suite> suites, const TuneOptions& options) {
  if (options.step < 1 || options.step > 90 || options.threads < 1) {
    throw std::invalid_argument("tune: step must be 1 to 90 degrees, threads 1 or more");
  }
  using Half = std::vector<const SuiteEntry*>;
  Half tuning, reporting;
  std::set<CanonicalKey> seen;
  for (const Suite& suite : suites) {
    for (const SuiteEntry& entry : suite.entries) {
      const CanonicalKey key = canonical_key(entry.position);
      if (entry.decisive() && seen.insert(key).second) (key.hash() & 1 ? tuning : reporting).push_back(&entry);
    }
  }
  if (tuning.empty() || reporting.empty()) {
    throw std::invalid_argument(
        fmt::format("tune: the suites have {} decisive positions to tune on and {} to report on; both halves need some",
                    tuning.size(), reporting.size()));
  }
  const int sweep = static_cast<int>(std::lround(360 / options.step));
  const int refinements = std::max(0, static_cast<int>(std::ceil(std::log2(options.step / kFinestStep))));
  const std::size_t total =
      static_cast<std::size_t>(sweep + 2 * refinements + 1) * tuning.size() + 2 * reporting.size();
  std::size_t chosen = 0;

  // For each position, 1 if the strangler's move keeps the value.
  const auto kept = [&](const Half& half, const TunedWeights& weights) {
    StranglerOptions strangler = options.strangler;
    strangler.safe = weights.safe;
    strangler.traps = weights.traps;
    strangler.exact = 0;
    std::vector<Strangler> players;
    for (int i = 0; i < options.threads; ++i) players.emplace_back(strangler, 64);
    std::vector<char> right(half.size());
    parallel_chunks(
        half.size(), 16, options.threads,
        [&](std::size_t begin, std::size_t end, std::size_t worker) {
          for (std::size_t i = begin; i < end; ++i) {
            Rng rng(mix_seed(options.seed, i));
            right[i] = keeps_value(*half[i], players[worker].choose(half[i]->position, rng)) > 0 ? 1 : 0;
          }
        },
        [&](std::size_t done) {
          if (options.on_progress) options.on_progress(chosen + done, total);
        });
    chosen += half.size();
    return right;
  };
  const auto share = [](const std::vector<char>& right) {
    return Share{static_cast<double>(std::count(right.begin(), right.end(), 1)), right.size()};
  };
  const auto at_angle = [&](double degrees) {
    if (degrees > 180) degrees -= 360;
    const double radians = degrees * std::numbers::pi / 180;
    // The sine of a multiple of 90 degrees is not exactly 0 in floating point.
    const auto clean = [](double x) { return std::abs(x) < 1e-12 ? 0.0 : x; };
    TunedWeights w{degrees, clean(std::cos(radians)), clean(std::sin(radians)), {}};
    w.tuning = share(kept(tuning, w));
    return w;
  };

  TuneReport report;
  const auto best = [&] {  // the first of equal ones
    return *std::max_element(report.angles.begin(), report.angles.end(),
                             [](const auto& a, const auto& b) { return a.tuning.hits < b.tuning.hits; });
  };
  for (int i = 0; i < sweep; ++i) report.angles.push_back(at_angle(i * 360.0 / sweep));
  double step = 360.0 / sweep;
  for (int i = 0; i < refinements; ++i) {
    step /= 2;
    const double centre = best().angle;
    for (const double angle : {centre - step, centre + step}) report.angles.push_back(at_angle(angle));
  }
  std::sort(report.angles.begin(), report.angles.end(), [](const auto& a, const auto& b) { return a.angle < b.angle; });
  report.best = best();
  const double safe = options.strangler.safe, traps = options.strangler.traps;
  report.given = {std::atan2(traps, safe) * 180 / std::numbers::pi, safe, traps, {}};
  report.given.tuning = share(kept(tuning, report.given));
  const std::vector<char> by_best = kept(reporting, report.best), by_given = kept(reporting, report.given);
  report.best_report = share(by_best);
  report.given_report = share(by_given);
  for (std::size_t i = 0; i < by_best.size(); ++i) {
    report.only_best += by_best[i] && !by_given[i] ? 1 : 0;
    report.only_given += by_given[i] && !by_best[i] ? 1 : 0;
  }
  return report;
}

}  // namespace quarto
