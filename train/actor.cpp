#include "train/actor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/cores.h"
#include "base/file.h"
#include "base/json_library.h"
#include "base/manifest.h"
#include "base/printable.h"
#include "base/progress.h"
#include "base/random_hex.h"
#include "base/scratch_directory.h"
#include "model/checkpoint.h"
#include "model/evaluators.h"
#include "store/backoff.h"
#include "store/caller.h"
#include "store/wire.h"
#include "train/playing_evaluator.h"

namespace quarto {
namespace {

using Clock = std::chrono::steady_clock;
using store::Range;

constexpr double kShowSeconds = 1;
constexpr int kProbeSimulations = 32;

RunConfig config_of(const store::RunCard& card) {
  RunConfig config;
  try {
    config::load_yaml(card.config, "the run's configuration in the store", [&](FieldVisitor& v) { config.visit(v); });
    config.check();
  } catch (const ConfigError& e) {
    throw ActorRefused(
        fmt::format("this program does not understand the run's configuration: {}; use the learner's build",
                    printable(e.what(), 500)));
  }
  // A key that the learner does not know would be missing in its text, and be there in ours.
  if (store::fingerprint_text(store::fingerprint(config::to_yaml(config))) != card.fingerprint ||
      store::fingerprint_text(store::fingerprint(card.config)) != card.fingerprint) {
    throw ActorRefused(
        "this program reads the run's configuration differently from the learner's (another set of keys, or damage in "
        "the store); use the learner's build");
  }
  return config;
}

// The learner was resumed with another configuration.
class OtherConfiguration : public std::runtime_error {
 public:
  OtherConfiguration() : std::runtime_error("the learner has another configuration now") {}
};

class Actor {
 public:
  explicit Actor(const ActorOptions& options)
      : options_(options),
        session_(store::new_session(options.name)),
        caller_(options.connect(),
                {.stop = options.stop,
                 .keep = options.keep,
                 .waits_for = "a learner (quartozero train CONFIG --store URL)",
                 .say = options.say,
                 .lost =
                     [this] {
                       if (crew_) crew_->missing(GameCrew::Missing::store);
                     }},
                store::fingerprint(session_)),
        poll_(store::Caller::kPollFirst, store::Caller::kPollMost, store::fingerprint(session_, 1)),
        again_(store::Caller::kPollFirst, store::Caller::kMost, store::fingerprint(session_, 2)) {}

  ActorResult run() {
    const auto start = Clock::now();
    while (!stopping()) {
      const std::optional<store::RunCard> card = caller_.find_run(run_, waited_);
      if (caller_.has_finished()) result_.finished = true;
      if (!card) break;
      try {
        play(*card);
      } catch (const store::RunGone&) {
        say("the store does not hold the run any more: waiting for it");
        waited_ = true;
        store::sleep_unless(*options_.stop, again_.next());
        continue;
      } catch (const OtherConfiguration& e) {
        if (!changed_) say(fmt::format("{}: taking it over", e.what()));
        changed_ = true;
        store::sleep_unless(*options_.stop, again_.next());
        continue;
      }
      if (result_.finished && !options_.keep) break;
    }
    result_.seconds = seconds_since(start);
    return result_;
  }

 private:
  bool stopping() const { return caller_.stopping(); }
  void say(const std::string& line) const { caller_.say(line); }
  template <class Call>
  auto ask(const Call& call) {
    return caller_.ask(call);
  }
  store::Store& store() { return caller_.store(); }

