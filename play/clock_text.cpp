// Clocks as texts; apart from clock.cpp because the page's standard library does not read numbers.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "base/number.h"
#include "play/clock.h"

namespace quarto {
namespace {

using std::chrono::milliseconds;

double seconds_of(std::string_view text, std::string_view whole) {
  const auto seconds = number_from<double>(text);
  if (!seconds || !(*seconds >= 0 && *seconds <= 86400)) {
    throw std::invalid_argument(
        fmt::format("'{}' is no clock: expected SECONDS or SECONDS+INCREMENT, up to a day, e.g. 60 or 60+0.5", whole));
  }
  return *seconds;
}

milliseconds rounded(double seconds) { return milliseconds(std::llround(1000 * seconds)); }

}  // namespace

GameClock parse_clock(std::string_view text) {
  const auto plus = text.find('+');
  GameClock clock;
  clock.left = rounded(seconds_of(text.substr(0, plus), text));
  if (plus != std::string_view::npos) clock.increment = rounded(seconds_of(text.substr(plus + 1), text));
  if (clock.left.count() == 0)
    throw std::invalid_argument(fmt::format("'{}' is no clock: the time for the game must be above zero", text));
  return clock;
}

std::string to_string(const GameClock& clock) {
  const auto seconds = [](milliseconds t) { return fmt::format("{}", static_cast<double>(t.count()) / 1000); };
  return clock.increment.count() > 0 ? seconds(clock.left) + "+" + seconds(clock.increment) : seconds(clock.left);
}

}  // namespace quarto
