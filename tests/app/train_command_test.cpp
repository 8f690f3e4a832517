#include <gmock/gmock.h>

#include <fstream>

#include "base/json_library.h"
#include "tests/app/process.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Train : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write_file_atomic(path("tiny.yaml"),
                      "device: cpu\n"
                      "network: {width: 16, blocks: 1}\n"
                      "selfplay: {simulations: 8, threads: 1, games_in_flight: 16}\n"
                      "learner: {threads: 1, batch: 64, reuse: 0.5}\n"
                      "replay: {window: 600}\n"
                      "limits: {iterations: 12, games: 10}\n"
                      "evaluation: {every: 4, positions: 1, match_games: 4, match_simulations: 4}\n");
  }
  std::string train(const std::string& out, const std::string& rest = "") const {
    return "train " + path("tiny.yaml") + " --out " + path(out) + " --quiet " + rest;
  }
  // Starts a run that does not end by itself.
  Process start(const std::string& out, bool resume) const {
    std::vector<std::string> words = {"train",  path("tiny.yaml"), "--out",     path(out), "--quiet", "--set",
                                      kEndless, "--set",           kNoSchedule, "--set",   kNoWarmup};
    if (resume) words.push_back("--resume");
    return Process(words, "/dev/null");
  }
  static constexpr const char* kEndless = "limits.iterations=100000";
  // The rate would depend on how much of the run is done.
  static constexpr const char *kNoSchedule = "learner.schedule=constant", *kNoWarmup = "learner.warmup=0";

  // Whether the run's checkpoint is of this iteration, or a later one, before long.
  bool comes_to(const std::string& out, int iteration) const {
    return eventually([&] { return iteration_of(out) >= iteration; }, kLongest);
  }
  int iteration_of(const std::string& out) const {
    std::ifstream in(path(out + "/checkpoint/state.json"));
    const auto state = nlohmann::json::parse(in, nullptr, false);
    return state.is_object() ? state.value("iteration", 0) : -1;
  }
};

TEST_F(Train, NegativeNumbersAreNotMadeIntoLargeOnes) {
  for (const char* command : {"train configs/demo.yaml --print-config", "match random oneply --games 2"}) {
    fails(2, std::string(command) + " --seed -1", testing::HasSubstr("--seed: must be 0 or more"));
  }
}

TEST_F(Train, NumbersThatWouldBecomeOthersAreRefused) {
  for (const auto& [command, why] : {std::pair{"match random oneply --games 010", "--games: must be decimal"},
                                     {"match random oneply --games 0x10", "--games: must be decimal"},
                                     {"match random oneply --games +10", "--games: must be decimal"},
                                     {"match random oneply --games ' 10'", "--games: must be decimal"},
                                     {"facts --sample -1", "--sample: "},
                                     {"match random oneply --seed 007", "--seed: must be decimal"},
                                     {"match random oneply --seed 18446744073709551616", "--seed: is too large"},
                                     {"eval checkpoints/zero --sims 0,032", "--simulations: must be decimal"}}) {
    fails(2, command, testing::HasSubstr(why));
  }
  EXPECT_EQ(run("match random oneply --games 2 --seed 18446744073709551615").status, 0);
}

// Everything but the time, the device and the amount of play is that of the file.
TEST_F(Train, EveryConfigurationRuns) {
  int configurations = 0;
  for (const auto& entry : std::filesystem::directory_iterator(QUARTOZERO_SOURCE_DIR "/configs")) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".yaml" || name == "distill") continue;  // distill: for another command
    ++configurations;
    const Ran r = run("train " + entry.path().string() + " --out " + path(name) +
                      " --quiet --seed 1 --set device=cpu --set limits.iterations=1 --set limits.minutes=0"
                      " --set limits.games=2 --set selfplay.simulations=2 --set selfplay.threads=1"
                      " --set selfplay.games_in_flight=2 --set selfplay.cache=0 --set learner.batch=8"
                      " --set learner.reuse=0.5 --set learner.threads=1 --set evaluation.every=0");
    EXPECT_EQ(r.status, 0) << name << ": " << r.err;
    EXPECT_TRUE(std::filesystem::exists(path(name) + "/checkpoint/model.safetensors")) << name;
  }
  EXPECT_GE(configurations, 3);
}

