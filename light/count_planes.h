// The counts of Replies and ThirdPlacement as numbers, for a network that does not compute them itself: what the pairs
// network with three placements takes in LibTorch and in ONNX beside the planes of env/encoding.h.
#pragma once

#include <span>

#include "env/position.h"
#include "light/replies.h"
#include "light/third_placement.h"

namespace quarto::light {

// By pair: for each table of pairs_entry::Replies and then of pairs_entry::Third, how often each of its rows is added.
inline constexpr int kPairCounts = pairs_entry::kReplies * kReplyCounts + pairs_entry::kThird * kThirdCounts;
// As many planes of 4x4 have room for them. They are not images: a symmetry does not act on them as on planes.
inline constexpr int kCountPlanes = kPieces * kPairCounts;
inline constexpr int kCountsSize = kCountPlanes * kSquares;

// Writes [square][piece][kPairCounts], zeros for pairs that do not exist or have no counts. The position must not be
// terminal. Throws std::invalid_argument if `out` is shorter than kCountsSize.
void encode_counts(const Position& position, std::span<float> out);

}  // namespace quarto::light
