#include "eval/openings.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "env/canonical.h"

namespace quarto {
namespace {

int shared_attributes(Piece a, Piece b) {
  return kAttributes - std::popcount(static_cast<unsigned>(index(a) ^ index(b)));
}

std::string shared_text(int n) {
  return n == 0 ? "no attribute" : n == 1 ? "1 attribute" : fmt::format("{} attributes", n);
}

// One position of each class, from the empty board with piece 0 first. a1 is on a diagonal, b1 is not.
std::vector<std::pair<std::string, Position>> first_positions(Rules rules) {
  std::vector<std::pair<std::string, Position>> all;
  const Position start(rules);
  all.emplace_back("the empty board", start);
  const Position given = start.after(Move::give(piece(0)));
  all.emplace_back("the first piece in hand", given);
  std::vector<std::pair<std::string, Position>> placed;
  for (const auto& [where, s] : {std::pair{"on a diagonal", square(0)}, std::pair{"off the diagonals", square(1)}}) {
    placed.emplace_back(fmt::format("one piece down, {}", where), given.after(Move::place(s)));
  }
  all.insert(all.end(), placed.begin(), placed.end());
  for (const auto& [name, p] : placed) {
    for (int shared = kAttributes - 1; shared >= 0; --shared) {
      // The piece with the lowest `4 - shared` bits set differs from piece 0 in that number of attributes.
      const Piece second = piece((1 << (kAttributes - shared)) - 1);
      all.emplace_back(
          fmt::format("{}, in hand a piece that shares {}", name, shared_text(shared_attributes(piece(0), second))),
          p.after(Move::give(second)));
    }
  }
  return all;
}

std::optional<Value> value_of_move(const Position& after, Phase phase, const Books& books) {
  if (after.is_terminal()) return after.terminal_value();
  const std::optional<Value> value = books.find(after);
  return value && phase == Phase::give ? std::optional(-*value) : value;
}

}  // namespace

std::vector<Opening> study_openings(Evaluator& evaluator, Rules rules, const std::vector<int>& simulations,
                                    const BatchChoiceLimits& options, const Books& books) {
  std::vector<Opening> openings;
  std::vector<Position> positions;
  for (auto& [name, position] : first_positions(rules)) {
    openings.push_back({name, position, {}, books.find(position), {}});
    positions.push_back(position);
  }
  BatchChoiceLimits quiet = options;
  quiet.on_progress = {};
  const std::vector<Evaluation> opinions = evaluate_all(evaluator, positions, quiet);
  for (std::size_t i = 0; i < openings.size(); ++i) {
    Opening& o = openings[i];
    o.opinion = opinions[i];
    std::map<CanonicalKey, std::size_t> classes;
    for (const Move move : o.position.moves()) {
      const Position after = o.position.after(move);
      const auto [at, is_new] = classes.try_emplace(canonical_key(after), o.moves.size());
      if (is_new) o.moves.push_back({{}, 0, value_of_move(after, move.phase, books), {}});
      o.moves[at->second].moves.push_back(move);
      o.moves[at->second].probability += opinions[i].prior[move.index];
    }
  }
  for (const int n : simulations) {
    quiet.simulations = n;
    const std::vector<Move> chosen = choose_all(evaluator, nullptr, positions, quiet);
    for (std::size_t i = 0; i < openings.size(); ++i) {
      for (OpeningMoves& group : openings[i].moves) {
        if (std::find(group.moves.begin(), group.moves.end(), chosen[i]) != group.moves.end()) {
          group.chosen_by.push_back(n);
        }
      }
    }
  }
  for (Opening& o : openings) {
    std::stable_sort(o.moves.begin(), o.moves.end(),
                     [](const OpeningMoves& a, const OpeningMoves& b) { return a.probability > b.probability; });
  }
  return openings;
}

}  // namespace quarto
