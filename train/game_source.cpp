#include "train/game_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/cores.h"
#include "base/file.h"
#include "base/scratch_directory.h"
#include "model/checkpoint.h"
#include "train/actor.h"
#include "train/collector.h"

namespace quarto {
namespace {

using Clock = std::chrono::steady_clock;

// Of the next game that is played in this process.
std::uint64_t first_number(const RunProgress& progress) {
  return std::max({progress.games, progress.next_game, progress.store ? progress.store->taken.end() : 0});
}

// Games of this process. Their numbers are noted where those of the run are not simply the first.
class OwnGames : public GameSource {
 public:
  explicit OwnGames(GameSourceSettings settings) : settings_(std::move(settings)) {}
  void learned(RunProgress& progress, const SelfPlayResult& played) override {
    for (const GameRecord& game : played.games) {
      if (progress.store) progress.store->taken.add(game.number);
      if (progress.next_game > 0) progress.next_game = std::max(progress.next_game, game.number + 1);
    }
  }
  int abandoned() const override { return abandoned_; }

 protected:
  int threads() const {
    return settings_.config.selfplay.threads > 0 ? settings_.config.selfplay.threads : usable_cores();
  }
  // Of take(): shows how many games have ended, and keeps the number.
  std::function<void(int)> counting(const RunProgress& progress) {
    return [this, iteration = progress.iteration + 1](int games) {
      abandoned_ = games;
      settings_.activity(
          fmt::format("iteration {}: self-play, {} of {} games", iteration, games, settings_.config.limits.games));
    };
  }

  GameSourceSettings settings_;
  int abandoned_ = 0;
};

class GamesInTurn final : public OwnGames {
 public:
  using OwnGames::OwnGames;
  std::optional<SelfPlayResult> take(const RunProgress& progress, const std::atomic<bool>& stop) override {
    const auto evaluator = settings_.evaluator();
    abandoned_ = 0;
    auto played = play_games(self_play_settings(settings_.config, settings_.aids), *evaluator, first_number(progress),
                             settings_.config.limits.games, threads(), stop, counting(progress));
    if (played) abandoned_ = 0;
    return played;
  }
};

class GamesBeside final : public OwnGames {
 public:
  using OwnGames::OwnGames;
  std::optional<SelfPlayResult> take(const RunProgress& progress, const std::atomic<bool>& stop) override {
    const int games = settings_.config.limits.games;
    if (!pool_) {
      pool_.emplace(self_play_settings(settings_.config, settings_.aids), settings_.evaluator(), first_number(progress),
                    threads(), 2 * games);
    }
    return pool_->take(games, stop, counting(progress));
  }
  void learned(RunProgress& progress, const SelfPlayResult& played) override {
    OwnGames::learned(progress, played);
    pool_->set_evaluator(settings_.evaluator());
  }
  void saving(RunProgress& progress) override {
    if (pool_) progress.next_game = std::max(progress.next_game, pool_->next());
  }
  void end(RunProgress& progress) override {
    if (!pool_) return;
    saving(progress);
    abandoned_ = static_cast<int>(pool_->waiting());
    pool_.reset();
  }
  bool beside() const override { return true; }

 private:
  std::optional<SelfPlayPool> pool_;
};

class GamesOfActors final : public GameSource {
 public:
  explicit GamesOfActors(GameSourceSettings settings) : settings_(std::move(settings)) {}

  // A checkpoint has the run's name in the store before the store has it.
  bool join(RunProgress& progress) override {
    if (progress.store) return false;
    progress.store.emplace();
    progress.store->run = new_run_id();
    progress.store->taken.add(0, std::max(progress.games, progress.next_game));
    return true;
  }

  void begin(const RunProgress& progress) override {
    CollectorState state = *progress.store;  // the numbers of the games that this run has, whoever played them
    const RunConfig& config = settings_.config;
    Collector::Options options;
    options.connect = settings_.store->connect;
    options.card = run_card(state.run, settings_.store->version, config, settings_.aids);
    options.rules = game_rules(config);
    options.max_lag = settings_.store->max_lag;
    options.by_number = in_turn();
    options.patience = settings_.store->patience;
    options.tick = settings_.store->tick;
    options.stats =
        nlohmann::json{{"mode", name_of(config.limits.mode)}, {"iteration_games", config.limits.games}}.dump();
    options.say = [this](const std::string& line) {
      settings_.log(line);
      const std::lock_guard lock(notes_mutex_);
      notes_.push_back(line);
    };
    collector_.emplace(std::move(options), std::move(state));
    publish(progress);
  }

