// The prover of solver/prover.h on a GPU (gpu/prove.h): the same answers, for many questions together.
#pragma once

#include <memory>

#include "env/prover.h"
#include "env/rules.h"
#include "gpu/cuda.h"

namespace quarto::gpu {

// Thread-safe: every batch has its own stream and buffers. submit() starts the work on the device, compute() waits for it,
// asleep. Questions with many more nodes than the others are computed apart from them, so that few threads wait for many.
class ProofsOnGpu {
 public:
  // The kernel is compiled once for each device and rule set in a process. Throws CudaError if there is no such device or no
  // compiler.
  explicit ProofsOnGpu(Rules rules, int device = 0);
  std::unique_ptr<ProofBatch> new_batch() const;

  struct Program;

 private:
  std::shared_ptr<const Program> program_;
};

// The kernel for an architecture, without a device, as compile_kernels() of gpu/evaluator.h.
Compiled compile_proofs(Rules rules, const std::string& architecture, bool verbose = false);

}  // namespace quarto::gpu
