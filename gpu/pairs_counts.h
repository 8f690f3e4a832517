// The counts of light/count_planes.h for one position and the threads of one block of a GPU: what LibTorch takes as the
// input of a pairs network, made where LibTorch learns. The source of counts.cu, under
// the conditions of pairs_position.h.
#pragma once

#include "gpu/pairs_look.h"
#include "light/pairs_constants.h"

namespace quarto::gpu {

template <int N, int LINES, class THREADS>
class Counts : Look<N, LINES, THREADS> {
 public:
  // Of the network, only the lines matter.
  QUARTO_DEVICE Counts(const Network& network, Seen<N, LINES>& seen, THREADS& threads) : Base(network, seen, threads) {}

  // Adds to `counts`, which is [square][piece][kPairCounts]. The board must have 1 to N empty squares.
  QUARTO_DEVICE void run(const Board& board, float* counts) {
    look(board);
    threads_.each(n_ * n_, [&](int i) {
      const int piece = seen_.pieces[i / n_], square = seen_.squares[i % n_];
      float* const of_pair = counts + (square * kAllPieces + piece) * light::kPairCounts;
      const auto row_of = [&](int first, int each) {
        return [=](int table, unsigned at) { of_pair[first + table * each + static_cast<int>(at)] += 1.0F; };
      };
      if (n_ <= kMostReplySquares) each_reply_row(i, row_of(0, kReplyCounts));
      if (n_ <= kMostThirdSquares) each_third_row(i, row_of(light::kFirstThirdCount, kThirdCounts));
      if (has_fourth()) each_fourth_row(i, row_of(light::kFirstFourthCount, kFourthCounts));
    });
  }

 private:
  using Base = Look<N, LINES, THREADS>;
  using Base::each_fourth_row, Base::each_reply_row, Base::each_third_row, Base::has_fourth, Base::look, Base::n_,
      Base::seen_, Base::threads_;
};

// What a block does: the boards first, first + step, ... below count that have FEWEST to N empty squares. Row i begins
// at counts + i * stride.
template <int N, int FEWEST, int LINES, class THREADS>
QUARTO_DEVICE void add_counts(const Network& network, Seen<N, LINES>& seen, THREADS& threads, const Board* boards,
                              int count, int first, int step, float* counts, long long stride) {
  Counts<N, LINES, THREADS> pass(network, seen, threads);
  for (int i = first; i < count; i += step) {
    const Board board = boards[i];
    const int empty = kAllPieces - count_of(board.occupied);
    if (empty >= FEWEST && empty <= N) pass.run(board, counts + i * stride);
  }
}

}  // namespace quarto::gpu
