#include "light/counts.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "env/lines.h"
#include "light/input_rows.h"

namespace quarto::light {

int counts_size(Rules rules) { return kPairCounts + static_cast<int>(winning_sets(rules).size()) * kLineCounts; }

void encode_counts(const Position& position, std::span<float> out) {
  const auto size = static_cast<std::size_t>(counts_size(position.rules()));
  if (out.size() < size) throw std::invalid_argument("encode_counts: the output span is shorter than counts_size()");
  std::fill_n(out.begin(), size, 0.0F);
  const auto rows = std::make_unique<InputRows>(position);
  const PairsInput& in = rows->pairs;
  for (int pair = 0; pair < in.n * in.n; ++pair) {
    const int p = in.pieces[static_cast<std::size_t>(pair / in.n)];
    const int s = in.squares[static_cast<std::size_t>(pair % in.n)];
    float* const counts = out.data() + (s * kPieces + p) * kPairRows;
    rows->for_each(pair, [&](int table, int row) { counts[first_row(table) + row] += 1; });
  }
  for (int i = 0; i < in.alive_count; ++i) {
    const auto& [line, value, state] = in.alive[static_cast<std::size_t>(i)];
    out[static_cast<std::size_t>(kPairCounts + in.line[line].which * kLineCounts + value * kLineStates + state)] = 1;
  }
}

}  // namespace quarto::light
