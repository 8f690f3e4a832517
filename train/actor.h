// A worker that plays games for a learner elsewhere, through a store (store/store.h).
//
// It takes the run's configuration and weights from the store, leases numbers, plays these games (train/crew.h) and
// delivers them. It keeps nothing on the disk and may end in any way at any moment: what it held is played by others.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "store/store.h"
#include "store/wire.h"
#include "train/config.h"
#include "train/crew.h"

namespace quarto {

// The actor cannot play for this run: it is of another build, or cannot read the configuration. The message says why.
class ActorRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using store::store_build;

// The fingerprint of one game by this program with these settings and no network. Builds that play alike have the same.
std::string play_probe(const RunConfig& config, const SearchAids& aids);

// Everything about a run that does not change.
store::RunCard run_card(const std::string& id, const std::string& version, const RunConfig& config,
                        const SearchAids& aids);
// 32 hex digits, drawn by the system.
std::string new_run_id();

// What games of this configuration are like.
store::GameRules game_rules(const RunConfig& config);

struct ActorOptions {
  std::function<std::unique_ptr<store::Store>()> connect;
  std::string version;          // of this program
  std::string name;             // shown by the learner and `quartozero store`
  std::string device = "auto";  // not the run's: each actor has its own
  int threads = 0;              // 0: one for each core
  bool any_build = false;       // play also where the probe differs
  bool keep = false;            // when the run has finished, wait for another
  const std::atomic<bool>* stop = nullptr;
  // The prover and the oracle that the configuration asks for.
  std::function<SearchAids(const RunConfig&)> aids;
  // A line that stays; and one that replaces the last of its kind (nothing: no such line).
  std::function<void(const std::string&)> say, show;
  double beat = store::kBeat;  // seconds between signs of life
};

struct ActorResult {
  std::uint64_t games = 0, samples = 0, bytes = 0;
  double seconds = 0;
  bool finished = false;  // the run has; false: the actor was stopped
};

// Plays until the run that it has played for has finished or `stop` is set; waits for the store, the run and its
// weights, with backoff. Throws ActorRefused, store::StoreError, DeviceError, and what the evaluator throws.
ActorResult act(const ActorOptions& options);

}  // namespace quarto
