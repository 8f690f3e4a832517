#include "base/memory.h"

#include <algorithm>
#include <fstream>
#include <string>

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

// A file with one number; "max" means no limit.
std::optional<std::size_t> number_in(const std::string& path) {
  std::ifstream in(path);
  std::size_t n = 0;
  if (in >> n) return n;
  return std::nullopt;
}

}  // namespace

std::optional<Memory> system_memory() {
  const auto total = meminfo("MemTotal"), available = meminfo("MemAvailable");
  if (!total || !available) return std::nullopt;
  Memory memory{*total, *available};
  // Control groups, version 2, as a container sees its own. What it uses now is not subtracted: that counts the cache
  // of files, which gives way.
  if (const auto most = number_in("/sys/fs/cgroup/memory.max")) {
    memory.total = std::min(memory.total, *most);
    memory.available = std::min(memory.available, *most);
  }
  return memory;
}

}  // namespace quarto
