#include "store/ranges.h"

#include <algorithm>

#include "base/number.h"

namespace quarto::store {

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t most) {
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  const auto n = number_from<std::uint64_t>(text);
  return n && *n <= most ? n : std::nullopt;
}

std::string text_of(const Range& range) { return std::to_string(range.first) + ":" + std::to_string(range.count); }

std::optional<Range> parse_range(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto first = parse_number(text.substr(0, colon));
  const auto count = parse_number(text.substr(colon + 1), kMostInRange);
  if (!first || !count || *count == 0 || *first + *count > kMostGames) return std::nullopt;
  return Range{*first, static_cast<std::uint32_t>(*count)};
}

bool RangeSet::add(std::uint64_t number) {
  if (contains(number)) return false;
  add(number, number + 1);
  return true;
}

void RangeSet::add(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  auto at = intervals_.upper_bound(begin);
  if (at != intervals_.begin() && std::prev(at)->second >= begin) --at;
  while (at != intervals_.end() && at->first <= end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    size_ -= at->second - at->first;
    at = intervals_.erase(at);
  }
  intervals_.emplace(begin, end);
  size_ += end - begin;
}

bool RangeSet::contains(std::uint64_t number) const {
  const auto after = intervals_.upper_bound(number);
  return after != intervals_.begin() && number < std::prev(after)->second;
}

std::uint64_t RangeSet::absent(std::uint64_t end) const {
  std::uint64_t below = end;
  for (const auto& [begin, last] : intervals_) {
    if (begin >= end) break;
    below -= std::min(last, end) - begin;
  }
  return below;
}

std::uint64_t RangeSet::end_with_absent(std::uint64_t count) const {
  std::uint64_t from = 0;
  for (const auto& [begin, last] : intervals_) {
    if (count <= begin - from) break;
    count -= begin - from;
    from = last;
  }
  return from + count;
}

std::vector<Range> RangeSet::missing(std::uint64_t end, std::size_t most, std::uint32_t longest) const {
  std::vector<Range> ranges;
  const auto add_gap = [&](std::uint64_t from, std::uint64_t to) {
    while (from < to && ranges.size() < most) {
      const std::uint64_t n = std::min<std::uint64_t>(to - from, longest);
      ranges.push_back({from, static_cast<std::uint32_t>(n)});
      from += n;
    }
  };
  std::uint64_t from = 0;
  for (const auto& [begin, last] : intervals_) {
    if (begin >= end || ranges.size() >= most) break;
    add_gap(from, begin);
    from = last;
  }
  add_gap(from, std::max(from, end));
  return ranges;
}

}  // namespace quarto::store
