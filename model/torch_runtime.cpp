#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/clock.h"
#include "base/memory.h"
#include "model/gpu_program.h"
#include "model/runtime.h"
#include "model/torch_compat.h"

namespace quarto {
namespace {

// OpenBLAS with threads of its own (Debian's libopenblas0-pthread) does not see LibTorch's number of threads: it takes
// all cores, and its threads yield in a loop while they wait. One setting is for the whole process. An OpenBLAS with
// OpenMP has LibTorch's threads.
void set_own_threads_of_openblas(int threads) {
  using Number = int (*)();
  using Set = void (*)(int);
  const auto find = [](const char* name) { return dlsym(RTLD_DEFAULT, name); };
  static const auto parallel = reinterpret_cast<Number>(find("openblas_get_parallel"));
  static const auto number = reinterpret_cast<Number>(find("openblas_get_num_threads"));
  static const auto set = reinterpret_cast<Set>(find("openblas_set_num_threads"));
  constexpr int kOwnThreads = 1;
  if (parallel && number && set && parallel() == kOwnThreads && number() != threads) set(threads);
}

}  // namespace

void configure_torch(int threads) {
  if (threads < 1) throw DeviceError(fmt::format("threads must be at least 1, not {}", threads));
  // Setting it clears what oneDNN has prepared.
  if (at::get_num_threads() != threads) at::set_num_threads(threads);
  set_own_threads_of_openblas(threads);
  keep_freed_memory();
}

TorchDevices torch_devices() {
  TorchDevices devices;
  devices.cuda_built = compat::cuda_built();
  if (torch::cuda::is_available()) devices.cuda = static_cast<int>(torch::cuda::device_count());
  return devices;
}

TorchInfo torch_info() {
  TorchInfo info;
  info.version = compat::torch_version();
  info.openmp = at::hasOpenMP();
  info.onednn = at::hasMKLDNN();
  info.simd = compat::simd();
  info.threads = at::get_num_threads();
  info.cuda_built = compat::cuda_built();
  info.gpu_batches = gpu_program_available();
  for (int i = 0, n = static_cast<int>(torch::cuda::device_count()); i < n; ++i) {
    const std::string known = describe_gpu(i);
    info.cuda_devices.push_back(fmt::format("cuda:{}{}{}", i, known.empty() ? "" : " ", known));
  }
  if (info.cuda_devices.empty()) info.no_cuda_device = why_no_gpu();
  return info;
}

BlasInfo blas_info() {
  BlasInfo info;
  // LibTorch calls sgemm_ through the dynamic linker, so this finds the function that LibTorch uses.
  if (void* symbol = dlsym(RTLD_DEFAULT, "sgemm_"); symbol != nullptr) {
    Dl_info where{};
    if (dladdr(symbol, &where) != 0 && where.dli_fname != nullptr) {
      std::error_code error;
      const auto file = std::filesystem::canonical(where.dli_fname, error);
      info.library = error ? where.dli_fname : file.string();
    }
  }
  const c10::InferenceMode inference;
  const int threads = at::get_num_threads();
  configure_torch(1);
  const torch::Tensor a = torch::ones({256, 256}), b = torch::ones({256, 256});
  torch::mm(a, b);
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    torch::mm(a, b);
    best = std::min(best, seconds_since(start));
  }
  configure_torch(threads);
  info.gflops = 2.0 * 256 * 256 * 256 / best / 1e9;
  for (const char* name : {"openblas", "mkl", "blis", "atlas"}) {
    info.optimised = info.optimised || info.library.find(name) != std::string::npos;
  }
  // The reference BLAS reaches 1 to 3 GFLOP/s here, a tuned library ten times that. Some releases contain the BLAS
  // within libtorch.
  if (info.library.empty() || info.library.find("libtorch") != std::string::npos) info.optimised = info.gflops > 8;
  return info;
}

}  // namespace quarto
