// The one place where a network's player chooses a move. The C++ library, Python, HTTP, the engine protocol, the
// terminal, matches, the exploitability walk and the page all call it, so what is proven of one holds for all.
//
// The rule, in order:
//
//     1. exact     with at most `exact_squares` empty squares, the solver's value of every move decides: the first
//                  move, in the order of the canonical image's moves, that keeps the position's value; with `sharp` the
//                  one of these that makes the most of it (play/sharp.h)
//     2. search    `simulations` of tree search, from a cold tree, without noise (mcts/search.h)
//     3. network   without simulations, the likeliest legal move of the raw network, in the canonical image
//
// If the solver's limits end it first, the search or the network chooses; a move that the solver has found to lose is
// then passed over for the best of those it has not. Without a time limit the choice is a function of the position:
// images of a position get images of the move.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "env/evaluator.h"
#include "mcts/search.h"
#include "play/clock.h"
#include "play/shared_solver.h"
#include "play/think.h"

namespace quarto {

struct ChoiceLimits {
  // At most; 0: the raw network, whatever the time; kMostSimulations: as many as the time allows.
  int simulations = 0;
  std::chrono::milliseconds time{0};  // for this decision; 0: none. Exact play gets half of it, the search the rest
  // Of the whole game. It sets the time of this decision (a shorter `time` holds) and raises exact_squares.
  std::optional<GameClock> clock{};
  int exact_squares = 0;                    // 0..16
  bool sharp = false;                       // of exact play, with a solver
  std::chrono::milliseconds exact_time{0};  // of exact play alone; 0: half of the decision's time, if that is limited
  // What is known already of the values of `position`'s moves, by their index: the solver is not asked then.
  const MoveSolution* known = nullptr;
  const std::atomic<bool>* stop = nullptr;  // set by any thread: the choice comes soon, by what is known
  // Called on the thinking thread a few times a second while a search goes on.
  std::function<void(const Thought&)> on_progress{};
  SearchConfig search{};
};

enum class ChosenBy { exact, search, network };
std::string to_string(ChosenBy by);  // "exact", "search", "network"

struct Choice {
  Move move{};
  ChosenBy by = ChosenBy::network;
  float value = 0;                // for the player to act, -1..1; exact if proven
  std::optional<Value> proven{};  // by the solver, or by the search
  // What the solver found, if it was asked: values by index of the position's own moves.
  std::optional<MoveSolution> exact{};
  bool sharp_complete = true;        // false: the limits ended what `sharp` looks for
  std::optional<Thought> thought{};  // of the search or the network, unless exact play chose
  double seconds = 0;
};

// `solver` may be null; then exact_squares and the clock's are ignored. `position` must not be terminal
// (std::invalid_argument, also for limits out of range). Thread-safe, the evaluator and the solver being so. Throws
// what they throw, and EvaluationError for weights that give no probabilities.
Choice choose(Evaluator& evaluator, SharedSolver* solver, const Position& position, const ChoiceLimits& limits = {});

// The same rule for many positions without time limits, evaluated in batches over threads.
struct BatchChoiceLimits {
  int simulations = 0;
  int exact_squares = 0;
  bool sharp = false;
  int threads = 1;  // each with a batch of its own
  int batch = 128;  // positions side by side in one thread
  std::uint64_t seed = 0;
  SearchConfig search{};
  // Called now and then on the calling thread with the number of positions done.
  std::function<void(std::size_t)> on_progress{};
};
// None may be terminal. Every search starts from a cold tree and has no noise; the i-th draws from mix_seed(seed, i),
// so that no choice depends on the number of threads.
std::vector<Move> choose_all(Evaluator& evaluator, SharedSolver* solver, std::span<const Position> positions,
                             const BatchChoiceLimits& limits);

// Step 1 alone, without limits: for players that are no networks (play/endgame.h).
std::vector<Move> exact_choices(SharedSolver& solver, std::span<const Position> positions, bool sharp);
// Step 1 for one position.
struct ExactChoice {
  std::optional<Move> move{};  // empty where the limits ended the solver first
  MoveSolution solution{};     // by the position's own moves
  bool sharp_complete = true;  // as in Choice
};
ExactChoice exact_choice(SharedSolver& solver, const Position& position, const SolveLimits& limits, bool sharp = false);

// The raw network's opinion of all positions as they stand, in batches over the threads: for measuring what the network
// itself says. A player judges the canonical image; for equivariant networks that is the same.
std::vector<Evaluation> evaluate_all(Evaluator& evaluator, std::span<const Position> positions,
                                     const BatchChoiceLimits& limits);

}  // namespace quarto
