// The transposition table: results for the states searched so far, in a fixed number of 64-byte buckets of eight
// entries.
//
//     63                                     8 7      4 3    0
//     | 56 bits of the name's second word     | effort | facts |
//
// Replacement: a state that is already in the bucket is updated in place. Otherwise the new entry overwrites the entry
// of least effort (an empty one has none), whatever its own effort. Effort is the logarithm of the nodes that the facts
// cost. So entries of high effort stay, and entries of low effort replace each other in one slot.
//
// Threads: an entry is one atomic word, read and written relaxed, without locks. A reader gets one whole entry or
// another. Each entry states facts that are always true about the state that it names, so entries need no order. Two
// writers may overwrite each other or store one state twice in a bucket: this loses work and gives no wrong fact.
//
// False matches: the name's first word selects the bucket and its second word is compared. So a probe of a full bucket
// matches another state's entry with probability 8 / 2^56 = 1.1e-16: less than 5e-9 for all probes of a solution of the
// whole game, fewer than 48 million. A *checked* table stores the full state beside each entry. It counts false matches and
// answers them with "nothing known". It has a sixth of the entries in the same memory and uses locks; it is for
// debugging.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/memory.h"
#include "solver/canonical.h"

namespace quarto::solver {

// The question about a board at which a piece must be given: does the giver get at least this?
enum class Goal : std::uint8_t { draw, win };
constexpr Goal other(Goal g) { return g == Goal::draw ? Goal::win : Goal::draw; }

// The known answers to both questions.
class Facts {
 public:
  constexpr Facts() = default;
  constexpr explicit Facts(std::uint8_t bits) : bits_(bits) {}
  // A win implies at least a draw; less than a draw implies no win.
  static constexpr Facts of(Goal goal, bool holds) {
    if (goal == Goal::win) return Facts(holds ? kDrawKnown | kDraw | kWinKnown | kWin : kWinKnown);
    return Facts(holds ? kDrawKnown | kDraw : kDrawKnown | kWinKnown);
  }
  constexpr bool knows(Goal goal) const { return bits_ & (goal == Goal::draw ? kDrawKnown : kWinKnown); }
  constexpr bool holds(Goal goal) const { return bits_ & (goal == Goal::draw ? kDraw : kWin); }
  constexpr bool nothing() const { return bits_ == 0; }
  constexpr std::uint8_t bits() const { return bits_; }
  friend constexpr Facts operator|(Facts a, Facts b) { return Facts(static_cast<std::uint8_t>(a.bits_ | b.bits_)); }

 private:
  static constexpr std::uint8_t kDrawKnown = 1, kDraw = 2, kWinKnown = 4, kWin = 8;
  std::uint8_t bits_ = 0;
};

class Table {
 public:
  Table(std::size_t bytes, bool checked = false);  // throws SolverError

  void prefetch(const Name& name) const { __builtin_prefetch(bucket(name)); }

  Facts find(const Name& name) const {
    const Entry* entries = bucket(name);
    for (std::size_t i = 0; i < kWays; ++i) {
      const std::uint64_t e = entries[i].load(std::memory_order_relaxed);
      if ((e ^ name.second) >> kCheckShift == 0) return Facts(static_cast<std::uint8_t>(e & kFactsMask));
    }
    return {};
  }

  // `effort` is the number of nodes searched for the facts.
  void add(const Name& name, Facts facts, std::uint64_t effort);

  // The same with full states, for a checked table.
  bool checked() const { return full_ != nullptr; }
  Facts find(const Name& name, const CanonicalState& state);
  void add(const Name& name, const CanonicalState& state, Facts facts, std::uint64_t effort);
  std::uint64_t probes() const;         // counted by a checked table only
  std::uint64_t false_matches() const;  // counted by a checked table only

  void clear();
  std::size_t bytes() const {  // including the full states of a checked table
    return buckets_ * kWays * (sizeof(Entry) + (full_ ? sizeof(CanonicalState) : 0));
  }
  // The share of entries in use, 0..1, from a sample of the buckets.
  double fill() const;

 private:
  using Entry = std::atomic<std::uint64_t>;
  static_assert(sizeof(Entry) == 8 && Entry::is_always_lock_free);
  static constexpr std::size_t kWays = 8;
  static constexpr int kCheckShift = 8, kEffortShift = 4;
  static constexpr std::uint64_t kFactsMask = 15, kEffortMask = 15;

  Entry* bucket(const Name& name) const {
    const auto at = (static_cast<unsigned __int128>(name.first) * buckets_) >> 64;
    return entries_ + static_cast<std::size_t>(at) * kWays;
  }
  // The index of the state's entry in the bucket, or kWays.
  static std::size_t way_of(const Entry* entries, const Name& name) {
    std::size_t i = 0;
    while (i < kWays && (entries[i].load(std::memory_order_relaxed) ^ name.second) >> kCheckShift != 0) ++i;
    return i;
  }
  std::size_t store(const Name& name, Facts facts, std::uint64_t effort);
  // The additional data of a checked table.
  struct Full {
    std::vector<CanonicalState> states;  // one for each entry
    std::array<std::mutex, 64> locks;    // of the buckets, by their index modulo 64
    std::atomic<std::uint64_t> probes = 0, false_matches = 0;
  };
  std::mutex& lock_of(const Entry* entries) const {
    return full_->locks[static_cast<std::size_t>(entries - entries_) / kWays % full_->locks.size()];
  }

  std::size_t buckets_ = 0;
  std::optional<ZeroPages> memory_;
  Entry* entries_ = nullptr;
  std::unique_ptr<Full> full_;
};

}  // namespace quarto::solver
