#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "data/suites.h"
#include "eval/agreement.h"
#include "report/plot.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ReportTest : public testing::Test {
 protected:
  void SetUp() override { make_directories(run_); }
  std::string error() const {
    try {
      read_report_input(run_, {});
    } catch (const ReportError& e) {
      return e.what();
    }
    return "";
  }
  TemporaryDirectory dir_;
  fs::path run_ = dir_ / "run";
};

// What `exploit --json` and `rate --json` write.
json some_walk(const std::string& player) {
  return {{"player", player},
          {"identity", player + " proof_nodes 0"},
          {"rules", "lines"},
          {"seat", "both"},
          {"depends_on_batch", false},
          {"asked_about_one_image", false},
          {"complete", false},
          {"losing_lines", 7},
          {"unbeatable", false},
          {"seats", json::array({{{"seat", "gives first"},
                                  {"positions", 123},
                                  {"decisions", 45},
                                  {"losing_lines", 7},
                                  {"complete", false},
                                  {"whole_plies", 33}}})}};
}
// What `eval --json` writes, with these rows.
json some_evaluation(const std::string& checkpoint, const json& rows = json::array()) {
  json evaluation = to_json(AgreementReport());
  evaluation["checkpoint"] = checkpoint;
  evaluation["rows"] = rows;
  return evaluation;
}
json some_ladder(const std::string& player) {
  return {{"games", 20},
          {"opening_plies", 4},
          {"anchor", "oneply"},
          {"complete", true},
          {"players", json::array({{{"name", player},
                                    {"elo", 345.4},
                                    {"low", 300},
                                    {"high", 400},
                                    {"score", 0.75},
                                    {"wins", 14},
                                    {"draws", 2},
                                    {"losses", 4}}})}};
}

TEST_F(ReportTest, ShowsEveryNumberAndRefersToNothingOutside) {
  write_file_atomic(run_ / "metrics.jsonl",
                    "{\"step\": 10, \"seconds\": 5, \"loss\": 2.5, \"loss_place\": 1.0, \"games\": 7, "
                    "\"agreement\": {\"decisive\": 0.5}, \"odd_one\": 3, \"note\": \"text\"}\n"
                    "{\"step\": 20, \"seconds\": 9, \"loss\": 1.5, \"loss_place\": 0.5, \"games\": 9, "
                    "\"agreement\": {\"decisive\": 0.625}, \"odd_one\": 4}\n"
                    "{\"step\": 30, \"sec");
  write_file_atomic(run_ / "config.yaml", "model:\n  kind: <line>\n");
  AgreementOptions options;
  options.simulations = {0, 2};
  options.limit = 4;
  UniformEvaluator uniform;
  const auto report = measure_agreement(uniform, read_suites(default_suites()), options);
  write_file_atomic(run_ / "eval.json", to_json(report).dump());
  const std::string html = render_report(read_report_input(run_, {.evaluation = run_ / "eval.json"}));
  for (const char* text : {"Agreement with perfect play", "62.5%", "Loss", "odd one", "kind: &lt;line&gt;",
                           "one-ply rule", "search alone @2", "Outcome head", "prefers-color-scheme"}) {
    EXPECT_THAT(html, HasSubstr(text));
  }
  for (const char* text : {"http:", "https:", "<script", "src=", "@import", "url(", "nan", "inf\""}) {
    EXPECT_THAT(html, Not(HasSubstr(text)));
  }
}

TEST_F(ReportTest, NamesTheLineThatIsNotJson) {
  EXPECT_THAT(error(), HasSubstr("is no run (it has no metrics.jsonl)"));
  write_file_atomic(run_ / "metrics.jsonl", "{\"step\": 1}\nnonsense\n{\"step\": 2}\n");
  EXPECT_THAT(error(), HasSubstr("metrics.jsonl:2"));
}

TEST_F(ReportTest, AnEmptyRunStillMakesAPage) {
  write_file_atomic(run_ / "metrics.jsonl", "");
  EXPECT_THAT(render_report(read_report_input(run_, {})), HasSubstr("</html>"));
}

