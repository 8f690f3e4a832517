#include "eval/agreement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "base/json_library.h"
#include "data/suites.h"
#include "env/notation.h"
#include "play/player.h"
#include "tests/support/scripted_evaluator.h"

namespace quarto {
namespace {

// Certain of the move with this index where it is legal, and of a draw.
Scripted always(int move) {
  return Scripted([move](const Position& p) {
    Evaluation e;
    const Mask legal = p.legal_moves();
    for (const int m : BitsOf(legal)) e.prior[static_cast<std::size_t>(m)] = 0.01F;
    if ((legal >> move) & 1) e.prior[static_cast<std::size_t>(move)] = 0.9F;
    e.win = 0.1F;
    e.draw = 0.7F;
    e.loss = 0.2F;
    return e;
  });
}

SuiteEntry entry(const std::string& position, Value value, const std::vector<std::string>& keeping) {
  SuiteEntry e;
  e.position = parse_position(position);
  e.value = value;
  for (const int m : BitsOf(e.position.legal_moves())) {
    e.moves[static_cast<std::size_t>(m)] = Value::loss;
  }
  for (const std::string& text : keeping) e.moves[parse_move(text, e.position.phase()).index] = value;
  return e;
}

// Three decisive positions in two strata and one that is not decisive. The values are made up.
Suite tiny() {
  Suite suite;
  suite.name = "tiny";
  suite.entries.push_back(entry("..../5C../9.E./...0 -", Value::draw, {"1", "3"}));
  suite.entries.push_back(entry("..../5C../9.E./...1 -", Value::draw, {"0", "2", "3"}));
  suite.entries.push_back(entry("..../5C../9.E./.... 0", Value::draw, {"a1", "b1"}));
  suite.entries.push_back(entry("..../5C../9.E./.... 1", Value::loss, {"a1"}));
  return suite;
}

const AgreementRow& row(const std::vector<AgreementRow>& rows, const std::string& player, Phase phase, int pieces,
                        const std::string& suite = "tiny") {
  const auto at = std::find_if(rows.begin(), rows.end(), [&](const AgreementRow& r) {
    return r.player == player && r.phase == phase && r.pieces == pieces && r.suite == suite;
  });
  if (at == rows.end()) throw std::logic_error("no such row");
  return *at;
}

// Answers the first position of every suite, and no other.
class Tired final : public Player {
 public:
  std::string name() const override { return "tired"; }
  std::size_t preferred_batch() const override { return 1; }
  std::vector<Move> choose(std::span<const Position> positions) override {
    if (asked_++ > 0) throw PlayerFailed(name(), "was tired");
    return {parse_move("1", positions[0].phase())};
  }

