// How much memory there is to use, and what the process does with it.
#pragma once

#include <cstddef>
#include <optional>

namespace quarto {

struct Memory {
  std::size_t total = 0;      // bytes
  std::size_t available = 0;  // bytes that can be had without others being pushed out
};

// What the system has, or less where this process's control group (of version 2) allows less. nullopt: the system does
// not say.
std::optional<Memory> system_memory();

// Memory of the system, all zero. A page takes memory from its first use on. With large pages random probes miss the TLB
// less, and the first use of each takes longer. Throws std::bad_alloc.
class ZeroPages {
 public:
  explicit ZeroPages(std::size_t bytes, bool large_pages = false);
  ~ZeroPages();
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;
  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  void* data_;
};

// Keeps freed memory in the process between batches of evaluations: in worker threads, returning it to the system takes
// more time than the arithmetic.
void keep_freed_memory();

}  // namespace quarto
