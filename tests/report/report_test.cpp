#include "report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "base/file.h"
#include "base/json_library.h"
#include "data/suites.h"
#include "env/notation.h"
#include "eval/agreement.h"
#include "eval/study.h"
#include "report/board_picture.h"
#include "report/plot.h"
#include "report/study_page.h"
#include "tests/support/message_of.h"
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
    return message_of<ReportError>([this] { read_report_input(run_, {}); });
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

TEST_F(ReportTest, AnEngineIsCalledAsItCallsItself) {
  AgreementReport report;
  report.rows.push_back({"engine:run", "deep", 0, Phase::place, 8, 10, 0.5, {0.3, 0.7}, true});
  AgreementMean mean;
  mean.by_name = true;
  mean.player = "engine:run";
  mean.suite = "deep";
  mean.agreement = 0.5;
  report.means.push_back(mean);
  ReportInput input;
  input.evaluation = to_json(report);
  EXPECT_THAT(render_report(input), HasSubstr("engine:run"));
  (*input.evaluation)["titles"]["engine:run"] = "Bot 2";
  EXPECT_THAT(render_report(input), AllOf(HasSubstr("Bot 2"), Not(HasSubstr("engine:run")), Not(HasSubstr("@0"))));
  (*input.evaluation)["titles"]["engine:run"] = "net";
  EXPECT_THAT(render_report(input), AllOf(HasSubstr("<td>net</td>"), Not(HasSubstr("network, policy"))));
}

// Nor does it show what is no number.
void expect_nothing_outside(const std::string& html) {
  for (const char* text : {"http:", "https:", "<script", "src=", "@import", "url(", "nan", "inf\""})
    EXPECT_THAT(html, Not(HasSubstr(text)));
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
  expect_nothing_outside(html);
}

// From random weights on: with intervals, the levels of simple players, and an axis that shows how much is learned.
TEST_F(ReportTest, ShowsWhatWasLearned) {
  write_file_atomic(
      run_ / "metrics.jsonl",
      R"({"iteration": 0, "step": 0, "seconds": 0, "agreement": {"deep": 0.33}, "agreement_interval": {"deep": [0.27, 0.4]},)"
      R"( "agreement_levels": {"random": {"deep": 0.31}, "oneply": {"deep": 0.52}}})"
      "\n"
      R"({"iteration": 1, "step": 9, "seconds": 7, "agreement": {"deep": 0.9}, "agreement_interval": {"deep": [0.88, 0.92]}})"
      "\n");
  const std::string html = render_report(read_report_input(run_, {}));
  for (const char* text : {"deep, one-ply rule", "deep, random play", ">20%<", ">100%<"})
    EXPECT_THAT(html, HasSubstr(text));
  EXPECT_THAT(html, Not(HasSubstr(">0%<")));
  EXPECT_THAT(html, Not(HasSubstr("agreement levels"))) << "no figures of their own";
  std::size_t bars = 0;
  for (std::size_t at = 0; (at = html.find("<line class=\"bar\"", at)) != std::string::npos; ++at) ++bars;
  EXPECT_EQ(bars, 4U) << "two points in two plots";
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
  // Without an evaluation, the best network, whatever its file is.
  std::filesystem::remove(run_ / "eval.json");
  const auto unmeasured = [&] { return render_report(read_report_input(run_, {.ladder = run_ / "ratings.json"})); };
  for (const char* player : {"net:a/best@32", "light:a.light", "endgame:9:torchscript:a.pt@4"}) {
    write_file_atomic(run_ / "ratings.json", some_ladder(player).dump());
    EXPECT_THAT(unmeasured(), HasSubstr(std::string("Elo over oneply, ") + player)) << player;
  }
  write_file_atomic(run_ / "exploit.json", "[]");
  EXPECT_THROW(read_report_input(run_, {.exploit = run_ / "exploit.json"}), ReportError);
}

