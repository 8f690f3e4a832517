#include "selfplay/piece_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <charconv>

#include "base/assign.h"

namespace quarto {
namespace {

// Reads a number from the start of `text` and removes it.
template <class Number>
bool take(std::string_view& text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}
bool take(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

PieceWeights PieceWeights::parse(std::string_view text, std::string_view key) {
  PieceWeights result;
  std::bitset<kSquares + 1> named;
  while (!text.empty()) {
    if (take(text, ' ')) continue;
    const std::string_view rest = text;
    const auto fail = [&](const char* why) {
      throw ConfigError(fmt::format("{}: '{}' {}; write ranges of pieces and their weight, as in \"6-9:4 12-16:0.5\"",
                                    key, rest.substr(0, rest.find(' ')), why));
    };
    int first = 0, last = 0;
    double weight = 0;
    if (!take(text, first)) fail("does not begin with a number of pieces");
    last = first;
    if (take(text, '-') && !take(text, last)) fail("has no number after the dash");
    if (!take(text, ':') || !take(text, weight) || (!text.empty() && text.front() != ' ')) fail("has no weight");
    if (first < 0 || last > kSquares || first > last) fail("is not a range of 0 to 16 pieces");
    if (!(weight >= 0 && weight <= 1000)) fail("has a weight that is not in 0 to 1000");
    for (int n = first; n <= last; ++n) {
      if (named.test(static_cast<std::size_t>(n))) fail("names pieces that were named before");
      named.set(static_cast<std::size_t>(n));
      result.weights_[static_cast<std::size_t>(n)] = weight;
    }
  }
  return result;
}

WeightedDraw::WeightedDraw(std::span<const double> weights) {
  for (const double w : weights) {
    even_ = even_ && w == weights.front();
    total_ += w;
    up_to_.push_back(total_);
  }
}

std::size_t WeightedDraw::operator()(Rng& rng) const {
  if (even_) return rng.below(up_to_.size());
  const double at = rng.uniform() * total_;
  // The first whose sum is above: an index of weight zero is never that.
  const auto found = std::upper_bound(up_to_.begin(), up_to_.end(), at);
  if (found != up_to_.end()) return static_cast<std::size_t>(found - up_to_.begin());
  // Rounding: the last with a weight.
  return static_cast<std::size_t>(std::lower_bound(up_to_.begin(), up_to_.end(), total_) - up_to_.begin());
}

}  // namespace quarto
