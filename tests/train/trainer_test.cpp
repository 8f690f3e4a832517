#include "train/trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "base/json.h"
#include "base/json_library.h"
#include "base/manifest.h"
#include "model/checkpoint.h"
#include "solver/prover.h"
#include "tests/support/files_of.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_directory.h"
#include "train/learner.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

RunConfig tiny_config(int iterations) {
  RunConfig config;
  config.device = "cpu";
  config.network.width = 16;
  config.network.blocks = 1;
  config.selfplay.simulations = 8;
  config.selfplay.threads = 1;
  config.selfplay.games_in_flight = 16;
  config.learner.threads = 1;
  config.learner.batch = 64;
  config.learner.reuse = 0.5;
  config.replay.window = 600;
  config.limits.games = 10;
  config.limits.iterations = iterations;
  config.evaluation.every = 2;
  config.evaluation.match_games = 0;
  return config;
}

TrainOptions quietly(const fs::path& out, bool resume = false) {
  TrainOptions options;
  options.out = out;
  options.aids.prover = &solver_prover();
  options.resume = resume;
  options.quiet = true;
  return options;
}

int line_count(const fs::path& path) {
  std::ifstream in(path);
  int n = 0;
  for (std::string line; std::getline(in, line);) ++n;
  return n;
}

// As a measurement gives them.
nlohmann::json some_figures() { return {{"agreement", {{"deep", 0.25}}}}; }

// With an evaluation every two iterations.
TrainHooks stopping_at_iteration_2(std::atomic<bool>& stop) {
  TrainHooks hooks;
  hooks.measure = [&stop, measurements = 0](Evaluator&, const RunConfig&) mutable {
    stop = ++measurements == 3;  // after 0, 1 and 2 iterations
    return some_figures();
  };
  return hooks;
}

// The iterations that metrics.jsonl has an agreement of.
std::vector<int> measured_iterations(const fs::path& run) {
  std::ifstream in(run / "metrics.jsonl");
  std::vector<int> found;
  for (std::string line; std::getline(in, line);) {
    const nlohmann::json metrics = parse_json(line);
    if (metrics.contains("agreement")) found.push_back(metrics.at("iteration"));
  }
  return found;
}

TEST(Train, LeavesWhatItPromises) {
  const TemporaryDirectory dir;
  const TrainResult result = train(tiny_config(3), quietly(dir / "run"), {});
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.iterations, 3U);
  EXPECT_EQ(result.games, 30U);
  for (const char* file : {"config.yaml", "metrics.jsonl", "train.log", "checkpoint/model.safetensors",
                           "checkpoint/learner.safetensors", "checkpoint/state.json", "best/model.safetensors"}) {
    EXPECT_TRUE(fs::exists(dir / "run" / file)) << file;
  }
  EXPECT_FALSE(fs::exists(dir / "run/checkpoint.tmp"));
  EXPECT_EQ(line_count(dir / "run/metrics.jsonl"), 3);
  EXPECT_NO_THROW(load_network(dir / "run/best"));
}

// Of each fresh sample `reuse` are drawn, and the rate follows the schedule.
TEST(Train, LearnsAsOftenAndAsFastAsItIsTold) {
  const TemporaryDirectory dir;
  RunConfig config = tiny_config(4);
  config.learner.reuse = 2;
  config.learner.schedule = Schedule::linear;
  train(config, quietly(dir / "run"), {});
  std::ifstream in(dir / "run/metrics.jsonl");
  std::int64_t samples = 0, steps = 0;
  int iterations = 0;
  for (std::string line; std::getline(in, line); ++iterations) {
    const nlohmann::json metrics = parse_json(line);
    const std::int64_t fresh = metrics.at("positions").get<std::int64_t>() - samples;
    samples += fresh;
    const double wanted = config.learner.reuse * static_cast<double>(fresh) / config.learner.batch;
    steps += std::max<std::int64_t>(1, std::llround(wanted));
    EXPECT_EQ(metrics.at("step"), steps) << line;
    EXPECT_NEAR(metrics.at("lr").get<double>(), scheduled_rate(config.learner, iterations / 4.0), 1e-9) << line;
  }
  EXPECT_EQ(iterations, 4);
  EXPECT_GT(steps, 8) << "more than one in each iteration";
}

