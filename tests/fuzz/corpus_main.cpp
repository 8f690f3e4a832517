// Runs a target on every file that is named, or that a named folder holds: the seeds, and what a fuzzer has found
// before. Each file also with each of the first few hundred allocations failing in turn, then ever fewer: the target
// may end with std::bad_alloc, and with nothing worse. Not where values of nlohmann::json are kept: their destructor
// allocates, and ends the program if that fails.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz.h"

namespace {

// The allocation of this thread that fails, counted down to 0; 0: none.
thread_local long failing = 0;

void* allocated(std::size_t n, std::size_t alignment) {
  if (failing > 0 && --failing == 0) return nullptr;
  void* p = nullptr;
  return ::posix_memalign(&p, alignment, n > 0 ? n : 1) == 0 ? p : nullptr;
}

}  // namespace

void* operator new(std::size_t n) {
  if (void* p = allocated(n, alignof(std::max_align_t))) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t n, std::align_val_t alignment) {
  if (void* p = allocated(n, static_cast<std::size_t>(alignment))) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocated(n, alignof(std::max_align_t)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }

namespace {

// The number of allocations that failed. All of the first few hundred, and then ever fewer.
[[maybe_unused]] long with_failing_allocations(const std::string& bytes) {
  long tried = 0;
  for (long n = 1;; n += 1 + n / 256) {
    failing = n;
    try {
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    } catch (const std::bad_alloc&) {
    }
    const bool failed = failing == 0;
    failing = 0;
    if (!failed) return tried;
    ++tried;
  }
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) {
      files.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : fs::directory_iterator(argv[i])) files.push_back(entry.path());
  }
  long allocations = 0;
  for (const fs::path& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    // Cut short anywhere, and with each byte changed: cheap, and what damage looks like.
    for (std::size_t n = 0; n < bytes.size(); n += 1 + bytes.size() / 64) {
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), n);
      std::string changed = bytes;
      changed[n] = static_cast<char>(changed[n] ^ (1 << n % 8));
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(changed.data()), changed.size());
    }
#ifndef QUARTOZERO_KEEPS_JSON
    allocations += with_failing_allocations(bytes);
#endif
  }
  std::printf("%zu inputs, %ld failing allocations\n", files.size(), allocations);
  return files.empty() ? 1 : 0;  // a corpus that is not there tests nothing
}
