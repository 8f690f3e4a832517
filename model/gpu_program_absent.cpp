// The functions of gpu_program.h for a LibTorch without CUDA.
#include "model/gpu_program.h"

namespace quarto {

bool gpu_program_available() { return false; }
std::string describe_gpu(int) { return ""; }
std::string why_no_gpu() { return ""; }

std::shared_ptr<GpuProgram> make_gpu_program(std::shared_ptr<const Program>) { return nullptr; }

}  // namespace quarto