TEST_F(ReportTest, AnEvaluationOfTheWrongShapeIsAnError) {
  write_file_atomic(run_ / "metrics.jsonl", "");
  const auto page = [&](const json& evaluation) {
    write_file_atomic(run_ / "eval.json", evaluation.dump());
    return render_report(read_report_input(run_, {.evaluation = run_ / "eval.json"}));
  };
  EXPECT_THAT(page(some_evaluation("a")), HasSubstr("</html>"));
  EXPECT_THROW(page(some_evaluation("a", json::array({{{"suite", 3}}}))), ReportError);
  for (const char* key : {"means", "baselines", "value_head"}) {
    json evaluation = some_evaluation("a");
    evaluation.erase(key);
    EXPECT_THAT([&] { page(evaluation); }, testing::ThrowsMessage<ReportError>(HasSubstr(key)));
  }
  write_file_atomic(run_ / "eval.json", "[]");
  EXPECT_THROW(read_report_input(run_, {.evaluation = run_ / "eval.json"}), ReportError);
}

// Files of others are shown, so nothing in them may become a part of the page.
TEST_F(ReportTest, CountsThatAreNoneAreRefused) {
  write_file_atomic(run_ / "metrics.jsonl", "");
  const json exploit = some_walk("oneply"), ladder = some_ladder("oneply");
  const auto page = [&](const json& e, const json& l) {
    write_file_atomic(run_ / "e.json", e.dump());
    write_file_atomic(run_ / "l.json", l.dump());
    return render_report(read_report_input(run_, {.exploit = run_ / "e.json", .ladder = run_ / "l.json"}));
  };
  EXPECT_THAT(page(exploit, ladder), AllOf(HasSubstr("33 plies"), HasSubstr("openings of 4 random plies")));
  for (const json& bad : {json("<script>alert(1)</script>"), json(-5), json(1.5), json::array({1}), json(nullptr)}) {
    for (const char* at : {"positions", "decisions", "losing_lines", "whole_plies"}) {
      json changed = exploit;
      changed["seats"][0][at] = bad;
      EXPECT_THAT([&] { page(changed, ladder); }, testing::ThrowsMessage<ReportError>(HasSubstr("exploit")))
          << at << bad;
    }
    for (const char* at : {"/games", "/opening_plies", "/players/0/wins", "/players/0/draws", "/players/0/losses"}) {
      json changed = ladder;
      changed[json::json_pointer(at)] = bad;
      EXPECT_THROW(page(exploit, changed), ReportError) << at << bad;
    }
  }
  json changed = exploit;
  changed["rules"] = "circles";
  EXPECT_THAT([&] { page(changed, ladder); },
              testing::ThrowsMessage<ReportError>(AllOf(HasSubstr("exploit"), HasSubstr("circles"))));
}

// Each would make the table larger by a column or two rows.
TEST_F(ReportTest, StrataThatDoNotExistAreRefused) {
  write_file_atomic(run_ / "metrics.jsonl", "");
  const auto page = [&](int pieces, const char* phase) {
    const json row = {{"suite", "deep"}, {"phase", phase},   {"sims", 0},  {"pieces", pieces},
                      {"positions", 10}, {"agreement", 0.5}, {"low", 0.4}, {"high", 0.6}};
    write_file_atomic(run_ / "eval.json", some_evaluation("a", json::array({row})).dump());
    return render_report(read_report_input(run_, {.evaluation = run_ / "eval.json"}));
  };
  EXPECT_THAT(page(16, "give"), HasSubstr("Suite deep"));
  EXPECT_THROW(page(17, "give"), ReportError);
  EXPECT_THROW(page(-1, "give"), ReportError);
  EXPECT_THROW(page(7, "pass"), ReportError);
}

