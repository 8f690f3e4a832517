// A network's evaluation of the opening: the empty board, the first piece in hand, its two different squares, and the
// four different second gives after each (by the number of attributes that the piece shares with the first). Up to
// symmetry these twelve are all positions of plies 0 to 3 (docs/facts.md) for Rules::lines. Under Rules::squares there
// are more, and these are some of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "env/evaluator.h"
#include "play/choose.h"
#include "solver/book.h"

namespace quarto {

// Moves whose positions are images of each other.
struct OpeningMoves {
  std::vector<Move> moves;     // equivalent moves; the first is the representative
  double probability = 0;      // sum over the moves, 0..1, from the raw policy
  std::optional<Value> value;  // exact, for the player who makes the move; nullopt without a book
  std::vector<int> chosen_by;  // numbers of simulations that choose one of the moves; 0 is the raw policy
};

struct Opening {
  std::string name;  // "one piece down on a diagonal, a piece in hand that shares 2 attributes"
  Position position;
  Evaluation opinion;
  std::optional<Value> value;       // exact, for the player to act
  std::vector<OpeningMoves> moves;  // by descending probability
};

// The result is in the order of play. Choices use options.search, options.seed and each of
// `simulations`. Throws what the evaluator throws.
std::vector<Opening> study_openings(Evaluator& evaluator, Rules rules, const std::vector<int>& simulations,
                                    const BatchChoiceLimits& options, const Books& books);

}  // namespace quarto
