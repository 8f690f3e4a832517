#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using testing::ContainsRegex;
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

TEST_F(Facts, MistakesAreNamed) {
  const Ran ran = run("facts --only nonsense");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("nonsense"));
  EXPECT_EQ(run("facts --quick --full").status, 2);
}

}  // namespace
}  // namespace quarto