// The promise itself: killed without warning, twice, and resumed, a run ends with the bytes of one that was not.
TEST_F(Train, KilledAndResumedItEndsWithTheSameBytes) {
  for (const int at : {3, 7}) {
    Process process = start("killed", at != 3);
    EXPECT_TRUE(comes_to("killed", at));
    process.signal(SIGKILL);
    ASSERT_EQ(process.wait(), 128 + SIGKILL);
  }
  const int end = iteration_of("killed") + 3;
  const std::string limit =
      "--set limits.iterations=" + std::to_string(end) + " --set " + kNoSchedule + " --set " + kNoWarmup;
  ASSERT_EQ(run(train("killed", "--resume " + limit)).status, 0);
  EXPECT_EQ(iteration_of("killed"), end);
  ASSERT_EQ(run(train("straight", limit)).status, 0);
  for (const char* file : {"/checkpoint/model.safetensors", "/checkpoint/learner.safetensors"}) {
    EXPECT_EQ(read_file(path("killed") + file), read_file(path("straight") + file)) << file;
  }
}

TEST_F(Train, AnInterruptedRunSaysHowToGoOn) {
  Process process = start("run", false);
  EXPECT_TRUE(comes_to("run", 2));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait(), 1) << "it is not finished";
  const int end = iteration_of("run") + 2;
  says("train --out " + path("run") + " --resume --set limits.iterations=" + std::to_string(end), testing::_);
  EXPECT_EQ(iteration_of("run"), end);
}

TEST_F(Train, AFinishedRunSaysThatItIsAndHowToGoOn) {
  ASSERT_EQ(run(train("run", "--set limits.iterations=2")).status, 0);
  const std::string log = read_file(path("run/train.log"));
  const Ran again = run("train --out " + path("run") + " --resume");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("is finished, nothing is left to do: 2 iterations, 20 games"));
  EXPECT_THAT(again.out, HasSubstr("quartozero train --out " + path("run") + " --resume --set limits.iterations=4\n"));
  EXPECT_THAT(again.err, Not(HasSubstr("resuming")));
  EXPECT_EQ(read_file(path("run/train.log")), log);
  // What it says works.
  EXPECT_EQ(run("train --out " + path("run") + " --resume --quiet --set limits.iterations=4").status, 0);
  EXPECT_EQ(iteration_of("run"), 4);
  // A limit below what was done, and one in minutes.
  says("train --out " + path("run") + " --resume --set limits.iterations=3 --set limits.minutes=0.000001",
       HasSubstr("--set limits.iterations=8 --set limits.minutes=1\n"));
}

TEST_F(Train, TheCommandThatItNamesCanBePasted) {
  const std::string out = "a run's \"end\"";
  const Ran ran = run("train " + path("tiny.yaml") + " --quiet --set limits.iterations=1 --out '" + dir_.string() +
                      "/a run'\\''s \"end\"'");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const Ran again = run("train --resume --quiet --out '" + dir_.string() + "/a run'\\''s \"end\"'");
  const std::string label = "higher limit:  ";
  const auto at = again.out.find(label);
  ASSERT_NE(at, std::string::npos) << again.out;
  std::string command = again.out.substr(at + label.size());
  command.resize(command.find('\n'));
  EXPECT_EQ(std::system((command + " --quiet >" + path("pasted")).c_str()), 0) << command;
  EXPECT_EQ(iteration_of(out), 2);
}

TEST_F(Train, WithoutATerminalItSaysAtOnceWhatItDoes) {
  const Ran ran = run("train " + path("tiny.yaml") + " --out " + path("run") + " --set limits.iterations=1");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("training a pairs network of"));
  EXPECT_THAT(ran.err, HasSubstr("10 games an iteration, until 1 iteration\n"));
}

TEST_F(Train, ADirectoryInPlaceOfTheConfigurationIsNamed) {
  ASSERT_EQ(run(train("run", "--set limits.iterations=1")).status, 0);
  fails(1, "train --resume " + path("run"), HasSubstr("to resume the run in it: --out " + path("run") + " --resume"));
}

TEST_F(Train, AResumedRunSaysWhatItDoesOtherwise) {
  ASSERT_EQ(run(train("run", "--set limits.iterations=2 --set learner.batch=32")).status, 0);
  // The run's own configuration has what --set changed.
  Ran ran = run("train --out " + path("run") + " --resume --quiet --set limits.iterations=3");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("resuming: limits.iterations is now 3 (it was 2)"));
  EXPECT_THAT(ran.err, Not(HasSubstr("learner.batch")));
  // Another file does not, and that is said.
  ran = run(train("run", "--resume --set limits.iterations=4"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("resuming: learner.batch is now 64 (it was 32)"));
  EXPECT_THAT(ran.err, HasSubstr("without CONFIG the run goes on with its own configuration"));
  EXPECT_EQ(iteration_of("run"), 4);
  // The log has it too, and both former configurations are kept.
  EXPECT_THAT(read_file(path("run/train.log")), HasSubstr("learner.batch is now 64 (it was 32)"));
  for (const char* file : {"run/config-until-000002.yaml", "run/config-until-000003.yaml"}) {
    EXPECT_THAT(read_file(path(file)), HasSubstr("batch: 32")) << file;
  }

  ran = run("train --out " + path("absent") + " --resume");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("there is no run to resume"));
  EXPECT_FALSE(std::filesystem::exists(path("absent")));
}

