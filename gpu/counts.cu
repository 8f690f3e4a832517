// The kernels that run pairs_counts.h, as kernel.cu runs pairs_position.h: three, one position at a time per block, each
// passing over the boards of the others. QUARTO_LINES comes from the compiler's command line.
#include "gpu/block.h"
#include "gpu/pairs_counts.h"

namespace {

using quarto::gpu::Board;
using quarto::gpu::Network;

template <int MOST, int FEWEST>
__device__ void count(const Network& network, const Board* boards, int n, float* counts, long long stride) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& seen = *reinterpret_cast<quarto::gpu::Seen<MOST, QUARTO_LINES>*>(memory);
  quarto::gpu::Block block;
  quarto::gpu::add_counts<MOST, FEWEST, QUARTO_LINES>(
      network, seen, block, boards, n, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), counts, stride);
}

}  // namespace

extern "C" {
__global__ void __launch_bounds__(64) counts_8(const __grid_constant__ Network network, const Board* boards, int n,
                                               float* counts, long long stride) {
  count<8, 1>(network, boards, n, counts, stride);
}
__global__ void __launch_bounds__(128) counts_12(const __grid_constant__ Network network, const Board* boards, int n,
                                                 float* counts, long long stride) {
  count<12, 9>(network, boards, n, counts, stride);
}
__global__ void __launch_bounds__(256) counts_16(const __grid_constant__ Network network, const Board* boards, int n,
                                                 float* counts, long long stride) {
  count<16, 13>(network, boards, n, counts, stride);
}
}
