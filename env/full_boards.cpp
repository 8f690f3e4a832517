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

struct Signature {
  std::uint64_t lines = 0;    // bytes 0 to 3: columns a to d; byte 4: the diagonal a1-d4, byte 5: d1-a4
  std::uint32_t squares = 0;  // bytes 0 to 2: the 2x2 squares of rows 2 and 3 from column a, b, c; 0 if they do not win
  friend constexpr auto operator<=>(const Signature&, const Signature&) = default;
};

constexpr std::uint64_t shared(int p, int q) {
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
// bottom's row 3, row 4). And which of its two rows is next to the middle.
struct Half {
  std::array<int, 2> down, up;
  int inner;
};
constexpr Half kTop{{0, 1}, {3, 2}, 1}, kBottom{{2, 3}, {1, 0}, 0};

using Row = std::array<int, kSide>;

template <Rules kRules>
Signature signature(const Row& first, const Row& second, const Half& h) {
  Signature s;
  for (int c = 0; c < kSide; ++c) s.lines |= shared(first[c], second[c]) << (8 * c);
  s.lines |= shared(first[h.down[0]], second[h.down[1]]) << 32;
  s.lines |= shared(first[h.up[0]], second[h.up[1]]) << 40;
  if constexpr (kRules == Rules::squares) {
    const Row& inner = h.inner == 0 ? first : second;
    for (int c = 0; c + 1 < kSide; ++c)
      s.squares |= static_cast<std::uint32_t>(shared(inner[c], inner[c + 1]) << (8 * c));
  }
  return s;
}

// A 2x2 square within the half is two neighbouring columns of it.
constexpr bool has_quarto_in_square(const Signature& s) { return (s.lines & (s.lines >> 8) & 0xFF'FFFF) != 0; }

// The board symmetries that keep the halves apart: the columns reversed, which swaps the diagonals; and rows 1, 2 and
// rows 3, 4 and columns a, b and columns c, d swapped at once, which maps each diagonal to itself, but 2x2 squares to
// other sets.
constexpr Signature reversed(const Signature& s) {
  const std::uint64_t wide = ((s.lines & 0xFF00FF) << 8) | ((s.lines >> 8) & 0xFF00FF);
  return {((wide & 0xFFFF) << 16) | ((wide >> 16) & 0xFFFF) | ((s.lines >> 8) & 0xFF'0000'0000) |
              ((s.lines & 0xFF'0000'0000) << 8),
          ((s.squares & 0xFF) << 16) | (s.squares & 0xFF00) | (s.squares >> 16)};
}
constexpr Signature swapped(const Signature& s) {
  return {((s.lines & 0x00FF00FF) << 8) | ((s.lines >> 8) & 0x00FF00FF) | (s.lines & 0xFFFF'0000'0000), 0};
}
static_assert(reversed({0x060504030201, 0x030201}) == Signature{0x050601020304, 0x010203} &&
              swapped({0x060504030201}) == Signature{0x060503040102});

template <Rules kRules>
Signature least_image(const Signature& s) {
  if constexpr (kRules == Rules::squares) return std::min(s, reversed(s));
  return std::min({s, reversed(s), swapped(s), reversed(swapped(s))});
}

struct Signatures {
  std::vector<Signature> value;  // distinct
  // In the same order, each in an array of its own for the loop over all pairs: the two parts of `value`, and how many
  // orders of the half have it.
  std::vector<std::uint64_t> lines;
  std::vector<std::uint32_t> squares;
  std::vector<std::uint64_t> orders;
};

Signatures tally(std::vector<Signature> all) {
  std::sort(all.begin(), all.end());
  Signatures tallied;
  for (const Signature& s : all) {
    if (tallied.value.empty() || tallied.value.back() != s) {
      tallied.value.push_back(s);
      tallied.lines.push_back(s.lines);
      tallied.squares.push_back(s.squares);
      tallied.orders.push_back(0);
    }
    ++tallied.orders.back();
  }
  return tallied;
}

// The signatures of all orders of these 8 pieces on two rows that have no quarto within the half.
template <Rules kRules>
std::vector<Signature> halves(Mask pieces, const Half& half) {
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
        const Signature s = signature<kRules>(upper, lower, half);
        if (kRules == Rules::lines || !has_quarto_in_square(s)) all.push_back(s);
      } while (std::next_permutation(lower.begin(), lower.end()));
    } while (std::next_permutation(upper.begin(), upper.end()));
  }
  return all;
}

// How many of the halves make a board without a quarto with a half of this signature.
template <Rules kRules>
std::uint64_t partners(const Signature& s, const Signatures& halves) {
  std::uint64_t orders = 0;
  for (std::size_t i = 0; i < halves.orders.size(); ++i) {
    std::uint64_t both = s.lines & halves.lines[i];
    if constexpr (kRules == Rules::squares) both |= s.squares & halves.squares[i];
    orders += both == 0 ? halves.orders[i] : 0;
  }
  return orders;
}

template <Rules kRules>
std::uint64_t boards_with_top(Mask pieces) {
  std::vector<Signature> tops = halves<kRules>(pieces, kTop);
  for (Signature& s : tops) s = least_image<kRules>(s);
  const Signatures top = tally(std::move(tops)), bottom = tally(halves<kRules>(static_cast<Mask>(~pieces), kBottom));
  std::uint64_t boards = 0;
  for (std::size_t t = 0; t < top.value.size(); ++t) boards += top.orders[t] * partners<kRules>(top.value[t], bottom);
  return boards;
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

std::uint64_t full_boards_with_top(Mask pieces, Rules rules) {
  assert(std::popcount(pieces) == kPieces / 2);
  return rules == Rules::lines ? boards_with_top<Rules::lines>(pieces) : boards_with_top<Rules::squares>(pieces);
}

std::uint64_t full_boards_without_quarto(int threads, const std::function<void(int, int)>& report, Rules rules) {
  const std::vector<HalfClass> classes = half_classes();
  const int total = static_cast<int>(classes.size());
  std::atomic<int> next = 0, done = 0;
  std::atomic<std::uint64_t> boards = 0;
  const auto work = [&](bool reports) {
    for (int i = next++; i < total; i = next++) {
      const HalfClass& c = classes[static_cast<std::size_t>(i)];
      boards += static_cast<std::uint64_t>(c.size) * full_boards_with_top(c.pieces, rules);
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
