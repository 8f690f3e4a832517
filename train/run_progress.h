// How far a run has come: state.json of a checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/json_library.h"
#include "base/random.h"
#include "selfplay/game_source.h"

namespace quarto {

// The state of a run between two iterations.
struct RunProgress {
  std::uint64_t iteration = 0, games = 0, samples = 0;
  std::uint64_t first_shard = 0;  // the oldest iteration in the replay window; 0: none yet
  double seconds = 0;
  std::uint64_t best_iteration = 0;
  Rng draw{0};      // draws samples and their symmetries
  double loss = 0;  // mean of the last iteration's steps; 0: none yet
  nlohmann::json agreement;
  std::uint64_t agreement_iteration = 0;  // of the agreement, if there is any
  bool finished = false;                  // a limit was reached, and the last iteration measured
  GamesState source;                      // the games that it has learned from
};

nlohmann::json to_json(const RunProgress& progress);
// Throws RunError (train/run_directory.h) for a file that to_json() would not give, or that is not the one of its
// checkpoint.
RunProgress progress_from(const std::filesystem::path& path);
// Throws RunError if this state.json is that of a run on exact labels. Damage is left to progress_from().
void require_self_play(const std::filesystem::path& path);

}  // namespace quarto
