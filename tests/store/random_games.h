// Games of random moves, as self-play would record them.
#pragma once

#include <bit>

#include "base/random.h"
#include "data/game.h"
#include "env/random_play.h"
#include "store/wire.h"

namespace quarto::store {

inline GameRecord random_game(std::uint64_t number, Rng& rng, Rules rules = Rules::lines) {
  GameRecord game;
  game.number = number;
  game.start = Position(rules);
  Position p = game.start;
  while (!p.is_terminal()) {
    std::array<float, kMoves> policy{};
    for (const Move m : p.moves()) policy[m.index] = 1.0F / static_cast<float>(std::popcount(p.legal_moves()));
    game.samples.push_back(Sample::of(p, policy, static_cast<float>(2 * rng.uniform() - 1)));
    game.moves.push_back(random_move(p, rng));
    p.play(game.moves.back());
  }
  game.result = p.terminal_value();
  return game;
}

inline GamesMessage random_message(const Range& range, std::uint64_t seed = 1, Rules rules = Rules::lines) {
  Rng rng(mix_seed(seed, range.first));
  GamesMessage message;
  message.version = 3;
  message.weights = 0xABCD;
  message.range = range;
  message.actor = "rack-7";
  message.figures = {1, 2.5, 0};
  for (std::uint32_t i = 0; i < range.count; ++i) message.games.push_back(random_game(range.first + i, rng, rules));
  return message;
}

}  // namespace quarto::store