TEST(Train, TheSameSeedGivesTheSameBytes) {
  const TemporaryDirectory dir;
  train(tiny_config(2), quietly(dir / "a"), {});
  train(tiny_config(2), quietly(dir / "b"), {});
  RunConfig other = tiny_config(2);
  other.seed = 2;
  train(other, quietly(dir / "c"), {});
  EXPECT_EQ(read_file(dir / "a/checkpoint/learner.safetensors"), read_file(dir / "b/checkpoint/learner.safetensors"));
  EXPECT_NE(read_file(dir / "a/checkpoint/learner.safetensors"), read_file(dir / "c/checkpoint/learner.safetensors"));
}

// What a kill leaves behind: the checkpoint of some iteration, shards and metrics of later ones, a temporary directory.
TEST(Train, ARunResumedFromAnOlderCheckpointEndsWithTheSameBytes) {
  const TemporaryDirectory dir;
  train(tiny_config(6), quietly(dir / "straight"), {});

  RunConfig config = tiny_config(6);
  config.limits.checkpoint_every = 2;
  int measurements = 0;  // after 0, 1, 2 and 4 iterations
  TrainHooks hooks;
  const fs::path run = dir / "killed", kept = dir / "kept";
  hooks.measure = [&](Evaluator&, const RunConfig&) {
    // At the end of iteration 4 its shard is on the disk and the checkpoint is still that of iteration 2.
    if (++measurements == 4) fs::copy(run, kept, fs::copy_options::recursive);
    return some_figures();
  };
  train(config, quietly(run), hooks);
  ASSERT_TRUE(fs::exists(kept / "replay/00000004.qrs"));
  fs::create_directories(kept / "checkpoint.tmp");
  write_file_atomic(kept / "checkpoint.tmp/model.safetensors", "half of a file");

  const TrainResult result = train(tiny_config(6), quietly(kept, true), {});
  EXPECT_EQ(result.iterations, 6U);
  EXPECT_EQ(line_count(kept / "metrics.jsonl"), 7) << "with that of iteration 0";
  for (const char* file :
       {"checkpoint/model.safetensors", "checkpoint/learner.safetensors", "best/model.safetensors"}) {
    EXPECT_EQ(read_file(kept / file), read_file(dir / "straight" / file)) << file;
  }
}

TEST(Train, AStoppedRunGoesOnToTheSameEnd) {
  const TemporaryDirectory dir;
  train(tiny_config(4), quietly(dir / "straight"), {});
  std::atomic<bool> stop = false;
  const TrainHooks hooks = stopping_at_iteration_2(stop);
  TrainOptions options = quietly(dir / "stopped");
  options.stop = &stop;
  EXPECT_FALSE(train(tiny_config(4), options, hooks).finished);
  EXPECT_TRUE(train(tiny_config(4), quietly(dir / "stopped", true), {}).finished);
  EXPECT_EQ(read_file(dir / "stopped/checkpoint/model.safetensors"),
            read_file(dir / "straight/checkpoint/model.safetensors"));
}

// Calls a function before each question.
class Watched final : public Prover {
 public:
  using Prover::bounds;
  explicit Watched(std::function<void()> before) : before_(std::move(before)) {}
  ValueBounds bounds(const Position& position, std::uint64_t nodes, ValueBounds known) const override {
    before_();
    return solver_prover().bounds(position, nodes, known);
  }

 private:
  std::function<void()> before_;
};

