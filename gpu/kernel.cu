// The kernels that run pairs_position.h, one position at a time per block. They are compiled at run time for the device
// that is there (gpu/evaluator.cpp); QUARTO_WIDTH and QUARTO_LINES come from the compiler's command
// line. There are three, because boards with fewer empty squares need less shared memory, so that more blocks run side by
// side. Each passes over the boards of the others.
#include "gpu/block.h"
#include "gpu/pairs_position.h"

namespace {

using quarto::gpu::Board;
using quarto::gpu::Network;

template <int MOST, int FEWEST>
__device__ void forward(const Network& network, const Board* boards, int count, float* logits) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<quarto::gpu::Shared<QUARTO_WIDTH, MOST, QUARTO_LINES>*>(memory);
  quarto::gpu::Block block;
  quarto::gpu::forward<QUARTO_WIDTH, MOST, FEWEST, QUARTO_LINES>(
      network, shared, block, boards, count, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), logits);
}

}  // namespace

extern "C" {
__global__ void __launch_bounds__(64)
    forward_8(const __grid_constant__ Network network, const Board* boards, int count, float* logits) {
  forward<8, 1>(network, boards, count, logits);
}
__global__ void __launch_bounds__(128)
    forward_12(const __grid_constant__ Network network, const Board* boards, int count, float* logits) {
  forward<12, 9>(network, boards, count, logits);
}
__global__ void __launch_bounds__(256)
    forward_16(const __grid_constant__ Network network, const Board* boards, int count, float* logits) {
  forward<16, 13>(network, boards, count, logits);
}
}