  void play(const store::RunCard& card) {
    if (card.kind != store::kGames) {
      throw ActorRefused(
          fmt::format("{} holds a job of the kind '{}', and actors play games: use quartozero worker --store URL",
                      store().name(), printable(card.kind, 20)));
    }
    if (card.build != store_build(options_.version)) {
      throw ActorRefused(fmt::format("the run in {} is of {}, and this program is {}: use the same build",
                                     store().name(), printable(card.build), store_build(options_.version)));
    }
    config_ = config_of(card);
    config_.device = options_.device;
    const SearchAids aids = options_.aids ? options_.aids(config_) : SearchAids{};
    if (const std::string mine = play_probe(config_, aids); mine != card.probe && !options_.any_build) {
      throw ActorRefused(
          "this program plays differently from the learner's (a game that is the same for every build was not): use "
          "the learner's build, compiled for the same processor, or --any-build if another rounding of numbers is all "
          "there is");
    }
    const int threads = options_.threads > 0 ? options_.threads : usable_cores();
    const auto in_flight =
        static_cast<std::uint64_t>(threads) *
        static_cast<std::uint64_t>(config_.selfplay.games_in_flight * config_.selfplay.batches_in_flight);
    // Small ranges cost questions, large ones more when they are lost, and more games that wait for the last of a
    // range.
    const auto longest = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(in_flight / 8, 1, store::kMostInRange));
    const std::uint64_t low = std::max<std::uint64_t>(in_flight / 4, longest);
    GameCrew crew(self_play_settings(config_, aids), threads);
    crew_ = &crew;
    struct Leave {
      Actor& actor;
      ~Leave() {
        actor.leave();
        actor.crew_ = nullptr;
      }
    } leaving{*this};
    result_.finished = finished_ = false;
    if (card.id != run_) say(fmt::format("playing for run {} in {}", printable(card.id.substr(0, 8)), store().name()));
    run_ = card.id;
    waited_ = false;
    weights_.reset();
    reported_ = {};
    poll_.reset();
    auto last_beat = Clock::time_point{}, last_show = Clock::now();
    auto next_lease = Clock::now();
    std::uint64_t steps = 0, shown_games = result_.games;
    bool idle = false;
    // What is left of an earlier run would be sent for another range.
    outbox_.clear();
    message_.clear();
    full_ = false;

    while (!stopping()) {
      // Deliver.
      for (PlayedRange& played : crew.take()) outbox_.push_back(std::move(played));
      while (!outbox_.empty() && !stopping()) {
        if (!deliver_first()) break;
      }
      if (finished_) break;
      // Lease. A full store takes no results: then there are games enough.
      const std::uint64_t waiting = crew.waiting();
      if (waiting < low && !full_ && Clock::now() >= next_lease) {
        const auto games = static_cast<std::uint32_t>(std::min<std::uint64_t>(
            std::max<std::uint64_t>(low, in_flight + low - std::min(in_flight + low, waiting + playing(crew))),
            1 << 16));
        crew.missing(GameCrew::Missing::store);
        const auto lease = ask([&] {
          return store().lease(card.id, weights_.value_or(store::WeightsId{~std::uint64_t{0}}), games, longest);
        });
        if (!lease) break;
        if (!follow(lease->notice, card)) break;
        bool any = false;
        for (const Range& range : lease->ranges) any = crew.add(range) || any;
        if (any) {
          poll_.reset();
          idle = false;
        } else {
          crew.missing(GameCrew::Missing::learner);
          idle = crew.held().empty();
          next_lease = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                          std::chrono::duration<double>(fetched_ ? 0 : poll_.next()));
        }
        fetched_ = false;
      }
      // Live.
      if (seconds_since(last_beat) >= options_.beat) {
        last_beat = Clock::now();
        const GameCrew::Figures figures = crew.figures();
        // Threads that hang do not keep their games from others. What is finished only waits for the store.
        const std::vector<Range> held = all_held(crew, figures.steps != steps || idle);
        steps = figures.steps;
        const auto notice = ask([&] { return store().beat(card.id, session_, status(figures), held); });
        if (!notice || !follow(*notice, card)) break;
      }
      if (options_.show && seconds_since(last_show) >= kShowSeconds) {
        rate_ = static_cast<double>(result_.games - shown_games) / seconds_since(last_show);
        shown_games = result_.games;
        last_show = Clock::now();
        options_.show(fmt::format("{}: weights {}, {} games ({:.1f}/s){}", options_.name,
                                  weights_ ? fmt::format("version {}", weights_->version) : "not there yet",
                                  format_count(static_cast<double>(result_.games)), rate_,
                                  full_  ? ", waiting: the store holds as many results as it may"
                                  : idle ? ", waiting for games to play"
                                         : ""));
      }
      const bool may_lease = !full_ && Clock::now() >= next_lease;
      crew.wait(full_ || !outbox_.empty() ? poll_.next() : 0.05, may_lease ? low : 0);
    }
    result_.finished = result_.finished || finished_;
    if (result_.finished) say("the run has finished");
  }

