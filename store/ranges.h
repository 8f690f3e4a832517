// Ranges of game numbers, and sets of numbers as ranges.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quarto::store {

// The largest game number plus one: scripts in the store count in doubles.
inline constexpr std::uint64_t kMostGames = std::uint64_t{1} << 52;
// The most games of one lease, and so of one delivery.
inline constexpr std::uint32_t kMostInRange = 64;

// Games first .. first + count - 1; count is 1 .. kMostInRange.
struct Range {
  std::uint64_t first = 0;
  std::uint32_t count = 0;
  std::uint64_t end() const { return first + count; }
  friend auto operator<=>(const Range&, const Range&) = default;
};

std::string text_of(const Range& range);  // "128:8"
// Nothing for text that is not such a range.
std::optional<Range> parse_range(std::string_view text);

// A decimal number without sign, blanks or leading zeros; nothing for other text and above `most`.
std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t most = kMostGames);

// A set of numbers. It takes memory for its gaps, not for its numbers.
class RangeSet {
 public:
  using Interval = std::pair<std::uint64_t, std::uint64_t>;  // [begin, end)

  // Returns false if the number was there already.
  bool add(std::uint64_t number);
  void add(std::uint64_t begin, std::uint64_t end);
  bool contains(std::uint64_t number) const;
  std::uint64_t size() const { return size_; }
  // The largest number plus one; 0 for the empty set.
  std::uint64_t end() const { return intervals_.empty() ? 0 : intervals_.rbegin()->second; }
  // How many numbers below `end` are not in the set.
  std::uint64_t absent(std::uint64_t end) const;
  // The smallest number below which so many numbers are not in the set.
  std::uint64_t end_with_absent(std::uint64_t count) const;
  // At most `most` ranges, none longer than `longest`, of the numbers below `end` that are not in the set, from the
  // lowest.
  std::vector<Range> missing(std::uint64_t end, std::size_t most, std::uint32_t longest = kMostInRange) const;
  // In order, none touching the next.
  std::vector<Interval> intervals() const { return {intervals_.begin(), intervals_.end()}; }
  friend bool operator==(const RangeSet&, const RangeSet&) = default;

 private:
  std::map<std::uint64_t, std::uint64_t> intervals_;  // begin -> end
  std::uint64_t size_ = 0;
};

}  // namespace quarto::store
