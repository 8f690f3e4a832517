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

// The tables of the input: a pair's vector begins as the sum of the rows that it adds (light/input_rows.h). kReplySafe
// to kReplyNone count Replies, kThirdNone to kThirdLeast ThirdPlacement, the rest FourthPlacement.
enum Table {
  kPair,  // by category
  kHand,
  kLoses,
  kEmpty,  // [placing][count]
  kSafe,   // [placing][count]
  kReplySafe,
  kReplyOdd,
  kReplyOne,
  kReplyLeast,
  kReplyNone,
  kThirdNone,
  kThirdOne,
  kThirdOdd,
  kThirdLeast,
  kFourthHolding,
  kFourthLeast,
  kFourthNone,
  kTables
};
// The tables that every file has. One that is added after them is zeros in the files of before.
inline constexpr int kOldestTables = kFourthNone + 1;
constexpr int rows_of(int table) {
  if (table == kPair) return kCategories;
  if (table == kHand || table == kLoses) return 1;
  if (table == kEmpty || table == kSafe) return 2 * kCounts;
  return table < kThirdNone ? kReplyCounts : table < kFourthHolding ? kThirdCounts : kFourthCounts;
}
// The number of a table's first row when the rows of all tables are counted through.
constexpr int first_row(int table) {
  int first = 0;
  for (int t = 0; t < table; ++t) first += rows_of(t);
  return first;
}
inline constexpr int kPairRows = first_row(kTables);

// Indices into PairsLayout::entries: the tables up to kSafe, the blocks, the heads, the other tables.
namespace pairs_entry {
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
constexpr int block(int b, int entry) { return kReplySafe + b * kBlock + entry; }
constexpr int head(int blocks, int entry) { return block(blocks, 0) + entry; }
constexpr int table(int blocks, int t) { return t < kReplySafe ? t : head(blocks, kHeads) + t - kReplySafe; }
}  // namespace pairs_entry

}  // namespace quarto::light
