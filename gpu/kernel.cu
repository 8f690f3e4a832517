// The kernel that runs pairs_position.h, one position at a time per block. It is compiled at run time for the device that
// is there (gpu/program.h); the macros come from the compiler's command line. There are three, for boards with few, more
// and most empty squares. Each passes over the boards of the others.
#include "gpu/block.h"
#include "gpu/pairs_position.h"

extern "C" __global__ void __launch_bounds__(QUARTO_THREADS)
    forward(const __grid_constant__ quarto::gpu::Network network, const quarto::gpu::Board* boards, int count, float* logits) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<quarto::gpu::Shared<QUARTO_WIDTH, QUARTO_MOST, QUARTO_LINES>*>(memory);
  quarto::gpu::Block<QUARTO_PARTS> block;
  quarto::gpu::forward<QUARTO_WIDTH, QUARTO_MOST, QUARTO_FEWEST, QUARTO_LINES>(
      network, shared, block, boards, count, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), logits);
}