TEST(Plot, NumbersOfAnySizeAreDrawnOrLeftOut) {
  for (const auto& [low, high] : {std::pair(1e17, 1e17 + 16), std::pair(-1e308, 1e308), std::pair(1e308, 1.1e308),
                                  std::pair(0.0, 1e-300), std::pair(9007199254740993.0, 9007199254740999.0)}) {
    EXPECT_LE(plot::ticks(low, high, 6).size(), 8U) << low;
    plot::LinePlot p;
    p.title = "t";
    p.series.push_back({"x", {{low, low, {}, {}}, {high, high, {}, {}}}, 0, false});
    const std::string svg = plot::svg(p);
    EXPECT_LT(svg.size(), 10000U);
    EXPECT_THAT(svg, AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
  }
}

TEST(Plot, TicksAreRoundAndInside) {
  EXPECT_EQ(plot::ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  const auto t = plot::ticks(0.31, 0.52, 5);
  ASSERT_GE(t.size(), 3U);
  EXPECT_GE(t.front(), 0.31 - 1e-9);
  EXPECT_LE(t.back(), 0.52 + 1e-9);
  EXPECT_EQ(plot::ticks(3, 3, 5).size(), 1U);
}

TEST(Plot, LongAndBrokenSeriesAreDrawn) {
  plot::LinePlot p;
  p.title = "a <title>";
  plot::Series s{"x", {}, 0, false};
  for (int i = 0; i < 100000; ++i) s.points.push_back({static_cast<double>(i), i % 7 == 0 ? NAN : 1.0, {}, {}});
  p.series.push_back(s);
  const std::string svg = plot::svg(p);
  EXPECT_LT(svg.size(), 20000U);
  EXPECT_THAT(svg, HasSubstr("a &lt;title&gt;"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_EQ(plot::svg(plot::LinePlot{}), "");
}

TEST_F(ReportTest, ShowsExploitabilityAndTheLadderOfTheSameCheckpoint) {
  write_file_atomic(run_ / "metrics.jsonl", "{\"step\": 1, \"loss\": 2.0}\n");
  write_file_atomic(run_ / "eval.json", some_evaluation("a/best").dump());
  json exploit = some_walk("net:a/best");
  exploit["complete"] = exploit["seats"][0]["complete"] = true;
  exploit["seats"][0]["shortest"] = "0 a1 <b>";
  exploit["seats"][0]["shortest_to_the_end"] = "0 a1 1 b1";
  const json ladder = some_ladder("net:a/best@32");
  const auto page = [&] { return render_report(read_report_input(run_, {.evaluation = run_ / "eval.json"})); };
  EXPECT_THAT(page(), Not(HasSubstr("Exploitability")));
  write_file_atomic(run_ / "exploit.json", exploit.dump());
  write_file_atomic(run_ / "ratings.json", ladder.dump());
  std::string html = page();
  EXPECT_THAT(html, AllOf(HasSubstr("7 losing lines"), HasSubstr("0 a1 &lt;b&gt;"), HasSubstr("+345")));
  exploit["unbeatable"] = true;
  write_file_atomic(run_ / "exploit.json", exploit.dump());
  EXPECT_THAT(page(), HasSubstr("proven unbeatable"));
  exploit["unbeatable"] = exploit["complete"] = false;
  write_file_atomic(run_ / "exploit.json", exploit.dump());
  EXPECT_THAT(page(), HasSubstr("can be beaten: 7 losing lines at least; the walk was stopped"));
  exploit["losing_lines"] = 0;
  write_file_atomic(run_ / "exploit.json", exploit.dump());
  EXPECT_THAT(page(), HasSubstr("no losing line until the walk was stopped, which proves nothing"));
  // One seat, all of it; and what the name of the player does not say.
  exploit["complete"] = true;
  exploit["seat"] = "places";
  exploit["identity"] = "net:a/best proof_nodes=3000";
  exploit["depends_on_batch"] = exploit["asked_about_one_image"] = true;
  exploit["seats"][0]["positions"] = 0;
  exploit["seats"][0].erase("shortest");
  exploit["seats"].push_back(exploit["seats"][0]);
  exploit["seats"][1]["seat"] = "places first";
  write_file_atomic(run_ / "exploit.json", exploit.dump());
  EXPECT_THAT(page(),
              AllOf(HasSubstr("nobody can win a game against it when it places first; the other seat was not walked"),
                    HasSubstr("proof_nodes=3000"), HasSubstr("computed together"), HasSubstr("one image"),
                    HasSubstr("all lines in which it places first"), Not(HasSubstr("gives first"))));
  // Of other checkpoints.
  for (const char* other : {"b/best", "a/bes", "best"}) {
    write_file_atomic(run_ / "eval.json", some_evaluation(other).dump());
    html = page();
    EXPECT_THAT(html, AllOf(Not(HasSubstr("Exploitability")), Not(HasSubstr("The ladder")))) << other;
  }
  write_file_atomic(run_ / "exploit.json", "[]");
  EXPECT_THROW(read_report_input(run_, {.exploit = run_ / "exploit.json"}), ReportError);
}

}  // namespace
}  // namespace quarto
