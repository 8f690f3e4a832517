// A network on a CUDA device that computes while the caller continues. Only a build against a LibTorch with CUDA has it
// (gpu_program.cpp). Other builds use gpu_program_absent.cpp, and networks run as on a CPU.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "env/types.h"
#include "model/program.h"

namespace quarto {

// Thread-safe. Each Run must be used by one thread at a time.
class GpuProgram {
 public:
  // The buffers of one batch. Fill the rows, call start(), do other work, call finish().
  class Run {
   public:
    virtual ~Run() = default;  // waits for the device
    // The memory for the planes of position i, as encode_bits() writes them. Call with i = 0, 1, 2, ... in order.
    virtual std::span<Mask> row(std::size_t i) = 0;
    // Starts the computation of the first n rows. Throws std::runtime_error or c10::Error when the device fails.
    virtual void start(std::size_t n) = 0;
    // Waits for the results: Program::kOutputs logits per row, valid until the next start(). Throws as start() does.
    virtual std::span<const float> finish() = 0;
  };

  virtual ~GpuProgram() = default;
  virtual std::unique_ptr<Run> new_run() = 0;
};

// True if this build has GPU programs.
bool gpu_program_available();
// What CUDA says of a device ("NVIDIA H100 80GB HBM3, 79.1 GiB") or of there being none. "" if this build has no GPU
// programs.
std::string describe_gpu(int device);
std::string why_no_gpu();
// Returns null if this build has none. `program` must be on a CUDA device.
std::shared_ptr<GpuProgram> make_gpu_program(std::shared_ptr<const Program> program);

}  // namespace quarto
