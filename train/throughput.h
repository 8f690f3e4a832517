// Where self-play spends its time, and which part limits its speed.
#pragma once

#include <string>

#include "selfplay/games.h"

namespace quarto {

// Shares of the threads' time, sum 1 (all zero before anything was counted).
struct TimeShares {
  double network = 0;  // arithmetic on the CPU, or waiting for the device
  double tree = 0;     // selection, rules, bookkeeping of games
  double asking = 0;   // proofs, canonical forms, the cache, the network's input
  double paused = 0;   // waiting because games finish faster than the learner takes them
};
TimeShares time_shares(const SelfPlayCounts& counts);

// The share of requested evaluations that came from the cache or from another request in the same batch.
double cache_share(const SelfPlayCounts& counts);
// Evaluations per batch as a share of the games in it. The other games had no request or shared a result.
double batch_fill(const SelfPlayCounts& counts);

// One sentence that names what limits self-play, or the run if `learning_seconds` (wall time, alternating with
// `self_play_seconds`) is given. `on_gpu`: the network runs on a GPU, so its share of the threads' time is waiting.
std::string bottleneck(const SelfPlayCounts& counts, bool on_gpu, double self_play_seconds = 0,
                       double learning_seconds = 0);

// The same for games from a store: actors too few, the learner too slow, or the store. All in seconds: the learner's
// for an iteration and how long it waited for games in it; of `counts`, and `waited_for_store`, the actors' threads'
// time.
std::string store_bottleneck(const SelfPlayCounts& counts, std::uint64_t actors, double iteration_seconds,
                             double waited_seconds, double waited_for_store, double answer_seconds);

}  // namespace quarto
