// The kernels that run pairs_gradient.h, as kernel.cu runs pairs_position.h, and one that adds up what their blocks found.
#include "gpu/block.h"
#include "gpu/pairs_gradient.h"

namespace {

using quarto::gpu::Loss;
using quarto::gpu::Network;
using quarto::gpu::Sample;

template <int MOST, int FEWEST>
__device__ void gradient(const Network& network, const Sample* samples, int count, const Loss& loss,
                         unsigned char* scratch, long long scratch_size, float* sums, int size) {
  constexpr int kWidth = QUARTO_WIDTH, kLines = QUARTO_LINES;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& shared = *reinterpret_cast<quarto::gpu::Shared<kWidth, MOST, kLines>*>(memory);
  auto& own = *reinterpret_cast<quarto::gpu::GradientScratch<kWidth, MOST, kLines>*>(scratch + blockIdx.x * scratch_size);
  quarto::gpu::Block block;
  quarto::gpu::add_gradient<kWidth, MOST, FEWEST, kLines>(
      network, shared, block, samples, count, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), loss, own,
      sums + static_cast<long long>(blockIdx.x) * (size + quarto::gpu::kFigures), size);
}

}  // namespace

extern "C" {
__global__ void __launch_bounds__(64)
    gradient_8(const __grid_constant__ Network network, const Sample* samples, int count,
               const __grid_constant__ Loss loss, unsigned char* scratch, long long scratch_size, float* sums, int size) {
  gradient<8, 1>(network, samples, count, loss, scratch, scratch_size, sums, size);
}
__global__ void __launch_bounds__(128)
    gradient_12(const __grid_constant__ Network network, const Sample* samples, int count,
                const __grid_constant__ Loss loss, unsigned char* scratch, long long scratch_size, float* sums, int size) {
  gradient<12, 9>(network, samples, count, loss, scratch, scratch_size, sums, size);
}
__global__ void __launch_bounds__(256)
    gradient_16(const __grid_constant__ Network network, const Sample* samples, int count,
                const __grid_constant__ Loss loss, unsigned char* scratch, long long scratch_size, float* sums, int size) {
  gradient<16, 13>(network, samples, count, loss, scratch, scratch_size, sums, size);
}
// out[i] = the sum over `blocks` rows of sums[row][i], which become zero for the next batch.
__global__ void __launch_bounds__(256) add_up(float* sums, int blocks, int size, float* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) out[i] = quarto::gpu::take_sum(sums, blocks, size, i);
}
}
