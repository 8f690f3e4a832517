// The kernel that runs pairs_gradient.h, as kernel.cu runs pairs_position.h, and one that adds up what its blocks found.
#include "gpu/block.h"
#include "gpu/pairs_gradient.h"

extern "C" {
__global__ void __launch_bounds__(QUARTO_THREADS)
    gradient(const __grid_constant__ quarto::gpu::Network network, const quarto::gpu::Sample* samples, int count,
             const __grid_constant__ quarto::gpu::Loss loss, unsigned char* scratch, long long scratch_size, float* sums,
             int size) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<quarto::gpu::Shared<QUARTO_WIDTH, QUARTO_MOST, QUARTO_LINES>*>(memory);
  auto& own = *reinterpret_cast<quarto::gpu::GradientScratch<QUARTO_WIDTH, QUARTO_MOST, QUARTO_LINES>*>(
      scratch + blockIdx.x * scratch_size);
  quarto::gpu::Block<> block;
  quarto::gpu::add_gradient<QUARTO_WIDTH, QUARTO_MOST, QUARTO_FEWEST, QUARTO_LINES>(
      network, shared, block, samples, count, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), loss, own,
      sums + static_cast<long long>(blockIdx.x) * (size + quarto::gpu::kFigures), size);
}
// out[i] = the sum over `rows` rows of sums[row][i], which become zero for the next batch.
__global__ void __launch_bounds__(256) add_up(float* sums, int rows, int size, float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) out[i] = quarto::gpu::take_sum(sums, rows, size, i);
}
}
