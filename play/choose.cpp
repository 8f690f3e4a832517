#include "play/choose.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <stdexcept>
#include <tuple>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/random.h"
#include "play/canonical_play.h"
#include "play/sharp.h"
#include "solver/prover.h"

namespace quarto {
namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;

// For exact play with these limits, whose time runs since `start`: null if it is not to be sharp.
struct Sharpness {
  SharedSolver* solver = nullptr;
  SolveLimits limits{};
  Steady::time_point start = Steady::now();
};

// The solver's answer about the representative, by the position's own moves.
ExactChoice own_answer(const Position& position, const CanonicalForm& form, const MoveSolution& found,
                       const Sharpness& sharpness) {
  ExactChoice choice{{}, found};
  choice.solution.values.fill(std::nullopt);
  for (const int m : BitsOf(form.position.legal_moves())) {
    const Move own = own_move(form, {position.phase(), static_cast<std::uint8_t>(m)});
    choice.solution.values[own.index] = found.values[static_cast<std::size_t>(m)];
  }
  auto move = first_keeping_move(form.position, found);
  if (move && sharpness.solver) {
    const SolveLimits left = sharpness.limits.left_since(sharpness.start);
    const Sharpest sharpest = sharpest_move(*sharpness.solver, form.position, found, left);
    move = sharpest.move.value_or(*move);
    choice.sharp_complete = sharpest.complete;
  }
  if (move) choice.move = own_move(form, *move);
  return choice;
}

ExactChoice own_answer(const Position& position, const MoveSolution& known, const Sharpness& sharpness) {
  const CanonicalForm form = canonical_form(position);
  MoveSolution image = known;
  image.values.fill(std::nullopt);
  for (const Move m : position.moves())
    image.values[apply(form.symmetry, m, position.rules()).index] = known.values[m.index];
  return own_answer(position, form, image, sharpness);
}

// If the solver has shown that the thought's best move loses, and has not shown it of all, the best of the others.
void pass_over_lost(Thought& thought, const MoveSolution& known) {
  const auto lost = [&](Move m) { return known.values[m.index] == Value::loss; };
  if (!lost(thought.best)) return;
  const RootMove* best = nullptr;
  for (const RootMove& m : thought.moves) {
    if (lost(m.move)) continue;
    const auto rank = [](const RootMove& r) { return std::tuple(r.bounds.low, r.visits, r.prior); };
    if (!best || rank(m) > rank(*best)) best = &m;
  }
  if (!best) return;
  thought.best = best->move;
  thought.line = {best->move};
  thought.proven = best->proven();
  if (best->visits > 0 || best->proven()) thought.value = best->value;
}

void search_chunk(Evaluator& evaluator, std::span<const Position> positions, std::size_t first,
                  const BatchChoiceLimits& limits, std::span<Move> moves) {
  std::deque<Search> searches;  // never moved
  std::vector<Search*> pointers;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    searches.emplace_back(limits.search, mix_seed(limits.seed, first + i));
    searches.back().set_root(positions[i]);
    pointers.push_back(&searches.back());
  }
  run_searches(pointers, *ProvingEvaluator(evaluator, solver_prover()).new_batch(), limits.simulations);
  for (std::size_t i = 0; i < positions.size(); ++i) moves[i] = searches[i].best_move();
}

void network_chunk(Evaluator& evaluator, std::span<const Position> positions, std::span<Move> moves) {
  const std::vector<RawOpinion> opinions = raw_opinions(evaluator, positions);
  for (std::size_t i = 0; i < moves.size(); ++i) moves[i] = opinions[i].likeliest;
}

void check(const Position& position, const ChoiceLimits& limits) {
  if (position.is_terminal()) throw std::invalid_argument("no move can be chosen: the game is over");
  if (limits.exact_squares < 0 || limits.exact_squares > kSquares)
    throw std::invalid_argument("exact_squares must be from 0 to 16");
  if (limits.time.count() < 0 || limits.exact_time.count() < 0)
    throw std::invalid_argument("the time must not be negative");
}

}  // namespace

std::string to_string(ChosenBy by) {
  switch (by) {
    case ChosenBy::exact:
      return "exact";
    case ChosenBy::search:
      return "search";
    case ChosenBy::network:
      break;
  }
  return "network";
}

ExactChoice exact_choice(SharedSolver& solver, const Position& position, const SolveLimits& limits, bool sharp) {
  const Sharpness sharpness{sharp ? &solver : nullptr, limits};
  const CanonicalForm form = canonical_form(position);
  return own_answer(position, form, solver.solve_moves(form.position, limits), sharpness);
}

