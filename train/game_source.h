// Where the games of an iteration come from: played in this process in turn with the learner, or beside it, or by
// actors through a store. The trainer takes them the same way, whoever plays them.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "env/evaluator.h"
#include "train/config.h"
#include "train/run_progress.h"
#include "train/run_status.h"
#include "train/self_play.h"
#include "train/trainer.h"

namespace quarto {

// Of one run; used by the trainer's thread alone. `progress` is the run's. The functions are called in the order in
// which they stand here, take() to iteration_ended() in every iteration. saving() and saved() go with every checkpoint:
// an iteration may have none, and there may be one before begin() and after end().
class GameSource {
 public:
  virtual ~GameSource() = default;

  // Before anything else. Returns whether `progress` has changed and must be in a checkpoint before begin().
  virtual bool join(RunProgress&) { return false; }
  // Games will be taken.
  virtual void begin(const RunProgress&) {}
  // The games of the next iteration. Returns nothing if `stop` becomes true before they are there, or if others play
  // them and a limit of the run is reached. Throws ThreadError
  // and what the network throws, or StoreError.
  virtual std::optional<SelfPlayResult> take(const RunProgress& progress, const std::atomic<bool>& stop) = 0;
  // The learner has learned from the games that were taken: notes their numbers, and goes on with the new weights.
  virtual void learned(RunProgress& progress, const SelfPlayResult& games) = 0;
  // The new weights are measured, and perhaps the best. Not called in the last iteration.
  virtual void measured(const RunProgress&) {}
  // Adds what the source knows to the status of the iteration.
  virtual void describe(RunStatus&) {}
  // A checkpoint is about to be written, and has been.
  virtual void saving(RunProgress&) {}
  virtual void saved() {}
  // An iteration ends that is not the last; its checkpoint, if it has one, is written.
  virtual void iteration_ended(const RunProgress&) {}

  // No more games are taken. The last checkpoint may follow.
  virtual void end(RunProgress&) {}
  // The run has ended, or stops until it is resumed. Also called where nothing was taken.
  virtual void leave(const RunProgress&, bool /*finished*/) {}

  // Games are played while the learner learns: the counts of a take() are of the time since the last one.
  virtual bool beside() const { return false; }
  // Games that had ended and that no iteration took.
  virtual int abandoned() const { return 0; }
};

struct GameSourceSettings {
  RunConfig config;
  SearchAids aids{};
  std::optional<StoreOptions> store{};
  std::function<std::shared_ptr<Evaluator>()> evaluator;                  // of the newest weights
  std::function<void(const std::filesystem::path& folder)> save_weights;  // the newest
  std::function<std::uint64_t()> step;                                    // the learner's
  std::function<bool()> limit_reached;                                    // of the run, now
  std::function<void(const std::string&)> activity;  // shows what goes on, until something else does
  std::function<void(const std::string&)> message;   // shows a line
  std::function<void(const std::string&)> log;       // called by any thread
};

// As limits.mode says, or through the store.
std::unique_ptr<GameSource> make_game_source(GameSourceSettings settings);

}  // namespace quarto
