// Perfect play from the solver and the opening book, which together know every move's exact value.
//
// Among the moves that keep the position's value, `traps` takes the one after which the opponent goes wrong most
// easily: his next placement fails, among all his squares, the largest share of the time (for a placement: after the
// best give that follows it). So playing against it is a test. `any` takes one at random. A win at once is taken at
// once, and ties are broken at random. In a lost position every move keeps the value, and `traps` makes the win hardest
// to find.
#pragma once

#include <memory>
#include <unordered_map>

#include "base/random.h"
#include "env/canonical.h"
#include "play/player.h"
#include "play/shared_solver.h"

namespace quarto {

// What perfect players have found out, to be shared by those that never choose at the same time. A table of the solver
// is the better part of their memory, and finding values anew the better part of their time.
struct ExactMemory {
  // The sizes are those of `options`; it serves all rules. Throws BookError, FileError, and SolverError at the first
  // question.
  explicit ExactMemory(const PlayerOptions& options);

  SharedSolver solver;
  // Of positions with a piece in hand: the share of squares, 0..1, that do not keep the value.
  std::unordered_map<CanonicalKey, double> failing;
};

enum class PerfectStyle { traps, any };

class PerfectPlayer final : public Player {
 public:
  explicit PerfectPlayer(const PlayerOptions& options, PerfectStyle style = PerfectStyle::traps);
  std::string name() const override { return style_ == PerfectStyle::traps ? "perfect" : "perfect:any"; }
  std::vector<Move> choose(std::span<const Position> positions) override;
  // A placement with four pieces on the board can take a second.
  std::size_t preferred_batch() const override { return 1; }

 private:
  Move choose_one(const Position& position);
  // ExactMemory::failing of each position.
  std::vector<double> failing_shares(std::span<const Position> positions);

  PerfectStyle style_;
  std::shared_ptr<ExactMemory> memory_;
  Rng rng_;
};

}  // namespace quarto
