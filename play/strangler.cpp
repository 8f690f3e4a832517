#include "play/strangler.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <optional>
#include <vector>

#include "env/one_ply.h"
#include "env/random_play.h"
#include "play/shuffle.h"

namespace quarto {
namespace {

// A decided game is worth kDecided less the ply at which it ends, so that wins come soon and losses late. More than any
// count of pairs: 256 times two weights of at most 1000.
constexpr double kDecided = 1e6;
bool decided(double value) { return std::abs(value) > kDecided / 2; }

double weigh(const Position& p, const PairCounts& pairs, const StranglerOptions& options) {
  const double left = -options.safe * pairs.safe - options.traps * pairs.traps;
  return p.has_hand() ? -left : left;
}

// Thrown out of a search that has used up its nodes.
struct OutOfNodes {};

// One move's search at a time. Values are for the player to act.
class Search {
 public:
  explicit Search(const StranglerOptions& options)
      : options_(options),
        table_(std::bit_ceil(static_cast<std::size_t>(std::clamp(options.nodes, 1 << 8, 1 << 20)))) {}

  Move choose(const Position& position, Rng& rng) {
    ++search_;
    nodes_ = 0;
    // The rule wins at once and sets aside what loses at once; the search need not look at it again.
    std::vector<Move> order = shuffled(position, one_ply_moves(position), rng);
    if (order.size() == 1 || (position.has_hand() && position.winning_squares(position.hand()))) return order.front();
    const int most = std::min(options_.depth, 2 * kSquares - position.ply());
    for (int depth = 1; depth <= most; ++depth) {
      limited_ = depth > 1;
      // The best move so far is searched first, so what an unfinished iteration prefers to it is better than it.
      auto best = order.begin();
      double value = -2 * kDecided;
      bool finished = true;
      try {
        for (auto m = order.begin(); m != order.end(); ++m) {
          const double v = child(position, *m, depth, value, 2 * kDecided);
          if (v > value) {
            value = v;
            best = m;
          }
        }
      } catch (const OutOfNodes&) {
        finished = false;
      }
      std::rotate(order.begin(), best, best + 1);
      if (!finished || decided(value)) break;
    }
    return order.front();
  }

 private:
  enum class Bound : std::uint8_t { exact, low, high };
  struct Slot {
    std::uint64_t key = 0;
    double value = 0;
    std::uint32_t search = 0;  // slots of earlier searches count as empty, which is cheaper than emptying them
    std::uint8_t depth = 0, move = 0;
    Bound bound = Bound::exact;
  };

  // The value of a move for its player. After a place the same player is to act, after a give the other one.
  double child(const Position& p, Move m, int depth, double alpha, double beta) {
    const Position next = p.after(m);
    return m.phase == Phase::place ? search(next, depth - 1, alpha, beta) : -search(next, depth - 1, -beta, -alpha);
  }

  double search(const Position& p, int depth, double alpha, double beta) {
    if (++nodes_ > static_cast<std::uint64_t>(options_.nodes) && limited_) throw OutOfNodes{};
    if (p.is_terminal()) return p.is_won() ? kDecided - p.ply() : 0;
    // What the next place decides is seen beyond the horizon.
    if (p.has_hand()) {
      if (p.winning_squares(p.hand())) return kDecided - (p.ply() + 1);
    } else if (p.losing_gives() == p.available()) {
      return -(kDecided - (p.ply() + 2));
    }
    if (depth <= 0) return leaf(p);

    Slot& slot = table_[p.key() & (table_.size() - 1)];
    const bool known = slot.search == search_ && slot.key == p.key();
    // Values from other depths lie on other plies; only what is decided is comparable.
    if (known && (slot.depth == depth || decided(slot.value))) {
      const double v = slot.value;
      if (slot.bound == Bound::exact || (slot.bound == Bound::low && v >= beta) ||
          (slot.bound == Bound::high && v <= alpha)) {
        return v;
      }
    }
    const int first = known ? slot.move : -1;
    const Mask moves = p.has_hand() ? p.legal_moves() : quiet_moves(p);
    double best = -2 * kDecided;
    int best_move = -1;
    const double from = alpha;
    const auto consider = [&](int m) {
      const double v = child(p, {p.phase(), static_cast<std::uint8_t>(m)}, depth, alpha, beta);
      if (v > best) {
        best = v;
        best_move = m;
      }
      alpha = std::max(alpha, best);
      return alpha >= beta;
    };
    bool cut = first >= 0 && consider(first);
    for (const int m : BitsOf(moves)) {
      if (cut) break;
      if (m != first) cut = consider(m);
    }
    slot = {p.key(),
            best,
            search_,
            static_cast<std::uint8_t>(depth),
            static_cast<std::uint8_t>(best_move),
            best >= beta   ? Bound::low
            : best <= from ? Bound::high
                           : Bound::exact};
    return best;
  }

