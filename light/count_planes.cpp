#include "light/count_planes.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace quarto::light {

void encode_counts(const Position& position, std::span<float> out) {
  if (out.size() < static_cast<std::size_t>(kCountsSize))
    throw std::invalid_argument("encode_counts: the output span is shorter than kCountsSize");
  std::fill_n(out.begin(), kCountsSize, 0.0F);
  const PairsInput in(position);
  const auto replies = std::make_unique<Replies>();
  const auto third = std::make_unique<ThirdPlacement>();
  const auto fourth = std::make_unique<FourthPlacement>();
  replies->count(in);
  third->count(in);
  fourth->count(in);
  for (int pair = 0; pair < in.n * in.n; ++pair) {
    const int p = in.pieces[static_cast<std::size_t>(pair / in.n)];
    const int s = in.squares[static_cast<std::size_t>(pair % in.n)];
    float* const counts = out.data() + (s * kPieces + p) * kPairCounts;
    replies->for_each_row(in, pair, [&](int table, int row) { counts[table * kReplyCounts + row] += 1; });
    third->for_each_row(in, pair,
                        [&](int table, int row) { counts[kFirstThirdCount + table * kThirdCounts + row] += 1; });
    fourth->for_each_row(in, pair,
                         [&](int table, int row) { counts[kFirstFourthCount + table * kFourthCounts + row] += 1; });
  }
}

}  // namespace quarto::light
