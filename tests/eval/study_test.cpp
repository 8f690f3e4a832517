#include "eval/study.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <set>

#include "base/json_library.h"
#include "data/suites.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "eval/agreement.h"
#include "tests/support/scripted_evaluator.h"

namespace quarto {
namespace {

// The suites, cut down.
std::vector<Suite> few(std::size_t every) {
  std::vector<Suite> suites = read_suites(default_suites_and_all());
  for (Suite& s : suites) {
    std::vector<SuiteEntry> kept;
    for (std::size_t i = 0; i < s.entries.size(); i += every) kept.push_back(s.entries[i]);
    s.entries = std::move(kept);
  }
  return suites;
}

// Certain of the exact value and of a move that keeps it; or, turned round, of a wrong value and a move that does not.
Scripted oracle(const std::vector<Suite>& suites, bool right) {
  std::map<std::uint64_t, SuiteEntry> known;
  for (const Suite& s : suites) {
    for (const SuiteEntry& e : s.entries) known[e.position.key()] = e;
  }
  return Scripted([known, right](const Position& p) {
    Evaluation out;
    const auto at = known.find(p.key());
    if (at == known.end()) {
      for (const int m : BitsOf(p.legal_moves())) {
        out.prior[static_cast<std::size_t>(m)] = 1.0F / static_cast<float>(std::popcount(p.legal_moves()));
      }
      return out;
    }
    const SuiteEntry& e = at->second;
    const Value said = right ? e.value : e.value == Value::draw ? Value::win : Value::draw;
    out.win = said == Value::win ? 1 : 0;
    out.draw = said == Value::draw ? 1 : 0;
    out.loss = said == Value::loss ? 1 : 0;
    for (const int m : BitsOf(p.legal_moves())) {
      if (e.decisive() && (e.moves[static_cast<std::size_t>(m)] == e.value) != right) continue;
      out.prior[static_cast<std::size_t>(m)] = 1;
      break;
    }
    return out;
  });
}

StudyOptions quick() {
  StudyOptions options;
  options.generated = 0;
  options.simulations = {0};
  return options;
}

TEST(Study, WhoKnowsEverythingErrsNowhere) {
  const std::vector<Suite> suites = few(20);
  Scripted evaluator = oracle(suites, true);
  const Study s = study(evaluator, suites, quick());
  ASSERT_EQ(s.sets.size(), 3U);
  ASSERT_FALSE(s.errors.empty());
  ASSERT_FALSE(s.value_rules.empty());
  ASSERT_FALSE(s.calibrations.empty());
  ASSERT_FALSE(s.move_rules.empty());
  ASSERT_EQ(s.hardest.size(), 12U);
  for (const ErrorRow& r : s.errors) EXPECT_EQ(r.wrong.hits, 0) << r.by << " " << r.group;
  for (const ValueRuleRow& r : s.value_rules) {
    EXPECT_EQ(r.net_right.value(), 1);
    EXPECT_EQ(r.same.hits, r.rule_right.hits);  // agreeing with the truth is being right
    EXPECT_EQ(r.net_where_rule_right.n + r.net_where_rule_wrong.n, r.rule_right.n);
    EXPECT_EQ(static_cast<double>(r.net_where_rule_right.n), r.rule_right.hits);
  }
  for (const CalibrationRow& r : s.calibrations) EXPECT_EQ(r.calibration.gap(), 0) << r.set << r.head;
  for (const MoveRuleRow& r : s.move_rules) EXPECT_EQ(r.net_right.value(), 1);
  for (const HardPosition& h : s.hardest) EXPECT_EQ(h.kept, 1);
}

TEST(Study, AStoppedStudyKeepsTheSetsThatAreWhole) {
  const std::vector<Suite> suites = few(20);
  Scripted evaluator = oracle(suites, true);
  std::atomic<bool> stop = false;
  StudyOptions options = quick();
  options.stop = &stop;
  const std::string second = suites[1].name;
  options.on_progress = [&](const std::string& what, std::size_t, std::size_t) { stop = what.starts_with(second); };
  const Study s = study(evaluator, suites, options);
  EXPECT_FALSE(s.complete);
  ASSERT_EQ(s.sets.size(), 1U);
  EXPECT_EQ(s.sets[0].name, suites[0].name);
  EXPECT_FALSE(s.errors.empty());

  stop = true;
  options.on_progress = {};
  EXPECT_TRUE(study(evaluator, suites, options).sets.empty());
  options.generated = 5;
  EXPECT_TRUE(study(evaluator, suites, options).sets.empty());
}

TEST(Study, WhoIsAlwaysWrongErrsEverywhere) {
  const std::vector<Suite> suites = few(20);
  Scripted evaluator = oracle(suites, false);
  const Study s = study(evaluator, suites, quick());
  ASSERT_FALSE(s.errors.empty());
  ASSERT_FALSE(s.value_rules.empty());
  ASSERT_FALSE(s.calibrations.empty());
  ASSERT_FALSE(s.error_types.empty());
  for (const ErrorRow& r : s.errors) EXPECT_EQ(r.wrong.value(), 1) << r.by << " " << r.group;
  for (const ValueRuleRow& r : s.value_rules) EXPECT_EQ(r.net_right.hits, 0);
  for (const CalibrationRow& r : s.calibrations)
    EXPECT_NEAR(r.calibration.gap(), r.head == "policy" ? 1 : 2. / 3, 1e-9);
  for (const ErrorTypes& t : s.error_types) {
    EXPECT_EQ(t.win_to_draw + t.win_to_loss, t.won);
    EXPECT_EQ(t.draw_to_loss, t.drawn);
    EXPECT_GT(t.drawn, 0U);
  }
  ASSERT_EQ(s.hardest.size(), 12U);
  for (const HardPosition& h : s.hardest) EXPECT_EQ(h.kept, 0);
}

TEST(Study, EveryDecisivePositionIsInOneGroupOfEachKind) {
  const std::vector<Suite> suites = few(10);
  UniformEvaluator uniform;
  const Study s = study(uniform, suites, quick());
  std::map<std::pair<std::string, std::string>, std::pair<std::size_t, double>> sums;  // n, wrong
  for (const ErrorRow& r : s.errors) {
    auto& [n, wrong] = sums[{r.suite, r.by}];
    n += r.wrong.n;
    wrong += r.wrong.hits;
  }
  EXPECT_EQ(sums.size(), 3U * 5);
  for (const Study::Set& set : s.sets) {
    for (const char* by : {"all", "phase", "pieces", "safe pieces", "value"}) {
      const auto& sum = sums[std::pair<std::string, std::string>(set.name, by)];
      EXPECT_EQ(sum.first, set.decisive) << by;
      EXPECT_EQ(sum.second, (sums[std::pair<std::string, std::string>(set.name, "all")].second)) << by;
    }
  }
  ASSERT_FALSE(s.confusions.empty());
  for (const ConfusionRow& c : s.confusions) {
    std::size_t n = 0;
    for (const auto& row : c.counts) {
      for (const std::size_t x : row) n += x;
    }
    const auto set = std::find_if(s.sets.begin(), s.sets.end(), [&](const Study::Set& x) { return x.name == c.set; });
    ASSERT_NE(set, s.sets.end());
    EXPECT_EQ(n, set->positions);
  }
}

TEST(Study, ThePolicyIsTheOneOfTheAgreementTable) {
  std::vector<Suite> suites = few(10);
  suites.pop_back();
  UniformEvaluator uniform;
  const AgreementReport agreement = measure_agreement(uniform, suites, {});
  const Study s = study(uniform, suites, quick());
  for (const Suite& suite : suites) {
    double right = 0, one_ply = 0;
    for (const AgreementRow& r : agreement.rows) {
      if (r.suite == suite.name) right += r.agreement * static_cast<double>(r.positions);
    }
    for (const AgreementRow& r : agreement.baselines) {
      if (r.suite == suite.name && r.player == "oneply") one_ply += r.agreement * static_cast<double>(r.positions);
    }
    double found = 0, rule = 0;
    for (const MoveRuleRow& r : s.move_rules) {
      if (r.suite != suite.name || r.rule != "one ply") continue;
      found += r.net_right.hits;
      rule += r.rule_right.hits;
    }
    EXPECT_NEAR(found, right, 1e-6);
    EXPECT_NEAR(rule, one_ply, 1e-6);
  }
}

TEST(Study, PositionsOfRandomPlayAreSolvedAndJudged) {
  UniformEvaluator uniform;
  StudyOptions options = quick();
  options.generated = 3;
  options.books = Books::shipped();
  const Study s = study(uniform, few(200), options);
  ASSERT_EQ(s.sets.back().name, kGeneratedSet);
  EXPECT_EQ(s.sets.back().positions, 3U * 20);
  EXPECT_EQ(s.sets.back().decisive, 0U);
  EXPECT_GT(s.sets.back().open, 20U);
  EXPECT_TRUE(std::any_of(s.move_rules.begin(), s.move_rules.end(), [](const auto& r) { return r.rule == "counted"; }));
}

TEST(Study, FiguresDoNotDependOnThreads) {
  UniformEvaluator uniform;
  StudyOptions options = quick();
  options.simulations = {4};
  options.generated = 2;
  options.batch = 7;
  options.limit = 2;
  options.books = Books::shipped();
  const std::vector<Suite> suites = read_suites(default_suites_and_all());
  const std::string one = to_json(study(uniform, suites, options)).dump();
  options.threads = 3;
  EXPECT_EQ(to_json(study(uniform, suites, options)).dump(), one);
  options.seed = 1;
  EXPECT_NE(to_json(study(uniform, suites, options)).dump(), one);
}

TEST(Study, WhatASearchMendsIsNotInItsList) {
  UniformEvaluator uniform;
  StudyOptions options = quick();
  options.simulations = {64};
  options.search.proof_nodes = 100;  // with more it mends nearly all
  options.hardest = 5;
  const Study s = study(uniform, few(10), options);
  EXPECT_EQ(s.simulations, (std::vector<int>{0, 64}));
  ASSERT_EQ(s.hardest_searched.size(), 5U);
  double last = 0;
  for (const HardPosition& h : s.hardest_searched) {
    EXPECT_EQ(keeps_value(h.entry, h.choices.back()), 0);
    EXPECT_GE(h.kept, last);
    last = h.kept;
  }
}

TEST(Study, NonsenseIsRefused) {
  UniformEvaluator uniform;
  EXPECT_THROW(study(uniform, {}, quick()), std::invalid_argument);
  StudyOptions options = quick();
  options.hardest = -1;
  EXPECT_THROW(study(uniform, few(200), options), std::invalid_argument);
  options = quick();
  options.simulations = {-1};
  EXPECT_THROW(study(uniform, few(200), options), std::invalid_argument);
}

TEST(Openings, AreTheTwelveFirstPositionsAndAllDrawn) {
  UniformEvaluator uniform;
  const auto all = study_openings(uniform, Rules::lines, {0, 4}, {}, Book::shipped(Rules::lines));
  ASSERT_EQ(all.size(), 12U);
  std::set<CanonicalKey> keys;
  for (const Opening& o : all) {
    keys.insert(canonical_key(o.position));
    EXPECT_EQ(o.value, Value::draw);
    double sum = 0;
    std::size_t moves = 0;
    std::vector<int> chosen;
    for (const OpeningMoves& m : o.moves) {
      sum += m.probability;
      moves += m.moves.size();
      chosen.insert(chosen.end(), m.chosen_by.begin(), m.chosen_by.end());
      ASSERT_TRUE(m.value.has_value());
      EXPECT_NE(*m.value, Value::win);
    }
    EXPECT_NEAR(sum, 1, 1e-5);
    EXPECT_EQ(moves, static_cast<std::size_t>(std::popcount(o.position.legal_moves())));
    EXPECT_EQ(chosen.size(), 2U);  // each chooser once
  }
  EXPECT_EQ(keys.size(), 12U);
  EXPECT_EQ(all[0].moves.size(), 1U);  // whichever piece
  EXPECT_EQ(all[1].moves.size(), 2U);  // on a diagonal or off
  EXPECT_EQ(all[2].moves.size(), 4U);  // by the attributes shared
  EXPECT_EQ(all[2].moves[0].moves.size() + all[2].moves[1].moves.size() + all[2].moves[2].moves.size(), 14U);
}

TEST(Calibration, BinsAddUpAndTheirEdgesBelongUpwards) {
  Calibration c;
  for (const double p : {0.0, 0.05, 0.1, 0.55, 0.999, 1.0, 1.0001, -1e-6}) c.add(p, true);
  EXPECT_EQ(c.total(), 8U);
  EXPECT_EQ(c.bins()[0].happened.n, 3U);
  EXPECT_EQ(c.bins()[1].happened.n, 1U);
  EXPECT_EQ(c.bins()[5].happened.n, 1U);
  EXPECT_EQ(c.bins()[9].happened.n, 3U);
}

TEST(Calibration, TheGapIsTheMeanDistance) {
  Calibration good, bad;
  EXPECT_EQ(good.gap(), 0);
  for (int i = 0; i < 4; ++i) good.add(0.25, i == 0);
  EXPECT_EQ(good.gap(), 0);
  for (int i = 0; i < 3; ++i) bad.add(0.75, false);
  bad.add(0.25, false);
  EXPECT_DOUBLE_EQ(bad.gap(), 0.75 * 0.75 + 0.25 * 0.25);
}

}  // namespace
}  // namespace quarto
