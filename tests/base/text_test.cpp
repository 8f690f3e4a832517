// Checksums, and texts for people and terminals.
#include "base/text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/checksum.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/progress.h"
#include "base/repeats.h"
#include "base/utf8.h"

namespace quarto {
namespace {

TEST(Crc32c, GivesThePublishedCheckValue) { EXPECT_EQ(crc32c("123456789"), 0xE3069283U); }

TEST(Crc32c, MayBeTakenInParts) {
  EXPECT_EQ(crc32c("6789", crc32c("12345")), 0xE3069283U);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(Number, IsTheWholeTextOrNone) {
  EXPECT_EQ(number_from<int>("-12"), -12);
  EXPECT_EQ(number_from<double>("0.5"), 0.5);
  for (const char* none : {"", " 1", "1 ", "+1", "1x", "x", "0x1", "1.5", "99999999999"}) {
    EXPECT_EQ(number_from<int>(none), std::nullopt) << none;
  }
}

TEST(Printable, MessagesKeepLinesAndLettersAndLoseCommandsForTerminals) {
  EXPECT_EQ(without_control_characters("a.yaml:1: \t'n\xC3\xA4\x63hte'\n"), "a.yaml:1: \t'n\xC3\xA4\x63hte'\n");
  EXPECT_EQ(without_control_characters("\x1B]0;title\x07\r\x7F"), "?]0;title???");
  EXPECT_EQ(without_control_characters("\xC2\x9B"
                                       "2J\xC2\xA0"),
            "??2J\xC2\xA0");
  EXPECT_EQ(without_control_characters("\xC2"), "\xC2");
}

TEST(Utf8, IsCutBetweenCharacters) {
  EXPECT_EQ(cut_to("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to("abcdefg", 6), "abc...");
  EXPECT_EQ(cut_to("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F", 4), "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F");
  EXPECT_EQ(cut_to("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F!", 4), "\xC3\xA4...");
  EXPECT_EQ(utf8_length("\xC3\xA4\xFF"), 2U);
}

TEST(Utf8, EveryBoundaryOfItsTableIsKept) {
  for (const char* good : {"", "a\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
                           "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF",
                           "runs/n\xC3\xA4"
                           "chte"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
    EXPECT_EQ(as_utf8(good), good);
  }
  for (const char* bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x41", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "a\xF0\x9F\x98"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
    EXPECT_TRUE(is_utf8(as_utf8(bad))) << bad;
  }
}

TEST(Utf8, OnlyWhatIsNoCharacterIsReplaced) {
  EXPECT_EQ(as_utf8("a\xFF\xFE/\xC3\xA4"), "a\xEF\xBF\xBD\xEF\xBF\xBD/\xC3\xA4");
  EXPECT_EQ(as_utf8("\xC3"
                    "b"),
            "\xEF\xBF\xBD"
            "b");
}

using namespace std::string_literals;

TEST(Text, IsTheSameHoweverAProgramWritesIt) {
  for (const std::string& given : {"a\nb\n"s, "a\r\nb\r\n"s, "\xEF\xBB\xBF"s + "a\nb\n", "\xEF\xBB\xBF"s + "a\r\nb\r\n",
                                   "\xFF\xFE"s + "a\0\r\0\n\0b\0\n\0"s, "\xFE\xFF"s + "\0a\0\n\0b\0\r\0\n"s}) {
    EXPECT_EQ(plain_text(given), "a\nb\n");
    std::istringstream stream(given);
    TextLines lines(stream);
    for (const std::string wanted : {"a", "b"}) {
      std::string line;
      EXPECT_TRUE(lines.next(line, 10));
      EXPECT_EQ(line, wanted);
    }
    std::string line;
    EXPECT_FALSE(lines.next(line, 10));
    EXPECT_TRUE(stream.good());
  }
}

TEST(Text, EveryLengthOfCharacterOfUtf16IsDecoded) {
  EXPECT_EQ(plain_text("\xFE\xFF\0\x7F\0\x80\x07\xFF\x08\0\xFF\xFF\xD8\0\xDC\0\xDB\xFF\xDF\xFF"s),
            "\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
  const std::string none = "\xEF\xBF\xBD";
  EXPECT_EQ(plain_text("\xFE\xFF\xD8\0\0a\xDC\0\xD8\0\xD8\0\xDC\0"s), none + "a" + none + none + "\xF0\x90\x80\x80");
  EXPECT_EQ(plain_text("\xFE\xFF\0a\0"s), "a" + none) << "half a character";
  EXPECT_EQ(plain_text("\xFF\xFE\0\xD8"s), none) << "half a pair";
}

TEST(Text, WhatIsNoMarkAndNoEndOfLineStays) {
  for (const std::string given :
       {"", "\xEF", "\xEF\xBB", "\xFE", "\xFF", "\xFFx", "\xEF\xBBx\n", "a\rb\r", "a\r\rb", "x\xEF\xBB\xBF"})
    EXPECT_EQ(plain_text(given), given);
  EXPECT_EQ(plain_text("\xEF\xBB\xBF\xEF\xBB\xBFx"), "\xEF\xBB\xBFx") << "only one is a mark";
  EXPECT_EQ(plain_text("a\r\r\n"), "a\r\n");
}

TEST(Text, OfALongLineTheBeginningIsKept) {
  std::istringstream stream(std::string(100, 'x') + "\nquit");
  TextLines lines(stream);
  std::string line;
  ASSERT_TRUE(lines.next(line, 10));
  EXPECT_EQ(line.size(), 11U);
  ASSERT_TRUE(lines.next(line, 10));
  EXPECT_EQ(line, "quit");
  EXPECT_FALSE(lines.next(line, 10));
}

TEST(Repeats, ALineThatComesAgainIsSaidLessAndLessOften) {
  Repeats repeats;
  std::vector<std::string> said;
  std::vector<double> when;
  for (int tenth = 0; tenth < 36'000 * 6; ++tenth) {
    const auto line = repeats.filter("lost after " + std::to_string(tenth) + " s", 0.1 * tenth);
    if (!line) continue;
    said.push_back(*line);
    when.push_back(0.1 * tenth);
  }
  EXPECT_EQ(said[0], "lost after 0 s");
  EXPECT_EQ(said[1], "lost after 600 s (and 599 times since this was last said)");
  EXPECT_EQ(said.size(), 11U) << "after 0, 1, 3, 7, 15, 31 and 63 minutes, and then each hour";
  EXPECT_NEAR(when[6], 3780, 1);
  EXPECT_TRUE(repeats.filter("another", when.back()));
}

TEST(Repeats, WhatHasNotComeForLongIsNew) {
  Repeats repeats;
  EXPECT_EQ(repeats.filter("a", 0), "a");
  EXPECT_EQ(repeats.filter("a", 59), std::nullopt);
  EXPECT_EQ(repeats.filter("a", 180), "a");
  EXPECT_EQ(repeats.filter("a", 239), std::nullopt) << "the silence is a minute again";
}

TEST(Format, DurationsReadAsPeopleSayThem) {
  EXPECT_EQ(format_duration(3.2), "3 s");
  EXPECT_EQ(format_duration(245), "4 min 05 s");
  EXPECT_EQ(format_duration(7860), "2 h 11 min");
}

TEST(Format, CountsAreShort) {
  EXPECT_EQ(format_count(950), "950");
  EXPECT_EQ(format_count(12345), "12.3k");
  EXPECT_EQ(format_count(4560000), "4.56M");
  EXPECT_EQ(format_count(0.25), "0.2");
}

TEST(Format, RatesHaveTheUnitInWhichTheyCanBeRead) {
  EXPECT_EQ(format_rate(172.4), "172.4/s");
  EXPECT_EQ(format_rate(0.5), "0.5/s");
  EXPECT_EQ(format_rate(0.02), "1.2/min");
  EXPECT_EQ(format_rate(0.001), "3.6/h");
  EXPECT_EQ(format_rate(0), "");
}

TEST(Format, OneThingIsSingular) {
  EXPECT_EQ(counted(0, "game"), "0 games");
  EXPECT_EQ(counted(1, "game"), "1 game");
  EXPECT_EQ(counted(2, "game"), "2 games");
}

}  // namespace
}  // namespace quarto
