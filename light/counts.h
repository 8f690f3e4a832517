// What the pairs network sees of a position, as numbers: how often each pair adds each row of the input's tables, and
// the state of each line. LibTorch, ONNX and TorchScript take them as the input `counts`. The CPU kernel adds the same
// rows without writing the numbers down, and gpu/pairs_look.h finds them on a device; tests compare all three.
//
//     [square][piece][kPairRows]            rows added by the pair; zeros where the square is taken or the piece is placed
//     [line][attribute value][kLineStates]  1 at the number of pieces on the line, if it is alive for the value
//
// Lines are in the order of winning_sets().
#pragma once

#include <span>

#include "env/attribute_values.h"
#include "env/position.h"
#include "env/rules.h"
#include "light/pairs_constants.h"

namespace quarto::light {

inline constexpr int kPairCounts = kSquares * kPieces * kPairRows;
inline constexpr int kLineCounts = kAttributeValues * kLineStates;  // of a line
// The numbers of a position.
int counts_size(Rules rules);

// Writes counts_size() numbers to the front of `out`. The position must not be terminal. Throws std::invalid_argument
// if `out` is shorter.
void encode_counts(const Position& position, std::span<float> out);

}  // namespace quarto::light
