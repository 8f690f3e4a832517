#include "eval/endgame.h"

#include "env/canonical.h"

namespace quarto {

EndgamePlayer::EndgamePlayer(std::string name, std::unique_ptr<Player> other, int squares, const PlayerOptions& options)
    : name_(std::move(name)),
      other_(std::move(other)),
      squares_(squares),
      memory_(options.exact_memory ? options.exact_memory : std::make_shared<ExactMemory>(options)) {}

std::vector<Move> EndgamePlayer::choose(std::span<const Position> positions) {
  std::vector<Move> moves(positions.size());
  std::vector<std::size_t> early, late;
  std::vector<Position> others;
  std::vector<CanonicalForm> forms;
  std::vector<Position> representatives;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (std::popcount(positions[i].empty()) > squares_) {
      early.push_back(i);
      others.push_back(positions[i]);
    } else {
      late.push_back(i);
      forms.push_back(canonical_form(positions[i]));
      representatives.push_back(forms.back().position);
    }
  }
  if (!others.empty()) {
    const std::vector<Move> chosen = other_->choose(others);
    for (std::size_t i = 0; i < early.size(); ++i) moves[early[i]] = chosen[i];
  }
  if (late.empty()) return moves;
  const std::vector<MoveSolution> solutions = memory_->solver.solve_moves_of_all(representatives);
  for (std::size_t i = 0; i < late.size(); ++i) {
    const Position& p = representatives[i];
    // Without limits the solver always answers.
    moves[late[i]] =
        apply(inverse(forms[i].symmetry, p.rules()), first_keeping_move(p, solutions[i]).value(), p.rules());
  }
  return moves;
}

}  // namespace quarto
