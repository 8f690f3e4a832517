#include "gpu/program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <future>
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

namespace {

// Of a block. In parts: 768 on a multiprocessor whose shared memory is enough for three, two and one of the blocks.
constexpr std::array<unsigned, kMostEmpty.size()> kThreads = {64, 128, 256}, kThreadsInParts = {256, 384, 768};

}  // namespace

BoardPrograms compile_for_boards(const std::string& main, const std::string& architecture,
                                 const std::vector<std::string>& options, int parts) {
  BoardPrograms programs;
  std::array<std::future<Compiled>, kMostEmpty.size()> compiled;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    programs[i].threads = (parts > 1 ? kThreadsInParts : kThreads)[i];
    // Threads of smaller blocks must not have more registers than those of the largest, or fewer blocks find room.
    const unsigned most = parts > 1 ? kThreadsInParts.back() : kThreads[i];
    std::vector<std::string> all = options;
    all.push_back(fmt::format("-DQUARTO_MOST={}", kMostEmpty[i]));
    all.push_back(fmt::format("-DQUARTO_FEWEST={}", i == 0 ? 1 : kMostEmpty[i - 1] + 1));
    all.push_back(fmt::format("-DQUARTO_PARTS={}", parts));
    all.push_back(fmt::format("-DQUARTO_THREADS={}", most));
    compiled[i] = std::async(std::launch::async | std::launch::deferred, [&main, &architecture, all = std::move(all)] {
      return compile_embedded(main, architecture, all);
    });
  }
  for (std::size_t i = 0; i < programs.size(); ++i) static_cast<Compiled&>(programs[i]) = compiled[i].get();
  return programs;
}

BoardKernels::BoardKernels(const std::shared_ptr<Device>& device, const BoardPrograms& programs, const char* kernel,
                           const std::array<std::size_t, kMostEmpty.size()>& shared) {
  for (std::size_t i = 0; i < shared.size(); ++i) {
    modules.push_back(std::make_unique<Module>(device, programs[i].cubin));
    kernels.push_back(modules.back()->kernel(kernel, programs[i].threads, shared[i]));
  }
}

}  // namespace quarto::gpu
