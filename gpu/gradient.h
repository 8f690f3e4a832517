// The gradient of the loss of a pairs network on a GPU, with kernels of our own (gpu/pairs_gradient.h), for a learner that
// has its weights there. The processor sends 88 bytes a position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "env/position.h"
#include "env/rules.h"
#include "gpu/cuda.h"
#include "gpu/program.h"
#include "light/pairs_layout.h"

namespace quarto::gpu {

struct Sample;  // gpu/pairs_gradient.h
std::size_t sample_size();
// Writes sample_size() bytes: a position that is not terminal, shares of moves and of win, draw, loss.
void pack_sample(const Position& position, std::span<const float, 16> policy, std::span<const float, 3> outcome,
                 std::byte* out);

// Not thread-safe.
class GradientOnGpu {
 public:
  static constexpr int kFigures = 6;
  // `number` is the device's. Compiles the kernels, which takes some seconds, once for each device, width and rule set in
  // a process. Throws CudaError if there is no such device, no compiler, too little memory, or if the network is too wide.
  GradientOnGpu(const light::PairsShape& shape, Rules rules, int number = 0);
  ~GradientOnGpu();

  // The mean loss is over `n` samples, at least one; `any` and `logit_penalty` as in train/pairs_gradient.h.
  struct Batch {
    DevicePointer samples;
    int n;
    bool any;
    float logit_penalty;
  };
  // From weights in PairsLayout's order to the gradient in the same order and then kFigures sums: of the place, give and
  // outcome losses in nats, and of the samples that have each. All on the device; `weights` is aligned to 16 bytes. The
  // work is put on the device's default stream, which LibTorch uses too unless it is told otherwise: what was put there
  // before comes first, and what is put there later sees the gradient. A weight or an output that is not finite makes a
  // figure that is not. Sums have an order that the device determines, and nothing else. Throws CudaError; after that only
  // the destructor may be called.
  void compute(const Batch& batch, DevicePointer weights, DevicePointer out);

  struct Program;

 private:
  std::shared_ptr<const Program> program_;
  light::PairsLayout layout_;
  Rules rules_;
  DeviceMemory scratch_, sums_;
  std::size_t scratch_size_ = 0;  // of a block, in bytes
  unsigned most_blocks_ = 0;      // of any of the kernels
};

// The kernels for an architecture, without a device, as compile_kernels() of gpu/evaluator.h.
BoardPrograms compile_gradient(int width, Rules rules, const std::string& architecture, bool verbose = false);

}  // namespace quarto::gpu
