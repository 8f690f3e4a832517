#include "gpu/program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "gpu/source.h"

namespace quarto::gpu {

Compiled compile_embedded(const std::string& main, const std::string& architecture,
                          const std::vector<std::string>& options) {
  std::vector<SourceFile> files(1);  // the first one is `main`
  for (const auto& [path, content] : source()) {
    if (path == main)
      files.front() = {std::string(path), std::string(content)};
    else if (path.ends_with(".h"))
      files.push_back({std::string(path), std::string(content)});
  }
  if (files.front().name.empty()) throw std::logic_error(main + " is not part of the program");
  std::vector<std::string> all = {"--std=c++17", "-default-device"};
  all.insert(all.end(), options.begin(), options.end());
  return compile(files, architecture, all);
}

bool kernels_wanted() {
  static const bool wanted = [] {
    const char* off = std::getenv("QUARTOZERO_GPU_KERNELS");
    return off == nullptr || std::string_view(off) != "0";
  }();
  return wanted;
}

BoardKernels::BoardKernels(const std::shared_ptr<Device>& device, const std::string& cubin, const std::string& name,
                           const std::array<std::size_t, kMostEmpty.size()>& shared)
    : module(device, cubin) {
  constexpr std::array<unsigned, kMostEmpty.size()> kThreads = {64, 128, 256};  // as in the sources
  for (std::size_t i = 0; i < shared.size(); ++i) {
    kernels.push_back(module.kernel(fmt::format("{}_{}", name, kMostEmpty[i]).c_str(), kThreads[i], shared[i]));
  }
}

}  // namespace quarto::gpu
