// The kernel that runs prove.h, a question for each thread. QUARTO_LINES comes from the compiler's command line.
#include "gpu/block.h"
#include "gpu/prove.h"

extern "C" __global__ void __launch_bounds__(64)
    prove(const __grid_constant__ quarto::gpu::Network network, const quarto::gpu::ProofQuestion* questions, int count,
          quarto::gpu::ProofAnswer* answers) {
  __shared__ quarto::gpu::ProofTables<QUARTO_LINES> tables;
  quarto::gpu::Block<> block;
  tables.fill(network, block);
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  quarto::gpu::Proof<QUARTO_LINES> proof(tables, network);
  answers[i] = proof.answer(questions[i]);
}
