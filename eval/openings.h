// What somebody thinks of the opening: the empty board, the first piece in hand, its two different squares, and the
// four different second gives after each (by the attributes that the piece shares with the first). Up to symmetry these
// twelve are all positions of plies 0 to 3 (docs/facts.md) for Rules::lines; where small squares win there are more,
// and these are some of them.
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
  std::vector<Move> moves;     // the first represents them
  double probability = 0;      // of all together, 0..1, from the raw policy
  std::optional<Value> value;  // exact, for the player to move before it; nullopt without a book
  std::vector<int> chosen_by;  // the numbers of simulations whose choice is among them; 0 is the raw policy
};

struct Opening {
  std::string name;  // "one piece down on a diagonal, a piece in hand that shares 2 attributes"
  Position position;
  Evaluation opinion;
  std::optional<Value> value;       // exact, for the player to act
  std::vector<OpeningMoves> moves;  // the likeliest first
};

// In the order of play. `book` may be null. The choices are made with options.search, options.seed and each of
// `simulations`. Throws what the evaluator throws.
std::vector<Opening> study_openings(Evaluator& evaluator, Rules rules, const std::vector<int>& simulations,
                                    const BatchChoiceLimits& options, const std::shared_ptr<const Book>& book);

}  // namespace quarto
