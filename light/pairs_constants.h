// What all implementations of the pairs network share: its numbers, and the order of its weights. It includes nothing,
// so that a GPU's compiler reads it too.
#pragma once

namespace quarto::light {

// The category of a pair: the number of pieces that are safe to give after the piece is placed on the square (0..15),
// or kWins if the placement wins.
inline constexpr int kWins = 16;
inline constexpr int kCategories = kWins + 1;
inline constexpr int kCounts = 17;     // 0..16 of anything
inline constexpr int kLineStates = 4;  // 0..3 pieces on a line

// Two placements: counts are 0..15. Boards with more empty squares have none: with three pieces or fewer hardly
// anything is decided, and there would be most to count.
inline constexpr int kReplyCounts = 16;
inline constexpr int kMostReplySquares = 12;
// Three placements: counts are 0..7. Boards with more empty squares have none: they have more pieces left than a byte
// can tell apart, and most to count.
inline constexpr int kMostThirdSquares = 8;
inline constexpr int kThirdCounts = kMostThirdSquares;
// Four placements: counts are 0..7. They are of pairs that three placements count. With four empty squares no piece
// would be left after the fourth placement.
inline constexpr int kFewestFourthSquares = 5;
inline constexpr int kMostFourthSquares = 8;
inline constexpr int kFourthCounts = kMostFourthSquares;

inline constexpr int kMostBlocks = 16;
inline constexpr int kHeadWidth = 32;

// Factors that scale sums of up to sixteen items to the size of one item. They are powers of two, so scaling is exact.
// kSumScale: sums of rows and columns. kAllScale: of columns, over everything. kLineScale: along a line. The last two:
// from lines to pairs and to squares.
inline constexpr float kSumScale = 0.125F, kAllScale = 0.125F, kLineScale = 0.125F, kToPairScale = 0.5F,
                       kToSquareScale = 0.25F;

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
// Tables by counts of Replies.
enum Replies { kReplySafe, kReplyOdd, kReplyOne, kReplyLeast, kReplyNone, kReplies };
// Tables by counts of ThirdPlacement.
enum Third { kThirdNone, kThirdOne, kThirdOdd, kThirdLeast, kThird };
// Tables by counts of FourthPlacement.
enum Fourth { kFourthHolding, kFourthLeast, kFourthNone, kFourth };
constexpr int block(int b, int entry) { return kStem + b * kBlock + entry; }
constexpr int head(int blocks, int entry) { return kStem + blocks * kBlock + entry; }
constexpr int replies(int blocks, int entry) { return head(blocks, kHeads) + entry; }
constexpr int third(int blocks, int entry) { return replies(blocks, kReplies) + entry; }
constexpr int fourth(int blocks, int entry) { return third(blocks, kThird) + entry; }
}  // namespace pairs_entry

// How often each row of those tables is added to a pair, as numbers: first the tables of Replies, then of Third, then
// of Fourth.
inline constexpr int kFirstThirdCount = pairs_entry::kReplies * kReplyCounts;
inline constexpr int kFirstFourthCount = kFirstThirdCount + pairs_entry::kThird * kThirdCounts;
inline constexpr int kPairCounts = kFirstFourthCount + pairs_entry::kFourth * kFourthCounts;

}  // namespace quarto::light
