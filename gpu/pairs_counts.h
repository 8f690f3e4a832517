// The counts of light/counts.h for one position and the threads of one block of a GPU: what LibTorch takes as the
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

  // Writes over the zeros of `counts`, which are light::counts_size(). The board must have 1 to N empty squares.
  QUARTO_DEVICE void run(const Board& board, float* counts) {
    look(board);
    threads_.each(n_ * n_, [&](int i) {
      const int piece = seen_.pieces[i / n_], square = seen_.squares[i % n_];
      float* const of_pair = counts + (square * kAllPieces + piece) * light::kPairRows;
      each_row(i, [&](int table, unsigned row) { of_pair[light::first_row(table) + static_cast<int>(row)] += 1.0F; });
    });
    threads_.each(items_, [&](int i) {
      const int line = seen_.item_line[i], state = 4 - count_of(seen_.gaps[line]);
      counts[kAllPieces * kAllPieces * light::kPairRows + (line * kValues + seen_.item_value[i]) * light::kLineStates +
             state] = 1.0F;
    });
  }

 private:
  using Base = Look<N, LINES, THREADS>;
  using Base::each_row, Base::items_, Base::look, Base::n_, Base::seen_, Base::threads_;
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
