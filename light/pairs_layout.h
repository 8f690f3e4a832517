// The weights of the pairs network by name, in the one order that the kernel, the LibTorch network and files share.
//
// Matrices are [in][out], so that a layer is x * matrix. Each starts at a multiple of 16 floats. What reads pools has
// their parts one below the other: of rows and of all, sums and then maxima; of columns, the piece in hand, sums,
// maxima.
#pragma once

#include <string>
#include <vector>

namespace quarto::light {

// Sums run over up to sixteen things; these bring them to the size of one. Powers of two: exact. Of rows and columns;
// of columns, over everything; along a line; from lines to pairs and to squares.
inline constexpr float kSumScale = 0.125F, kAllScale = 0.125F, kLineScale = 0.125F, kToPairScale = 0.5F,
                       kToSquareScale = 0.25F;

struct PairsShape {
  int width = 16;
  int blocks = 3;
  int head = 32;
  friend bool operator==(const PairsShape&, const PairsShape&) = default;
};

struct PairsLayout {
  struct Entry {
    std::string name;
    int rows, cols;
    int offset;  // in floats
    float gain;  // of the initial values: normal with variance gain / inputs; 0 for a table or bias that starts at zero
    bool table;  // rows are looked up, not multiplied: initial variance is the gain itself
  };
  std::vector<Entry> entries;
  int size = 0;  // floats in all, the gaps included

  explicit PairsLayout(const PairsShape& shape);
};

// Where the kernel finds them. Indices into PairsLayout::entries.
namespace pairs_entry {
enum Stem { kPair, kHand, kLoses, kEmpty, kSafe, kStem };
enum Block {
  kSelf,
  kRows,
  kColumns,
  kAll,
  kBias,
  kLineState,
  kLineAttributeValue,
  kLineSquares,
  kLineToPair,
  kLineToSquare,
  kOut,
  kOutBias,
  kBlock
};
enum Heads {
  kGiveRows,
  kGiveAll,
  kGiveBias,
  kGiveOut,
  kPlaceColumns,
  kPlaceAll,
  kPlaceBias,
  kPlaceOut,
  kOutcomeAll,
  kOutcomeHand,
  kOutcomeBias,
  kOutcomeOut,
  kOutcomeOutBias,
  kHeads
};
constexpr int block(int b, int entry) { return kStem + b * kBlock + entry; }
constexpr int head(int blocks, int entry) { return kStem + blocks * kBlock + entry; }
}  // namespace pairs_entry

}  // namespace quarto::light
