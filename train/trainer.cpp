#include "train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "base/clock.h"
#include "base/file.h"
#include "base/manifest.h"
#include "base/progress.h"
#include "base/scratch_directory.h"
#include "data/replay.h"
#include "model/checkpoint.h"
#include "model/evaluators.h"
#include "model/runtime.h"
#include "selfplay/collector.h"
#include "selfplay/local_games.h"
#include "selfplay/playing_evaluator.h"
#include "train/actor.h"
#include "train/display.h"
#include "train/learner.h"
#include "train/machine.h"
#include "train/metrics.h"
#include "train/run_directory.h"
#include "train/run_log.h"
#include "train/run_progress.h"
#include "train/run_status.h"
#include "train/steady_learning.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

// "200 iterations", "5 min", "200 iterations or 5 min": what comes first.
std::string limit_text(const LimitsConfig& limits) {
  std::string text;
  if (limits.iterations > 0) text = counted(limits.iterations, "iteration");
  if (limits.minutes > 0) text += fmt::format("{}{}", text.empty() ? "" : " or ", format_duration(60 * limits.minutes));
  return text;
}

class Trainer {
 public:
  Trainer(const RunConfig& config, const TrainOptions& options, const TrainHooks& hooks)
      : given_(config),
        machine_(this_machine(config)),
        config_(for_machine(config, machine_)),
        options_(options),
        hooks_(hooks),
        directory_(options.out, options.resume),
        out_(directory_.path()),
        resuming_(options.resume && fs::exists(out_ / "checkpoint")),
        learner_(make_learner(config_)),
        replay_(out_ / "replay", static_cast<std::size_t>(config.replay.window)),
        logger_(run_log("train", out_)),
        display_(fmt::format("training {} in {}", name_of(config.network.kind), out_.string()), options.quiet) {
    progress_.draw = Rng(mix_seed(config.seed, 0xD4A3));
    if (resuming_)
      restore();
    else if (options.resume)
      say(fmt::format("nothing to resume in {}: starting from the beginning", out_.string()));
    if (nothing_left_) return;
    if (!resuming_) {
      if (const std::string note = begin_with_weights(*learner_, config_); !note.empty()) say(note);
    }
    if (const std::string note = slow_network_note(config_); !note.empty()) say(note);
    write_file_atomic(out_ / "config.yaml", config::to_yaml(given_));
    metrics_.emplace(out_, progress_.iteration);
  }

  TrainResult run() {
    if (nothing_left_) {
      leave(true);
      return result(progress_.seconds, true);
    }
    status_.on_gpu = resolve_device(config_.device) != "cpu";
    logger_.info("{} at iteration {}: {} weights", resuming_ ? "resumed" : "started", progress_.iteration,
                 learner_->weight_count());
    display_.begin(fmt::format("training a {} network of {} weights in {}, {} games an iteration, until {}",
                               name_of(config_.network.kind),
                               format_count(static_cast<double>(learner_->weight_count())), out_.string(),
                               config_.limits.games, limit_text(config_.limits)));
    if (const std::string note = chosen_for(given_, config_, machine_); !note.empty()) say(note);
    session_start_ = Clock::now();
    seconds_before_ = progress_.seconds;
    // A checkpoint has the run's name in the store before the store has it.
    const bool joined = options_.store && progress_.source.run.empty();
    if (joined) progress_.source.run = new_run_id();
    // The untrained network is the first best. A first checkpoint makes a disk that cannot be written fail the run at
    // once.
    if (!resuming_) promote();
    if (!resuming_ || joined) save_checkpoint();
    measure_start();
    ended_ = limit_reached(elapsed());
    if (ended_) measure_end();
    while (!stopping() && !stopping_after_iteration() && !ended_) {
      if (!iterate()) break;
    }
    // Without evaluations there are no matches, so the newest weights are the best.
    if (config_.evaluation.every == 0 && progress_.best_iteration != progress_.iteration) promote();
    if (promoted_ || saved_iteration_ != progress_.iteration) save_checkpoint();
    const bool finished = ended_;
    leave(finished);
    logger_.info("{} at iteration {} after {}", finished ? "finished" : "stopped", progress_.iteration,
                 format_duration(elapsed()));
    if (!finished && abandoned_ > 0)
      logger_.info("{} games that no iteration had taken after iteration {} abandoned", abandoned_,
                   progress_.iteration);
    return result(elapsed(), finished);
  }

