// gpu: the default network and proofs on a GPU without LibTorch: kernels of our own, compiled for the device at run time
// Uses: base, env, light.
// Promises: The outputs equal those of light's kernel up to rounding. A GPU that cannot be used causes an exception
// that says why, and nothing else.
//
// This header: the evaluator that computes the pairs network on a GPU with kernels of its own, one position per block
// (gpu/pairs_position.h): positions go in as twelve bytes and come out as logits, and nothing between leaves the
// processor of the device that computes it.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "env/evaluator.h"
#include "env/rules.h"
#include "gpu/cuda.h"
#include "gpu/program.h"
#include "light/pairs_layout.h"

namespace quarto::gpu {

// Thread-safe as Evaluator requires: every batch has its own stream and buffers. submit() starts the work on the device
// and compute() waits for it, asleep. Results do not depend on what else is in the batch. They are float32.
class PairsOnGpu final : public Evaluator {
 public:
  // `weights` in PairsLayout's order; checked as PairsKernel::make() checks them, with the same exceptions. The kernels
  // are compiled for the device once for each width and rule set in a process, which takes some seconds. Throws CudaError if there is no such device, no compiler, or if the network is too wide for the device.
  PairsOnGpu(const light::PairsShape& shape, std::span<const float> weights, Rules rules, int device = 0);
  ~PairsOnGpu() override;

  std::unique_ptr<EvaluationBatch> new_batch() override;
  std::unique_ptr<ProofBatch> new_proofs() override;
  EvaluatorTraits traits() const override { return {.equivariant = true, .batch_invariant = true}; }
  std::string computed_by() const override { return "our kernels on " + device_name(); }
  // The device and its architecture, for people.
  std::string device_name() const;

  struct Program;
  struct Weights;

 private:
  std::shared_ptr<const Weights> weights_;
  Rules rules_;
  int device_;
};

// The kernels for an architecture ("sm_90"), without a device; with `verbose`, what the compiler says of them. Throws
// CudaError.
BoardPrograms compile_kernels(int width, Rules rules, const std::string& architecture, bool verbose = false);
// The shared memory of a block, in bytes, of the kernel for boards with at most 8, 12 or 16 empty squares, of this evaluator
// and of gpu/gradient.h. Throws CudaError for a width that there are no kernels for.
std::size_t shared_memory(int width, int most_empty, Rules rules);
// That of all three for a device. Throws CudaError, which names the width that fits, if it has less.
std::array<std::size_t, 3> shared_memory_on(const Device& device, int width, Rules rules);
// The widest network for which the device has enough of it; 0: none.
int widest_network(const Device& device, Rules rules);

}  // namespace quarto::gpu
