// Labels without an end and without a file: positions with the exact values of all their moves, made as they are used.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "data/label.h"

namespace quarto {

// Label n is a function of the options and n alone: of the strata in turn, the first of its own candidates that is not
// excluded and that `keep` keeps. Different n may give images of one position. Not thread-safe.
class LabelStream {
 public:
  struct Options {
    Rules rules = Rules::lines;
    std::vector<Stratum> strata;  // not empty
    Sampling sampling = Sampling::careful;
    Keep keep = Keep::all;
    std::uint64_t seed = 0;
    std::set<CanonicalKey> excluded{};  // in none of their images
    int threads = 1;                    // of the solver: changes no label
  };

  explicit LabelStream(Options options) : options_(std::move(options)) {}

  // The next `count`, with all of the solver's threads busy. Nothing, and the stream stays where it is, if limits.stop
  // ends it. Throws LabelError when a stratum has hardly a position that is kept.
  std::vector<SuiteEntry> next(std::size_t count, Solver& solver, const SolveLimits& limits = {});

 private:
  Options options_;
  std::uint64_t next_ = 0;
};

}  // namespace quarto