 private:
  TrainResult result(double seconds, bool finished) const {
    return {progress_.iteration, progress_.games, progress_.samples,       learner_->step_count(), seconds, finished,
            nothing_left_,       abandoned_,      progress_.best_iteration};
  }

  void say(const std::string& line) {
    logger_.info("{}", line);
    display_.message(line);
  }

  bool stopping() const { return options_.stop && *options_.stop; }
  bool stopping_after_iteration() const { return options_.stop_after_iteration && *options_.stop_after_iteration; }
  // Evaluations do not count.
  double elapsed() const { return seconds_before_ + seconds_since(session_start_) - evaluation_seconds_; }

  bool limit_reached(double seconds) const { return config_.limits.reached(progress_.iteration, seconds); }
  double share_done() const { return config_.limits.share_done(progress_.iteration, elapsed()); }

  std::shared_ptr<Evaluator> playing_evaluator() {
    auto network = learner_->make_evaluator(config_.selfplay.precision);
    if (const std::string by = network->computed_by(); by != evaluated_by_) {
      evaluated_by_ = by;
      logger_.info("self-play is evaluated by {}, learning is on {}", by, learner_->device());
      if (status_.on_gpu)
        display_.message(fmt::format("self-play is evaluated by {}, learning is on {}", by, learner_->device()));
    }
    return std::make_shared<PlayingEvaluator>(std::move(network), config_.selfplay, config_.selfplay.thread_count(),
                                              playing_seed(config_.seed, progress_.iteration));
  }

  bool in_turn() const { return config_.limits.mode == RunMode::alternating; }

  std::unique_ptr<GameSource> make_source() {
    const SelfPlaySettings settings = self_play_settings(config_, options_.aids);
    if (!options_.store)
      return std::make_unique<LocalGames>(settings, config_.selfplay.thread_count(), in_turn(), progress_.source);
    Collector::Options options;
    options.connect = options_.store->connect;
    options.card = run_card(progress_.source.run, options_.store->version, given_, options_.aids);
    options.rules = game_rules(settings);
    options.max_lag = options_.store->max_lag;
    options.in_turn = in_turn();
    options.patience = options_.store->patience;
    options.tick = options_.store->tick;
    options.stats = {{"mode", name_of(config_.limits.mode)}, {"iteration_games", config_.limits.games}};
    options.say = [this](const std::string& line) {
      logger_.info("{}", line);
      const std::lock_guard lock(notes_mutex_);
      notes_.push_back(line);
    };
    return std::make_unique<Collector>(std::move(options), progress_.source);
  }

  // How many games beyond those that were taken may be begun with the newest weights: not beyond the end of the run, so
  // that every number is played.
  std::uint64_t games_allowed() const {
    const LimitsConfig& limits = config_.limits;
    const auto games = static_cast<std::uint64_t>(limits.games);
    std::uint64_t more = games;
    if (!in_turn() && options_.store) {
      more += options_.store->ahead > 0 ? static_cast<std::uint64_t>(options_.store->ahead) : 2 * games;
    } else if (!in_turn()) {
      // Those in flight, and two iterations that have ended.
      more += games + config_.selfplay.games_at_once();
    }
    if (limits.iterations > 0) {
      const auto iterations = static_cast<std::uint64_t>(limits.iterations);
      more = std::min(more, games * (iterations - std::min(iterations, progress_.iteration)));
    }
    return more;
  }

  void publish() {
    if (!source_) source_ = make_source();
    source_->publish({.version = progress_.iteration,
                      .step = learner_->step_count(),
                      .games = games_allowed(),
                      .evaluator = [this] { return playing_evaluator(); },
                      .file =
                          [this] {
                            const ScratchDirectory scratch("publish");
                            learner_->save_playing_weights(scratch.path());
                            return read_file(scratch / kWeightsFile);
                          }});
  }

  std::optional<PlayedGames> take() {
    const int games = config_.limits.games;
    auto played = source_->take(games, [&](int n, const StoreFigures* store) {
      show_notes();
      display_.activity(
          store ? fmt::format("waiting for games of {} actors: {} of {}{}", store->actors, n, games,
                              store->connected ? "" : "; the store does not answer")
                : fmt::format("iteration {}: self-play, {} of {} games", progress_.iteration + 1, n, games));
      // There may be no actor for hours.
      return !stopping() && !(store && limit_reached(elapsed()));
    });
    show_notes();
    return played;
  }

