// The only file that depends on the version of LibTorch: 1.13 (Debian) or a current one.
#pragma once

#include <torch/torch.h>
#include <torch/version.h>

namespace quarto::compat {

// The version of the headers, at compile time.
inline const char* torch_version() { return TORCH_VERSION; }

// True if LibTorch was built with CUDA, whether or not there is a device.
inline bool cuda_built() { return at::Context::hasCUDART(); }

// The name of the vector instructions in use ("AVX512", "AVX2", "DEFAULT", ...).
inline std::string simd() {
#if TORCH_VERSION_MAJOR >= 2
  return at::get_cpu_capability();
#else
  const std::string text = at::show_config();  // "... - CPU capability usage: AVX2\n ..."
  const std::string before = "CPU capability usage: ";
  const auto at = text.find(before);
  if (at == std::string::npos) return "unknown";
  const auto begin = at + before.size();
  return text.substr(begin, text.find('\n', begin) - begin);
#endif
}

}  // namespace quarto::compat
