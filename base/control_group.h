// What the system allows this process, where that is less than what the machine has.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace quarto {

// The first line of `file` in this process's control group (version 2) and in each group above it, where there is such
// a file: "memory.max", "cpu.max". Of a container without its own view of the groups those above it may be missing.
// Empty where there are no control groups.
std::vector<std::string> control_group_values(const std::string& file,
                                              const std::filesystem::path& groups = "/sys/fs/cgroup",
                                              const std::filesystem::path& own = "/proc/self/cgroup");

}  // namespace quarto
