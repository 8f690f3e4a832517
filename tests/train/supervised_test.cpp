#include "train/supervised.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "base/file.h"
#include "base/json_library.h"
#include "base/manifest.h"
#include "env/random_play.h"
#include "model/checkpoint.h"
#include "solver/solver.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_directory.h"
#include "train/label_source.h"
#include "train/trainer.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;

// Late positions with their exact values, in two strata of very different sizes: 10 of 13 places, 200 of 12 gives.
using PliesAndCount = std::pair<int, int>;
void write_labels(const fs::path& path, Rules rules = Rules::lines,
                  const std::vector<PliesAndCount>& strata = {{24, 200}, {25, 10}}) {
  Rng rng(4);
  Solver solver({.table_bytes = 1 << 20});
  std::string bytes = label_file_header({rules, 0});
  for (const auto& [plies, count] : strata) {
    LabelBlock block;
    for (int i = 0; i < count; ++i) {
      SuiteEntry entry;
      entry.position = random_careless_position_at(plies, rng, rules);
      const MoveSolution solution = solver.solve_moves(entry.position);
      entry.moves = solution.values;
      entry.value = *solution.value;
      block.records.push_back(LabelRecord::of(entry));
    }
    bytes += label_block_bytes(block);
  }
  write_file_atomic(path, bytes);
}

RunConfig small_config() {
  RunConfig config;
  config.device = "cpu";
  config.network.width = 16;
  config.network.blocks = 1;
  config.learner.batch = 32;
  config.learner.threads = 1;
  config.learner.policy_loss = PolicyLoss::any;
  config.limits.iterations = 2;
  config.evaluation.every = 1;
  return config;
}

DistillOptions options(const TemporaryDirectory& dir, const std::string& out) {
  DistillOptions o;
  o.out = dir / out;
  o.labels = {dir / "some.labels"};
  o.quiet = true;
  return o;
}

TEST(LabelSource, DrawsEveryStratumAsOftenAndExactTargets) {
  const TemporaryDirectory dir;
  write_labels(dir / "some.labels");
  const LabelSource source({dir / "some.labels"}, Rules::lines);
  EXPECT_EQ(source.size(), 210U);
  EXPECT_EQ(source.strata(), 2U);
  Solver solver({.table_bytes = 1 << 20});
  Rng rng(5);
  int places = 0;
  for (int i = 0; i < 400; ++i) {
    const Sample s = source.draw(rng);
    const Position p = s.position();
    places += p.has_hand();
    const MoveSolution exact = solver.solve_moves(p);
    EXPECT_EQ(static_cast<int>(s.outcome), static_cast<int>(*exact.value));
    const auto shares = s.policy_shares();
    for (int m = 0; m < kMoves; ++m) {
      const auto& value = exact.values[static_cast<std::size_t>(m)];
      EXPECT_EQ(shares[static_cast<std::size_t>(m)] > 0, value.has_value() && *value == *exact.value);
    }
  }
  EXPECT_NEAR(places, 200, 60);
}

TEST(LabelSource, DrawsStrataByTheirWeights) {
  const TemporaryDirectory dir;
  write_labels(dir / "some.labels", Rules::lines, {{22, 40}, {24, 40}});
  const auto draws = [&](const std::string& weights) {
    const LabelSource source({dir / "some.labels"}, Rules::lines, {.weights = weights});
    Rng rng(5);
    std::vector<Sample> samples;
    for (int i = 0; i < 800; ++i) samples.push_back(source.draw(rng));
    return samples;
  };
  const auto of_eleven = [](const std::vector<Sample>& samples) {
    return std::count_if(samples.begin(), samples.end(),
                         [](const Sample& s) { return s.position().pieces_on_board() == 11; });
  };
  EXPECT_NEAR(of_eleven(draws("")), 400, 80);
  EXPECT_NEAR(of_eleven(draws("11:3")), 600, 70);
  EXPECT_EQ(of_eleven(draws("11:0")), 0);
  EXPECT_EQ(draws("0-16:7"), draws("")) << "equal weights change nothing";
  EXPECT_THROW(draws("11-12:0"), LabelError);
}

