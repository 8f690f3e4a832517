#include "light/third_placement.h"

#include <algorithm>

namespace quarto::light {

// After p is on s, m is the `least` of Replies for the pair (q, z).
void ThirdPlacement::count(const Position& position, const PairsInput& in) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int pair = 0; pair < in.n * in.n; ++pair) {
    const Mask given = ThirdPlacement::given(in, pair);
    if (!given) continue;
    const int row = pair / in.n, column = pair % in.n;
    const Position held = in.placing ? position : position.after(Move::give(piece(in.pieces[at(row)])));
    const PairsInput next(held.after(Move::place(square(in.squares[at(column)]))));
    replies_.count_least(next, given);
    for (int q_row = 0; q_row < next.n; ++q_row) {
      const int q = next.pieces[at(q_row)];
      if (!(given >> q & 1)) continue;
      Counts c{0, 0, 0, kThirdCounts - 1};
      for (int z = 0; z < next.n; ++z) {
        const int reply = q_row * next.n + z;
        if (!next.given[at(reply)]) continue;
        const int m = replies_.least[at(reply)];
        c.none = static_cast<std::uint8_t>(c.none + (m == 0));
        c.one = static_cast<std::uint8_t>(c.one + (m == 1));
        c.odd = static_cast<std::uint8_t>(c.odd + (m & 1));
        c.least = static_cast<std::uint8_t>(std::min<int>(c.least, m));
      }
      counts_[at(pair)][at(q)] = c;
    }
  }
}

}  // namespace quarto::light
