// data: suites, exact labels, training samples, the replay buffer
// Uses: base, env, solver.
// Promises: What is read back is what was written, or an error that names the file. No position of a file excluded
// from a labelling is in its result, in any of its 12,288 images.
//
// This header: suites, files of positions with exact values, one a line, three fields separated by tabs.
//
//   .632/..D./..1./.... -	0	0:-1 4:-1 5:-1 7:-1 8:0 9:-1 A:-1 B:-1 C:0 E:-1 F:-1
//
// the position, its value, and every legal move with its value, both for the player to act. Empty lines are skipped.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "env/position.h"

namespace quarto {

// A malformed suite; the message reads "FILE:LINE: column COLUMN: what was wrong".
class SuiteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SuiteEntry {
  Position position;
  Value value = Value::draw;
  std::array<std::optional<Value>, kMoves> moves;  // by Move::index; exactly the legal ones
  std::size_t line = 0;                            // in its file, from 1; 0 if it came from elsewhere

  // The legal moves have at least two different exact values.
  bool decisive() const;
};

// Decisive even for a player who follows the one-ply rule (win at once, give no piece that loses at once, leave
// something safe to give): the piece in hand does not win at once, and the moves the rule leaves have at least two
// different values.
bool deep(const SuiteEntry& entry);
// 1 if the move keeps the position's value, otherwise 0.
double keeps_value(const SuiteEntry& entry, Move move);
// The share of value-keeping moves among `moves`, which must not be empty.
double keeping_share(const SuiteEntry& entry, Mask moves);

struct Suite {
  std::string name;  // the file's name without directory and extension
  std::vector<SuiteEntry> entries;
};

// Throws SuiteError if a line is malformed, names a finished game, lists a move twice or not at all, has a value other
// than -1, 0 and 1, or a position's value is not the best of its moves; and if there is no entry at all. FileError if
// the file cannot be read. `named` may be that of a shipped one (or_shipped() in base/shipped.h).
Suite read_suite(const std::filesystem::path& named, Rules rules = Rules::lines);
// The same from text; `origin` stands for the file in messages.
std::vector<SuiteEntry> parse_suite(std::string_view text, const std::string& origin, Rules rules = Rules::lines);

// One line of the file, without its end.
std::string to_string(const SuiteEntry& entry);
std::string to_string(const std::vector<SuiteEntry>& entries);  // the whole file

// One line of JSON with the same, for programs that do not know the notation (eval/suites/dataset/README.md):
//   rules     "lines" or "squares"
//   position  as in the suite
//   phase     "place" or "give"
//   board     sixteen numbers, square a1, b1, ... d4: the piece 0..15, or -1 for an empty square
//   hand      the piece to be placed, 0..15, or -1
//   value     1 win, 0 draw, -1 loss, for the player to act
//   values    sixteen numbers by square (place) or piece (give): the move's value for the player to act, null if it is
//             not legal
std::string to_json(const SuiteEntry& entry);

}  // namespace quarto