  double leaf(const Position& p) const {
    const PairCounts pairs = count_pairs(p);
    if (!pairs.strangled) return weigh(p, pairs, options_);
    return p.has_hand() ? -(kDecided - (p.ply() + 3)) : kDecided - (p.ply() + 4);
  }

  StranglerOptions options_;
  std::vector<Slot> table_;
  std::uint64_t nodes_ = 0;
  std::uint32_t search_ = 0;
  bool limited_ = false;
};

}  // namespace

PairCounts count_pairs(const Position& position) {
  PairCounts counts;
  const auto count = [&counts](const Position& p) {
    const int safe = std::popcount(safe_moves(p)), all = std::popcount(p.empty());
    counts.safe += safe;
    counts.traps += all - safe;
    counts.strangled = counts.strangled || safe == 0;
  };
  if (position.has_hand()) {
    count(position);
  } else {
    for (const int m : BitsOf(quiet_moves(position))) count(position.after(Move::give(piece(m))));
  }
  return counts;
}

double strangler_value(const Position& position, const StranglerOptions& options) {
  return weigh(position, count_pairs(position), options);
}

void StranglerOptions::visit(FieldVisitor& v) {
  v.field("nodes", nodes, "positions looked at for one move", {1, 1e9});
  v.field("depth", depth, "gives and places to look ahead at most", {1, 2 * kSquares});
  v.field("safe", safe, "weight of a safe pair left to the opponent", {-1000, 1000});
  v.field("traps", traps, "weight of a trap left to the opponent", {-1000, 1000});
  v.field("exact", exact, "with at most so many empty squares, exact values choose", {0, kSquares});
}

struct Strangler::Impl {
  Impl(const StranglerOptions& o, std::size_t bytes) : options(o), table_bytes(bytes), search(o) {}

  StranglerOptions options;
  std::size_t table_bytes;
  Search search;
  std::optional<Solver> solver;  // made when first needed
};

Strangler::Strangler(const StranglerOptions& options, std::size_t table_bytes)
    : impl_(std::make_unique<Impl>(options, table_bytes)) {}
Strangler::~Strangler() = default;
Strangler::Strangler(Strangler&&) noexcept = default;
Strangler& Strangler::operator=(Strangler&&) noexcept = default;

Move Strangler::choose(const Position& position, Rng& rng) {
  assert(!position.is_terminal());
  if (std::popcount(position.empty()) > impl_->options.exact) return impl_->search.choose(position, rng);
  if (!impl_->solver) impl_->solver.emplace(SolverOptions{.table_bytes = impl_->table_bytes});
  const MoveSolution exact = impl_->solver->solve_moves(position);
  // Some move that keeps the value is always among those of the one-ply rule; where all is lost, it does not lose at
  // once if it need not.
  Mask best = 0;
  for (const int m : BitsOf(one_ply_moves(position))) {
    if (exact.values[static_cast<std::size_t>(m)] == exact.value) best |= static_cast<Mask>(1U << m);
  }
  return {position.phase(), static_cast<std::uint8_t>(random_bit(best, rng))};
}

}  // namespace quarto
