// The threads of one block of a GPU, as the kernels see them.
#pragma once

namespace quarto::gpu {

// PARTS is kParts for Forward (pairs_position.h). blockDim is a multiple of 32, so that threads that meet are in one warp.
template <int PARTS = 1>
struct Block {
  static constexpr int kParts = PARTS;
  static_assert(32 % PARTS == 0);

  template <class F>
  __device__ void each(int count, const F& f) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) f(i);
    __syncthreads();
  }
  // Waits for all threads of the warp that have an item: then they go on together.
  __device__ void meet(int i, int count) {
    if constexpr (PARTS > 1) {
      const int with_item = count - (i - static_cast<int>(threadIdx.x % 32));
      __syncwarp(with_item < 32 ? (1U << with_item) - 1 : ~0U);
    }
  }
};

}  // namespace quarto::gpu
