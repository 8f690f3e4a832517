#include "env/full_boards.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

#include "env/symmetry.h"

namespace quarto {
namespace {

constexpr unsigned kAll = (1U << kAttributes) - 1;

// Bytes 0 to 3: columns a to d; byte 4: the diagonal a1-d4, byte 5: d1-a4.
using Signature = std::uint64_t;

constexpr Signature shared(int p, int q) {
  const auto a = static_cast<unsigned>(p), b = static_cast<unsigned>(q);
  return (a & b) | ((~(a | b) & kAll) << kAttributes);
}

bool is_quarto(Mask four) {
  unsigned all = kAll, any = 0;
  for (const int p : BitsOf(four)) {
    all &= static_cast<unsigned>(p);
    any |= static_cast<unsigned>(p);
  }
  return all != 0 || any != kAll;
}

// Which columns of a half lie on the diagonals: a1-d4 first, then d1-a4; outer row first (the top's row 1, row 2; the
// bottom's row 3, row 4).
struct Diagonals {
  std::array<int, 2> down, up;
};
constexpr Diagonals kTop{{0, 1}, {3, 2}}, kBottom{{2, 3}, {1, 0}};

using Row = std::array<int, kSide>;

Signature signature(const Row& first, const Row& second, const Diagonals& d) {
  Signature s = 0;
  for (int c = 0; c < kSide; ++c) s |= shared(first[c], second[c]) << (8 * c);
  s |= shared(first[d.down[0]], second[d.down[1]]) << 32;
  s |= shared(first[d.up[0]], second[d.up[1]]) << 40;
  return s;
}

// The board symmetries that keep the halves apart: the columns reversed, which swaps the diagonals; and rows 1, 2 and
// rows 3, 4 and columns a, b and columns c, d swapped at once, which maps each diagonal to itself.
constexpr Signature reversed(Signature s) {
  const Signature wide = ((s & 0xFF00FF) << 8) | ((s >> 8) & 0xFF00FF);
  return ((wide & 0xFFFF) << 16) | ((wide >> 16) & 0xFFFF) | ((s >> 8) & 0xFF'0000'0000) | ((s & 0xFF'0000'0000) << 8);
}
constexpr Signature swapped(Signature s) {
  return ((s & 0x00FF00FF) << 8) | ((s >> 8) & 0x00FF00FF) | (s & 0xFFFF'0000'0000);
}
static_assert(reversed(0x060504030201) == 0x050601020304 && swapped(0x060504030201) == 0x060503040102);

Signature least_image(Signature s) { return std::min({s, reversed(s), swapped(s), reversed(swapped(s))}); }

struct Signatures {
  std::vector<Signature> value;       // distinct
  std::vector<std::uint64_t> orders;  // how many orders of the half have it
};

Signatures tally(std::vector<Signature> all) {
  std::sort(all.begin(), all.end());
  Signatures tallied;
  for (const Signature s : all) {
    if (tallied.value.empty() || tallied.value.back() != s) {
      tallied.value.push_back(s);
      tallied.orders.push_back(0);
    }
    ++tallied.orders.back();
  }
  return tallied;
}

// The signatures of all orders of these 8 pieces on two rows that have no quarto in a row.
std::vector<Signature> halves(Mask pieces, const Diagonals& diagonals) {
  std::vector<Signature> all;
  for (unsigned subset = pieces; subset != 0; subset = (subset - 1) & pieces) {
    const auto first = static_cast<Mask>(subset), second = static_cast<Mask>(pieces & ~subset);
    if (std::popcount(first) != kSide || is_quarto(first) || is_quarto(second)) continue;
    Row upper{}, lower{};
    int n = 0;
    for (const int p : BitsOf(first)) upper[n++] = p;
    n = 0;
    for (const int p : BitsOf(second)) lower[n++] = p;
    do {
      do {
        all.push_back(signature(upper, lower, diagonals));
      } while (std::next_permutation(lower.begin(), lower.end()));
    } while (std::next_permutation(upper.begin(), upper.end()));
  }
  return all;
}

}  // namespace

std::vector<Mask> sets_without_quarto() {
  std::vector<Mask> sets;
  for (unsigned set = 0; set <= 0xFFFF; ++set) {
    if (std::popcount(set) == kSide && !is_quarto(static_cast<Mask>(set))) sets.push_back(static_cast<Mask>(set));
  }
  return sets;
}

std::uint64_t partitions_without_quarto() {
  // ways[s]: to part the set s. The set with the lowest piece goes first, so that each partition is counted once.
  const std::vector<Mask> sets = sets_without_quarto();
  std::vector<std::uint64_t> ways(0x10000, 0);
  ways[0] = 1;
  for (unsigned s = 1; s <= 0xFFFF; ++s) {
    if (std::popcount(s) % kSide != 0) continue;
    const unsigned lowest = s & -s;
    for (const Mask set : sets) {
      if ((set & lowest) != 0 && (set & ~s) == 0) ways[s] += ways[s & ~static_cast<unsigned>(set)];
    }
  }
  return ways[0xFFFF];
}

std::vector<HalfClass> half_classes() {
  std::vector<HalfClass> classes;
  std::vector<bool> seen(0x10000, false);
  for (unsigned s = 0; s <= 0xFFFF; ++s) {
    if (std::popcount(s) != kPieces / 2 || seen[s]) continue;
    HalfClass found{static_cast<Mask>(s), 0};
    for (const PieceSymmetry& g : piece_symmetries()) {
      Mask image = 0;
      for (const int p : BitsOf(found.pieces)) image |= bit(g.apply(piece(p)));
      found.size += !seen[image];
      seen[image] = true;
    }
    classes.push_back(found);
  }
  return classes;
}

std::uint64_t full_boards_with_top(Mask pieces) {
  assert(std::popcount(pieces) == kPieces / 2);
  std::vector<Signature> tops = halves(pieces, kTop);
  for (Signature& s : tops) s = least_image(s);
  const Signatures top = tally(std::move(tops)), bottom = tally(halves(static_cast<Mask>(~pieces), kBottom));
  std::uint64_t boards = 0;
  for (std::size_t t = 0; t < top.value.size(); ++t) {
    const Signature s = top.value[t];
    std::uint64_t partners = 0;
    for (std::size_t b = 0; b < bottom.value.size(); ++b) {
      partners += (s & bottom.value[b]) == 0 ? bottom.orders[b] : 0;
    }
    boards += top.orders[t] * partners;
  }
  return boards;
}

std::uint64_t full_boards_without_quarto(int threads, const std::function<void(int, int)>& report) {
  const std::vector<HalfClass> classes = half_classes();
  const int total = static_cast<int>(classes.size());
  std::atomic<int> next = 0, done = 0;
  std::atomic<std::uint64_t> boards = 0;
  const auto work = [&](bool reports) {
    for (int i = next++; i < total; i = next++) {
      const HalfClass& c = classes[static_cast<std::size_t>(i)];
      boards += static_cast<std::uint64_t>(c.size) * full_boards_with_top(c.pieces);
      const int finished = ++done;
      if (reports && report) report(finished, total);
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (int t = 1; t < threads; ++t) helpers.emplace_back([&work] { work(false); });
    work(true);
  }
  return boards;
}

}  // namespace quarto