// Both flags are set in the middle of the first iteration, when the threads of self-play begin.
TEST(Train, OneWayToStopFinishesTheIterationAndTheOtherDoesNot) {
  const TemporaryDirectory dir;
  std::atomic<bool> flag = false;
  const Watched prover([&flag] { flag = true; });
  TrainOptions options = quietly(dir / "finished");
  options.aids.prover = &prover;
  options.stop_after_iteration = &flag;
  const TrainResult finished = train(tiny_config(4), options, {});
  EXPECT_FALSE(finished.finished);
  EXPECT_EQ(finished.iterations, 1U);
  EXPECT_EQ(finished.games, 10U);
  EXPECT_EQ(line_count(dir / "finished/metrics.jsonl"), 1);

  flag = false;
  options.out = dir / "abandoned";
  options.stop_after_iteration = nullptr;
  options.stop = &flag;
  const TrainResult abandoned = train(tiny_config(4), options, {});
  EXPECT_FALSE(abandoned.finished);
  EXPECT_EQ(abandoned.iterations, 0U);
  EXPECT_EQ(line_count(dir / "abandoned/metrics.jsonl"), 0);
}

// Its last iteration was not measured when it was made, and its line of the metrics was written then.
TEST(Train, WhatIsMeasuredOnceALimitIsLoweredIsInTheMetrics) {
  const TemporaryDirectory dir;
  TrainHooks hooks;
  std::atomic<bool> stop = false, third = false;
  hooks.measure = [&, measurements = 0](Evaluator&, const RunConfig&) mutable {
    third = ++measurements == 3;  // after 0, 1 and 2 iterations
    return some_figures();
  };
  TrainOptions options = quietly(dir / "run");
  options.stop_after_iteration = &stop;
  const Watched prover([&] { stop = stop || third; });
  options.aids.prover = &prover;
  ASSERT_EQ(train(tiny_config(4), options, hooks).iterations, 3U);
  const auto last_line = [&] {
    const std::string text = read_file(dir / "run/metrics.jsonl");
    return nlohmann::json::parse(text.substr(text.rfind('\n', text.size() - 2) + 1));
  };
  const nlohmann::json before = last_line();
  EXPECT_FALSE(before.contains("agreement"));
  EXPECT_TRUE(train(tiny_config(3), quietly(dir / "run", true), hooks).finished);
  EXPECT_EQ(line_count(dir / "run/metrics.jsonl"), 4);
  nlohmann::json after = last_line();
  EXPECT_EQ(after.at("agreement"), some_figures().at("agreement"));
  after.erase("agreement");
  EXPECT_EQ(after, before);
}

TEST(Train, MeasuresTheUntrainedNetworkAndOftenAtFirst) {
  const TemporaryDirectory dir;
  RunConfig config = tiny_config(11);
  config.evaluation.every = 5;
  config.evaluation.match_games = 2;
  TrainHooks hooks;
  hooks.measure = [](Evaluator&, const RunConfig&) { return some_figures(); };
  int matches = 0;
  hooks.compare = [&](Evaluator&, Evaluator&, const RunConfig&, std::uint64_t) {
    ++matches;
    return 1.0;
  };
  train(config, quietly(dir / "straight"), hooks);
  const std::vector<int> wanted = {0, 1, 2, 4, 5, 10, 11};
  EXPECT_EQ(measured_iterations(dir / "straight"), wanted);
  EXPECT_EQ(matches, 3) << "after 5, 10 and 11 iterations";

  // A run that is stopped after each iteration, and before the first.
  std::atomic<bool> stop = true;
  TrainOptions options = quietly(dir / "stopped");
  options.stop = &stop;
  train(config, options, hooks);
  options = quietly(dir / "stopped", true);
  options.stop_after_iteration = &stop;
  const Watched prover([&stop] { stop = true; });
  options.aids.prover = &prover;
  for (bool finished = false; !finished;) {
    stop = false;
    finished = train(config, options, hooks).finished;
  }
  EXPECT_EQ(measured_iterations(dir / "stopped"), wanted);
  EXPECT_EQ(read_file(dir / "stopped/best/model.safetensors"), read_file(dir / "straight/best/model.safetensors"));

  config.evaluation.every = 0;
  train(config, quietly(dir / "none"), hooks);
  EXPECT_THAT(measured_iterations(dir / "none"), testing::IsEmpty());
}

