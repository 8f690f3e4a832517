// The line network: built from what matters in Quarto and equivariant under all of the game's symmetries by
// construction (12,288 for Rules::lines), so that it sees no two guises of a position differently.
//
// A *colour* is an attribute with a polarity (tall, short, ...): eight of them; a piece has four. Three streams, each
// with its own axis of like things that share weights:
//
//   rows    [8 colours] x [16 squares x width]     what the colour is worth on each square
//   pairs   [16 pieces] x [16 squares x pair]      what each piece is worth on each square (within a block only)
//   pieces  [16 pieces] x [kPieceWidth]            what is known of each piece
//
// The first features are fixed, not learned: per colour and line, whether the line is alive (no piece of the opposite
// polarity) and has at least 1, 2, 3 pieces; which squares are empty; the piece in hand; counts of pieces and squares
// as steps (n > 0, n > 1, ...), since parity decides endings; which pieces would lose at once if given.
//
// A block lets each colour's row reason along the lines (BoardLinear to a hidden layer of lines and back), then
// *joins*: pair (p, s) is the sum over the four colours of p of what they say of s, plus what is known of p; a ReLU
// makes it an "and" of the four. "p is safe to give after placing on s" is such a pair. Pairs are pooled over pieces
// (to squares, and to colours over the eight pieces that have it) and over squares (to pieces), and added back.
#pragma once

#include "model/board_linear.h"
#include "model/network.h"

namespace quarto {

class LineNetwork final : public Network {
 public:
  explicit LineNetwork(const NetworkConfig& config);
  HeadSignals describe(Ops& ops, const Signal& planes) override;

 private:
  static constexpr int kPieceWidth = 16;
  struct Block {
    BoardLinear to_lines{nullptr}, from_lines{nullptr}, to_pairs{nullptr}, piece_to_pairs{nullptr},
        pairs_to_rows{nullptr}, squares_to_rows{nullptr}, pairs_to_pieces{nullptr}, best_to_pieces{nullptr},
        pieces{nullptr};
  };
  struct Streams {
    Signal rows, pieces, square_sum, square_max;
  };

  void make_fixed_features();
  BoardLinear make(const std::string& name, std::vector<Field> in, std::vector<Field> out, double gain,
                   bool bias = true);
  void run_block(Ops& ops, const Block& block, Streams& streams) const;

  Rules rules_;
  // Fixed: planes to features of rows and to those of no colour; rows to "someone could win with this colour"; colours
  // to pieces; counting.
  torch::Tensor features_, features_bias_, shared_, shared_bias_, threat_, threat_bias_, colours_to_pieces_, count_,
      count_bias_;
  std::int64_t feature_size_ = 0;
  BoardLinear stem_{nullptr}, global_stem_{nullptr}, piece_stem_{nullptr};
  std::vector<Block> blocks_;
  BoardLinear place_hidden_{nullptr}, place_{nullptr}, give_hidden_{nullptr}, give_{nullptr}, outcome_hidden_{nullptr},
      outcome_pieces_{nullptr}, outcome_{nullptr};
};

}  // namespace quarto
