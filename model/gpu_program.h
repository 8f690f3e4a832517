// A network on a CUDA device, computing while its caller does something else. Only a build against a LibTorch with CUDA
// has it (gpu_program.cpp); elsewhere gpu_program_absent.cpp stands in, and networks run as they do on a CPU.
#pragma once

#include <memory>
#include <span>

#include "env/types.h"
#include "model/program.h"

namespace quarto {

// Thread-safe, but each Run belongs to one thread.
class GpuProgram {
 public:
  // The buffers of one batch at a time: fill rows, start, do something else, finish.
  class Run {
   public:
    virtual ~Run() = default;  // waits for the device
    // Room for the planes of position i, as encode_bits() writes them. Rows may be asked for in order only, from 0.
    virtual std::span<Mask> row(std::size_t i) = 0;
    // Sends the first n rows on their way. Throws std::runtime_error or c10::Error when the device fails.
    virtual void start(std::size_t n) = 0;
    // Waits for what was started: Program::kOutputs logits a row, valid until the next start(). Throws likewise.
    virtual std::span<const float> finish() = 0;
  };

  virtual ~GpuProgram() = default;
  virtual std::unique_ptr<Run> new_run() = 0;
};

// This build has it.
bool gpu_program_available();
// Nothing if this build has none. The program must be on a CUDA device.
std::shared_ptr<GpuProgram> make_gpu_program(std::shared_ptr<const Program> program);

}  // namespace quarto