TEST(LabelSource, DrawsAsManyHardPositionsAsAskedFor) {
  const TemporaryDirectory dir;
  write_labels(dir / "some.labels");
  Solver solver({.table_bytes = 1 << 20});
  struct Shares {
    double decisive = 0, deep = 0, without_outcome = 0;
  };
  const auto draw = [&](const LabelsConfig& config) {
    const LabelSource source({dir / "some.labels"}, Rules::lines, config);
    Rng rng(6);
    Shares shares;
    constexpr int kDraws = 800;
    for (int i = 0; i < kDraws; ++i) {
      const Sample s = source.draw(rng);
      SuiteEntry entry;
      entry.position = s.position();
      const MoveSolution exact = solver.solve_moves(entry.position);
      entry.value = *exact.value;
      entry.moves = exact.values;
      shares.decisive += entry.decisive() / double{kDraws};
      shares.deep += deep(entry) / double{kDraws};
      shares.without_outcome += (s.skip == Sample::kSkipOutcome) / double{kDraws};
      EXPECT_FALSE(s.skip & Sample::kSkipPolicy);
    }
    return shares;
  };
  const Shares natural = draw({});
  EXPECT_LT(natural.decisive, 0.9);
  EXPECT_EQ(natural.without_outcome, 0);
  const Shares decisive = draw({.decisive = 1});
  EXPECT_NEAR(decisive.decisive, 1, 1e-9);
  EXPECT_NEAR(decisive.without_outcome, 1, 1e-9);
  EXPECT_LT(decisive.deep, 0.9);
  const Shares half = draw({.decisive = 0.5});
  EXPECT_NEAR(half.decisive, 0.5 + natural.decisive / 2, 0.08);
  EXPECT_NEAR(half.without_outcome, 0.5, 0.08);
  // The smaller stratum may have none, and decisive ones stand in.
  const Shares deepest = draw({.deep = 1});
  EXPECT_GT(deepest.deep, std::max(decisive.deep + 0.1, 0.45));
  EXPECT_NEAR(deepest.decisive, 1, 1e-9);
}

TEST(LabelSource, RefusesLabelsUnderOtherRulesAndNone) {
  const TemporaryDirectory dir;
  write_labels(dir / "squares.labels", Rules::squares);
  EXPECT_THROW(LabelSource({dir / "squares.labels"}, Rules::lines), LabelError);
  write_file_atomic(dir / "none.labels", label_file_header({Rules::lines, 0}));
  EXPECT_THROW(LabelSource({dir / "none.labels"}, Rules::lines), LabelError);
}

TEST(Distill, WritesWeightsThatSayWhatTheyAre) {
  const TemporaryDirectory dir;
  write_labels(dir / "some.labels");
  int measured = 0;
  DistillOptions o = options(dir, "run");
  o.measure = [&](Evaluator&) {
    ++measured;
    return nlohmann::json{{"agreement", {{"deep", 0.5}}}};
  };
  const DistillResult result = distill(small_config(), o);
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(result.steps, 2U * kStepsPerIteration);
  EXPECT_EQ(measured, 3) << "after 0, 1 and 2 iterations";
  EXPECT_EQ(read_weights_info(dir / "run/best").track, Track::distilled);
  EXPECT_THAT(read_file(dir / "run/metrics.jsonl"), testing::HasSubstr("\"deep\":0.5"));
  EXPECT_THROW(distill(small_config(), o), RunError) << "a run is never overwritten";
}

TEST(Distill, AnInterruptWhileMeasuringLosesNothing) {
  const TemporaryDirectory dir;
  write_labels(dir / "some.labels");
  RunConfig config = small_config();
  config.limits.iterations = 5;
  std::atomic<bool> stop = false;
  DistillOptions o = options(dir, "run");
  o.stop = &stop;
  int measured = 0;
  o.measure = [&](Evaluator&) {
    stop = ++measured == 2;
    return nlohmann::json{{"agreement", {{"deep", 0.5}}}};
  };
  const DistillResult result = distill(config, o);
  EXPECT_FALSE(result.finished);
  const auto state = nlohmann::json::parse(read_file(dir / "run/checkpoint/state.json"));
  EXPECT_EQ(state.at("iteration").get<std::uint64_t>() * kStepsPerIteration, result.steps);
  EXPECT_TRUE(fs::exists(dir / "run/best/model.safetensors"));
}

TEST(Distill, TakesOverNothingThatIsNotItsOwn) {
  const TemporaryDirectory dir;
  write_labels(dir / "some.labels");
  RunConfig config = small_config();
  config.learner.policy_loss = PolicyLoss::shares;
  config.limits.iterations = 1;
  config.limits.games = 2;
  config.selfplay.simulations = 4;
  config.selfplay.threads = 1;
  config.evaluation.every = 0;
  config.search.proof_nodes = 0;
  train(config, {.out = dir / "zero", .quiet = true}, {});
  const std::string before = read_file(dir / "zero/best/model.safetensors");
  DistillOptions o = options(dir, "zero");
  o.resume = true;
  EXPECT_THROW(distill(config, o), RunError) << "a run of self-play";
  EXPECT_EQ(read_file(dir / "zero/best/model.safetensors"), before);

  fs::create_directories(dir / "lost");
  write_file_atomic(dir / "lost/metrics.jsonl", "{}\n");
  o = options(dir, "lost");
  o.resume = true;
  EXPECT_THROW(distill(config, o), RunError) << "a run without its checkpoint";

  const std::string bytes = read_file(dir / "some.labels");
  write_file_atomic(dir / "some.labels", bytes.substr(0, bytes.size() - 7));
  EXPECT_THROW(distill(config, options(dir, "new")), LabelError) << "labels that were cut short";
}