  std::optional<SelfPlayResult> take(const RunProgress&, const std::atomic<bool>& stop) override {
    const int games = settings_.config.limits.games;
    const auto start = Clock::now();
    std::atomic<bool> over = stop.load();
    auto played = collector_->take(games, over, [&](int n) {
      over = stop || settings_.limit_reached();  // there may be no actor for hours
      show_notes();
      const CollectorFigures f = collector_->figures();
      settings_.activity(fmt::format("waiting for games of {} actors: {} of {}{}", f.actors, n, games,
                                     f.connected ? "" : "; the store does not answer"));
    });
    show_notes();
    waited_ = seconds_since(start);
    return played;
  }
  void learned(RunProgress& progress, const SelfPlayResult&) override { progress.store = collector_->state(); }
  void describe(RunStatus& status) override {
    if (!collector_) return;
    const CollectorFigures now = collector_->figures();
    status.store.used = true;
    status.store.waited_seconds = waited_;
    status.store.actors_waited_for_store = now.waited_for_store - status.store.figures.waited_for_store;
    status.store.figures = now;
  }
  // In turn the actors wait for the learner anyway, and a checkpoint that has the weights comes first. Else they are
  // waited for.
  void measured(const RunProgress& progress) override {
    if (!in_turn()) publish(progress);
  }
  // Weights may have been published since learned().
  void saving(RunProgress& progress) override {
    if (!progress.store) return;
    if (collector_) {
      CollectorState now = collector_->state();
      progress.store->weights = std::move(now.weights);
      progress.store->upto = now.upto;
    }
    // In turn it is published after this checkpoint, and games are played that a process takes which resumes from it.
    progress.store->upto = std::max(progress.store->upto, upto(progress));
  }
  void saved() override {
    if (collector_) collector_->commit();
  }
  void iteration_ended(const RunProgress& progress) override {
    if (in_turn()) publish(progress);
  }
  // Also where nothing was to be played: the learner that played the last game may have died before it told the store.
  void leave(const RunProgress& progress, bool finished) override {
    bool told = true;
    if (collector_)
      told = collector_->close(finished ? store::RunPhase::finished : store::RunPhase::stopped);
    else if (finished && progress.store)
      told = store::tell_finished(settings_.store->connect, progress.store->run);
    if (told) return;
    const std::string line = fmt::format(
        "the store could not be told that the run has ended: actors go on until they have played all that is allowed{}",
        finished ? ", and then wait; train --resume --store tells it" : "");
    settings_.log(line);
    settings_.message(line);
  }
  bool beside() const override { return !in_turn(); }

 private:
  bool in_turn() const { return settings_.config.limits.mode == RunMode::alternating; }

  // Below which number games may be played with the weights of `progress`: not beyond the end of the run, so that every
  // number is played.
  std::uint64_t upto(const RunProgress& progress) const {
    const LimitsConfig& limits = settings_.config.limits;
    const auto games = static_cast<std::uint64_t>(limits.games);
    const int ahead = settings_.store->ahead;
    std::uint64_t more = games;
    if (!in_turn()) more += ahead > 0 ? static_cast<std::uint64_t>(ahead) : 2 * games;
    if (limits.iterations > 0) {
      const auto iterations = static_cast<std::uint64_t>(limits.iterations);
      more = std::min(more, games * (iterations - std::min(iterations, progress.iteration)));
    }
    // The lowest numbers that the run does not have. They need not follow the number of its games: iterations without
    // the store have taken numbers above those that actors were playing.
    return progress.store->taken.end_with_absent(more);
  }

  void publish(const RunProgress& progress) {
    const ScratchDirectory scratch("publish");
    settings_.save_weights(scratch.path());
    collector_->publish(progress.iteration, settings_.step(), read_file(scratch / kWeightsFile), upto(progress));
  }

  // What the collector's thread has to say: what is shown is the trainer's.
  void show_notes() {
    std::vector<std::string> notes;
    {
      const std::lock_guard lock(notes_mutex_);
      notes.swap(notes_);
    }
    for (const std::string& note : notes) settings_.message(note);
  }

  GameSourceSettings settings_;
  std::mutex notes_mutex_;
  std::vector<std::string> notes_;
  std::optional<Collector> collector_;  // after what its thread uses
  double waited_ = 0;
};

}  // namespace

std::unique_ptr<GameSource> make_game_source(GameSourceSettings settings) {
  if (settings.store) return std::make_unique<GamesOfActors>(std::move(settings));
  if (settings.config.limits.mode == RunMode::concurrent) return std::make_unique<GamesBeside>(std::move(settings));
  return std::make_unique<GamesInTurn>(std::move(settings));
}

}  // namespace quarto
