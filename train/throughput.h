// Where self-play's time goes, and what would have to be faster.
#pragma once

#include <string>

#include "train/self_play.h"

namespace quarto {

// Of the threads' time, summing to one (all zero before anything was counted).
struct TimeShares {
  double network = 0;   // arithmetic on the CPU, or waiting for the device
  double tree = 0;      // search, rules, bookkeeping of games
  double encoding = 0;  // canonical forms, the cache, what the network sees
  double paused = 0;    // games finished faster than the learner takes them
};
TimeShares time_shares(const SelfPlayCounts& counts);

// The share of questions that the cache answered, or another question in the same batch.
double cache_share(const SelfPlayCounts& counts);
// Evaluations in a batch as a share of the games in it: the others had no question left or shared an answer.
double batch_fill(const SelfPlayCounts& counts);

// One sentence: what limits self-play, or the run if `learning_seconds` (wall time beside `self_play_seconds`, in turn
// with it) is given. `on_gpu`: the network is elsewhere, so its share is waiting.
std::string bottleneck(const SelfPlayCounts& counts, bool on_gpu, double self_play_seconds = 0,
                       double learning_seconds = 0);

}  // namespace quarto
