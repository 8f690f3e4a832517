// Rules that a person could play by, to measure how much of perfect play a simple rule explains (eval/study.h): counts
// on a board one ply deep, and predictions of values and choices of moves from these counts alone.
//
// The parity rule is the best known of them. Suppose that placements did not change which pieces are safe to give, and
// that a player gives a losing piece only when no safe one is left. Then a giver with an odd number of safe pieces
// gives the last of them and wins; with an even number the giver loses; and while no piece loses, the game is drawn. In
// fact every placement changes which pieces are safe, so the rule is only an approximation. The study measures how good
// it is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "env/position.h"

namespace quarto {

struct Counts {
  int empty = 0;  // squares, 1..16
  // Pieces left to give that would not lose at once if given on the present board, 0..16. A piece in hand is not
  // included: it will be placed, not given.
  int safe_pieces = 0;
  int unsafe_pieces = 0;  // the other pieces left to give
  // With a piece in hand: the number of squares on which it does not strand its player (env/one_ply.h), 0..16. With
  // none in hand: the sum of that number over the safe pieces, the "safe" pairs of play/strangler.h, 0..256.
  int safe_placements = 0;
  // Lines (and small squares under Rules::squares) that are not full and whose pieces share an attribute: 0..10 (19).
  int live_lines = 0;
};
// The position must not be terminal.
Counts counts_of(const Position& position);

// The value if one or two plies decide it: the piece in hand wins, every place strands, every give loses, or the last
// piece ends the game.
std::optional<Value> seen_at_once(const Position& position);

// ---- values ---------------------------------------------------------------------------------------------------------

// A rule that predicts by counting: the most frequent value among the counted positions of the same class. A class is a
// list of numbers, coarsest first. If too few positions of a class were counted, the last number is dropped.
class CountedRule {
 public:
  using Classifier = std::function<std::vector<int>(const Position&)>;
  static constexpr int kFewest = 4;  // fewest positions with which a class is used

  explicit CountedRule(Classifier classify) : classify_(std::move(classify)) {}
  void count(const Position& position, Value value);
  // The most frequent value. If two are equally frequent, the better one for the player to act; if nothing was counted,
  // a draw.
  Value predict(const Position& position) const;
  // The mean of win = 1, draw = 0, loss = -1 among the same positions; 0 when nothing was counted.
  double mean(const Position& position) const;

 private:
  using Tally = std::array<std::uint32_t, 3>;  // losses, draws, wins
  Tally tally(const Position& position) const;
  Classifier classify_;
  std::map<std::vector<int>, Tally> tallies_;  // of every class and every prefix of it
};

struct ValueRule {
  std::string name;     // "parity of the safe pieces"
  std::string meaning;  // one sentence
  // One of the two: the classes to count by, or a rule without counting.
  CountedRule::Classifier classify;
  std::function<Value(const Position&)> direct;
};
// From the constant guess to all counts together. All rules but the first use seen_at_once().
const std::vector<ValueRule>& value_rules();
// The index in value_rules() of the rule with this name; throws std::out_of_range.
std::size_t value_rule(const std::string& name);

// True if a position belongs to the even half (by its canonical key, so all images of a position are in the same half).
// A counted rule predicts the positions of each half from the counts of the other.
bool in_even_half(const Position& position);

// The prediction of each rule for each position. values[i] is the exact value of positions[i]; a rule never sees the
// values of the position's own half. The result is [rule][position].
std::vector<std::vector<Value>> predict_across_halves(std::span<const ValueRule> rules,
                                                      std::span<const Position> positions,
                                                      std::span<const Value> values);

// ---- moves ----------------------------------------------------------------------------------------------------------

// A rule that chooses among the moves that the one-ply rule leaves. It may leave all of them.
struct MoveRule {
  std::string name;
  std::string placing, giving;  // description for each phase; empty: no choice in that phase
  // A subset of one_ply_moves(position), never empty. The position must not be terminal.
  std::function<Mask(const Position&)> moves;
};
// All rules; the one-ply rule is the first.
std::vector<MoveRule> move_rules();
// A rule that takes the move whose position has the best mean in a counted rule, which must outlive it.
MoveRule counted_move_rule(std::string name, const CountedRule& counted);

}  // namespace quarto
