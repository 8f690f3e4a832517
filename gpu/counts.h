// The counts that LibTorch takes as the input of a pairs network (light/counts.h), made on the GPU
// on which it learns: 230 KB a position, of which the processor sends 12 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "env/position.h"
#include "env/rules.h"
#include "gpu/cuda.h"
#include "gpu/program.h"

namespace quarto::gpu {

inline constexpr std::size_t kBoardWords = 6;
// A position as the kernels take it. It must not be terminal.
void pack_board(const Position& position, std::span<std::uint16_t, kBoardWords> out);

// Thread-safe.
class CountsOnGpu {
 public:
  // `number` is the device's. Compiles the kernels, which takes some seconds, once for each device and rule set in a
  // process. Throws CudaError if there is no such device or no compiler.
  explicit CountsOnGpu(Rules rules, int number = 0);

  // Writes the counts of `n` packed boards over n rows of zeros, each of light::counts_size(), all on the device.
  // The work is put on the device's default stream, which LibTorch uses too unless it is told otherwise: what was put
  // there before comes first, and what is put there later sees the counts. Throws CudaError.
  void add(DevicePointer boards, std::size_t n, DevicePointer rows) const;

 private:
  std::shared_ptr<const BoardKernels> kernels_;
  Rules rules_;
};

// The kernels for an architecture, without a device, as compile_kernels() of gpu/evaluator.h.
Compiled compile_counts(Rules rules, const std::string& architecture, bool verbose = false);

}  // namespace quarto::gpu
