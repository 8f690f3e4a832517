#include <gmock/gmock.h>

#include "base/json_library.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Facts : public CommandTest {};

TEST_F(Facts, SetsEachNumberBesideItsSourceAndSaysWhatDiffers) {
  const Ran ran = run("facts --quick");
  EXPECT_EQ(ran.status, 0) << "a number that differs is a finding, not a failure: " << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("together +12,288 +Kerner +12,288 +yes"));
  EXPECT_THAT(ran.out, ContainsRegex("2 down and 1 in hand \\(by hand\\) +336 +Goossens +148 +DIFFERS"));
  EXPECT_THAT(ran.out, ContainsRegex("\nIan +quoted in "));
  // Every one that differs is explained.
  std::size_t differing = 0, explained = 0;
  for (std::size_t at = 0; (at = ran.out.find("  DIFFERS\n", at)) != std::string::npos; ++at) ++differing;
  for (std::size_t at = 0; (at = ran.out.find(" computed.\n", at)) != std::string::npos; ++at) ++explained;
  EXPECT_GT(differing, 3U);
  EXPECT_EQ(explained, differing);
  EXPECT_THAT(ran.out, HasSubstr("336 published, 148 computed"));
  EXPECT_THAT(ran.out, Not(HasSubstr("please report")));
}

TEST_F(Facts, SpeaksJson) {
  const Ran ran = run("facts --only rows,symmetries --json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["facts"].size(), 6U);
  for (const auto& fact : json["facts"]) {
    EXPECT_EQ(fact["agrees"], true) << fact["fact"];
    EXPECT_TRUE(json["sources"].contains(fact["source"])) << fact["fact"];
  }
}

TEST_F(Facts, ASampleIsCalledOneAndTheSeedDecidesIt) {
  const Ran ran = run("facts --only five --book none --sample 3 --table-mb 64 --seed 1");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("sample of 3"));
  EXPECT_THAT(ran.out, Not(HasSubstr("together")));
  EXPECT_EQ(run("facts --only five --book none --sample 3 --table-mb 64 --seed 1").out, ran.out);
}

TEST_F(Facts, UnderTheRulesSquaresNothingStandsBesideTheNumbers) {
  const Ran ran = run("facts --rules squares --quick");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, ContainsRegex("^fact +computed\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\ntogether +3,072\n"));
  EXPECT_THAT(ran.out, ContainsRegex("\ndistinct positions at ply 9 +358,784\n"));
  for (const char* published : {"published", "agrees", "DIFFERS", "Goossens", "by hand", "in a row"})
    EXPECT_THAT(ran.out, Not(HasSubstr(published)));
  EXPECT_THAT(ran.out, HasSubstr("\nLeft out "));
  EXPECT_THAT(ran.out, ContainsRegex("\nply 7: win / draw / loss +584 / 11,529 / 0\n"));
  const Ran searched = run("facts --rules squares --quick --book none");
  EXPECT_THAT(searched.out, HasSubstr("hours: longest, early."));
}

TEST_F(Facts, TheJsonHasTheSameFieldsUnderBothRules) {
  const auto lines = nlohmann::json::parse(run("facts --only symmetries,boards --json").out);
  const auto squares = nlohmann::json::parse(run("facts --only symmetries,boards --json --rules squares").out);
  EXPECT_EQ(lines["rules"], "lines");
  EXPECT_EQ(squares["rules"], "squares");
  ASSERT_EQ(squares["facts"].size(), lines["facts"].size());
  for (std::size_t i = 0; i < squares["facts"].size(); ++i) {
    const auto &fact = squares["facts"][i], &other = lines["facts"][i];
    EXPECT_EQ(fact["fact"], other["fact"]);
    EXPECT_EQ(fact.size(), other.size());
    for (const char* field : {"published", "source", "agrees"}) {
      ASSERT_TRUE(fact.contains(field)) << field;
      EXPECT_TRUE(fact[field].is_null()) << field;
      EXPECT_FALSE(other[field].is_null()) << field;
    }
  }
  EXPECT_EQ(squares["facts"].back()["computed"], "63,235,397,376");
  EXPECT_TRUE(squares["sources"].empty());
  EXPECT_FALSE(lines["sources"].empty());
}

TEST_F(Facts, ABookOfOtherRulesIsRefused) {
  fails(1, "facts --rules squares --only five --book " QUARTOZERO_SOURCE_DIR "/solver/books/lines.book",
        HasSubstr("'lines', not 'squares'"));
}

TEST_F(Facts, WhatIsLeftOutIsSaid) {
  const auto quick = nlohmann::json::parse(run("facts --quick --json").out);
  EXPECT_THAT(quick["left_out"], ElementsAre("boards", "longest", "game"));
  EXPECT_TRUE(nlohmann::json::parse(run("facts --only rows --json").out)["left_out"].empty())
      << "who names groups knows the others";
}

TEST_F(Facts, MistakesAreNamed) {
  fails(2, "facts --only nonsense", HasSubstr("nonsense"));
  EXPECT_EQ(run("facts --quick --full").status, 2);
  EXPECT_EQ(run("facts --rules nonsense").status, 2);
  const Ran rows = run("facts --rules squares --only symmetries,rows");
  EXPECT_EQ(rows.status, 2);
  EXPECT_THAT(rows.err, HasSubstr("'rows'"));
  EXPECT_THAT(rows.err, HasSubstr("'boards'"));
  EXPECT_EQ(rows.out, "") << "refused before anything is computed";
}

}  // namespace
}  // namespace quarto
