// quartozero bench store CONFIG URL: how much the learner's side takes in. Simulated actors deliver recorded games
// under new numbers as fast as they may, through connections of their own; the learner's side checks and accepts them,
// and learns nothing. With --actors 0 real ones may play (quartozero actor).
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/scratch_directory.h"
#include "base/tell.h"
#include "bench/bench.h"
#include "cli/finite_range.h"
#include "cli/set_options.h"
#include "model/checkpoint.h"
#include "selfplay/collector.h"
#include "solver/prover.h"
#include "store/redis_store.h"
#include "train/actor.h"
#include "train/learner.h"

namespace quarto::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct StoreArguments {
  std::string config, url, checkpoint;
  std::vector<std::string> set;
  int actors = 1000, threads = 2, range = 8, commit = 20'000;
  double seconds = 20, rate = 0;
};

// A connection for each actor.
void allow_files(int wanted) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur =
      std::min<rlim_t>(limit.rlim_max, std::max<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(wanted) + 100));
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

struct Sent {
  std::atomic<std::uint64_t> bytes = 0, refused_leases = 0;
};

struct SimulatedActor {
  std::unique_ptr<store::Store> connection;
  std::string session;
  Clock::time_point next{};
};

// One step of an actor: a lease, and the games. Returns false if there was nothing to play.
bool play(SimulatedActor& actor, const StoreArguments& o, const std::string& run, std::uint32_t checksum,
          const std::vector<GameRecord>& recorded, Sent& sent) {
  const store::Lease lease = actor.connection->lease(run, {0, checksum}, static_cast<std::uint32_t>(o.range),
                                                     static_cast<std::uint32_t>(o.range));
  for (const store::Range& range : lease.ranges) {
    store::GamesMessage message;
    message.weights = checksum;
    message.range = range;
    message.actor = actor.session;
    for (std::uint32_t i = 0; i < range.count; ++i) {
      message.games.push_back(recorded[(range.first + i) % recorded.size()]);
      message.games.back().number = range.first + i;
    }
    const std::string bytes = store::encode_games(message);
    while (actor.connection->deliver(run, actor.session, range, bytes) == store::Delivery::full)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    sent.bytes += bytes.size();
  }
  return !lease.ranges.empty();
}