std::vector<Move> exact_choices(SharedSolver& solver, std::span<const Position> positions, bool sharp) {
  const CanonicalImages images(positions);
  const std::vector<MoveSolution> solutions = solver.solve_moves_of_all(images.positions);
  std::vector<Move> moves;
  // Without limits the solver always answers.
  for (std::size_t i = 0; i < positions.size(); ++i)
    moves.push_back(own_answer(positions[i], images.forms[i], solutions[i], {sharp ? &solver : nullptr}).move.value());
  return moves;
}

Choice choose(Evaluator& evaluator, SharedSolver* solver, const Position& position, const ChoiceLimits& limits) {
  check(position, limits);
  const auto start = Steady::now();
  const auto elapsed = [start] { return std::chrono::duration_cast<milliseconds>(Steady::now() - start); };
  milliseconds time = limits.time;
  int exact_squares = limits.exact_squares;
  if (limits.clock) {
    const MoveBudget budget = budget_of(position, *limits.clock);
    time = time.count() > 0 ? std::min(time, budget.time) : budget.time;
    exact_squares = std::max(exact_squares, budget.exact_squares);
  }
  const bool timed = time.count() > 0;

  Choice choice;
  const auto finish = [&]() -> Choice& {
    choice.seconds = seconds_since(start);
    return choice;
  };
  if ((solver || limits.known) && std::popcount(position.empty()) <= exact_squares) {
    SolveLimits solve;
    solve.time = limits.exact_time;
    if (timed) solve.time = std::clamp(solve.time.count() > 0 ? solve.time : time / 2, milliseconds(1), time);
    solve.stop = limits.stop;
    const ExactChoice exact = limits.known
                                  ? own_answer(position, *limits.known, {limits.sharp ? solver : nullptr, solve})
                                  : exact_choice(*solver, position, solve, limits.sharp);
    choice.exact = exact.solution;
    choice.sharp_complete = exact.sharp_complete;
    if (exact.move) {
      choice.move = *exact.move;
      choice.by = ChosenBy::exact;
      choice.proven = exact.solution.value;
      choice.value = static_cast<float>(*choice.proven);
      return finish();
    }
  }
  ThinkLimits think_limits;
  think_limits.simulations = limits.simulations;
  if (timed) think_limits.time = std::max(time - elapsed(), milliseconds(1));
  think_limits.stop = limits.stop;
  think_limits.on_progress = limits.on_progress;
  choice.thought = think(evaluator, position, think_limits, limits.search);
  if (choice.exact) pass_over_lost(*choice.thought, *choice.exact);
  choice.move = choice.thought->best;
  choice.by = limits.simulations > 0 ? ChosenBy::search : ChosenBy::network;
  choice.value = choice.thought->value;
  choice.proven = choice.thought->proven;
  return finish();
}

std::vector<Move> choose_all(Evaluator& evaluator, SharedSolver* solver, std::span<const Position> positions,
                             const BatchChoiceLimits& limits) {
  std::vector<Move> moves(positions.size());
  std::vector<std::size_t> late, early;
  std::vector<Position> exact, rest;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const bool solved = solver && std::popcount(positions[i].empty()) <= limits.exact_squares;
    (solved ? late : early).push_back(i);
    (solved ? exact : rest).push_back(positions[i]);
  }
  if (!exact.empty()) {
    const std::vector<Move> chosen = exact_choices(*solver, exact, limits.sharp);
    for (std::size_t i = 0; i < late.size(); ++i) moves[late[i]] = chosen[i];
  }
  std::vector<Move> chosen(rest.size());
  parallel_chunks(
      rest.size(), static_cast<std::size_t>(limits.batch), limits.threads,
      [&](std::size_t begin, std::size_t end, std::size_t) {
        const auto part = std::span<const Position>(rest).subspan(begin, end - begin);
        const auto into = std::span(chosen).subspan(begin, end - begin);
        if (limits.simulations > 0) {
          search_chunk(evaluator, part, begin, limits, into);
        } else {
          network_chunk(evaluator, part, into);
        }
      },
      [&](std::size_t done) {
        if (limits.on_progress) limits.on_progress(done + exact.size());
      });
  for (std::size_t i = 0; i < early.size(); ++i) moves[early[i]] = chosen[i];
  return moves;
}

std::vector<Evaluation> evaluate_all(Evaluator& evaluator, std::span<const Position> positions,
                                     const BatchChoiceLimits& limits) {
  std::vector<Evaluation> out(positions.size());
  parallel_chunks(
      positions.size(), static_cast<std::size_t>(limits.batch), limits.threads,
      [&](std::size_t begin, std::size_t end, std::size_t) {
        evaluate(evaluator, positions.subspan(begin, end - begin), std::span(out).subspan(begin, end - begin));
      },
      [&](std::size_t done) {
        if (limits.on_progress) limits.on_progress(done);
      });
  return out;
}

}  // namespace quarto
