// Labelling in shares (base/shares.h): the input of a share is positions (position_bytes.h), its result the exact
// values of all their moves, 4 bytes each: two bits for every move, as in label files (label_file.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/position.h"
#include "solver/solver.h"

namespace quarto {

// The most positions of a share.
inline constexpr std::size_t kMostInLabelShare = 4096;

// The positions of a share. Throws std::runtime_error for what is no input.
std::vector<Position> positions_of_label_share(std::string_view input, Rules rules);
// The result of a share, by this solver. Throws std::runtime_error for what is no input. With limits.stop it may return
// anything.
std::string label_share(std::string_view input, Rules rules, Solver& solver, const SolveLimits& limits);
// What a result says of its positions. Throws std::runtime_error for what is no input, and unless every legal move of
// every position has a value, and no other move has one. Whether the values are the exact ones it does not check.
std::vector<MoveSolution> labels_of_share(std::string_view input, Rules rules, std::string_view result);

}  // namespace quarto
