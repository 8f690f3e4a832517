// Games as people and `match --out-games` write them.
#include "env/notation.h"
#include "eval/game_text.h"
#include "tests/fuzz/fuzz.h"

using namespace quarto;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    try {
      const std::vector<PlayedGame> games = parse_games(fuzz::text_of(data, size), "games", rules);
      fuzz::require(!games.empty());
      for (const PlayedGame& game : games) {
        Position position(rules);
        for (const Move move : game.moves) {
          fuzz::require(position.is_legal(move));
          position = position.after(move);
        }
        if (!game.moves.empty()) fuzz::require(parse_game(to_string(game.moves), rules) == game.moves);
      }
    } catch (const GameTextError&) {
    }
  }
  return 0;
}
