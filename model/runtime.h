// LibTorch on this machine: its threads, its devices, its libraries. This header does not include LibTorch.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/precision.h"

namespace quarto {

// The requested device is not available or unknown.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Sets the number of threads that LibTorch uses inside one operation, for the process. Keep it at 1 and run games in
// parallel instead: with two threads and one competing process a residual network fell from 19.8 thousand to 294
// positions per second, because threads spin at barriers. It applies to the calling thread and to threads started
// later; a worker thread that uses LibTorch must call it first. An OpenBLAS with threads of its own gets the number
// too, for the whole process: the last call counts. It also calls keep_freed_memory() (base/memory.h).
void configure_torch(int threads = 1);

struct TorchDevices {
  bool cuda_built = false;  // LibTorch was built with CUDA
  int cuda = 0;             // the number of devices that it can use
};
TorchDevices torch_devices();

// Converts "auto", "cpu", "cuda" or "cuda:N" to LibTorch's name ("cpu", "cuda:0"). Throws DeviceError.
std::string resolve_device(const std::string& device);
// N of "cuda:N", a result of it.
int device_number(const std::string& device);

// The number format in which a network computes. Its outputs and the softmax are float32 in any case.
enum class Precision { float32, bfloat16 };
// `device` is a result of resolve_device().
Precision resolve_precision(PrecisionChoice precision, const std::string& device);

struct TorchInfo {
  std::string version;  // of the headers that this program was compiled with
  bool openmp = false;
  bool onednn = false;
  std::string simd;  // the vector instructions that LibTorch uses
  int threads = 1;
  bool cuda_built = false;                // LibTorch was built with CUDA
  bool gpu_batches = false;               // this program was built with CUDA too: batches overlap on a GPU
  std::vector<std::string> cuda_devices;  // "cuda:0", and what else is known of it
  std::string no_cuda_device;             // CUDA's reason if there is none; "" if not known
};
TorchInfo torch_info();

struct BlasInfo {
  std::string library;     // the file that provides sgemm_; "" if it could not be found
  bool optimised = false;  // OpenBLAS, MKL, BLIS or ATLAS by file name; otherwise decided by speed
  double gflops = 0;       // of one 256x256x256 single-precision product, one thread
};
BlasInfo blas_info();

}  // namespace quarto