  // What the store's thread has to say: what is shown is the trainer's.
  void show_notes() {
    std::vector<std::string> notes;
    {
      const std::lock_guard lock(notes_mutex_);
      notes.swap(notes_);
    }
    for (const std::string& note : notes) display_.message(note);
  }

  // The run has ended, or stops until it is resumed. Also where nothing was to be played: the learner that took the last
  // game may have died before it told the store.
  void leave(bool finished) {
    bool told = true;
    if (source_) {
      const GameSource::Closed closed = source_->close(finished);
      told = closed.told;
      abandoned_ = static_cast<int>(closed.abandoned);
    } else if (options_.store && finished && !progress_.source.run.empty()) {
      told = store::tell_finished(options_.store->connect, progress_.source.run);
    }
    if (told) return;
    say(fmt::format(
        "the store could not be told that the run has ended: actors go on until they have played all that is allowed{}",
        finished ? ", and then wait; train --resume --store tells it" : ""));
  }

  // Returns false when the run was stopped, or a limit reached, before the games were there. Nothing has changed then.
  bool iterate() {
    status_.match_score.reset();
    status_.measured = nullptr;
    const auto play_start = Clock::now();
    if (in_turn() || !source_) publish();
    const auto wait_start = Clock::now();
    std::optional<PlayedGames> played = take();
    if (!played) {
      ended_ = !stopping() && limit_reached(elapsed());
      if (ended_) measure_end();
      return false;
    }
    status_.self_play_seconds = seconds_since(!in_turn() && last_take_ ? *last_take_ : play_start);
    last_take_ = Clock::now();
    status_.counts = played->counts;
    status_.in_turn = in_turn();
    if (played->store) {
      const double before = status_.store.figures.waited_for_store;
      status_.store = {true, *played->store, seconds_since(wait_start), played->store->waited_for_store - before};
    }
    const auto learn_start = Clock::now();
    const std::uint64_t next = progress_.iteration + 1;
    Shard shard;
    shard.games = played->games.size();
    for (GameRecord& game : played->games) {
      shard.samples.insert(shard.samples.end(), game.samples.begin(), game.samples.end());
    }
    const std::size_t fresh = shard.samples.size();
    status_.game = shown_game(played->games);
    replay_.set_window(std::max(
        static_cast<std::size_t>(config_.replay.window),
        static_cast<std::size_t>(config_.replay.window_growth * static_cast<double>(progress_.samples + fresh))));
    replay_.append(next, std::move(shard));
    progress_.games += played->games.size();
    progress_.samples += fresh;
    learn(fresh);
    status_.learning_seconds = seconds_since(learn_start);
    progress_.iteration = next;
    progress_.first_shard = replay_.first_iteration();

    // With a limit in minutes the result depends on the clock. It is evaluated once, so that the last iteration is also
    // the one that is measured.
    const bool last = ended_ = limit_reached(elapsed());
    if (!last && !in_turn()) publish();
    if (config_.evaluation.due(next) || (last && config_.evaluation.every > 0))
      evaluate();
    else if (config_.evaluation.measures(next))
      measure(*measured_evaluator());
    progress_.finished = last;
    report();
    if (config_.limits.archive_every > 0 && next % static_cast<std::uint64_t>(config_.limits.archive_every) == 0) {
      save_weights_as(out_ / "archive" / fmt::format("iteration-{:06}", next));
    }
    // Every promotion writes a checkpoint, so that a resumed run compares with the same best weights.
    if (last || promoted_ || next % static_cast<std::uint64_t>(config_.limits.checkpoint_every) == 0) save_checkpoint();
    return true;
  }

  void learn(std::size_t fresh) {
    if (replay_.size() == 0) return;  // possible with short games: no move was searched in full
    const LearnerConfig& c = config_.learner;
    constexpr double kMostSteps = 1e9;
    const double wanted = c.reuse * static_cast<double>(fresh) / c.batch + 0.5;
    const int steps = static_cast<int>(std::clamp(wanted, 1.0, kMostSteps));
    const double rate = scheduled_rate(c, share_done());
    const auto on_step = [&](int i) {
      display_.activity(fmt::format("iteration {}: learning, {} of {} steps", progress_.iteration + 1, i, steps));
    };
    const SteadyResult result = learn_steadily(
        *learner_, steps, replay_, progress_.draw, rate, progress_.loss, on_step,
        [&](const std::string& what) { say(fmt::format("iteration {}: {}", progress_.iteration + 1, what)); });
    status_.loss = result.loss;
    status_.learning_rate = result.rate;
  }

