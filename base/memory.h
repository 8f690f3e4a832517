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

// Keeps freed memory in the process between batches of evaluations: in worker threads, returning it to the system takes
// more time than the arithmetic.
void keep_freed_memory();

}  // namespace quarto
