#include "solver/table.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "solver/solver.h"

namespace quarto::solver {

Table::Table(std::size_t bytes) : buckets_(std::max<std::size_t>(1, bytes / (kWays * sizeof(Entry)))) { allocate(); }
Table::~Table() { release(); }

void Table::allocate() {
  const std::size_t bytes = buckets_ * kWays * sizeof(Entry);
  // Straight from the system: zeroed (all entries empty), and no page is touched before it is used.
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw SolverError(
        fmt::format("cannot allocate a table of {} MB: {}; ask for a smaller one", bytes >> 20, std::strerror(errno)));
  }
#ifdef MADV_HUGEPAGE
  // Probes are random: with 4 KB pages each one also misses the TLB. Only advice, so its failure is no error.
  ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  entries_ = static_cast<Entry*>(memory);
}

void Table::release() noexcept {
  if (entries_ != nullptr) ::munmap(static_cast<void*>(entries_), buckets_ * kWays * sizeof(Entry));
  entries_ = nullptr;
}

void Table::clear() {
  for (std::size_t i = 0; i < buckets_ * kWays; ++i) entries_[i].store(0, std::memory_order_relaxed);
}

void Table::add(const Name& name, Facts facts, std::uint64_t effort) {
  Entry* entries = bucket(name);
  std::uint64_t log_effort = std::min<std::uint64_t>(kEffortMask, static_cast<std::uint64_t>(std::bit_width(effort)));
  std::size_t at = 0;
  std::uint64_t least = ~0ULL;
  for (std::size_t i = 0; i < kWays; ++i) {
    const std::uint64_t e = entries[i].load(std::memory_order_relaxed);
    const std::uint64_t spent = (e >> kEffortShift) & kEffortMask;
    if ((e ^ name.second) >> kCheckShift == 0) {
      facts = facts | Facts(static_cast<std::uint8_t>(e & kFactsMask));
      log_effort = std::max(log_effort, spent);
      at = i;
      break;
    }
    if (spent < least) {
      least = spent;
      at = i;
    }
  }
  entries[at].store((name.second >> kCheckShift << kCheckShift) | (log_effort << kEffortShift) | facts.bits(),
                    std::memory_order_relaxed);
}

}  // namespace quarto::solver
