#include "store/ranges.h"

#include <gmock/gmock.h>

#include <set>

#include "base/random.h"

namespace quarto::store {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Ranges, TextIsReadBack) {
  for (const Range range : {Range{0, 1}, Range{128, 8}, Range{kMostGames - 64, 64}})
    EXPECT_EQ(parse_range(text_of(range)), range);
}

TEST(Ranges, OtherTextIsNoRange) {
  for (const char* text : {"", ":", "1", "1:", ":1", "1:0", "1:65", "-1:2", "01:2", "1:2 ", " 1:2", "1:2:3", "a:b",
                           "4503599627370496:1", "99999999999999999999:1"})
    EXPECT_FALSE(parse_range(text)) << text;
}

TEST(RangeSet, IsTheSetOfItsNumbers) {
  Rng rng(1);
  for (int round = 0; round < 50; ++round) {
    RangeSet set;
    std::set<std::uint64_t> plain;
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t begin = rng.below(200), end = begin + rng.below(12);
      if (rng.below(2)) {
        set.add(begin, end);
        for (std::uint64_t n = begin; n < end; ++n) plain.insert(n);
      } else {
        ASSERT_EQ(set.add(begin), plain.insert(begin).second);
      }
      ASSERT_EQ(set.size(), plain.size());
    }
    for (std::uint64_t n = 0; n < 220; ++n) ASSERT_EQ(set.contains(n), plain.contains(n));
    EXPECT_EQ(set.end(), *plain.rbegin() + 1);
    std::set<std::uint64_t> missing;
    for (const Range& range : set.missing(220, 1000)) {
      for (std::uint64_t n = range.first; n < range.end(); ++n) EXPECT_TRUE(missing.insert(n).second);
    }
    for (std::uint64_t n = 0; n < 220; ++n) ASSERT_EQ(missing.contains(n), !plain.contains(n)) << n;
    std::uint64_t absent = 0;
    for (std::uint64_t n = 0; n < 220; ++n) {
      ASSERT_EQ(set.absent(n), absent) << n;
      if (plain.contains(n)) continue;
      ++absent;
      ASSERT_EQ(set.end_with_absent(absent), n + 1);
    }
    for (std::size_t i = 1; i < set.intervals().size(); ++i)
      EXPECT_GT(set.intervals()[i].first, set.intervals()[i - 1].second) << "touching intervals are one";
  }
}

TEST(RangeSet, MissingNumbersComeInRangesOfALease) {
  RangeSet set;
  set.add(0, 10);
  set.add(12, 20);
  EXPECT_THAT(set.missing(100, 100), ElementsAre(Range{10, 2}, Range{20, 64}, Range{84, 16}));
  EXPECT_THAT(set.missing(100, 2), ElementsAre(Range{10, 2}, Range{20, 64}));
  EXPECT_TRUE(set.missing(10, 5).empty());
  EXPECT_THAT(set.intervals(), ElementsAre(Pair(0, 10), Pair(12, 20)));
}

}  // namespace
}  // namespace quarto::store
