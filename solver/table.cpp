#include "solver/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <new>

#include "solver/solver.h"

namespace quarto::solver {

Table::Table(std::size_t bytes, bool checked) {
  // The system allocates pages at their first use. Without this check a table that is too large would end the program
  // hours later.
  if (const auto memory = system_memory(); memory && bytes > memory->available) {
    throw SolverError(fmt::format("a table of {} MB does not fit: {} MB of memory are available; ask for a smaller one",
                                  bytes >> 20, memory->available >> 20));
  }
  const std::size_t entry = sizeof(Entry) + (checked ? sizeof(CanonicalState) : 0);
  buckets_ = std::max<std::size_t>(1, bytes / (kWays * entry));
  try {
    entries_ = static_cast<Entry*>(memory_.emplace(buckets_ * kWays * sizeof(Entry), true).data());  // all empty
    if (!checked) return;
    full_ = std::make_unique<Full>();
    full_->states.resize(buckets_ * kWays);
  } catch (const std::bad_alloc&) {
    throw SolverError(fmt::format("cannot allocate a {}table of {} MB; ask for a smaller one",
                                  checked ? "checked " : "", bytes >> 20));
  }
}

void Table::clear() {
  for (std::size_t i = 0; i < buckets_ * kWays; ++i) entries_[i].store(0, std::memory_order_relaxed);
}

double Table::fill() const {
  constexpr std::size_t kSample = 1 << 14;
  const std::size_t step = std::max<std::size_t>(1, buckets_ / kSample);
  std::size_t used = 0, seen = 0;
  for (std::size_t b = 0; b < buckets_; b += step) {
    for (std::size_t i = 0; i < kWays; ++i) used += entries_[b * kWays + i].load(std::memory_order_relaxed) != 0;
    seen += kWays;
  }
  return static_cast<double>(used) / static_cast<double>(seen);
}

std::size_t Table::store(const Name& name, Facts facts, std::uint64_t effort) {
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
  return at;
}

void Table::add(const Name& name, Facts facts, std::uint64_t effort) { store(name, facts, effort); }

Facts Table::find(const Name& name, const CanonicalState& state) {
  full_->probes.fetch_add(1, std::memory_order_relaxed);
  const Entry* entries = bucket(name);
  const std::lock_guard lock(lock_of(entries));
  const std::size_t way = way_of(entries, name);
  if (way == kWays || entries[way].load(std::memory_order_relaxed) == 0) return {};
  if (!(full_->states[static_cast<std::size_t>(entries - entries_) + way] == state)) {
    ++full_->false_matches;
    return {};
  }
  return Facts(static_cast<std::uint8_t>(entries[way].load(std::memory_order_relaxed) & kFactsMask));
}

void Table::add(const Name& name, const CanonicalState& state, Facts facts, std::uint64_t effort) {
  Entry* entries = bucket(name);
  const std::lock_guard lock(lock_of(entries));
  const std::size_t way = way_of(entries, name);
  if (way < kWays && !(full_->states[static_cast<std::size_t>(entries - entries_) + way] == state)) {
    entries[way].store(0, std::memory_order_relaxed);  // the facts of the overwritten state must not mix with these
  }
  full_->states[static_cast<std::size_t>(entries - entries_) + store(name, facts, effort)] = state;
}

std::uint64_t Table::probes() const { return full_ ? full_->probes.load(std::memory_order_relaxed) : 0; }

std::uint64_t Table::false_matches() const { return full_ ? full_->false_matches.load(std::memory_order_relaxed) : 0; }

}  // namespace quarto::solver
