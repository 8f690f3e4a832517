// The weights of the pairs network by name, in the order that the kernel, the LibTorch network and the files use.
//
// Matrices are [in][out], so a layer is x * matrix. Each starts at a multiple of 16 floats. A matrix whose input is a
// pool has these row blocks, in order: for pools of rows and of all, the sums, then the maxima; for pools of columns,
// the piece in hand, the sums, the maxima.
#pragma once

#include <string>
#include <vector>

namespace quarto::light {

// Factors that scale sums of up to sixteen items to the size of one item. They are powers of two, so scaling is exact.
// kSumScale: sums of rows and columns. kAllScale: of columns, over everything. kLineScale: along a line. The last two:
// from lines to pairs and to squares.
inline constexpr float kSumScale = 0.125F, kAllScale = 0.125F, kLineScale = 0.125F, kToPairScale = 0.5F,
                       kToSquareScale = 0.25F;

struct PairsShape {
  int width = 16;
  int blocks = 3;
  int head = 32;
  int placements = 1;  // that a pair's input looks ahead: 1 (PairsInput), 2 (Replies too), 3 (ThirdPlacement too)
  friend bool operator==(const PairsShape&, const PairsShape&) = default;
};

struct PairsLayout {
  struct Entry {
    std::string name;
    int rows, cols;
    int offset;  // in floats
    float gain;  // initial values are normal with variance gain / inputs; 0 for a table or bias that starts at zero
    bool table;  // rows are looked up, not multiplied; the initial variance is the gain
  };
  PairsShape shape;
  std::vector<Entry> entries;
  int size = 0;  // all floats, including gaps

  explicit PairsLayout(const PairsShape& of);
};

// Indices into PairsLayout::entries.
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
// With two placements or more: tables by counts of Replies.
enum Replies { kReplySafe, kReplyOdd, kReplyOne, kReplyLeast, kReplyNone, kReplies };
// With three placements only: tables by counts of ThirdPlacement.
enum Third { kThirdNone, kThirdOne, kThirdOdd, kThirdLeast, kThird };
constexpr int block(int b, int entry) { return kStem + b * kBlock + entry; }
constexpr int head(int blocks, int entry) { return kStem + blocks * kBlock + entry; }
constexpr int replies(int blocks, int entry) { return head(blocks, kHeads) + entry; }
constexpr int third(int blocks, int entry) { return replies(blocks, kReplies) + entry; }
}  // namespace pairs_entry

}  // namespace quarto::light
