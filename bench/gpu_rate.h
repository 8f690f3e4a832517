// How fast a GPU evaluates positions, as self-play uses it: several batches in flight, from one thread or more.
#pragma once

#include <cstddef>
#include <span>

#include "env/evaluator.h"

namespace quarto::bench {

// By the clock, since the work is elsewhere: each thread submits `in_flight` batches of all `positions` in turn, and
// waits for each when its turn comes round again. Only what has come back is counted. Rethrows an exception of a
// thread.
double positions_per_second_on_gpu(Evaluator& evaluator, std::span<const Position> positions, std::size_t in_flight,
                                   std::size_t threads, double seconds);

}  // namespace quarto::bench