TEST(Train, EvaluationsChangeNoWeightAndDoNotCountAsTime) {
  const TemporaryDirectory dir;
  RunConfig config = tiny_config(3);
  config.evaluation.every = 0;
  train(config, quietly(dir / "none"), {});
  config.evaluation.every = 2;
  config.evaluation.match_games = 2;
  using Clock = std::chrono::steady_clock;
  Clock::duration spent{};
  const auto waste = [&] {
    const auto begin = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    spent += Clock::now() - begin;
  };
  TrainHooks hooks;
  hooks.measure = [&](Evaluator& evaluator, const RunConfig&) {
    Evaluation result;
    const Position empty;
    evaluate(evaluator, {&empty, 1}, {&result, 1});
    waste();
    return some_figures();
  };
  hooks.compare = [&](Evaluator&, Evaluator&, const RunConfig&, std::uint64_t) {
    waste();
    return 1.0;
  };
  const auto begin = Clock::now();
  const double counted = train(config, quietly(dir / "run"), hooks).seconds;
  const auto all = Clock::now() - begin;
  EXPECT_GT(spent, std::chrono::milliseconds(1500));
  EXPECT_LE(counted, std::chrono::duration<double>(all - spent).count());
  for (const char* file : {"checkpoint/model.safetensors", "checkpoint/learner.safetensors"})
    EXPECT_EQ(read_file(dir / "run" / file), read_file(dir / "none" / file)) << file;
}

TEST(Train, ARunThatGoesOnOtherwiseKeepsAndLogsWhatItWas) {
  const TemporaryDirectory dir;
  const fs::path run = dir / "run";
  train(tiny_config(2), quietly(run), {});
  const std::string first = read_file(run / "config.yaml");
  RunConfig more = tiny_config(4);
  more.learner.batch = 32;
  train(more, quietly(run, true), {});
  EXPECT_EQ(read_file(run / "config-until-000002.yaml"), first);
  EXPECT_NE(read_file(run / "config.yaml"), first);
  EXPECT_THAT(read_file(run / "train.log"), HasSubstr("learner.batch is now 32 (it was 64)"));
  EXPECT_THAT(read_file(run / "train.log"), HasSubstr("limits.iterations is now 4 (it was 2)"));

  // What cannot go on is refused, and changes nothing.
  const std::string second = read_file(run / "config.yaml");
  RunConfig other = more;
  other.seed = 5;
  other.limits.iterations = 6;
  EXPECT_THAT(message_of([&] { train(other, quietly(run, true), {}); }), HasSubstr("seed was 1 and is now 5"));
  EXPECT_EQ(read_file(run / "config.yaml"), second);
  EXPECT_FALSE(fs::exists(run / "config-until-000004.yaml"));

  // Nothing changes, nothing is kept.
  train(tiny_config(2), quietly(dir / "same"), {});
  train(tiny_config(2), quietly(dir / "same", true), {});
  EXPECT_FALSE(fs::exists(dir / "same/config-until-000002.yaml"));
}