  // Others may have what it holds at once. If the store does not answer just now, they get it a little later.
  void leave() {
    if (result_.finished) return;
    try {
      store().leave(run_, session_, all_held(*crew_));
    } catch (const std::runtime_error&) {
    }
  }

  static std::uint64_t playing(const GameCrew& crew) {
    std::uint64_t games = 0;
    for (const Range& range : crew.held()) games += range.count;
    return games - std::min(games, crew.waiting());
  }

  std::vector<Range> all_held(const GameCrew& crew, bool playing = true) const {
    std::vector<Range> ranges = crew.held(playing);
    for (const PlayedRange& played : outbox_) ranges.push_back(played.range);
    return ranges;
  }

  // Returns false if the store is full or does not answer before the actor is stopped.
  bool deliver_first() {
    PlayedRange& played = outbox_.front();
    if (message_.empty()) {
      store::GamesMessage message;
      message.version = played.version;
      message.weights = played.checksum;
      message.range = played.range;
      message.actor = options_.name;
      const GameCrew::Figures now = crew_->figures();
      message.figures = (now.counts - reported_.counts).figures();
      message.figures.push_back(now.waited_for_store - reported_.waited_for_store);
      for (double& figure : message.figures) figure = std::max(0.0, figure);
      reported_ = now;
      samples_ = 0;
      for (const GameRecord& game : played.games) samples_ += game.samples.size();
      message.games = std::move(played.games);
      message_ = store::encode_games(message);
    }
    const auto delivery = ask([&] { return store().deliver(run_, session_, played.range, message_); });
    if (!delivery) return false;
    if (*delivery == store::Delivery::full) {
      if (!full_) poll_.reset();
      full_ = true;
      crew_->missing(GameCrew::Missing::learner);
      return false;
    }
    finished_ = *delivery == store::Delivery::finished;
    full_ = false;
    if (!finished_) {
      result_.games += played.range.count;
      result_.samples += samples_;
      result_.bytes += message_.size();
    }
    message_.clear();
    outbox_.pop_front();
    return !finished_;
  }

  // Fetches newer weights. Returns false when the actor is to end.
  bool follow(const store::Notice& notice, const store::RunCard& card) {
    if (notice.phase == store::RunPhase::finished) {
      result_.finished = true;
      return false;
    }
    if (!notice.published || weights_ == notice.weights) return true;
    // What was refused may be sent again, but that takes a while.
    if (bad_weights_ && refused_ == notice.weights && Clock::now() < look_again_) return true;
    const auto bytes = ask([&] { return store().weights(card.id); });
    if (!bytes) return false;
    if (!*bytes) return true;
    try {
      const store::WeightsMessage message = store::decode_weights(**bytes);
      if (message.fingerprint != store::fingerprint(card.config)) throw OtherConfiguration();
      crew_->set_weights({message.version, message.checksum, evaluator_of(message)});
      weights_ = {message.version, message.checksum};
      fetched_ = true;
      again_.reset();
      bad_weights_ = changed_ = false;
    } catch (const store::WireError& e) {
      refuse_weights(notice.weights, e.what());
    } catch (const CheckpointError& e) {
      refuse_weights(notice.weights, e.what());
    }
    return true;
  }