TEST_F(Train, AMisspelledWordOfTheCommandLineIsNamed) {
  Ran ran = run("trian " + path("tiny.yaml"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("unknown subcommand 'trian'; did you mean 'train'?"));
  EXPECT_THAT(ran.err, testing::Not(HasSubstr("is required")));
  ran = run("train " + path("tiny.yaml") + " --rseume --out " + path("run"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("unknown option '--rseume'; did you mean '--resume'?"));
  EXPECT_THAT(ran.err, testing::Not(HasSubstr("not expected")));
  ran = run("train " + path("tiny.yaml") + " --iterations 2 --out " + path("run"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("unknown option '--iterations'; the configuration's keys are set by --set"));
  EXPECT_FALSE(std::filesystem::exists(path("run")));
}

TEST_F(Train, LeavesARunThatTheOtherCommandsTake) {
  says(train("run", "--set limits.iterations=4"), HasSubstr("4 iterations, 40 games"));
  std::ifstream lines(path("run/metrics.jsonl"));
  nlohmann::json last;
  std::vector<int> measured;
  for (std::string line; std::getline(lines, line);) {
    last = nlohmann::json::parse(line);
    if (last.contains("agreement")) measured.push_back(last.at("iteration"));
  }
  EXPECT_EQ(measured, (std::vector<int>{0, 1, 2, 4}));
  const double share = last.at("agreement").at("deep");
  EXPECT_LE(last.at("agreement_interval").at("deep").at(0), share);
  EXPECT_GE(last.at("agreement_interval").at("deep").at(1), share);
  const nlohmann::json& levels = last.at("agreement_levels");
  EXPECT_LT(levels.at("random").at("deep"), levels.at("oneply").at("deep"));
  EXPECT_TRUE(last.contains("match_score"));
  EXPECT_EQ(run("match net:" + path("run/best") + " random --games 4").status, 0);
  // The run stands for its best weights.
  const Ran best = run("eval " + path("run/best") + " --sims 0 --limit 2 --no-baselines"),
            whole = run("eval " + path("run") + " --sims 0 --limit 2 --no-baselines");
  EXPECT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(whole.out, best.out);
  EXPECT_EQ(run("match net:" + path("run") + "@2 random --games 4").status, 0);
  EXPECT_EQ(run("report " + path("run") + " --out " + path("report.html")).status, 0);
  EXPECT_THAT(read_file(path("report.html")), HasSubstr("<svg"));
}

TEST_F(Train, ARunIsNotMixedWithACheckpoint) {
  ASSERT_EQ(run(train("run", "--set limits.iterations=1")).status, 0);
  for (const char* folder : {"run/checkpoint", "run/best"}) {
    for (const char* resume : {"", "--resume"}) {
      fails(1, train(folder, resume), HasSubstr("holds the weights of a checkpoint"));
      EXPECT_FALSE(std::filesystem::exists(path(folder) + "/lock"));
    }
  }
}

TEST_F(Train, GoesOnWhereNobodyReadsWhatItSays) {
  const std::string command = "train " + path("tiny.yaml") + " --set limits.iterations=2 --out " + path("run");
  EXPECT_EQ(run(command + " 2> /dev/full; exit $?").status, 0);
  EXPECT_EQ(iteration_of("run"), 2);
}

TEST_F(Train, ASweepTrainsEveryCombinationAndComparesThem) {
  const std::string sweep = "sweep " + path("tiny.yaml") + " --out " + path("sweep") +
                            " --set learner.batch=32,64 --set limits.iterations=1 --set limits.minutes=60 "
                            "--set evaluation.every=1 --seeds 1,2";
  const Ran dry = run(sweep + " --dry-run");
  EXPECT_THAT(dry.out, HasSubstr("batch=64_seed=2  learner.batch=64 limits.iterations=1 limits.minutes=60 "
                                 "evaluation.every=1 seed=2\n"));
  EXPECT_FALSE(std::filesystem::exists(path("sweep")));
  says(sweep + " --jobs 2",
       testing::AllOf(ContainsRegex("4 runs in .*, 2 at a time, the rest takes about 2 h 00 min"),
                      ContainsRegex("learner.batch 32 +2 .* to "), ContainsRegex("learner.batch 64 +2 .* to "),
                      HasSubstr("Columns with %"), HasSubstr(" serve --runs " + path("sweep") + "\n")));
  EXPECT_EQ(iteration_of("sweep/batch=64_seed=2"), 1);
  const std::string log = read_file(path("sweep/batch=64_seed=2/train.log"));
  // It says whether the lead is more than chance: the mean of two seeds is known to 1.4 points.
  const auto end_with = [&](const std::string& of, double deep) {
    write_file_atomic(path("sweep/" + of + "/metrics.jsonl"),
                      nlohmann::json{{"iteration", 1}, {"agreement", {{"deep", deep}}}}.dump() + "\n");
  };
  for (const char* seed : {"seed=1", "seed=2"}) end_with(std::string("batch=32_") + seed, 0.8);
  end_with("batch=64_seed=1", 0.805);
  end_with("batch=64_seed=2", 0.815);
  says(sweep, HasSubstr("deep: the lead of learner.batch 64 over learner.batch 32 is at most 1.0 points, within the "
                        "noise of seeds"));
  // Nothing is trained again.
  EXPECT_EQ(read_file(path("sweep/batch=64_seed=2/train.log")), log);
  end_with("batch=64_seed=2", 0.835);
  says(sweep, HasSubstr("deep: learner.batch 64 leads by 2.0 points, more than the noise of seeds"));
  // Folders of another sweep are not gone on with.
  fails(1, sweep + " --set learner.reuse=2",
        HasSubstr("was begun with another configuration: learner.reuse is now 2.0 (it was 0.5)"));
  // Mistakes are found before anything is trained.
  fails(1, "sweep " + path("tiny.yaml") + " --out " + path("none") + " --set learner.batch=32,0",
        HasSubstr("'learner.batch' is '0', expected a whole number from 1 to 1048576"));
  EXPECT_FALSE(std::filesystem::exists(path("none")));
  fails(1, "sweep " + path("tiny.yaml") + " --out " + path("none") + " --set seed=1,2 --seeds 3",
        HasSubstr("'seed' is set twice"));
}

TEST_F(Train, ADistilledRunMayAskTheSolverAndAZeroRunMayNot) {
  Ran ran = run(train("run", "--set limits.iterations=1 --set search.oracle_squares=5"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("track 'zero'"));
  EXPECT_FALSE(std::filesystem::exists(path("run")));
  ran = run(train("run", "--set limits.iterations=1 --set search.oracle_squares=5 --set track=distilled"));
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(Train, MistakesAreNamedAndNothingIsStarted) {
  write_file_atomic(path("typo.yaml"), "limits:\n  iteration: 3\n");
  Ran ran = run("train " + path("typo.yaml") + " --out " + path("run"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("typo.yaml:2: unknown key 'limits.iteration' (did you mean 'limits.iterations'?)"));
  EXPECT_FALSE(std::filesystem::exists(path("run")));

  EXPECT_THAT(run("train " + path("tinny.yaml") + " --out " + path("run")).err,
              HasSubstr("tinny.yaml': No such file or directory (did you mean '" + path("tiny.yaml") + "'?)"));
  EXPECT_THAT(run("train " + path("absent.yaml") + " --out " + path("run")).err, HasSubstr("No such file"));
  EXPECT_THAT(run("train " + path("tiny.yaml")).err, HasSubstr("--out"));
  EXPECT_EQ(run("train").status, 2);
  for (const char* option : {"--lease 60", "--max-lag 2", "--ahead 100"})
    EXPECT_EQ(run(train("run", option)).status, 2) << option << " without --store";
  EXPECT_THAT(run(train("run", "--store redis://127.0.0.1:1 --ahead 100")).err, HasSubstr("limits.mode=concurrent"));
  EXPECT_FALSE(std::filesystem::exists(path("run")));
  ran = run(train("run", "--set device=cuda:99"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("cuda"));
  EXPECT_FALSE(std::filesystem::exists(path("run")));
  ran = run(train("run", "--set learner.optimizer=adam"));
  EXPECT_THAT(ran.err, HasSubstr("did you mean 'adamw'?"));
}

TEST_F(Train, TheEffectiveConfigurationIsSavedAndLoadsBack) {
  const Ran printed = run("train " + path("tiny.yaml") + " --print-config --seed 9");
  EXPECT_EQ(printed.status, 0);
  EXPECT_THAT(printed.out, HasSubstr("seed: 9"));
  write_file_atomic(path("again.yaml"), printed.out);
  EXPECT_EQ(run("train " + path("again.yaml") + " --print-config").out, printed.out);
}

}  // namespace
}  // namespace quarto