TEST(Train, AStoppedRunGoesOnToTheSameEndWithEveryWayOfPlaying) {
  for (const RootSelection root : {RootSelection::puct, RootSelection::gumbel}) {
    const TemporaryDirectory dir;
    RunConfig config = tiny_config(4);
    config.search.root = root;
    config.search.forced_playouts = 2;
    config.selfplay.full_share = 0.4;
    config.selfplay.fast_simulations = 4;
    config.selfplay.random_starts = 0.5;
    config.selfplay.stop_when_proven = true;
    train(config, quietly(dir / "straight"), {});
    std::atomic<bool> stop = false;
    const TrainHooks hooks = stopping_at_iteration_2(stop);
    TrainOptions options = quietly(dir / "stopped");
    options.stop = &stop;
    EXPECT_FALSE(train(config, options, hooks).finished);
    EXPECT_TRUE(train(config, quietly(dir / "stopped", true), {}).finished);
    EXPECT_EQ(read_file(dir / "stopped/checkpoint/learner.safetensors"),
              read_file(dir / "straight/checkpoint/learner.safetensors"))
        << name_of(root);
  }
}

TEST(Train, AFinishedRunIsLeftAsItIs) {
  for (const int every : {2, 0}) {
    const TemporaryDirectory dir;
    RunConfig config = tiny_config(2);
    config.evaluation.every = every;
    EXPECT_FALSE(train(config, quietly(dir / "run"), {}).nothing_left);
    const auto before = files_of(dir / "run");
    const TrainResult again = train(config, quietly(dir / "run", true), {});
    EXPECT_TRUE(again.finished);
    EXPECT_TRUE(again.nothing_left);
    EXPECT_EQ(again.iterations, 2U);
    EXPECT_EQ(again.games, 20U);
    EXPECT_EQ(files_of(dir / "run"), before);
    config.limits.iterations = 3;
    const TrainResult more = train(config, quietly(dir / "run", true), {});
    EXPECT_FALSE(more.nothing_left);
    EXPECT_EQ(more.iterations, 3U);
  }
}

TEST(Train, AFinishedRunThatLacksItsNewestWeightsAsTheBestGetsThem) {
  const TemporaryDirectory dir;
  RunConfig config = tiny_config(2);
  config.evaluation.every = 0;
  train(config, quietly(dir / "run"), {});
  // What a kill after the last checkpoint leaves.
  const std::string newest = read_file(dir / "run/best/model.safetensors");
  write_file_atomic(dir / "run/best/model.safetensors", "old");
  auto state = nlohmann::json::parse(read_file(dir / "run/checkpoint/state.json"));
  state["best_iteration"] = 0;
  write_file_atomic(dir / "run/checkpoint/state.json", state.dump());
  write_manifest(dir / "run/checkpoint");
  EXPECT_FALSE(train(config, quietly(dir / "run", true), {}).nothing_left);
  EXPECT_EQ(read_file(dir / "run/best/model.safetensors"), newest);
}

// A kill between the checkpoint and the best weights that it names.
TEST(Train, BestWeightsThatTheCheckpointNamesAreMadeFromIt) {
  for (const int every : {1, 0}) {
    const TemporaryDirectory dir;
    RunConfig config = tiny_config(2);
    config.evaluation.every = every;
    train(config, quietly(dir / "run"), {});
    const std::string newest = read_file(dir / "run/best/model.safetensors");
    for (const int kind : {0, 1, 2}) {
      if (kind == 0) fs::remove_all(dir / "run/best");
      if (kind == 1) write_file_atomic(dir / "run/best/model.safetensors", "half of it");
      if (kind == 2) {
        RunConfig shorter = config;
        shorter.limits.iterations = 1;
        train(shorter, quietly(dir / "one"), {});
        fs::remove_all(dir / "run/best");
        fs::copy(dir / "one/best", dir / "run/best", fs::copy_options::recursive);
        ASSERT_NE(read_file(dir / "run/best/model.safetensors"), newest);
      }
      train(config, quietly(dir / "run", true), {});
      EXPECT_EQ(read_file(dir / "run/best/model.safetensors"), newest) << kind;
    }
  }
}

