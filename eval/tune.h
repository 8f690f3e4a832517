// Tuning of the strangler's two weights against exact values.
//
// For the order of moves only the ratio of the weights and their signs matter, so what there is to search is a circle:
// safe = cos(angle), traps = sin(angle). A sweep of even steps around it is followed by smaller and smaller steps to
// both sides of the best. The score of an angle is the share of decisive positions in which the strangler, with a fixed
// budget and without exact values, keeps the value.
//
// Positions are split in halves by a hash of their canonical key, so that no position is in both in any guise: one half
// chooses the angle, the other tells what the choice is worth. A position that several suites hold counts once, for the
// first of them.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "eval/statistics.h"
#include "eval/strangler.h"
#include "solver/suite.h"

namespace quarto {

struct TuneOptions {
  // Budget and depth of the search; the weights are those that the best ones are compared with. `exact` is not used.
  StranglerOptions strangler{.nodes = 2000};
  double step = 15;  // degrees between the angles of the first sweep, 1 to 90
  double fine = 2;   // steps are halved until they are no larger than this; above 0
  int threads = 1;
  std::uint64_t seed = 0;  // of ties; every angle meets the same draws
  // Called on the calling thread: moves chosen, and about how many there are in all.
  std::function<void(std::size_t done, std::size_t total)> on_progress{};
};

// Of `positions` decisive ones, `kept` moves kept the value. The interval is Wilson's, 95%.
struct TuneScore {
  std::string suite;  // "all" for every suite together
  std::size_t positions = 0, kept = 0;
  double agreement = 0;
  Interval interval;
};

struct TunedWeights {
  double angle = 0;  // degrees, -180 (excluded) to 180
  double safe = 0, traps = 0;
  TuneScore score;  // over all suites, tuning half
};

struct TuneReport {
  std::vector<TunedWeights> angles;  // every one tried, by angle
  TunedWeights best, given;          // given: the options' own weights
  // On the other half: each suite, then "all".
  std::vector<TuneScore> best_scores, given_scores;
  // Positions of that half in which one of the two keeps the value and the other does not.
  std::size_t only_best = 0, only_given = 0;
};

// Prints nothing. The same seed gives the same report on any number of threads. Throws std::invalid_argument for
// options out of range or when a half has no decisive position.
TuneReport tune_strangler(std::span<const Suite> suites, const TuneOptions& options);

// {"angles": [{"angle", "safe", "traps", "positions", "kept", "agreement", "low", "high"}],
//  "best", "given": the same and "report": [{"suite", "positions", "kept", "agreement", "low", "high"}],
//  "only_best", "only_given"}. Shares are 0..1.
nlohmann::json to_json(const TuneReport& report);

}  // namespace quarto
