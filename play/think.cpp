#include "play/think.h"

#include <algorithm>
#include <stdexcept>

#include "play/canonical_play.h"
#include "solver/prover.h"

namespace quarto {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kProgressEvery{200};

void report(const Search& search, Thought& thought) {
  thought.best = search.best_move();
  thought.value = search.root_value();
  thought.proven = search.root_proven_value();
  thought.moves = search.root_moves();
  thought.line = search.expected_line();
  thought.simulations = search.simulations();
}

}  // namespace

Thought think(Evaluator& evaluator, const Position& position, const ThinkLimits& limits, const SearchConfig& config) {
  if (position.is_terminal()) throw std::invalid_argument("there is nothing to think about: the game is over");
  const int simulations = limits.simulations.value_or(kMostSimulations);
  if (simulations < 0 || simulations > kMostSimulations || limits.time.count() < 0)
    throw std::invalid_argument("simulations must be from 0 to " + std::to_string(kMostSimulations) +
                                " and the time not negative");
  const auto start = Clock::now();
  const auto elapsed = [start] { return Clock::now() - start; };
  const auto finish = [&elapsed](Thought& t) { t.seconds = std::chrono::duration<double>(elapsed()).count(); };

  Thought thought;
  const RawOpinion raw = raw_opinions(evaluator, {&position, 1}).front();
  thought.network = raw.evaluation;
  thought.best = raw.likeliest;
  if (simulations == 0) {
    for (const int m : BitsOf(position.legal_moves())) {
      RootMove& move = thought.moves.emplace_back();
      move.move = {position.phase(), static_cast<std::uint8_t>(m)};
      move.prior = thought.network.prior[static_cast<std::size_t>(m)];
    }
    thought.value = thought.network.value();
    thought.line = {thought.best};
    finish(thought);
    return thought;
  }

  Search search(config, 0);
  search.set_root(position);
  const auto over = [&] {
    return (limits.time.count() > 0 && elapsed() >= limits.time) || (limits.stop && *limits.stop);
  };
  search.stop_when(over);
  const auto batch = ProvingEvaluator(evaluator, solver_prover()).new_batch();
  auto next_report = kProgressEvery;
  Answer answer;
  while (const Question* question = search.select(simulations)) {
    if (batch->ask(*question, answer) == EvaluationBatch::Status::queued) batch->compute();
    search.take(answer);
    if (over()) break;
    const auto spent = elapsed();
    if (limits.on_progress && spent >= next_report) {
      next_report = std::chrono::duration_cast<std::chrono::milliseconds>(spent) + kProgressEvery;
      report(search, thought);
      finish(thought);
      limits.on_progress(thought);
    }
  }
  report(search, thought);
  finish(thought);
  return thought;
}

}  // namespace quarto
