// The threads of one block of a GPU, as the kernels see them.
#pragma once

namespace quarto::gpu {

struct Block {
  template <class F>
  __device__ void each(int count, const F& f) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) f(i);
    __syncthreads();
  }
};

}  // namespace quarto::gpu
