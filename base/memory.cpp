#include "base/memory.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <sstream>
#include <string>

#include "base/control_group.h"

namespace quarto {
namespace {

// "MemTotal:   12345 kB" in /proc/meminfo.
std::optional<std::size_t> meminfo(const std::string& key) {
  std::ifstream in("/proc/meminfo");
  std::string name;
  std::size_t kib = 0;
  for (std::string unit; in >> name >> kib; std::getline(in, unit)) {
    if (name == key + ":") return kib * 1024;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Memory> system_memory() {
  const auto total = meminfo("MemTotal"), available = meminfo("MemAvailable");
  if (!total || !available) return std::nullopt;
  Memory memory{*total, *available};
  // What the group uses now is not subtracted: that counts the cache of files, which gives way.
  for (const std::string& value : control_group_values("memory.max")) {
    std::size_t most = 0;
    if (!(std::istringstream(value) >> most)) continue;  // "max": no limit
    memory.total = std::min(memory.total, most);
    memory.available = std::min(memory.available, most);
  }
  return memory;
}

ZeroPages::ZeroPages(std::size_t bytes, bool large_pages)
    : bytes_(bytes), data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
  if (data_ == MAP_FAILED) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (large_pages) ::madvise(data_, bytes, MADV_HUGEPAGE);  // only advice, so a failure is no error
#endif
}

ZeroPages::~ZeroPages() { ::munmap(data_, bytes_); }

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, 1 << 28);
}

}  // namespace quarto
