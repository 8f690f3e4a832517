// What `train` and `distill` share: measurements during a run, made with `eval`, and what they say of one that
// is resumed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/json_library.h"
#include "env/evaluator.h"
#include "train/config.h"
#include "train/run_directory.h"

namespace quarto::app {

// Measures what the configuration's `evaluation` requests, for TrainHooks::measure:
//
//     {"agreement": {"decisive": 0.83, "deep@32": ...},
//      "agreement_interval": {"decisive": [0.80, 0.86], ...},                         95%, over samples of positions
//      "agreement_levels": {"random": {"decisive": 0.41, ...}, "oneply": {...}}}      of the same positions
//
// It is empty if none is requested, or if the suites are for other rules (with a line on standard error).
std::function<nlohmann::json(Evaluator&, const RunConfig&)> agreement_measure(const RunConfig& config);

// The search for measurements: without an oracle, also where self-play has one, because agreement and matches measure
// the network itself.
SearchConfig measuring_search(const RunConfig& run);

// Prints on standard error which settings of a resumed run have changed.
void say_changes(const RunPlan& plan);

// The options that let a finished run go on: every limit that it has reached, at twice what was done.
std::string raised_limits(const LimitsConfig& limits, std::uint64_t iterations, double seconds);

}  // namespace quarto::app