TEST(Train, ARunThatEndsWhereItWasStoppedIsMeasuredThere) {
  const TemporaryDirectory dir;
  std::atomic<bool> stop = false;
  const TrainHooks stopping = stopping_at_iteration_2(stop);
  RunConfig config = tiny_config(4);
  config.evaluation.every = 2;
  TrainOptions options = quietly(dir / "run");
  options.stop = &stop;
  EXPECT_FALSE(train(config, options, stopping).finished);
  // Two iterations are done, which is now all there is to do, and neither is a third.
  config.limits.iterations = 2;
  config.evaluation.every = 3;
  int measured = 0;
  TrainHooks counting;
  counting.measure = [&](Evaluator&, const RunConfig&) {
    ++measured;
    return some_figures();
  };
  const TrainResult end = train(config, quietly(dir / "run", true), counting);
  EXPECT_TRUE(end.finished);
  EXPECT_FALSE(end.nothing_left);
  EXPECT_EQ(measured, 1);
  const auto state = nlohmann::json::parse(read_file(dir / "run/checkpoint/state.json"));
  EXPECT_EQ(state.at("best_iteration"), 2);
  EXPECT_TRUE(train(config, quietly(dir / "run", true), counting).nothing_left);
  EXPECT_EQ(measured, 1);
}

TEST(Train, IterationsWithoutASampleAreNoTrouble) {
  const TemporaryDirectory dir;
  RunConfig config = tiny_config(3);
  config.limits.games = 1;
  config.selfplay.full_share = 0.05;
  EXPECT_EQ(train(config, quietly(dir / "run"), {}).iterations, 3U);
}

class Draws final : public Oracle {
 public:
  std::optional<Value> value(const Position&) override { return Value::draw; }
};

TEST(Train, WithAnOracleIsADistilledRunAndItsWeightsSaySo) {
  const TemporaryDirectory dir;
  RunConfig config = tiny_config(1);
  config.search.oracle_squares = 5;
  Draws oracle;
  TrainOptions options = quietly(dir / "run");
  options.aids.oracle = &oracle;
  EXPECT_THAT(message_of([&] { train(config, options, {}); }), HasSubstr("track 'zero'"));
  config.track = Track::distilled;
  EXPECT_THAT(message_of([&] { train(config, quietly(dir / "run"), {}); }), HasSubstr("no oracle was given"));
  EXPECT_FALSE(fs::exists(dir / "run"));
  train(config, options, {});
  EXPECT_EQ(read_weights_info(dir / "run/best").track, Track::distilled);
}

TEST(Train, ADirectoryWithARunIsNotOverwritten) {
  const TemporaryDirectory dir;
  train(tiny_config(1), quietly(dir / "run"), {});
  const std::string before = read_file(dir / "run/checkpoint/model.safetensors");
  EXPECT_THAT(message_of([&] { train(tiny_config(1), quietly(dir / "run"), {}); }), HasSubstr("--resume"));
  RunConfig other = tiny_config(2);
  other.network.width = 32;
  EXPECT_THAT(message_of([&] { train(other, quietly(dir / "run", true), {}); }), HasSubstr("network.width was 16"));
  EXPECT_EQ(read_file(dir / "run/checkpoint/model.safetensors"), before);
}

TEST(Train, DamagedCheckpointsAreErrorsThatNameTheFile) {
  const TemporaryDirectory dir;
  train(tiny_config(1), quietly(dir / "run"), {});
  const fs::path checkpoint = dir / "run/checkpoint";
  for (const char* file : {"state.json", "model.safetensors", "learner.safetensors"}) {
    const std::string bytes = read_file(checkpoint / file);
    write_file_atomic(checkpoint / file, bytes.substr(0, bytes.size() / 2));
    const std::string whole = std::string(file) == "model.safetensors" ? "run/best" : "run/checkpoint";
    EXPECT_THAT(message_of([&] { train(tiny_config(2), quietly(dir / "run", true), {}); }),
                AllOf(HasSubstr(file), HasSubstr("--set weights=" + (dir / whole).string())));
    write_file_atomic(checkpoint / file, bytes);
  }
  fs::remove(dir / "run/replay/00000001.qrs");
  EXPECT_THAT(message_of([&] { train(tiny_config(2), quietly(dir / "run", true), {}); }), HasSubstr("00000001.qrs"));
}

