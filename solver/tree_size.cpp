#include "solver/tree_size.h"

#include <bit>

#include "solver/state.h"

namespace quarto {
namespace {

using solver::Geometry;
using solver::Placement;
using solver::State;

// A board with fewer empty squares is no node of a search.
constexpr int kLeastEmpty = 2;

// Counts boards until there are too many. It leaves out nothing that endgame.h can enter: it passes over
// losing gives, and over places that leave none but losing pieces, for either goal.
template <Rules kRules>
class Count {
 public:
  explicit Count(std::uint64_t at_most) : left_(at_most) {}

  bool too_many() const { return too_many_; }
  std::uint64_t left() const { return left_; }

  void give(const State<kRules>& state, Mask safe) {
    if (left_ == 0) {
      too_many_ = true;
      return;
    }
    --left_;
    if (std::popcount(state.empty) <= kLeastEmpty) return;
    for (const int p : BitsOf(safe)) {
      place(state, piece(p));
      if (too_many_) return;
    }
  }

  void place(const State<kRules>& state, Piece hand) {
    if (std::popcount(state.empty) <= kLeastEmpty) return;
    const Placement<kRules> placement(state, hand, geometry_);
    for (const int s : BitsOf(state.empty)) {
      const State<kRules> child = placement.on(s, geometry_);
      if (const Mask safe = child.safe()) give(child, safe);
      if (too_many_) return;
    }
  }

 private:
  const Geometry<kRules>& geometry_ = Geometry<kRules>::get();
  std::uint64_t left_;
  bool too_many_ = false;
};

template <Rules kRules>
std::uint64_t size_of(const Position& position, std::uint64_t at_most) {
  const State<kRules> state = State<kRules>::of(position);
  Count<kRules> count(at_most);
  if (!position.has_hand()) {
    if (const Mask safe = state.safe()) count.give(state, safe);
  } else if (!position.winning_squares(position.hand())) {
    count.place(state, position.hand());
  }
  return count.too_many() ? at_most + 1 : at_most - count.left();
}

}  // namespace

std::uint64_t tree_size(const Position& position, std::uint64_t at_most) {
  return with_rules(position.rules(), [&](auto rules) { return size_of<rules()>(position, at_most); });
}

}  // namespace quarto
