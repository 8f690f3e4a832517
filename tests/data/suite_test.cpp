#include "data/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "base/file.h"
#include "data/suites.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "tests/support/as_others_write.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using testing::HasSubstr;

std::string suite_path(const std::string& name) {
  return std::string(QUARTOZERO_SOURCE_DIR) + "/eval/suites/" + name + ".tsv";
}

// Two empty squares, 9 in hand and 0 left: short enough to write by hand.
const std::string kGood = "6CA3/4.58/2B1D/.EF7 9\t0\tb2:0 a4:0";

std::string error_of(const std::string& text) {
  return message_of<SuiteError>([&] { parse_suite(text, "some.tsv"); });
}

TEST(Suite, FilesComeBackByteForByte) {
  for (const char* name : {"all", "decisive", "deep"}) {
    const Suite suite = read_suite(suite_path(name));
    EXPECT_EQ(to_string(suite.entries), read_file(suite_path(name))) << name;
  }
}

TEST(Suite, DecisiveAndDeepFilesHoldWhatTheirNamesSay) {
  for (const Rules rules : kAllRules) {
    const std::vector<Suite> suites = read_suites(default_suites_and_all(rules), rules);
    ASSERT_EQ(suites.size(), 3U);
    for (const SuiteEntry& entry : suites[0].entries) ASSERT_TRUE(entry.decisive()) << to_string(entry);
    for (const SuiteEntry& entry : suites[1].entries) ASSERT_TRUE(entry.decisive() && deep(entry)) << to_string(entry);
    int decisive = 0, deep_ones = 0, all = 0;
    for (const SuiteEntry& entry : suites[2].entries) {
      ++all;
      decisive += entry.decisive();
      deep_ones += deep(entry);
      ASSERT_LE(deep(entry), entry.decisive()) << to_string(entry);
    }
    EXPECT_GT(deep_ones, 0);
    EXPECT_LT(deep_ones, decisive);
    EXPECT_LT(decisive, all);
  }
}

TEST(Suite, TheFilesForSquaresShareNoPositionInAnyImage) {
  std::set<CanonicalKey> seen;
  for (const Suite& suite : read_suites(default_suites_and_all(Rules::squares), Rules::squares)) {
    for (const SuiteEntry& entry : suite.entries) {
      EXPECT_TRUE(seen.insert(canonical_key(entry.position)).second) << to_string(entry);
    }
  }
}

TEST(Suite, ReadsOneLine) {
  const auto entries = parse_suite("\n" + kGood + "\r\n", "some.tsv");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].line, 2U);
  EXPECT_EQ(entries[0].value, Value::draw);
  EXPECT_EQ(entries[0].moves[5], Value::draw);
  EXPECT_FALSE(entries[0].moves[0].has_value());
  EXPECT_FALSE(entries[0].decisive());
  EXPECT_EQ(to_string(entries[0]), kGood);
}

TEST(Suite, IsReadHoweverAProgramWritesIt) {
  for (const std::string& text : as_others_write(kGood + "\n" + kGood + "\n"))
    EXPECT_EQ(parse_suite(text, "some.tsv").size(), 2U);
}

TEST(Suite, SaysWhereAndWhatIsWrong) {
  const std::string position = "6CA3/4.58/2B1D/.EF7 9";
  EXPECT_EQ(error_of(kGood), "no error");
  EXPECT_THAT(error_of(kGood + "\n" + position), HasSubstr("some.tsv:2: column 22: expected a tab"));
  EXPECT_THAT(error_of(position + "\t0"), HasSubstr("expected a tab after the value"));
  EXPECT_THAT(error_of("6CA3/4.x8/2B1D/.EF7 9\t0\tb2:0"), HasSubstr("some.tsv:1: column 8: position"));
  EXPECT_THAT(error_of(position + "\t2\tb2:0 a4:0"), HasSubstr("column 23: '2' is not a value"));
  EXPECT_THAT(error_of(position + "\t0\tb2:0 a4:x"), HasSubstr("column 33: 'x' is not a value"));
  EXPECT_THAT(error_of(position + "\t0\tb2:0 a4"), HasSubstr("column 30: 'a4': expected a move, ':'"));
  EXPECT_THAT(error_of(position + "\t0\tb2:0  a4:0"), HasSubstr("one blank between moves"));
  EXPECT_THAT(error_of(position + "\t0\tb2:0 a4:0 "), HasSubstr("expected a move"));
  EXPECT_THAT(error_of(position + "\t0\tb2:0 z3:0"), HasSubstr("'z3' is not a place"));
  EXPECT_THAT(error_of(position + "\t0\tb2:0 a1:0"), HasSubstr("move a1 is illegal here"));
  EXPECT_THAT(error_of(position + "\t0\tb2:0 b2:0"), HasSubstr("move b2 is listed twice"));
  EXPECT_THAT(error_of(position + "\t0\tb2:0"), HasSubstr("legal move a4 is missing"));
  EXPECT_THAT(error_of(position + "\t1\tb2:0 a4:0"), HasSubstr("column 23: the position's value is 1"));
  EXPECT_THAT(error_of("1357/..../..../.0.. -\t1\t"), HasSubstr("the game is over"));
  EXPECT_THAT(error_of(""), HasSubstr("no positions"));
}