TEST(Train, ARunThatDivergesEndsWithTheCheckpointOfBeforeAndGoesOnAtALowerRate) {
  const TemporaryDirectory dir;
  train(tiny_config(2), quietly(dir / "run"), {});
  RunConfig config = tiny_config(4);
  config.learner.optimizer = OptimizerKind::adamw;
  config.learner.learning_rate = 10;
  config.learner.clip = 0;
  config.learner.schedule = Schedule::constant;
  const std::string before = read_file(dir / "run/checkpoint/learner.safetensors");
  EXPECT_THAT(message_of([&] { train(config, quietly(dir / "run", true), {}); }), HasSubstr("the learner diverges"));
  EXPECT_EQ(read_file(dir / "run/checkpoint/learner.safetensors"), before);
  EXPECT_THAT(read_file(dir / "run/train.log"), HasSubstr("iteration 3: the loss rose from"));
  config.learner.learning_rate = 1e-3;
  EXPECT_TRUE(train(config, quietly(dir / "run", true), {}).finished);
}

TEST(Train, ARunBeginsWithTheWeightsItIsGiven) {
  const TemporaryDirectory dir;
  train(tiny_config(2), quietly(dir / "before"), {});
  RunConfig config = tiny_config(1);
  config.seed = 2;
  config.weights = (dir / "before/best").string();
  const std::atomic<bool> stop = true;
  TrainOptions options = quietly(dir / "run");
  options.stop = &stop;
  train(config, options, {});
  const auto tensors = [&](const fs::path& of) {  // what follows the header, which has the step
    const std::string bytes = read_file(dir / of / "model.safetensors");
    std::uint64_t header = 0;
    std::memcpy(&header, bytes.data(), sizeof(header));
    return bytes.substr(sizeof(header) + header);
  };
  EXPECT_EQ(tensors("run/best"), tensors("before/best"));
  EXPECT_THAT(read_file(dir / "run/train.log"), HasSubstr("begins with the weights of"));

  // Resumed, it does not need them, and no others can take their place.
  fs::remove_all(dir / "before");
  EXPECT_TRUE(train(config, quietly(dir / "run", true), {}).finished);
  config.weights = "";
  EXPECT_THAT(message_of([&] { train(config, quietly(dir / "run", true), {}); }), HasSubstr("weights was"));
}

TEST(Train, WeightsThatDoNotSuitTheRunAreRefused) {
  const TemporaryDirectory dir;
  train(tiny_config(1), quietly(dir / "before"), {});
  RunConfig config = tiny_config(1);
  config.weights = (dir / "before/best").string();
  config.network.width = 32;
  EXPECT_THAT(message_of([&] { train(config, quietly(dir / "run"), {}); }), HasSubstr("network.width 16 (here 32)"));
  config = tiny_config(1);
  config.weights = (dir / "nowhere").string();
  EXPECT_THAT(message_of([&] { train(config, quietly(dir / "run"), {}); }), HasSubstr("nowhere"));

  // What knows exact values would make a run of the track `zero` something else.
  RunConfig exact = tiny_config(1);
  exact.track = Track::distilled;
  train(exact, quietly(dir / "exact"), {});
  config.weights = (dir / "exact/best").string();
  EXPECT_THAT(message_of([&] { train(config, quietly(dir / "run"), {}); }), HasSubstr("track 'distilled'"));
  config.track = Track::distilled;
  EXPECT_EQ(message_of([&] { train(config, quietly(dir / "run"), {}); }), "no error");
}

