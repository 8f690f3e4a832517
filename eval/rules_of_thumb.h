// Rules a person could play by, for telling how much of perfect play a rule explains (eval/study.h): what can be
// counted on a board one ply deep, and predictions of values and choices of moves made from these counts alone.
//
// The parity rule is the best known of them. Suppose that no placement changed which pieces are safe to give, and that
// a piece that loses is given only by a player who has nothing else. Then the giver with an odd number of safe pieces
// before him gives the last of them, and wins; with an even number he loses; and while no piece loses, the game is
// drawn. Every placement changes what is safe, so this is a caricature. How good a caricature is measured, not assumed.
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
  // Pieces left to give that could not win at once if they were given on the board as it is, 0..16. A piece in hand is
  // not among them: it is to be placed and not to be given.
  int safe_pieces = 0;
  int unsafe_pieces = 0;  // the others left to give
  // The squares on which the piece in hand does not strand its player (env/one_ply.h), 0..16. With none in hand the sum
  // of that over the safe pieces: the "safe" pairs of play/strangler.h, 0..256.
  int safe_placements = 0;
  // Lines (and small squares, where these count) that are not full and whose pieces share an attribute. 0..10 (19).
  int live_lines = 0;
};
// The position must not be terminal.
Counts counts_of(const Position& position);

// The value, where the rules decide it within a ply or two: the piece in hand wins, every place strands, every give
// loses, or the last piece ends the game.
std::optional<Value> seen_at_once(const Position& position);

// ---- values ---------------------------------------------------------------------------------------------------------

// A rule that predicts by counting: the value most frequent among the positions of the same class. The class is a list
// of numbers, the coarsest first. Where too few positions of the class were counted, the last number is dropped.
class CountedRule {
 public:
  using Classifier = std::function<std::vector<int>(const Position&)>;
  static constexpr int kFewest = 4;  // positions of a class for it to have a say of its own

  explicit CountedRule(Classifier classify) : classify_(std::move(classify)) {}
  void count(const Position& position, Value value);
  // The likeliest class; the better value for the player to act where two are equally frequent; a draw when nothing
  // was counted.
  Value predict(const Position& position) const;
  // The mean of win = 1, draw = 0, loss = -1 among the same positions; 0 when nothing was counted.
  double mean(const Position& position) const;

 private:
  using Tally = std::array<std::uint32_t, 3>;  // losses, draws, wins
  Tally tally(const Position& position) const;
  Classifier classify_;
  std::map<std::vector<int>, Tally> tallies_;  // of every class and every shortening of it
};

struct ValueRule {
  std::string name;     // "parity of the safe pieces"
  std::string meaning;  // one sentence
  // One of the two: what to count by, or a rule that needs no counting.
  CountedRule::Classifier classify;
  std::function<Value(const Position&)> direct;
};
// From the constant guess to everything at once. All but the first know what is seen at once.
const std::vector<ValueRule>& value_rules();
// The index in value_rules() of the rule with this name; throws std::out_of_range.
std::size_t value_rule(const std::string& name);

// Whether a position belongs to the even half (by its canonical key, so that all images of a position fall in the same
// half). A counted rule predicts the positions of each half from the counts of the other.
bool in_even_half(const Position& position);

// What each of the rules says of each position. values[i] is the exact value of positions[i]; a rule never sees those
// of the position's own half. The result is [rule][position].
std::vector<std::vector<Value>> predict_across_halves(std::span<const ValueRule> rules,
                                                      std::span<const Position> positions,
                                                      std::span<const Value> values);

// ---- moves ----------------------------------------------------------------------------------------------------------

// A rule that narrows down the moves that the one-ply rule leaves. It says nothing where it leaves them all.
struct MoveRule {
  std::string name;
  std::string placing, giving;  // what it does in either phase; empty: nothing
  // A subset of one_ply_moves(position), never empty. The position must not be terminal.
  std::function<Mask(const Position&)> moves;
};
// The one-ply rule itself comes first.
std::vector<MoveRule> move_rules();
// One more: the move whose position has the best mean in a counted rule, which must outlive it.
MoveRule counted_move_rule(std::string name, const CountedRule& counted);

}  // namespace quarto
