#include "light/integer_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/index.h"
#include "base/random.h"
#include "env/random_play.h"
#include "light/integer_pairs.h"
#include "light/pairs_weights.h"
#include "light/softmax.h"

namespace quarto::light {
namespace {

namespace at = pairs_entry;

using Number = std::int16_t;
constexpr int kMostMatrix = 127;

// The largest absolute value of a sum of rows: as often as a pair adds a row of a table, for each element the largest.
std::int64_t largest_input(const PairsShape& shape, const PairsLayout& layout, std::span<const Number> weights) {
  const auto times = [](int t) {
    if (t == kReplySafe || t == kReplyOdd || t == kReplyOne) return kMostReplySquares - 1;
    if (t >= kThirdNone && t <= kThirdLeast) return kMostThirdSquares - 1;
    return t == kFourthHolding ? kMostFourthSquares - 1 : 1;
  };
  std::int64_t most = 0;
  for (int j = 0; j < shape.width; ++j) {
    std::int64_t sum = 0;
    for (int t = 0; t < kTables; ++t) {
      const PairsLayout::Entry& e = layout.entries[idx(at::table(shape.blocks, t))];
      int largest = 0;
      for (int i = 0; i < e.rows; ++i)
        largest = std::max(largest, std::abs(int{weights[idx(e.offset + i * e.cols + j)]}));
      sum += std::int64_t{largest} * times(t);
    }
    most = std::max(most, sum);
  }
  return most;
}

// Where an entry stands: its block, the number of blocks for the heads, -1 for a table of the input; and its place in it.
struct Place {
  int block, entry;
};
Place place_of(const PairsShape& shape, int entry) {
  if (entry < at::block(0, 0) || entry >= at::head(shape.blocks, at::kHeads)) return {-1, entry};
  const int block = std::min((entry - at::block(0, 0)) / at::kBlock, shape.blocks);
  return {block, entry - at::block(block, 0)};
}

// Fraction bits of what is added.
int added_bits(const IntegerWeights& w, int entry) {
  const Place place = place_of(w.shape, entry);
  return place.block < 0 || (place.block < w.shape.blocks && place.entry == at::kOutBias) ? w.pair_bits()
                                                                                          : w.hidden_bits(place.block);
}

}  // namespace

int product_shift(const IntegerWeights& w, int entry) {
  const Place place = place_of(w.shape, entry);
  const int shift = w.shifts[idx(entry)];
  if (place.block < w.shape.blocks) {
    if (place.entry == at::kOut) return w.hidden_bits(place.block) + shift - w.pair_bits();
    if (place.entry == at::kLineToPair || place.entry == at::kLineToSquare) return shift;
  }
  return w.input_bits(place.block) + shift - w.hidden_bits(place.block);
}

// Every sum of the kernel is proven to fit: products by these limits and the number of their inputs, what is added by
// those of activation() and term(), inputs by largest_input().
void require_usable(const IntegerWeights& given) {
  if (!PairsKernel::supports(given.shape)) throw std::invalid_argument("PairsKernel: this shape is not supported");
  const PairsLayout layout(given.shape);
  if (given.weights.size() != idx(layout.size) || given.shifts.size() != layout.entries.size() ||
      given.bits.size() != IntegerWeights::bits_of(given.shape))
    throw std::invalid_argument("PairsKernel: the number of weights is not that of the shape");
  for (const int bits : given.bits) {
    if (bits > kMostFractionBits)
      throw std::runtime_error(fmt::format("{} fraction bits; {} are the most", bits, kMostFractionBits));
  }
  for (int b = 0; b <= given.shape.blocks; ++b) {
    if (given.input_bits(b) > given.pair_bits())
      throw std::runtime_error(
          fmt::format("an input of {} fraction bits; the pairs have {}", given.input_bits(b), given.pair_bits()));
  }
  const std::span<const Number> weights = given.weights;
  for (std::size_t i = 0; i < layout.entries.size(); ++i) {
    const PairsLayout::Entry& e = layout.entries[i];
    const bool matrix = is_matrix(e);
    const bool shifted = matrix && !gives_logits(e);
    if (given.shifts[i] > (matrix ? kMostShift : 0) || (shifted && product_shift(given, static_cast<int>(i)) < 1))
      throw std::runtime_error(fmt::format("'{}' cannot have {} fraction bits", e.name, given.shifts[i]));
    const int most = matrix ? kMostMatrix : kMostTerm;
    for (const Number w : weights.subspan(idx(e.offset), idx(e.rows * e.cols))) {
      if (std::abs(int{w}) > most)
        throw std::runtime_error(fmt::format("a weight of '{}' is {}; {} is the most", e.name, w, most));
    }
  }
  if (largest_input(given.shape, layout, weights) > kMostState)
    throw std::runtime_error("the rows of the input can add up to more than 16 bits hold");
}

bool gives_logits(const PairsLayout::Entry& entry) { return entry.table && entry.name.ends_with("_out"); }

bool is_matrix(const PairsLayout::Entry& entry) { return entry.table ? gives_logits(entry) : entry.gain > 0; }

IntegerWeights integer_weights(const PairsShape& shape, std::span<const float> weights,
                               std::vector<std::uint8_t> bits) {
  require_usable(shape, weights);
  if (bits.size() != IntegerWeights::bits_of(shape))
    throw std::invalid_argument(
        fmt::format("{} fraction bits for a shape of {}", bits.size(), IntegerWeights::bits_of(shape)));
  const PairsLayout layout(shape);
  IntegerWeights out{shape, std::move(bits), std::vector<std::uint8_t>(layout.entries.size()),
                     std::vector<Number>(weights.size())};
  for (std::size_t i = 0; i < layout.entries.size(); ++i) {
    const PairsLayout::Entry& e = layout.entries[i];
    const auto of = weights.subspan(idx(e.offset), idx(e.rows * e.cols));
    float largest = 0;
    for (const float w : of) largest = std::max(largest, std::abs(w));
    const int most = is_matrix(e) ? kMostMatrix : kMostTerm;
    int shift = kMostShift;
    if (is_matrix(e)) {
      while (shift > 0 && std::ldexp(largest, shift) >= static_cast<float>(most) + 0.5F) --shift;
      out.shifts[i] = static_cast<std::uint8_t>(shift);
    } else {
      shift = added_bits(out, static_cast<int>(i));
    }
    if (std::ldexp(largest, shift) >= static_cast<float>(most) + 0.5F)
      throw std::invalid_argument(
          fmt::format("a weight of '{}' is {:.3g}, too large for {} fraction bits", e.name, largest, shift));
    for (std::size_t k = 0; k < of.size(); ++k)
      out.weights[idx(e.offset) + k] = static_cast<Number>(std::lround(std::ldexp(of[k], shift)));
  }
  return out;
}

IntegerWeights integer_weights(const PairsShape& shape, std::span<const float> weights, Rules rules) {
  constexpr int kPositions = 400, kLeastPieces = 3;
  std::vector<Position> positions;
  for (Rng rng(1); positions.size() < kPositions;) {
    const Position p = unfinished_position(rng, rules);
    if (p.ply() >= 2 * kLeastPieces) positions.push_back(p);
  }
  const auto answers = [&](const PairsKernel& kernel) {
    const auto workspace = kernel.new_workspace();
    std::vector<Evaluation> all;
    for (const Position& p : positions) {
      const PairsOutput out = kernel.forward(p, *workspace);
      all.push_back(evaluation_of(out.policy, p.legal_moves(), out.outcome));
    }
    return all;
  };
  const std::vector<Evaluation> wanted = answers(*PairsKernel::make(shape, weights));
  std::string why;
  // Of all probabilities. Infinite for bits that are not possible.
  const auto difference = [&](const std::vector<std::uint8_t>& bits) {
    try {
      const std::vector<Evaluation> found = answers(*make_integer_kernel(integer_weights(shape, weights, bits)));
      double sum = 0;
      for (std::size_t i = 0; i < found.size(); ++i) {
        for (std::size_t m = 0; m < kMoves; ++m) sum += std::abs(found[i].prior[m] - wanted[i].prior[m]);
        sum += std::abs(found[i].win - wanted[i].win) + std::abs(found[i].loss - wanted[i].loss);
      }
      return sum;
    } catch (const std::exception& e) {
      if (why.empty()) why = e.what();
      return HUGE_VAL;
    }
  };
  // The best of equal bits everywhere; then one number after the other as long as that helps.
  std::vector<std::uint8_t> best;
  double least = HUGE_VAL;
  const auto keep_if_nearer = [&](const std::vector<std::uint8_t>& bits) {
    const double found = difference(bits);
    if (found >= least) return false;
    least = found;
    best = bits;
    return true;
  };
  for (int all = 0; all <= kMostFractionBits; ++all)
    keep_if_nearer(std::vector<std::uint8_t>(IntegerWeights::bits_of(shape), static_cast<std::uint8_t>(all)));
  if (best.empty()) throw std::invalid_argument("no form of the network in integers was found: " + why);
  for (bool helped = true; helped;) {
    helped = false;
    for (std::size_t i = 0; i < best.size(); ++i) {
      for (const int change : {1, -1}) {
        while (true) {
          std::vector<std::uint8_t> bits = best;
          if (bits[i] + change < 0 || bits[i] + change > kMostFractionBits) break;
          bits[i] = static_cast<std::uint8_t>(bits[i] + change);
          if (!keep_if_nearer(bits)) break;
          helped = true;
        }
      }
    }
  }
  return integer_weights(shape, weights, best);
}

}  // namespace quarto::light