TEST(Train, TheBestWeightsAreThoseThatWinTheirMatch) {
  const TemporaryDirectory dir;
  RunConfig config = tiny_config(4);
  config.evaluation.every = 1;
  config.evaluation.match_games = 2;
  std::vector<std::string> weights;
  TrainHooks hooks;
  int matches = 0;
  hooks.compare = [&](Evaluator&, Evaluator&, const RunConfig&, std::uint64_t) {
    weights.push_back(read_file(dir / "run/best/model.safetensors"));
    return ++matches == 2 ? 0.9 : 0.1;
  };
  train(config, quietly(dir / "run"), hooks);
  ASSERT_EQ(weights.size(), 4U);
  EXPECT_EQ(weights[0], weights[1]);
  EXPECT_NE(weights[1], weights[2]);
  EXPECT_EQ(weights[2], weights[3]);
  EXPECT_EQ(read_file(dir / "run/best/model.safetensors"), weights[3]);
}

TEST(Train, ConcurrentModeLearnsFromGamesPlayedMeanwhile) {
  const TemporaryDirectory dir;
  RunConfig config = tiny_config(3);
  config.limits.mode = RunMode::concurrent;
  config.selfplay.threads = 2;
  const TrainResult result = train(config, quietly(dir / "run"), {});
  EXPECT_EQ(result.games, 30U);
  // Every number once, also when it goes on, and in turn.
  config.limits.iterations = 4;
  EXPECT_EQ(train(config, quietly(dir / "run", true), {}).games, 40U);
  config.limits.mode = RunMode::alternating;
  config.limits.iterations = 6;
  EXPECT_EQ(train(config, quietly(dir / "run", true), {}).games, 60U);
  const auto state = nlohmann::json::parse(read_checked_file(dir / "run/checkpoint/state.json"));
  EXPECT_EQ(state.at("source").at("taken"), nlohmann::json::parse("[[0, 60]]"));
}

// A full disk, played by a limit on the size of files: shards and states fit, weights do not.
TEST(Train, AFullDiskKeepsTheLastCheckpoint) {
  const TemporaryDirectory dir;
  train(tiny_config(2), quietly(dir / "run"), {});
  const std::string before = read_file(dir / "run/checkpoint/model.safetensors");
  const std::string state = read_file(dir / "run/checkpoint/state.json");
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{before.size() / 2, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string error = message_of([&] { train(tiny_config(4), quietly(dir / "run", true), {}); });
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_THAT(error, HasSubstr("File too large"));
  EXPECT_TRUE(fs::exists(dir / "run/replay/00000003.qrs")) << "it had got as far as the next iteration";
  EXPECT_EQ(read_file(dir / "run/checkpoint/model.safetensors"), before);
  EXPECT_EQ(read_file(dir / "run/checkpoint/state.json"), state);
  EXPECT_TRUE(train(tiny_config(4), quietly(dir / "run", true), {}).finished) << "and with room again it goes on";
}

TEST(Train, ARunWithoutItsCheckpointIsNotStartedOver) {
  const TemporaryDirectory dir;
  train(tiny_config(2), quietly(dir / "run"), {});
  fs::rename(dir / "run/checkpoint", dir / "run/elsewhere");
  EXPECT_THAT(message_of([&] { train(tiny_config(3), quietly(dir / "run", true), {}); }), HasSubstr("no checkpoint"));
  EXPECT_EQ(line_count(dir / "run/metrics.jsonl"), 2);
  // Where directories cannot be exchanged in one step, a crash in between leaves the old one under this name.
  fs::rename(dir / "run/elsewhere", dir / "run/checkpoint.old");
  EXPECT_EQ(train(tiny_config(3), quietly(dir / "run", true), {}).iterations, 3U);
}

TEST(Train, WithoutEvaluationsTheNewestWeightsAreTheBest) {
  const TemporaryDirectory dir;
  RunConfig config = tiny_config(2);
  config.evaluation.every = 0;
  train(config, quietly(dir / "run"), {});
  EXPECT_EQ(read_file(dir / "run/best/model.safetensors"), read_file(dir / "run/checkpoint/model.safetensors"));
}

}  // namespace
}  // namespace quarto
