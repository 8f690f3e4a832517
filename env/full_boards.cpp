#include "env/full_boards.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

#include "base/parallel.h"
#include "env/symmetry.h"

namespace quarto {
namespace {

constexpr unsigned kAll = (1U << kAttributes) - 1;

bool is_quarto(Mask four) {
  unsigned all = kAll, any = 0;
  for (const int p : BitsOf(four)) {
    all &= static_cast<unsigned>(p);
    any |= static_cast<unsigned>(p);
  }
  return all != 0 || any != kAll;
}

constexpr Mask kTop = 0x00FF, kBottom = 0xFF00;  // rows 1 and 2; rows 3 and 4

// The winning sets of a rule set, as the halves cut them. Rows are left out: the pieces are parted into rows that are
// no quarto before anything else is asked.
template <Rules kRules>
struct Cut {
  static constexpr int count(auto&& belongs) {
    int n = 0;
    for (const Mask set : winning_sets(kRules).subspan(kSide)) n += belongs(set);
    return n;
  }
  static constexpr bool crosses(Mask set) { return (set & kTop) != 0 && (set & kBottom) != 0; }
  static constexpr int kCrossing = count(crosses);
  static constexpr int kWords = (kCrossing + 3) / 4;

  template <int n>
  static constexpr std::array<Mask, n> those(auto&& belongs) {
    std::array<Mask, n> sets{};
    std::size_t i = 0;
    for (const Mask set : winning_sets(kRules).subspan(kSide)) {
      if (belongs(set)) sets[i++] = set;
    }
    return sets;
  }
  static constexpr auto kCrossingSets = those<kCrossing>(crosses);
  // The sets within one half.
  template <Mask kHalf>
  static constexpr auto kWithin = those<count([](Mask set) { return (set & ~kHalf) == 0; })>([](Mask set) {
    return (set & ~kHalf) == 0;
  });
};

// A byte for each crossing set, four to a word: what all its pieces in this half have (four bits) and lack (four bits).
template <Rules kRules>
using Signature = std::array<std::uint32_t, Cut<kRules>::kWords>;

using Board = std::array<std::uint8_t, kSquares>;  // the piece on each square of a half; the other squares are not read

constexpr unsigned shared(const Board& board, Mask squares) {
  unsigned have = kAll, lack = kAll;
  for (const int s : BitsOf(squares)) {
    have &= board[static_cast<std::size_t>(s)];
    lack &= ~static_cast<unsigned>(board[static_cast<std::size_t>(s)]);
  }
  return have | (lack << kAttributes);
}

template <Rules kRules, Mask kHalf>
Signature<kRules> signature(const Board& board) {
  Signature<kRules> words{};
  constexpr auto& sets = Cut<kRules>::kCrossingSets;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    words[i / 4] |= static_cast<std::uint32_t>(shared(board, sets[i] & kHalf)) << (8 * (i % 4));
  }
  return words;
}

// Where a board symmetry that maps the halves to themselves takes each crossing set.
template <Rules kRules>
using SetImages = std::array<std::size_t, Cut<kRules>::kCrossing>;

template <Rules kRules>
std::vector<SetImages<kRules>> symmetries_of_halves() {
  constexpr auto& sets = Cut<kRules>::kCrossingSets;
  std::vector<SetImages<kRules>> all;
  for (const BoardSymmetry& g : board_symmetries(kRules)) {
    if (g.apply(kTop) != kTop) continue;
    SetImages<kRules> images{};
    for (std::size_t i = 0; i < sets.size(); ++i) {
      images[i] = static_cast<std::size_t>(std::find(sets.begin(), sets.end(), g.apply(sets[i])) - sets.begin());
    }
    // Two that move the sets alike (they differ within them) give the same image.
    if (std::find(all.begin(), all.end(), images) == all.end()) all.push_back(images);
  }
  return all;
}

template <Rules kRules>
Signature<kRules> least_image(const Signature<kRules>& s, const std::vector<SetImages<kRules>>& symmetries) {
  Signature<kRules> least = s;
  for (const auto& images : symmetries) {
    Signature<kRules> image{};
    for (std::size_t i = 0; i < images.size(); ++i) {
      const std::uint32_t byte = (s[i / 4] >> (8 * (i % 4))) & 0xFF;
      image[images[i] / 4] |= byte << (8 * (images[i] % 4));
    }
    least = std::min(least, image);
  }
  return least;
}

template <Rules kRules>
struct Signatures {
  std::vector<Signature<kRules>> value;  // distinct
  // In the same order, each in an array of its own for the loop over all pairs: the words of `value`, and how many
  // orders of the half have it.
  std::array<std::vector<std::uint32_t>, Cut<kRules>::kWords> words;
  std::vector<std::uint64_t> orders;
};

template <Rules kRules>
Signatures<kRules> tally(std::vector<Signature<kRules>> all) {
  std::sort(all.begin(), all.end());
  Signatures<kRules> tallied;
  for (const Signature<kRules>& s : all) {
    if (tallied.value.empty() || tallied.value.back() != s) {
      tallied.value.push_back(s);
      for (std::size_t w = 0; w < s.size(); ++w) tallied.words[w].push_back(s[w]);
      tallied.orders.push_back(0);
    }
    ++tallied.orders.back();
  }
  return tallied;
}

// The signatures of all orders of these 8 pieces on two rows that have no quarto within the half.
template <Rules kRules, Mask kHalf>
std::vector<Signature<kRules>> halves(Mask pieces) {
  constexpr int kFirst = kHalf == kTop ? 0 : kSquares / 2;
  std::vector<Signature<kRules>> all;
  for (unsigned subset = pieces; subset != 0; subset = (subset - 1) & pieces) {
    const auto first = static_cast<Mask>(subset), second = static_cast<Mask>(pieces & ~subset);
    if (std::popcount(first) != kSide || is_quarto(first) || is_quarto(second)) continue;
    Board board{};
    const auto upper = board.begin() + kFirst, lower = upper + kSide, end = lower + kSide;
    auto at = upper;
    for (const int p : BitsOf(first)) *at++ = static_cast<std::uint8_t>(p);
    for (const int p : BitsOf(second)) *at++ = static_cast<std::uint8_t>(p);
    do {
      do {
        constexpr auto& within = Cut<kRules>::template kWithin<kHalf>;
        if (std::none_of(within.begin(), within.end(), [&](Mask set) { return shared(board, set) != 0; })) {
          all.push_back(signature<kRules, kHalf>(board));
        }
      } while (std::next_permutation(lower, end));
    } while (std::next_permutation(upper, lower));
  }
  return all;
}

// How many of the halves make a board without a quarto with a half of this signature.
template <Rules kRules>
std::uint64_t partners(const Signature<kRules>& s, const Signatures<kRules>& halves) {
  std::uint64_t orders = 0;
  for (std::size_t i = 0; i < halves.orders.size(); ++i) {
    std::uint32_t both = 0;
    for (std::size_t w = 0; w < s.size(); ++w) both |= s[w] & halves.words[w][i];
    orders += both == 0 ? halves.orders[i] : 0;
  }
  return orders;
}

template <Rules kRules>
std::uint64_t boards_with_top(Mask pieces) {
  std::vector<Signature<kRules>> tops = halves<kRules, kTop>(pieces);
  const auto symmetries = symmetries_of_halves<kRules>();
  for (Signature<kRules>& s : tops) s = least_image<kRules>(s, symmetries);
  const auto top = tally<kRules>(std::move(tops));
  const auto bottom = tally<kRules>(halves<kRules, kBottom>(static_cast<Mask>(~pieces)));
  std::uint64_t boards = 0;
  for (std::size_t t = 0; t < top.value.size(); ++t) {
    boards += top.orders[t] * partners<kRules>(top.value[t], bottom);
  }
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
  return with_rules(rules, [pieces](auto constant) { return boards_with_top<constant()>(pieces); });
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
    const auto helpers =
        start_helpers(1, static_cast<std::size_t>(std::max(1, threads)), [&work](std::size_t) { work(false); });
    work(true);
  }
  return boards;
}

}  // namespace quarto
