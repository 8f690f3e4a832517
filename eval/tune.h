// Tunes the two weights of the strangler against exact values.
//
// Only the ratio of the weights and their signs matter for the order of moves, so the search space is a circle: safe =
// cos(angle), traps = sin(angle). First a sweep in even steps; then steps of half the size to both sides of the best
// angle, down to two degrees. The score of an angle is the share of decisive positions in which the strangler, with a
// fixed budget and without exact values, keeps the value. A hash of the canonical key splits the positions in two
// halves: one half chooses the angle, the other measures the choice. A position in several suites counts once.
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
  // Budget and depth of the search. Its weights are compared with the best ones. `exact` is not used.
  StranglerOptions strangler{.nodes = 2000};
  double step = 15;  // degrees between the angles of the sweep, 1 to 90
  int threads = 1;
  std::uint64_t seed = 0;  // for ties; every angle uses the same random numbers
  // Called on the calling thread with the numbers of moves chosen so far and, approximately, in all.
  std::function<void(std::size_t done, std::size_t total)> on_progress{};
};

struct TunedWeights {
  double angle = 0;  // degrees, -180 (excluded) to 180
  double safe = 0, traps = 0;
  Share tuning;  // positions of the tuning half in which the move keeps the value
};

struct TuneReport {
  std::vector<TunedWeights> angles;  // all angles tried, sorted
  TunedWeights best, given;          // given: the weights in the options
  Share best_report, given_report;   // on the other half
  // Positions of the other half in which one of the two keeps the value and the other does not.
  int only_best = 0, only_given = 0;
};

// The same seed gives the same report on any number of threads. Throws std::invalid_argument for options out of range
// or when a half has no decisive position.
TuneReport tune_strangler(std::span<const Suite> suites, const TuneOptions& options);

}  // namespace quarto
