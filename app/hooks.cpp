#include "app/hooks.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "app/measure.h"
#include "base/tell.h"
#include "data/suites.h"
#include "eval/agreement.h"
#include "play/player.h"

namespace quarto::app {

void say_changes(const RunPlan& plan) {
  for (const std::string& change : plan.changes) tell("resuming: {}\n", change);
  if (plan.other_file && !plan.changes.empty())
    tell("resuming: without CONFIG the run goes on with its own configuration\n");
}

std::string raised_limits(const LimitsConfig& limits, std::uint64_t iterations, double seconds) {
  LimitsConfig by_count = limits, by_time = limits;
  by_count.minutes = 0;
  by_time.iterations = 0;
  std::string options;
  if (by_count.reached(iterations, seconds)) options += fmt::format(" --set limits.iterations={}", 2 * iterations);
  if (by_time.reached(iterations, seconds))
    options += fmt::format(" --set limits.minutes={:.0f}", std::ceil(2 * seconds / 60));
  return options;
}

SearchConfig measuring_search(const RunConfig& run) {
  SearchConfig search = run.search;
  search.oracle_squares = 0;
  return search;
}

std::function<nlohmann::json(Evaluator&, const RunConfig&)> agreement_measure(const RunConfig& config) {
  if (config.evaluation.every == 0) return {};
  const Rules rules = config.network.rules;
  if (!has_suites_or_says_so(rules)) return {};
  const auto suites = std::make_shared<std::vector<Suite>>(read_suites(default_suites(rules), rules));
  return [suites, levels = nlohmann::json()](Evaluator& evaluator, const RunConfig& run) mutable {
    AgreementOptions options;
    options.threads = run.selfplay.thread_count();
    options.limit = run.evaluation.positions;
    options.seed = run.seed;
    options.search = measuring_search(run);
    options.baselines = false;
    if (run.evaluation.simulations > 0) options.simulations.push_back(run.evaluation.simulations);
    const AgreementReport report = measure_agreement(evaluator, *suites, options);
    nlohmann::json shares, intervals;
    for (const AgreementMean& mean : report.means) {
      const std::string name = mean.simulations > 0 ? fmt::format("{}@{}", mean.suite, mean.simulations) : mean.suite;
      shares[name] = mean.agreement;
      intervals[name] = {mean.interval.low, mean.interval.high};
    }
    if (levels.is_null()) {  // they are the same for every network
      AgreementOptions without = options;
      const auto rule = make_player("oneply", {});  // the network is not asked again
      without.player = rule.get();
      without.baselines = true;
      without.simulations = {0};
      for (const AgreementMean& mean : measure_agreement(evaluator, *suites, without).baseline_means)
        levels[mean.player][mean.suite] = mean.agreement;
    }
    return nlohmann::json{{"agreement", shares}, {"agreement_interval", intervals}, {"agreement_levels", levels}};
  };
}

}  // namespace quarto::app