TEST(Suite, ABinaryFileIsNamedAsSuch) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "weights.tsv", std::string("\x12\0\0\0{\"format\"", 13));
  EXPECT_THAT(message_of<SuiteError>([&] { read_suite(dir / "weights.tsv"); }),
              HasSubstr("weights.tsv: a binary file, and a suite is text"));
}

TEST(SuiteEntries, MovesKeepTheValueOrDoNot) {
  const SuiteEntry entry = parse_suite("6CA3/4.58/2B1D/.EF7 9\t0\tb2:0 a4:-1", "x").front();
  EXPECT_EQ(keeps_value(entry, Move::place(parse_square("b2"))), 1);
  EXPECT_EQ(keeps_value(entry, Move::place(parse_square("a4"))), 0);
  EXPECT_EQ(keeps_value(entry, Move::place(parse_square("a1"))), 0) << "it is not legal";
  EXPECT_EQ(keeping_share(entry, entry.position.legal_moves()), 0.5);
  EXPECT_EQ(keeping_share(entry, bit(parse_square("b2"))), 1);
}

TEST(SuiteDeep, ImmediateWinsAndObviousBlundersDoNotCount) {
  // Every square but the winning one is worse, yet nothing about it is deep.
  int shallow = 0;
  for (const SuiteEntry& entry : read_suite(suite_path("decisive")).entries) {
    const Position& p = entry.position;
    if (p.has_hand() && p.winning_squares(p.hand())) {
      ASSERT_FALSE(deep(entry)) << to_string(entry);
      ++shallow;
    }
  }
  EXPECT_GT(shallow, 100);
}

// A file does not say its rules. By `lines` the values of `squares` are wrong; by `squares` some positions of `lines`
// are over.
TEST(Suites, WithTheValuesOfOtherRulesAreRefused) {
  for (const Rules rules : kAllRules) {
    for (const std::filesystem::path& file : default_suites_and_all(rules)) {
      const std::vector<std::filesystem::path> files = {file};
      EXPECT_EQ(read_suites(files, rules).size(), 1U);
      for (const Rules other : kAllRules) {
        if (other == rules) continue;
        const std::string why = other == Rules::lines ? "they are those by '" + to_string(rules)
                                                      : "the game is over in this position|already has a quarto";
        EXPECT_THAT([&] { read_suites(files, other); }, testing::ThrowsMessage<SuiteError>(testing::ContainsRegex(why)))
            << file;
      }
    }
  }
}

// Eight pieces on the board, and none later.
TEST(Suites, OfEarlierPositionsAloneAreCheckedToo) {
  const TemporaryDirectory dir;
  const std::vector<std::filesystem::path> files = {dir / "a.tsv"};
  for (const char* name : {"deep", "squares/deep"}) {
    std::vector<SuiteEntry> early;
    for (const SuiteEntry& e : read_suite(suite_path(name), name[0] == 's' ? Rules::squares : Rules::lines).entries) {
      if (e.position.pieces_on_board() == 8) early.push_back(e);
    }
    ASSERT_GT(early.size(), 100U);
    write_file_atomic(files[0], to_string(early));
    if (name[0] == 's') {
      EXPECT_THAT([&] { read_suites(files, Rules::lines); },
                  testing::ThrowsMessage<SuiteError>(HasSubstr("they are those by 'squares'")));
    } else {
      EXPECT_EQ(read_suites(files, Rules::lines).size(), 1U);
    }
  }
}

TEST(Suites, WithOneWrongValueAreRefused) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "a.tsv", "6CA3/4.58/2B1D/.EF7 9\t1\tb2:1 a4:1");
  const std::vector<std::filesystem::path> files = {dir / "a.tsv"};
  EXPECT_EQ(read_suites(files).size(), 1U);
  write_file_atomic(dir / "a.tsv", kGood);
  EXPECT_THAT([&] { read_suites(files); }, testing::ThrowsMessage<SuiteError>(HasSubstr("a.tsv:1: these are not")));
}

}  // namespace
}  // namespace quarto
