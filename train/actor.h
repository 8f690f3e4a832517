// Games for a learner elsewhere, by the run's own configuration and weights (store/worker.h, selfplay/game_work.h).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "selfplay/game_work.h"
#include "train/config.h"

namespace quarto {

SelfPlaySettings self_play_settings(const RunConfig& config, const SearchAids& aids = {});

// Everything about a run that does not change. `version` is of this program.
store::RunCard run_card(const std::string& id, const std::string& version, const RunConfig& config,
                        const SearchAids& aids);
// 32 hex digits, drawn by the system.
std::string new_run_id();

struct ActorOptions {
  std::string name;             // shown by the learner
  std::string device = "auto";  // not the run's: each actor has its own
  int threads = 1;
  bool any_build = false;  // play also where the probe differs
  // The prover and the oracle that the configuration asks for.
  std::function<SearchAids(const RunConfig&)> aids;
  std::function<void(const std::string&)> say{};  // a line
};

// Throws store::WorkerRefused if this program is of another build, or cannot read the configuration; DeviceError.
std::unique_ptr<store::Work> make_actor_work(const store::RunCard& card, const ActorOptions& options);

}  // namespace quarto