void run_store(const StoreArguments& o) {
  RunConfig config = load_run_config(o.config, o.set);
  if (config.search.oracle_squares > 0) throw ConfigError("bench store has no oracle: set search.oracle_squares=0");
  const store::StoreUrl url = store::parse_store_url(o.url);
  const auto connect = [url] { return store::make_redis_store(url); };
  const SearchAids aids{.prover = &solver_prover()};
  allow_files(o.actors);

  const std::unique_ptr<Learner> learner = make_learner(config);
  if (!o.checkpoint.empty()) learner->load_weights(o.checkpoint);
  const ScratchDirectory scratch("bench");
  learner->save_playing_weights(scratch.path());
  const std::string weights = read_file(scratch / kWeightsFile);

  Collector::Options options;
  options.connect = connect;
  options.card = run_card(new_run_id(), o.actors == 0 ? QUARTOZERO_VERSION : "bench", config, aids);
  options.rules = game_rules(self_play_settings(config));
  options.say = [](const std::string& line) { tell("{}\n", line); };
  Collector collector(options, {{}, options.card.id});
  const auto publish = [&] {
    collector.publish({.games = 4 * static_cast<std::uint64_t>(o.commit), .file = [&] { return weights; }});
  };
  publish();

  // Real games of the run, of the untrained network's length.
  std::vector<GameRecord> recorded;
  if (o.actors > 0) {
    SelfPlaySettings settings = self_play_settings(config, aids);
    settings.play.simulations = std::min(settings.play.simulations, 8);
    UniformEvaluator uniform;
    recorded = play_games(settings, uniform, 0, 256);
  }
  double samples_a_game = 0;
  for (const GameRecord& game : recorded)
    samples_a_game += static_cast<double>(game.samples.size()) / static_cast<double>(recorded.size());

  std::vector<SimulatedActor> actors(static_cast<std::size_t>(o.actors));
  for (std::size_t i = 0; i < actors.size(); ++i) actors[i] = {connect(), fmt::format("simulated-{:05}", i), {}};

  std::atomic<bool> over = false;
  Sent sent;
  std::mutex mutex;
  std::string failure;
  std::vector<std::jthread> threads;
  for (int t = 0; t < o.threads && o.actors > 0; ++t) {
    threads.emplace_back([&, t] {
      try {
        const std::uint32_t checksum =
            store::decode_weights(
                store::encode_weights({.fingerprint = store::fingerprint(options.card.config), .file = weights}))
                .checksum;
        while (!over) {
          bool any = false;
          for (std::size_t i = static_cast<std::size_t>(t); i < actors.size() && !over;
               i += static_cast<std::size_t>(o.threads)) {
            if (o.rate > 0 && Clock::now() < actors[i].next) continue;
            actors[i].next = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                std::chrono::duration<double>(o.rate > 0 ? o.range / o.rate : 0));
            const bool played = play(actors[i], o, options.card.id, checksum, recorded, sent);
            if (!played) sent.refused_leases += 1;
            any = any || played;
          }
          if (!any) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
      } catch (const std::exception& e) {
        const std::lock_guard lock(mutex);
        failure = e.what();
        over = true;
      }
    });
  }

  // The learner: takes, and has a checkpoint after every `commit` games.
  Progress progress("measuring", static_cast<std::uint64_t>(o.seconds + 0.5), "s");
  auto start = Clock::now();
  double processor = cpu_seconds();
  std::uint64_t taken = 0, uncommitted = 0, most_results = 0, most_memory = 0, samples = 0, bytes_before = 0;
  const auto watch = connect();
  auto last_look = Clock::now();
  bool warm = false;
  while (!over) {
    const double elapsed = seconds_since(start);
    if (!warm && (taken > 0 || elapsed > 60) && elapsed > 2) {
      warm = true;
      start = Clock::now();
      processor = cpu_seconds();
      taken = samples = 0;
      bytes_before = collector.figures().bytes;
      continue;
    }
    if (warm && elapsed >= o.seconds) break;
    constexpr int kAtOnce = 50;
    const auto took = Clock::now();
    const auto got = collector.take(kAtOnce, [&](int, const StoreFigures*) { return seconds_since(took) < 0.5; });
    if (got) {
      taken += kAtOnce;
      uncommitted += kAtOnce;
      for (const GameRecord& game : got->games) samples += game.samples.size();
    }
    if (uncommitted >= static_cast<std::uint64_t>(o.commit)) {
      collector.commit();
      uncommitted = 0;
      publish();
    }
    if (seconds_since(last_look) > 1) {
      last_look = Clock::now();
      if (const auto all = watch->overview()) {
        most_results = std::max(most_results, all->pulse.results);
        most_memory = std::max(most_memory, all->memory_bytes);
      }
      progress.update(static_cast<std::uint64_t>(std::min(elapsed, o.seconds)));
    }
  }
  const double wall = seconds_since(start), used = cpu_seconds() - processor;
  const StoreFigures figures = collector.figures();
  over = true;
  threads.clear();
  progress.finish();
  collector.close(true);
  connect()->clear();
  if (!failure.empty()) throw std::runtime_error("a simulated actor: " + failure);

  const auto a_second = [&](double n) { return n / wall; };
  const double actors_there = std::max(1, o.actors);
  const auto bytes = static_cast<double>(figures.bytes - bytes_before);
  fmt::print("{} simulated actors, {} games a delivery, {:.1f} s; {}\n", o.actors, o.range, wall, connect()->name());
  fmt::print("{:<34} {:>14.0f}\n", "games a second, taken in", a_second(static_cast<double>(taken)));
  fmt::print("{:<34} {:>14.0f}\n", "samples a second, taken in", a_second(static_cast<double>(samples)));
  fmt::print("{:<34} {:>14.1f}\n", "kB a second", a_second(bytes) / 1000);
  fmt::print("{:<34} {:>14.1f}\n", "bytes a second for each actor", a_second(bytes) / actors_there);
  fmt::print("{:<34} {:>14.1f}\n", "bytes a game", taken > 0 ? bytes / static_cast<double>(taken) : 0.0);
  fmt::print("{:<34} {:>14.2f}\n", "CPU-seconds a second (all of this)", used / wall);
  fmt::print("{:<34} {:>14.2f}\n", "milliseconds of an answer", 1000 * figures.answer_seconds);
  fmt::print("{:<34} {:>14}\n", "results in the store, at most", most_results);
  fmt::print("{:<34} {:>14.1f}\n", "MB of the store, at most", static_cast<double>(most_memory) / 1e6);
  fmt::print("{:<34} {:>14}\n", "leases without a game", sent.refused_leases.load());
  fmt::print("{:<34} {:>14}\n", "duplicates, too old, refused",
             fmt::format("{}, {}, {}", figures.duplicates, figures.old, figures.refused));
}

}  // namespace

void add_store(CLI::App& bench) {
  auto options = std::make_shared<StoreArguments>();
  CLI::App* command = bench.add_subcommand("store", "how many games the learner takes in from actors elsewhere");
  command->add_option("CONFIG", options->config, "YAML file with the run's parameters, e.g. configs/demo.yaml")
      ->required();
  command->add_option("URL", options->url, "the store; what run its database holds is an error")->required();
  add_set_options(*command, options->set);
  command->add_option("--checkpoint", options->checkpoint, "weights to publish; without, fresh ones");
  command
      ->add_option("--actors", options->actors,
                   "simulated actors, each with a connection of its own; 0: none, for real ones")
      ->check(CLI::Range(0, 100'000))
      ->capture_default_str();
  command->add_option("--threads", options->threads, "threads that simulate them")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->add_option("--rate", options->rate, "games a second of each; 0: as many as it may")
      ->check(FiniteRange(0.0, 1e9))
      ->capture_default_str();
  command->add_option("--range", options->range, "games of a lease")->check(CLI::Range(1, 64))->capture_default_str();
  command->add_option("--commit", options->commit, "games between two checkpoints")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--seconds", options->seconds, "wall time to measure for, after the first games")
      ->check(FiniteRange(0.001, 86'400.0))
      ->capture_default_str();
  command->callback([options] { run_store(*options); });
}

}  // namespace quarto::bench