  void refuse_weights(const store::WeightsId& weights, const std::string& why) {
    if (!bad_weights_)
      say(fmt::format("refused the weights in the store: {}; waiting for others", printable(why, 400)));
    bad_weights_ = true;
    refused_ = weights;
    look_again_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(again_.next()));
  }

  std::shared_ptr<Evaluator> evaluator_of(const store::WeightsMessage& message) {
    const ScratchDirectory scratch("actor");
    write_file_atomic(scratch / kWeightsFile, message.file);
    write_manifest(scratch.path());
    const WeightsInfo info = read_weights_info(scratch.path());
    if (info.network.resolved() != config_.network.resolved())
      throw store::WireError("they are of another network than the run's");
    auto network = load_evaluator(scratch.path(),
                                  {.device = options_.device, .threads = 1, .precision = config_.selfplay.precision});
    if (const std::string by = network->computed_by(); by != evaluated_by_) {
      evaluated_by_ = by;
      say(fmt::format("games are evaluated by {}", by));
    }
    return std::make_shared<PlayingEvaluator>(std::move(network), config_, playing_seed(config_, message.version));
  }

  std::string status(const GameCrew::Figures& figures) const {
    const auto share = [&](double seconds) {
      const double all = figures.counts.working + figures.waited_for_store;
      return all > 0 ? seconds / all : 0.0;
    };
    nlohmann::json json = {{"name", options_.name},
                           {"device", options_.device},
                           {"threads", options_.threads > 0 ? options_.threads : usable_cores()},
                           {"games", result_.games},
                           {"games_per_s", rate_},
                           {"waits_for_learner", share(figures.counts.paused)},
                           {"waits_for_store", share(figures.waited_for_store)},
                           {"answer_ms", 1000 * caller_.answer_seconds()}};
    if (weights_) json["version"] = weights_->version;
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  const ActorOptions& options_;
  const std::string session_;
  store::Caller caller_;
  store::Backoff poll_;   // between questions for games, while there are none
  store::Backoff again_;  // between beginnings, while none comes as far as weights
  RunConfig config_;
  std::string run_, evaluated_by_;
  GameCrew* crew_ = nullptr;
  std::deque<PlayedRange> outbox_;
  std::string message_;        // of the first in the outbox
  std::uint64_t samples_ = 0;  // in it
  GameCrew::Figures reported_;
  std::optional<store::WeightsId> weights_;  // of the crew
  store::WeightsId refused_{};               // the last that were no weights, and when to fetch them again
  Clock::time_point look_again_{};
  bool waited_ = false, full_ = false, finished_ = false, fetched_ = false, bad_weights_ = false, changed_ = false;
  double rate_ = 0;
  ActorResult result_;
};

}  // namespace

std::string new_run_id() { return random_hex(4); }

store::GameRules game_rules(const RunConfig& config) {
  return {.rules = config.network.rules,
          .random_start_pieces = config.selfplay.random_starts > 0 ? config.selfplay.random_start_pieces : 0,
          .end_early = config.selfplay.stop_when_proven};
}

std::string play_probe(const RunConfig& config, const SearchAids& aids) {
  SelfPlaySettings settings = self_play_settings(config, aids);
  settings.play.simulations = std::min(settings.play.simulations, kProbeSimulations);
  settings.play.games_in_flight = settings.play.batches_in_flight = 1;
  UniformEvaluator uniform;
  const std::atomic<bool> never = false;
  const auto played = play_games(settings, uniform, store::kMostGames - 1, 1, 1, never, {});
  std::uint64_t sum = store::fingerprint("");
  for (const GameRecord& game : played->games) {
    for (const Move move : game.moves) sum = store::fingerprint(std::string(1, static_cast<char>(move.index)), sum);
    for (const Sample& sample : game.samples)
      sum = store::fingerprint({reinterpret_cast<const char*>(&sample), sizeof sample}, sum);
  }
  return store::fingerprint_text(sum);
}

store::RunCard run_card(const std::string& id, const std::string& version, const RunConfig& config,
                        const SearchAids& aids) {
  store::RunCard card;
  card.id = id;
  card.build = store_build(version);
  card.config = config::to_yaml(config);
  card.fingerprint = store::fingerprint_text(store::fingerprint(card.config));
  card.probe = play_probe(config, aids);
  return card;
}

ActorResult act(const ActorOptions& options) {
  static const std::atomic<bool> never = false;
  ActorOptions mine = options;
  if (!mine.stop) mine.stop = &never;
  resolve_device(mine.device);  // an unknown device is an error now, not when the first weights come
  return Actor(mine).run();
}

}  // namespace quarto