TEST(Distill, ARunGoesOnWithItsOwnLabelsWhateverTheyAreCalled) {
  const TemporaryDirectory dir;
  write_labels(dir / "some.labels");
  write_labels(dir / "more.labels", Rules::lines, {{22, 40}, {24, 40}});
  RunConfig config = small_config();
  config.limits.iterations = 1;
  DistillOptions o = options(dir, "run");
  o.labels = {dir / "some.labels", dir / "more.labels"};
  distill(config, o);
  EXPECT_THAT(read_file(dir / "run/train.log"),
              testing::HasSubstr("labels " + (dir / "more.labels").string() + ": 80,"));
  const std::string before = read_file(dir / "run/checkpoint/model.safetensors");
  config.limits.iterations = 2;
  o.resume = true;
  fs::rename(dir / "more.labels", dir / "moved.labels");
  for (const std::vector<fs::path>& others : {std::vector{dir / "some.labels"},
                                              {dir / "moved.labels", dir / "some.labels"},
                                              {dir / "some.labels", dir / "some.labels"},
                                              {dir / "some.labels", dir / "moved.labels", dir / "some.labels"}}) {
    o.labels = others;
    EXPECT_THAT(message_of<RunError>([&] { distill(config, o); }),
                testing::AllOf(testing::HasSubstr("it learns from other labels"), testing::HasSubstr("more.labels"),
                               testing::HasSubstr("--set weights=")))
        << others.size();
  }
  EXPECT_EQ(read_file(dir / "run/checkpoint/model.safetensors"), before);
  // Names may be any bytes.
  fs::rename(dir / "moved.labels", dir / "moved\xFF.labels");
  o.labels = {dir / "some.labels", dir / "moved\xFF.labels"};
  EXPECT_EQ(distill(config, o).iterations, 2U);
}

// With one thread and a limit in iterations.
TEST(Distill, AResumedRunEndsWithTheSameBytes) {
  const TemporaryDirectory dir;
  write_labels(dir / "some.labels");
  RunConfig config = small_config();
  config.learner.schedule = Schedule::constant;
  config.learner.warmup = 0;
  distill(config, options(dir, "straight"));
  config.limits.iterations = 1;
  distill(config, options(dir, "stopped"));
  config.limits.iterations = 2;
  DistillOptions again = options(dir, "stopped");
  again.resume = true;
  const DistillResult resumed = distill(config, again);
  EXPECT_EQ(resumed.steps, 2U * kStepsPerIteration);
  EXPECT_THAT(read_file(dir / "stopped/train.log"),
              testing::AllOf(testing::HasSubstr("started at iteration 0"), testing::HasSubstr("resumed at iteration 1"),
                             testing::HasSubstr("limits.iterations is now 2 (it was 1)")));
  // Self-play does not go on with it, and says why.
  RunConfig as_it_is = config;
  as_it_is.track = Track::distilled;
  as_it_is.learner.policy_loss = PolicyLoss::shares;
  as_it_is.search.proof_nodes = 0;
  EXPECT_THAT(
      message_of<RunError>([&] { train(as_it_is, {.out = dir / "stopped", .resume = true, .quiet = true}, {}); }),
      testing::HasSubstr("is of a run of `quartozero distill`"));
  EXPECT_EQ(read_file(dir / "stopped/best/model.safetensors"), read_file(dir / "straight/best/model.safetensors"));
  // Now it is finished, and is left as it is; but best weights that a kill kept from being written are.
  fs::remove_all(dir / "stopped/best");
  const auto before = fs::last_write_time(dir / "stopped/config.yaml");
  const DistillResult end = distill(config, again);
  EXPECT_TRUE(end.finished && end.nothing_left);
  EXPECT_EQ(end.steps, resumed.steps);
  EXPECT_EQ(fs::last_write_time(dir / "stopped/config.yaml"), before);
  EXPECT_EQ(read_file(dir / "stopped/best/model.safetensors"), read_file(dir / "straight/best/model.safetensors"));
  config.network.blocks = 2;
  EXPECT_THROW(distill(config, again), RunError) << "another network";
}

}  // namespace
}  // namespace quarto
