// LibTorch as it is on this machine: its threads, its devices, the libraries behind it. No LibTorch in this header.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/names.h"

namespace quarto {

// A device that was asked for and is not there, or not known.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Process-wide: the number of threads that LibTorch uses inside one operation. Keep it at 1 and run games in parallel
// instead: with two threads and one competing process a residual net fell from 19.8 thousand to 294 positions a second
// (spinning barriers). Applies to the calling thread and to threads started later; a worker thread that uses LibTorch
// calls it first. Also keeps freed memory from going back to the system between batches, which in worker threads costs
// more than the arithmetic.
void configure_torch(int threads = 1);

// "auto", "cpu", "cuda" or "cuda:N" to what LibTorch calls it ("cpu", "cuda:0"). Throws DeviceError.
std::string resolve_device(const std::string& device);

// The numbers that a network computes its evaluations with. Its outputs and the softmax are float32 in any case.
enum class Precision { float32, bfloat16 };
// What a user asks for; automatic: bfloat16 on a GPU and float32 elsewhere.
enum class PrecisionChoice { automatic, float32, bfloat16 };
constexpr auto names_of(PrecisionChoice) {
  return std::to_array<Name<PrecisionChoice>>({{PrecisionChoice::automatic, "auto"},
                                               {PrecisionChoice::float32, "float32"},
                                               {PrecisionChoice::bfloat16, "bfloat16"}});
}
// `device` as resolve_device() gives it.
Precision resolve_precision(PrecisionChoice precision, const std::string& device);

struct TorchInfo {
  std::string version;  // that this program was compiled against
  bool cxx11_abi = true;
  bool openmp = false;
  bool mkl = false, onednn = false;
  std::string simd;  // the vector instructions LibTorch chose
  int threads = 1;
  bool cuda_built = false;   // LibTorch was built with CUDA
  bool gpu_batches = false;  // and this program with it: batches overlap on a GPU
  std::vector<std::string> cuda_devices;
};
TorchInfo torch_info();

struct BlasInfo {
  std::string library;     // the file that provides sgemm_; "" if it could not be found
  bool optimised = false;  // OpenBLAS, MKL, BLIS or ATLAS, judged by that file; else by speed
  double gflops = 0;       // of one 256x256x256 single-precision product, one thread
};
BlasInfo blas_info();

}  // namespace quarto
