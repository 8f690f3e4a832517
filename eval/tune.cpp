#include "eval/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <stdexcept>

#include "base/random.h"
#include "env/canonical.h"
#include "eval/agreement.h"
#include "eval/parallel.h"

namespace quarto {
namespace {

struct Sample {
  const SuiteEntry* entry;
  std::size_t suite;
};

struct Halves {
  std::vector<Sample> tuning, report;
};

Halves split(std::span<const Suite> suites) {
  Halves halves;
  std::set<CanonicalKey> seen;
  for (std::size_t s = 0; s < suites.size(); ++s) {
    for (const SuiteEntry& entry : suites[s].entries) {
      const CanonicalKey key = canonical_key(entry.position);
      if (!entry.decisive() || !seen.insert(key).second) continue;
      (key.hash() & 1 ? halves.tuning : halves.report).push_back({&entry, s});
    }
  }
  return halves;
}

TuneScore score_of(const std::string& suite, std::size_t kept, std::size_t positions) {
  const auto n = static_cast<double>(positions), k = static_cast<double>(kept);
  return {suite, positions, kept, positions ? k / n : 0, wilson(k, n)};
}

class Tuner {
 public:
  Tuner(std::span<const Suite> suites, const TuneOptions& options) : options_(options), halves_(split(suites)) {
    if (options.step < 1 || options.step > 90 || !(options.fine > 0) || options.threads < 1) {
      throw std::invalid_argument("tune: step must be 1 to 90 degrees, fine above 0, threads 1 or more");
    }
    if (halves_.tuning.empty() || halves_.report.empty()) {
      throw std::invalid_argument(fmt::format(
          "tune: the suites have {} decisive positions to tune on and {} to report on; both halves need some",
          halves_.tuning.size(), halves_.report.size()));
    }
    for (const Suite& suite : suites) names_.push_back(suite.name);
    sweep_ = static_cast<int>(std::lround(360 / options.step));
    for (double step = options.step / 2; step * 2 > options.fine; step /= 2) ++refinements_;
    total_ =
        static_cast<std::size_t>(sweep_ + 2 * refinements_ + 1) * halves_.tuning.size() + 2 * halves_.report.size();
  }

  TuneReport run() {
    TuneReport report;
    for (int i = 0; i < sweep_; ++i) report.angles.push_back(at_angle(i * 360.0 / sweep_));
    double step = 360.0 / sweep_;
    for (int i = 0; i < refinements_; ++i) {
      step /= 2;
      const double centre = best_of(report.angles).angle;
      report.angles.push_back(at_angle(centre - step));
      report.angles.push_back(at_angle(centre + step));
    }
    std::sort(report.angles.begin(), report.angles.end(),
              [](const TunedWeights& a, const TunedWeights& b) { return a.angle < b.angle; });
    report.best = best_of(report.angles);
    const double safe = options_.strangler.safe, traps = options_.strangler.traps;
    report.given = tuned(std::atan2(traps, safe) * 180 / std::numbers::pi, safe, traps);

    const std::vector<char> best = kept(halves_.report, report.best), given = kept(halves_.report, report.given);
    report.best_scores = by_suite(best);
    report.given_scores = by_suite(given);
    for (std::size_t i = 0; i < best.size(); ++i) {
      report.only_best += best[i] && !given[i] ? 1 : 0;
      report.only_given += given[i] && !best[i] ? 1 : 0;
    }
    return report;
  }

 private:
  TunedWeights at_angle(double degrees) {
    if (degrees > 180) degrees -= 360;
    const double radians = degrees * std::numbers::pi / 180;
    // The sines of whole right angles are not exactly 0 in floating point.
    const auto clean = [](double x) { return std::abs(x) < 1e-12 ? 0.0 : x; };
    return tuned(degrees, clean(std::cos(radians)), clean(std::sin(radians)));
  }

  TunedWeights tuned(double degrees, double safe, double traps) {
    TunedWeights w{degrees, safe, traps, {}};
    const std::vector<char> right = kept(halves_.tuning, w);
    w.score = score_of("all", static_cast<std::size_t>(std::count(right.begin(), right.end(), 1)), right.size());
    return w;
  }

  // For each sample, whether the strangler's move keeps the value.
  std::vector<char> kept(const std::vector<Sample>& samples, const TunedWeights& weights) {
    StranglerOptions strangler = options_.strangler;
    strangler.safe = weights.safe;
    strangler.traps = weights.traps;
    strangler.exact = 0;
    std::vector<Strangler> players;
    for (int i = 0; i < options_.threads; ++i) players.emplace_back(strangler, 64);
    std::vector<char> right(samples.size());
    parallel_chunks(
        samples.size(), 16, options_.threads,
        [&](std::size_t begin, std::size_t end, std::size_t worker) {
          for (std::size_t i = begin; i < end; ++i) {
            Rng rng(mix_seed(options_.seed, i));
            const SuiteEntry& entry = *samples[i].entry;
            right[i] = keeps_value(entry, players[worker].choose(entry.position, rng)) > 0 ? 1 : 0;
          }
        },
        [&](std::size_t done) {
          if (options_.on_progress) options_.on_progress(done_ + done, total_);
        });
    done_ += samples.size();
    return right;
  }

  std::vector<TuneScore> by_suite(const std::vector<char>& right) const {
    std::vector<TuneScore> scores;
    for (std::size_t s = 0; s <= names_.size(); ++s) {
      std::size_t n = 0, k = 0;
      for (std::size_t i = 0; i < right.size(); ++i) {
        if (s < names_.size() && halves_.report[i].suite != s) continue;
        ++n;
        k += right[i] ? 1 : 0;
      }
      scores.push_back(score_of(s < names_.size() ? names_[s] : "all", k, n));
    }
    return scores;
  }

  // The first among equals.
  static const TunedWeights& best_of(const std::vector<TunedWeights>& angles) {
    return *std::max_element(angles.begin(), angles.end(),
                             [](const TunedWeights& a, const TunedWeights& b) { return a.score.kept < b.score.kept; });
  }

  const TuneOptions& options_;
  Halves halves_;
  std::vector<std::string> names_;
  int sweep_ = 0, refinements_ = 0;
  std::size_t done_ = 0, total_ = 0;
};

nlohmann::json score_json(const TuneScore& s) {
  return {{"positions", s.positions},
          {"kept", s.kept},
          {"agreement", s.agreement},
          {"low", s.interval.low},
          {"high", s.interval.high}};
}

nlohmann::json weights_json(const TunedWeights& w) {
  nlohmann::json json = score_json(w.score);
  json["angle"] = w.angle;
  json["safe"] = w.safe;
  json["traps"] = w.traps;
  return json;
}

nlohmann::json with_report(const TunedWeights& w, const std::vector<TuneScore>& scores) {
  nlohmann::json json = weights_json(w);
  json["report"] = nlohmann::json::array();
  for (const TuneScore& s : scores) {
    json["report"].push_back(score_json(s));
    json["report"].back()["suite"] = s.suite;
  }
  return json;
}

}  // namespace

TuneReport tune_strangler(std::span<const Suite> suites, const TuneOptions& options) {
  return Tuner(suites, options).run();
}

nlohmann::json to_json(const TuneReport& report) {
  nlohmann::json out = {{"angles", nlohmann::json::array()},
                        {"best", with_report(report.best, report.best_scores)},
                        {"given", with_report(report.given, report.given_scores)},
                        {"only_best", report.only_best},
                        {"only_given", report.only_given}};
  for (const TunedWeights& w : report.angles) out["angles"].push_back(weights_json(w));
  return out;
}

}  // namespace quarto