  std::unique_ptr<Evaluator> measured_evaluator() {
    configure_torch(1);  // as in self-play: parallelism is across positions and games
    return learner_->make_evaluator();
  }

  void measure(Evaluator& now) {
    if (!hooks_.measure) return;
    const auto start = Clock::now();
    display_.activity(fmt::format("iteration {}: measuring agreement with exact play", progress_.iteration));
    status_.measured = hooks_.measure(now, config_);
    progress_.agreement = status_.measured.at("agreement");
    progress_.agreement_iteration = progress_.iteration;
    evaluation_seconds_ += seconds_since(start);
  }

  void evaluate() {
    const auto now = measured_evaluator();
    measure(*now);
    const auto start = Clock::now();
    double score = 1.0;
    if (hooks_.compare && config_.evaluation.match_games > 0) {
      display_.activity(fmt::format("iteration {}: playing the best weights so far", progress_.iteration));
      const auto best = load_evaluator(out_ / "best", {.device = config_.device, .threads = 1});
      score = hooks_.compare(*now, *best, config_, mix_seed(config_.seed, 0xC03A + progress_.iteration));
      status_.match_score = score;
    }
    evaluation_seconds_ += seconds_since(start);
    if (score >= config_.evaluation.gate) promote();
    status_.note = status_.match_score
                       ? fmt::format("best: iteration {} (last match: {:.0f}%)", progress_.best_iteration, 100 * score)
                       : fmt::format("best: iteration {}", progress_.best_iteration);
    logger_.info("iteration {}: agreement {}, match score {:.3f}, best is iteration {}", progress_.iteration,
                 progress_.agreement.dump(), score, progress_.best_iteration);
  }

  // The weights that the run begins with. Again if it was stopped before its first iteration: the figures are the same.
  void measure_start() {
    if (progress_.iteration > 0 || stopping() || !hooks_.measure || !config_.evaluation.measures(0)) return;
    measure(*measured_evaluator());
    nlohmann::json fields = {{"seconds", 0}, {"games", 0}, {"positions", 0}, {"step", 0}};
    fields.update(status_.measured);
    metrics_->amend(0, fields);
    say(fmt::format("iteration 0: agreement {}", agreement_text(progress_.agreement)));
  }

  // For a run that was stopped when a limit had just been reached, or whose limit was lowered since.
  void measure_end() {
    if (config_.evaluation.every > 0 && progress_.iteration > 0 && !config_.evaluation.due(progress_.iteration)) {
      evaluate();
      nlohmann::json fields = nlohmann::json::object();
      if (status_.measured.is_object()) fields = status_.measured;
      if (status_.match_score) fields["match_score"] = *status_.match_score;
      if (!fields.empty()) metrics_->amend(progress_.iteration, fields);
    }
    progress_.finished = true;
    saved_iteration_ = ~std::uint64_t{0};
  }

  void report() {
    progress_.seconds = elapsed();
    status_.iteration = progress_.iteration;
    status_.games = progress_.games;
    status_.samples = progress_.samples;
    status_.steps = learner_->step_count();
    status_.replay_size = replay_.size();
    status_.replay_window = replay_.window();
    status_.elapsed = progress_.seconds;
    status_.progress = ended_ ? 1.0 : share_done();
    const double done_now = status_.progress - share_at_start_;
    status_.remaining = status_.progress >= 1 ? 0
                        : done_now > 0        ? seconds_since(session_start_) * (1 - status_.progress) / done_now
                                              : -1;
    status_.agreement = progress_.agreement;
    status_.agreement_iteration = progress_.agreement_iteration;
    metrics_->write(metrics_of(status_));
    display_.iteration(status_);
  }

  void save_weights_as(const fs::path& target) {
    write_directory(target, [&](const fs::path& dir) {
      learner_->save_playing_weights(dir);
      write_file_atomic(dir / "config.yaml", config::to_yaml(given_));
    });
  }
  // The present weights become the best, with the next checkpoint.
  void promote() {
    progress_.best_iteration = progress_.iteration;
    promoted_ = true;
  }

  // The checkpoint comes first and says which iteration is the best one. If that is its own and the run is killed
  // before best/ follows, restore() makes best/ from the checkpoint.
  void save_checkpoint() {
    progress_.seconds = elapsed();
    if (source_) progress_.source = source_->state();
    write_directory(out_ / "checkpoint", [&](const fs::path& dir) {
      learner_->save(dir);
      write_file_atomic(dir / "config.yaml", config::to_yaml(given_));
      write_file_atomic(dir / "state.json", to_json(progress_).dump(2) + "\n");
    });
    replay_.remove_dropped();
    if (source_) source_->commit();
    saved_iteration_ = progress_.iteration;
    if (promoted_) save_weights_as(out_ / "best");
    promoted_ = false;
  }