 private:
  int asked_ = 0;
};

TEST(Agreement, APositionThatAPlayerBesideFailsInCountsAsWrong) {
  Scripted evaluator = always(1);
  Tired tired;
  AgreementOptions options;
  options.beside = {&tired};
  const AgreementReport report = measure_agreement(evaluator, std::array{tiny()}, options);
  ASSERT_EQ(report.unanswered.size(), 1U);
  EXPECT_EQ(report.unanswered[0].player, "tired");
  EXPECT_EQ(report.unanswered[0].positions, 2U);
  EXPECT_EQ(report.unanswered[0].reason, "was tired");
  double right = 0;
  for (const AgreementRow& r : report.baselines) {
    if (r.player == "tired") right += r.agreement * static_cast<double>(r.positions);
  }
  EXPECT_EQ(right, 1);
  EXPECT_TRUE(report.complete);
}

TEST(Agreement, AStoppedMeasurementKeepsWhatIsWhole) {
  std::vector<Suite> suites = {tiny(), tiny()};
  suites[1].name = "second";
  std::atomic<bool> stop = false;
  AgreementOptions options;
  options.simulations = {0, 2};
  options.stop = &stop;
  options.on_progress = [&](const std::string& what, std::size_t, std::size_t) {
    if (what.find("second") != std::string::npos) stop = true;
  };
  Scripted evaluator = always(1);
  const AgreementReport report = measure_agreement(evaluator, suites, options);
  EXPECT_FALSE(report.complete);
  ASSERT_EQ(report.suites.size(), 1U);
  EXPECT_EQ(report.suites[0].suite, "tiny");
  EXPECT_EQ(report.value_head.size(), 1U);
  EXPECT_NO_THROW(report.mean("tiny", 2));
}

TEST(Agreement, CountsTheDecisivePositionsWhoseMoveKeepsTheValue) {
  Scripted one = always(1);  // gives 1 where it can, places on b1
  const Suite suites[] = {tiny()};
  const AgreementReport report = measure_agreement(one, suites, {});
  ASSERT_EQ(report.rows.size(), 2U);
  // Gives: 1 keeps the first value; in the second position 1 is down already and 0 comes first among equals.
  EXPECT_EQ(row(report.rows, "net", Phase::give, 5).agreement, 1.0);
  EXPECT_EQ(row(report.rows, "net", Phase::give, 5).positions, 2U);
  EXPECT_EQ(row(report.rows, "net", Phase::place, 4).agreement, 1.0);
  EXPECT_EQ(report.suites[0].positions, 4U);
  EXPECT_EQ(report.suites[0].decisive, 3U);

  Scripted two = always(2);
  const AgreementReport other = measure_agreement(two, suites, {});
  EXPECT_EQ(row(other.rows, "net", Phase::give, 5).agreement, 0.5);
  EXPECT_EQ(row(other.rows, "net", Phase::place, 4).agreement, 0.0);
  EXPECT_EQ(other.mean("tiny", 0).agreement, 0.25);
}

// It plays, unlike the floor of the same name, which is what can be expected.
TEST(Agreement, APlayerMayHaveANameOfTheFloor) {
  const auto player = make_player("oneply", {});
  Scripted one = always(1);
  const Suite suites[] = {tiny()};
  AgreementOptions options;
  options.player = player.get();
  options.beside = {player.get()};
  const AgreementReport report = measure_agreement(one, suites, options);
  EXPECT_TRUE(report.mean("tiny", 0, "oneply", true).by_name);
  EXPECT_FALSE(report.mean("tiny", 0, "oneply").by_name);
  const nlohmann::json json = to_json(report);
  EXPECT_TRUE(json.at("means").at(0).at("sims").is_null());
  std::size_t named = 0;
  for (const auto& mean : json.at("baseline_means"))
    named += mean.at("player") == "oneply" && mean.at("sims").is_null();
  EXPECT_EQ(named, 1U);
}

TEST(Agreement, OverAllPositionsEachCountsOnceAndWhatDecidesNothingIsKept) {
  Scripted two = always(2);
  const Suite suites[] = {tiny()};
  AgreementOptions options;
  for (const int limit : {0, 2}) {
    options.limit = limit;  // all of each stratum, by name and by number
    const AgreementReport report = measure_agreement(two, suites, options);
    // One of two gives, no placement, and the position whose moves all lose.
    EXPECT_DOUBLE_EQ(report.mean("tiny", 0).all_positions, 2.0 / 4);
    EXPECT_LT(report.mean("tiny", 0).all_positions_interval.low, 0.5);
    EXPECT_GT(report.mean("tiny", 0).all_positions_interval.high, 0.5);
    EXPECT_NEAR(report.mean("tiny", 0, "random").all_positions, (2.0 / 11 + 3.0 / 11 + 2.0 / 12 + 1) / 4, 1e-12);
  }
  // A stratum of which a part is measured weighs what it has in the suite.
  options.limit = 1;
  const AgreementReport part = measure_agreement(two, suites, options);
  const double give = row(part.rows, "net", Phase::give, 5).agreement;
  EXPECT_DOUBLE_EQ(part.mean("tiny", 0).all_positions, (2 * give + 1) / 4);
  EXPECT_EQ(to_json(part).at("means_all_positions").at(0).at("agreement"), part.mean("tiny", 0).all_positions);
}

TEST(Agreement, BaselinesAreExactExpectations) {
  Scripted one = always(1);
  const Suite suites[] = {tiny()};
  const AgreementReport report = measure_agreement(one, suites, {});
  EXPECT_NEAR(row(report.baselines, "random", Phase::give, 5).agreement, (2.0 / 11 + 3.0 / 11) / 2, 1e-12);
  EXPECT_NEAR(row(report.baselines, "random", Phase::place, 4).agreement, 2.0 / 12, 1e-12);
}

TEST(Agreement, TheValueHeadIsJudgedOnAllPositions) {
  Scripted one = always(1);  // always says draw with 0.7, loss with 0.2
  const Suite suites[] = {tiny()};
  const ValueHeadRow v = measure_agreement(one, suites, {}).value_head.at(0);
  EXPECT_EQ(v.positions, 4U);
  EXPECT_NEAR(v.right, 0.75, 1e-9);
  EXPECT_NEAR(v.cross_entropy, -(3 * std::log(0.7) + std::log(0.2)) / 4, 1e-6);
  EXPECT_NEAR(v.base_cross_entropy, -(0.75 * std::log(0.75) + 0.25 * std::log(0.25)), 1e-9);
  EXPECT_EQ(v.base_right, 0.75);
}

// With a limit, one of the two gives is drawn, and counts as both.
TEST(Agreement, OfAPartTheValueHeadIsThatOfTheWholeSuite) {
  Scripted one = always(1);
  const Suite suites[] = {tiny()};
  AgreementOptions options;
  options.limit = 1;
  const ValueHeadRow v = measure_agreement(one, suites, options).value_head.at(0);
  EXPECT_EQ(v.positions, 3U);
  EXPECT_NEAR(v.right, 0.75, 1e-9);
  EXPECT_NEAR(v.cross_entropy, -(3 * std::log(0.7) + std::log(0.2)) / 4, 1e-6);
  EXPECT_EQ(v.base_right, 0.75);
}

TEST(Agreement, ASearchKeepsWhatItCanSee) {
  // Giving with one square left, then placing: a search with plenty of simulations sees the end of the game.
  const Suite suite{"shallow", {}};
  std::vector<Suite> suites = {suite};
  for (const SuiteEntry& e : read_suite(default_suites()[0]).entries) {
    if (e.position.pieces_on_board() == 14) suites[0].entries.push_back(e);
  }
  ASSERT_GT(suites[0].entries.size(), 100U);
  UniformEvaluator uniform;
  AgreementOptions options;
  options.simulations = {0, 400};
  options.threads = 2;
  const AgreementReport report = measure_agreement(uniform, suites, options);
  EXPECT_LT(report.mean("shallow", 0).agreement, 0.7);
  EXPECT_EQ(report.mean("shallow", 400).agreement, 1.0);
  EXPECT_EQ(report.mean("shallow", 400, "uniform").agreement, 1.0);
}

TEST(Agreement, FiguresDoNotDependOnThreads) {
  const std::vector<Suite> suites = read_suites(default_suites());
  UniformEvaluator uniform;
  AgreementOptions options;
  options.simulations = {8};
  options.limit = 10;
  options.batch = 7;
  const std::string one = to_json(measure_agreement(uniform, suites, options)).dump();
  options.threads = 3;
  EXPECT_EQ(to_json(measure_agreement(uniform, suites, options)).dump(), one);
}

// The published floor: unweighted means over phase and 7 to 13 pieces (docs/measuring.md).
TEST(Agreement, BaselinesOfTheSuitesAreThePublishedOnes) {
  const std::vector<Suite> suites = read_suites(default_suites());
  UniformEvaluator uniform;
  const AgreementReport report = measure_agreement(uniform, suites, {});
  EXPECT_NEAR(report.mean("decisive", 0, "random").agreement_7_13, 0.347, 0.001);
  EXPECT_NEAR(report.mean("deep", 0, "random").agreement_7_13, 0.353, 0.001);
  EXPECT_NEAR(report.mean("decisive", 0, "oneply").agreement_7_13, 0.793, 0.001);
  EXPECT_NEAR(report.mean("deep", 0, "oneply").agreement_7_13, 0.476, 0.001);
  EXPECT_EQ(report.mean("decisive", 0, "oneply").strata_7_13, 14);
}

TEST(Agreement, JsonHasTheFixedShapeAndMeansAreUnweighted) {
  const std::vector<Suite> suites = read_suites(default_suites());
  UniformEvaluator uniform;
  AgreementOptions options;
  options.simulations = {0, 4};
  options.limit = 5;
  const nlohmann::json json = to_json(measure_agreement(uniform, suites, options));
  for (const auto& mean : json.at("means")) {
    EXPECT_EQ(mean.size(), 5U);
    double sum = 0, n = 0;
    for (const auto& r : json.at("rows")) {
      if (r.at("suite") != mean.at("suite") || r.at("sims") != mean.at("sims")) continue;
      sum += r.at("agreement").get<double>();
      n += 1;
    }
    EXPECT_NEAR(mean.at("agreement").get<double>(), sum / n, 1e-12);
  }
  EXPECT_EQ(json.at("means").size(), 4U);
  for (const auto& r : json.at("rows")) {
    EXPECT_EQ(r.size(), 8U);
    EXPECT_TRUE(r.at("phase") == "place" || r.at("phase") == "give");
    EXPECT_LE(r.at("positions").get<int>(), 5);
    EXPECT_LE(r.at("low").get<double>(), r.at("agreement").get<double>());
    EXPECT_GE(r.at("high").get<double>(), r.at("agreement").get<double>());
  }
}

TEST(Agreement, ASuiteWithoutDecisivePositionsIsAnError) {
  Suite suite = tiny();
  for (SuiteEntry& e : suite.entries) {
    for (auto& v : e.moves) v = v ? std::optional(e.value) : v;
  }
  UniformEvaluator uniform;
  const Suite suites[] = {suite};
  EXPECT_THROW(measure_agreement(uniform, suites, {}), std::invalid_argument);
}

TEST(Suites, SharedStemsAreNamedByTheirPaths) {
  const std::filesystem::path deep = default_suites()[1];
  const std::vector<std::filesystem::path> files = {deep, default_suites()[0], deep.parent_path() / "." / "deep.tsv"};
  const std::vector<Suite> suites = read_suites(files);
  EXPECT_EQ(suites[0].name, deep.string());
  EXPECT_EQ(suites[1].name, "decisive");
  EXPECT_EQ(suites[2].name, files[2].string());
}

}  // namespace
}  // namespace quarto
