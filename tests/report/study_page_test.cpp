#include "report/study_page.h"

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
#include "report/report.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

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

TEST(NestingError, FindsThem) {
  EXPECT_EQ(nesting_error("<a x=\"1\"><b/>text</a>"), "");
  for (const char* bad : {"<a>", "</a>", "<a><b></a></b>", "<a x=\"1></a>", "<a <b></b></a>"}) {
    EXPECT_NE(nesting_error(bad), "") << bad;
  }
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
  for (const char* text : {"http:", "https:", "<script", "src=", "@import", "url(", "nan", "inf\""}) {
    EXPECT_THAT(page, Not(HasSubstr(text)));
  }
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

std::string evaluation_of(const std::string& checkpoint) {
  json evaluation = to_json(AgreementReport());
  evaluation["checkpoint"] = checkpoint;
  return evaluation.dump();
}

TEST(StudyPage, AReportTakesTheStudyOfItsCheckpoint) {
  const TemporaryDirectory dir;
  json study = small_study();
  study["checkpoint"] = "one";
  write_file_atomic(dir.path() / "metrics.jsonl", "");
  write_file_atomic(dir.path() / "eval.json", evaluation_of("one"));
  const auto report = [&](const std::optional<std::filesystem::path>& named = std::nullopt) {
    return render_report(read_report_input(dir.path(), {.evaluation = dir.path() / "eval.json", .study = named}));
  };
  EXPECT_THAT(report(), Not(HasSubstr("The hardest positions")));
  write_file_atomic(dir.path() / "study.json", study.dump());
  EXPECT_THAT(report(), HasSubstr("The hardest positions"));
  // Of another checkpoint: only when it is asked for.
  write_file_atomic(dir.path() / "eval.json", evaluation_of("two"));
  EXPECT_THAT(report(), Not(HasSubstr("The hardest positions")));
  EXPECT_THAT(report(dir.path() / "study.json"), HasSubstr("The hardest positions"));
  write_file_atomic(dir.path() / "study.json", "[]");
  EXPECT_THROW(report(), ReportError);
}

}  // namespace
}  // namespace quarto