  void restore() {
    const fs::path dir = out_ / "checkpoint";
    or_what_is_left(out_, [&] { progress_ = progress_from(dir / "state.json"); });
    const RunConfig saved = load_saved_config(dir / "config.yaml");
    if (const std::string why = incompatibility(saved, config_); !why.empty()) {
      throw RunError(
          fmt::format("cannot resume '{}': {}; resume with the configuration it was started with "
                      "('{}'), or start a new run with another --out",
                      out_.string(), why, (out_ / "config.yaml").string()));
    }
    or_what_is_left(out_, [&] { learner_->load(dir); });
    if (progress_.best_iteration == progress_.iteration && !learner_->has_saved_playing_weights(out_ / "best"))
      save_weights_as(out_ / "best");
    // Without evaluations the newest weights are the best, and a run killed in its last moment may still lack them.
    const bool has_best = config_.evaluation.every > 0 || progress_.best_iteration == progress_.iteration;
    nothing_left_ = limit_reached(progress_.seconds) && progress_.finished && has_best;
    if (nothing_left_) return;
    replay_.set_window(std::max(replay_.window(), static_cast<std::size_t>(config_.replay.window_growth *
                                                                           static_cast<double>(progress_.samples))));
    or_what_is_left(out_, [&] {
      if (progress_.first_shard > 0)
        replay_.restore(progress_.first_shard, progress_.iteration);
      else
        replay_.restore(1, 0);
    });
    saved_iteration_ = progress_.iteration;
    seconds_before_ = progress_.seconds;
    session_start_ = Clock::now();
    share_at_start_ = share_done();
    say(fmt::format("resuming {} at iteration {}", out_.string(), progress_.iteration));
    // Whoever asked for the changes has been told; here they are for whoever reads the log.
    if (const auto changes = config_changes(saved, given_); !changes.empty()) {
      for (const std::string& change : changes) logger_.info("{}", change);
      say(fmt::format("the configuration until here is kept in {}",
                      keep_configuration(out_, progress_.iteration).string()));
    }
  }

  const RunConfig given_;
  const Machine machine_;
  const RunConfig config_;  // for_machine()
  const TrainOptions options_;
  const TrainHooks hooks_;
  RunDirectory directory_;
  const fs::path& out_;
  const bool resuming_;
  const std::unique_ptr<Learner> learner_;
  ReplayBuffer replay_;
  spdlog::logger logger_;
  Display display_;
  std::optional<Metrics> metrics_;
  std::mutex notes_mutex_;  // guards notes_
  std::vector<std::string> notes_;
  std::unique_ptr<GameSource> source_;  // once there are weights to play with; after what its thread uses
  std::optional<Clock::time_point> last_take_;
  RunProgress progress_;
  RunStatus status_;
  std::string evaluated_by_;  // what it was last
  std::uint64_t saved_iteration_ = ~std::uint64_t{0};
  bool promoted_ = false, ended_ = false;
  int abandoned_ = 0;          // games that no iteration took
  bool nothing_left_ = false;  // the run that is resumed was finished: nothing is done or written
  double seconds_before_ = 0, evaluation_seconds_ = 0, share_at_start_ = 0;  // evaluations: of this session
  Clock::time_point session_start_ = Clock::now();
};

}  // namespace

TrainResult train(const RunConfig& config, const TrainOptions& options, const TrainHooks& hooks) {
  config.check();
  if (options.resume) require_self_play(options.out / "checkpoint" / "state.json");
  if (config.learner.policy_loss == PolicyLoss::any) {
    throw ConfigError(
        "learner.policy_loss=any is for exact labels (quartozero distill): in self-play every visited move would "
        "count as right; use shares");
  }
  if (config.search.oracle_squares > 0 && !options.aids.oracle) {
    throw RunError("search.oracle_squares is above zero, and no oracle was given to the trainer");
  }
  if (config.search.proof_nodes > 0 && !options.aids.prover) {
    throw RunError("search.proof_nodes is above zero, and no prover was given to the trainer");
  }
  if (!options.resume)
    (void)learning_device(config);  // a device that is missing is an error before a directory is made
  return Trainer(config, options, hooks).run();
}

}  // namespace quarto
