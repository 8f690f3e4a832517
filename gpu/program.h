// Our kernels, compiled for a device and loaded: each for boards with at most 8, 12 or 16 empty squares, because those with
// fewer need less shared memory, so that more blocks run side by side.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/cuda.h"

namespace quarto::gpu {

inline constexpr std::array<int, 3> kMostEmpty = {8, 12, 16};
// Of kMostEmpty: the kernel for a board with so many empty squares.
constexpr std::size_t kernel_for(int empty) { return empty <= kMostEmpty[0] ? 0 : empty <= kMostEmpty[1] ? 1 : 2; }

// Compiles one of the embedded files (gpu/source.h), "gpu/kernel.cu" for example; the headers among them are what it
// may include. Throws CudaError.
Compiled compile_embedded(const std::string& main, const std::string& architecture,
                          const std::vector<std::string>& options);

struct BoardProgram : Compiled {
  unsigned threads = 0;  // of a block
};
using BoardPrograms = std::array<BoardProgram, kMostEmpty.size()>;
// The same for each of kMostEmpty, at the same time: the compiler uses one core. The file learns of it by QUARTO_MOST,
// QUARTO_FEWEST, QUARTO_PARTS, which is `parts`, and QUARTO_THREADS, the most threads of a block. `parts`: as kParts of
// Forward (gpu/pairs_position.h).
BoardPrograms compile_for_boards(const std::string& main, const std::string& architecture,
                                 const std::vector<std::string>& options, int parts = 1);

// False if QUARTOZERO_GPU_KERNELS=0 says so: for a device on which they are wrong.
bool kernels_wanted();

struct BoardKernels {
  std::vector<std::unique_ptr<Module>> modules;  // as kMostEmpty
  std::vector<Kernel> kernels;

  // `shared`: bytes of shared memory of a block of each.
  BoardKernels(const std::shared_ptr<Device>& device, const BoardPrograms& programs, const char* kernel,
               const std::array<std::size_t, kMostEmpty.size()>& shared);
  const std::shared_ptr<Device>& device() const { return modules.front()->device(); }
};

// make() for a key that is new, and the same object ever after. Never destroyed: when the process ends, the driver may
// have ended before. Thread-safe; one map for each `make`.
template <class Key, class Make>
auto made_once(const Key& key, const Make& make) {
  static std::mutex mutex;
  static auto& known = *new std::map<Key, decltype(make())>;
  const std::scoped_lock lock(mutex);
  decltype(make())& made = known[key];
  if (!made) made = make();
  return made;
}

}  // namespace quarto::gpu
