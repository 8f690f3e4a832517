// Lines about a trouble that comes and goes: the first at once, and then less and less often.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace quarto {

// Not thread-safe.
class Repeats {
 public:
  static constexpr double kFirst = 60, kMost = 3600;  // seconds of silence

  // What to say at this second of any clock instead of `line`; nothing within the silence that follows a line like it.
  // Lines are alike that differ in numbers alone. The silence is a minute, and twice as long each time up to an hour;
  // it is over for good when it has passed twice without such a line.
  std::optional<std::string> filter(const std::string& line, double now) {
    std::string kind = line;
    std::erase_if(kind, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
    Line& at = lines_[kind];
    const bool is_new = at.silence == 0 || now > at.last + 2 * at.silence;
    if (!is_new && now < at.said + at.silence) {
      at.last = now;
      ++at.unsaid;
      return std::nullopt;
    }
    const std::uint64_t unsaid = is_new ? 0 : at.unsaid;
    at = {now, now, is_new ? kFirst : std::min(kMost, 2 * at.silence), 0};
    return unsaid == 0 ? line : line + " (and " + std::to_string(unsaid) + " times since this was last said)";
  }

 private:
  struct Line {
    double said = 0, last = 0, silence = 0;
    std::uint64_t unsaid = 0;
  };
  std::map<std::string, Line> lines_;
};

}  // namespace quarto
