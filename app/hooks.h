// What `train` and `distill` measure along the way, made with the tools of `eval`.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "env/evaluator.h"
#include "train/config.h"
#include "train/run_directory.h"

namespace quarto::app {

// Agreement by suite, {"decisive": 0.83, "deep@32": ...}, as `evaluation` in the configuration asks for; empty when it
// asks for none, or, with a line on standard error, when the suites are for other rules.
std::function<nlohmann::json(Evaluator&, const RunConfig&)> agreement_measure(const RunConfig& config);

// An agreement or a match is a network's own, without an oracle, also where self-play has one.
SearchConfig measuring_search(const RunConfig& run);

// On standard error: what a resumed run does otherwise than before.
void say_changes(const RunPlan& plan);

// Threads for self-play and for measuring.
int thread_count(const RunConfig& config);

}  // namespace quarto::app