// What is wrong with the nesting of tags; empty if nothing is.
std::string nesting_error(const std::string& text) {
  std::vector<std::string> open;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return "a tag without an end at " + text.substr(at, 40);
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return "an odd number of quotes in " + tag;
    if (tag.find('<') != std::string::npos) return "a tag within " + tag;
    if (tag.back() == '/') continue;
    if (tag.front() != '/') {
      open.push_back(tag.substr(0, tag.find(' ')));
      continue;
    }
    if (open.empty() || open.back() != tag.substr(1)) return tag + " does not close what is open";
    open.pop_back();
  }
  return open.empty() ? "" : open.back() + " is never closed";
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(BoardSvg, ShowsEveryPieceAndEveryMoveOnce) {
  const Position placing = parse_position("012./..../..../.... C");
  MoveNotes notes;
  for (const int m : BitsOf(placing.legal_moves())) {
    notes.values[static_cast<std::size_t>(m)] = m == 3 ? Value::draw : Value::loss;
    notes.probabilities[static_cast<std::size_t>(m)] = 0.01 * m;
  }
  notes.chosen = Move::place(square(15));
  const std::string svg = board_svg(placing, notes, "a <board> & \"more\"");
  EXPECT_EQ(nesting_error(svg), "");
  EXPECT_EQ(count(svg, "% L<"), 12U);
  EXPECT_EQ(count(svg, "3% D<"), 1U);
  EXPECT_EQ(count(svg, "underline"), 1U);         // the one move that keeps the draw
  EXPECT_EQ(count(svg, "stroke-dasharray"), 1U);  // the choice
  EXPECT_EQ(count(svg, "<g fill"), 4U);           // three on the board and one in hand
  EXPECT_THAT(svg, HasSubstr("a &lt;board&gt; &amp;"));

  const std::string giving = board_svg(parse_position("012./..../..../.... -"), {}, "");
  EXPECT_EQ(nesting_error(giving), "");
  EXPECT_EQ(count(giving, "<g fill"), 16U);
  EXPECT_EQ(count(giving, "%"), 0U);
}

TEST(BoardSvg, NoTwoPiecesLookAlike) {
  std::set<std::string> looks;
  for (int p = 0; p < kPieces; ++p) {
    std::string svg = board_svg(Position().after(Move::give(piece(p))), {}, "");
    const std::size_t digit = svg.find("in hand: ");
    ASSERT_NE(digit, std::string::npos);
    svg.erase(digit, 10);
    looks.insert(svg);
  }
  EXPECT_EQ(looks.size(), 16U);
  EXPECT_EQ(nesting_error(pieces_svg()), "");
  EXPECT_EQ(count(pieces_svg(), "<g fill"), 16U);
}

json small_study() {
  UniformEvaluator uniform;
  StudyOptions options;
  options.simulations = {0, 4};
  options.limit = 3;
  options.generated = 2;
  options.hardest = 3;
  options.books = Books::shipped();
  return to_json(study(uniform, read_suites(default_suites_and_all()), options));
}

TEST(StudyPage, ShowsEverythingAndRefersToNothingOutside) {
  json study = small_study();
  study["checkpoint"] = "a/<b>";
  const std::string section = study_section(study);
  EXPECT_EQ(nesting_error(section), "");
  for (const char* text : {"what can a rule explain", "pure parity", "Where it errs", "Calibration", "The opening",
                           "The hardest positions", "that the search of 4 simulations", "win to draw"}) {
    EXPECT_THAT(section, HasSubstr(text));
  }
  const std::string page = render_study(study);
  EXPECT_THAT(page, HasSubstr("a/&lt;b&gt;"));
  expect_nothing_outside(page);
}

TEST(StudyPage, AStudyOfTheWrongShapeIsAnError) {
  json study = small_study();
  study["move_rules"][0]["rule_right"] = "much";
  EXPECT_THROW(study_section(study), ReportError);
  study = small_study();
  study["hardest"][0]["position"] = "nonsense";
  EXPECT_THROW(study_section(study), ReportError);
  EXPECT_THROW(study_section({{"value_rules", 1}}), ReportError);
}

TEST(StudyPage, AReportTakesTheStudyOfItsCheckpoint) {
  const TemporaryDirectory dir;
  json study = small_study();
  study["checkpoint"] = "one";
  write_file_atomic(dir.path() / "metrics.jsonl", "");
  write_file_atomic(dir.path() / "eval.json", some_evaluation("one").dump());
  const auto report = [&](const std::optional<std::filesystem::path>& named = std::nullopt) {
    return render_report(read_report_input(dir.path(), {.evaluation = dir.path() / "eval.json", .study = named}));
  };
  EXPECT_THAT(report(), Not(HasSubstr("The hardest positions")));
  write_file_atomic(dir.path() / "study.json", study.dump());
  EXPECT_THAT(report(), HasSubstr("The hardest positions"));
  // Of another checkpoint: only when it is asked for.
  write_file_atomic(dir.path() / "eval.json", some_evaluation("two").dump());
  EXPECT_THAT(report(), Not(HasSubstr("The hardest positions")));
  EXPECT_THAT(report(dir.path() / "study.json"), HasSubstr("The hardest positions"));
  write_file_atomic(dir.path() / "study.json", "[]");
  EXPECT_THROW(report(), ReportError);
}

}  // namespace
}  // namespace quarto
