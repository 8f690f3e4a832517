// Games as text: what `match --out-games` writes and `analyse` and `explore` read.
#pragma once

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "env/position.h"

namespace quarto {

struct MatchResult;

// A text of games is not as expected. The message names the origin, the line, and what was expected.
class GameTextError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A game as it was played, possibly not to its end.
struct PlayedGame {
  std::string name;                            // "games.txt:3", for messages and headings
  std::array<std::string, 2> players;          // who gave first, and the other; may be ""
  std::vector<Move> moves;                     // from the empty board
  std::optional<double> points_of_first = {};  // 1, 0.5 or 0, where the text says so: a game may be lost on time
  std::string note = {};                       // e.g. why it was lost before its end
};

// What `match --out-games` writes. First "# A = NAME, B = NAME; points of A, who gave first, moves; rules RULES", then
// one line per game: "POINTS<TAB>WHO<TAB>MOVES", with POINTS 1, 1/2 or 0, WHO A or B, and after another tab "# ..."
// where the loser failed or had no time left.
std::string games_text(const MatchResult& result, Rules rules);

// One game a line: its moves ("0 a1 7 c2 ..."), or those of games_text(). Other lines that begin with '#' and empty
// lines are passed over. Throws GameTextError for an illegal or malformed move, and where the first line names other
// rules.
std::vector<PlayedGame> parse_games(std::string_view text, const std::string& origin, Rules rules);

}  // namespace quarto
