// Tuning of the strangler's two weights against exact values.
//
// For the order of moves only the ratio of the weights and their signs matter, so the search space is a circle: safe =
// cos(angle), traps = sin(angle). A sweep of even steps is followed by steps of half the size to both sides of the
// best, down to two degrees. The score of an angle is the share of decisive positions in which the strangler, with a
// fixed budget and without exact values, keeps the value. Positions are split in halves by a hash of their canonical
// key: one half chooses the angle, the other measures the choice. A position that several suites hold counts once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/suite.h"
#include "eval/statistics.h"
#include "play/strangler.h"

namespace quarto {

struct TuneOptions {
  // Budget and depth of the search; its weights are those that the best ones are compared with. `exact` is not used.
  StranglerOptions strangler{.nodes = 2000};
  double step = 15;  // degrees between the angles of the sweep, 1 to 90
  int threads = 1;
  std::uint64_t seed = 0;  // of ties; every angle meets the same draws
  // Called on the calling thread: moves chosen, and about how many there are in all.
  std::function<void(std::size_t done, std::size_t total)> on_progress{};
};

struct TunedWeights {
  double angle = 0;  // degrees, -180 (excluded) to 180
  double safe = 0, traps = 0;
  Share tuning;  // positions of the tuning half in which the value is kept
};

struct TuneReport {
  std::vector<TunedWeights> angles;  // every one tried, by angle
  TunedWeights best, given;          // given: the options' own weights
  Share best_report, given_report;   // on the other half
  // Positions of that half in which one of the two keeps the value and the other does not.
  int only_best = 0, only_given = 0;
};

// The same seed gives the same report on any number of threads. Throws std::invalid_argument for options out of range
// or when a half has no decisive position.
TuneReport tune_strangler(std::span<const Suite> suites, const TuneOptions& options);

}  // namespace quarto
