#include "play/timed_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "env/one_ply.h"
#include "play/shuffle.h"
#include "solver/book.h"

namespace quarto {

TimedSolverPlayer::TimedSolverPlayer(int milliseconds, const PlayerOptions& options)
    : time_(milliseconds),
      solver_({.table_bytes = options.table_bytes, .threads = options.threads, .books = Books::shipped()}),
      rng_(mix_seed(options.seed, 0x50C7E4)) {}

std::string TimedSolverPlayer::name() const { return fmt::format("solver:{}", time_.count()); }

std::size_t TimedSolverPlayer::preferred_batch() const {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(1000 / std::max<std::int64_t>(1, time_.count()), 1, 1000));
}

Move TimedSolverPlayer::choose_one(const Position& position) {
  const auto end = std::chrono::steady_clock::now() + time_;
  const auto solve = [&](const Position& p) -> std::optional<Value> {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return std::nullopt;  // a limit of 0 would be none
    return solver_.solve(p, {.time = left}).value;
  };
  // Some move that keeps the value is always among those of the rule.
  std::vector<Move> order = shuffled(position, one_ply_moves(position), rng_);
  const bool placing = position.has_hand();
  if (order.size() == 1 || (placing && position.winning_squares(position.hand()))) return order.front();
  const std::optional<Value> wanted = solve(position);
  if (!wanted || *wanted == Value::loss) return order.front();
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    const std::optional<Value> next = solve(position.after(order[i]));
    if (!next) return order[i];
    if ((placing ? *next : -*next) >= *wanted) return order[i];
  }
  return order.back();  // all the others are proven wrong
}

std::vector<Move> TimedSolverPlayer::choose(std::span<const Position> positions) {
  std::vector<Move> moves;
  for (const Position& p : positions) moves.push_back(choose_one(p));
  return moves;
}

}  // namespace quarto
