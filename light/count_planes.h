// The counts of Replies, ThirdPlacement and FourthPlacement as numbers, for a network that does not compute them
// itself: what a pairs network with three or four placements takes in LibTorch and in ONNX beside the planes of
// env/encoding.h.
#pragma once

#include <span>

#include "env/position.h"
#include "light/fourth_placement.h"
#include "light/pairs_constants.h"
#include "light/replies.h"
#include "light/third_placement.h"

namespace quarto::light {

// As many planes of 4x4 have room for them. They are not images: a symmetry does not act on them as on planes.
inline constexpr int kCountPlanes = kPieces * kPairCounts;
inline constexpr int kCountsSize = kCountPlanes * kSquares;

// Writes [square][piece][pair_counts()], zeros for pairs that do not exist or have no counts. The position must not be
// terminal. Throws std::invalid_argument if `out` is shorter than counts_size() or `placements` is another number.
void encode_counts(const Position& position, std::span<float> out);

}  // namespace quarto::light
