#include "gpu/arguments.h"

#include <algorithm>
#include <stdexcept>

#include "env/attribute_values.h"
#include "env/lines.h"
#include "light/pairs_input.h"

namespace quarto::gpu {

static_assert(kNoPiece == kPieces && kAllPieces == kMoves && kValues == kAttributeValues);
static_assert(kMostLines >= light::kMostLines);
static_assert(std::is_same_v<Bits, Mask>);

Board board_of(const Position& position) {
  Board board{};
  for (int a = 0; a < kAttributes; ++a) board.attribute[a] = bitboard(position.attributes(), a);
  board.occupied = position.occupied();
  board.hand = static_cast<Mask>(position.has_hand() ? index(position.hand()) : kNoPiece);
  return board;
}

Network network_of(Rules rules) {
  Network network{};
  const auto lines = winning_sets(rules);
  network.lines = static_cast<int>(lines.size());
  std::copy(lines.begin(), lines.end(), network.line);
  return network;
}

Network network_of(const light::PairsShape& shape, Rules rules) {
  const light::PairsLayout layout(shape);
  if (layout.entries.size() > kMostEntries) throw std::invalid_argument("the GPU kernels take fewer blocks");
  Network network = network_of(rules);
  network.blocks = shape.blocks;
  for (std::size_t i = 0; i < layout.entries.size(); ++i) network.offset[i] = layout.entries[i].offset;
  return network;
}

}  // namespace quarto::gpu
