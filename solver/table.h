// What is known about the states met so far: a fixed number of 64-byte buckets of eight entries.
//
//     63                                     8 7      4 3    0
//     | 56 bits of the name's second word     | effort | facts |
//
// Replacement: a state already in the bucket is updated in place; otherwise the entry of least effort (an empty one has
// none) is overwritten, whatever the newcomer's. Effort is the logarithm of the nodes that the facts cost, so dear
// facts stay and cheap ones take turns in the last slot.
//
// Threads: an entry is one atomic word, read and written relaxed, without locks. A reader sees a whole entry or another
// whole entry, each of which states facts that are true for ever about the state it names, so no order between
// entries is needed. Two writers may overwrite each other or leave one state twice in a bucket: work lost, never a
// wrong fact.
//
// False matches: the bucket comes from the name's first word and the check from its second, so a probe of a full bucket
// hits a foreign entry with probability 8 / 2^56 = 1.1e-16: 5e-9 for all of the 48 million probes of a solution of the
// whole game. A *checked* table keeps the full state beside each entry, counts the probes that would have been deceived
// and answers them with "nothing known": a sixth of the entries in the same memory, and locks, for debugging.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "solver/canonical.h"

namespace quarto::solver {

// What is asked about a board at which a piece must be given: does the giver get at least this?
enum class Goal : std::uint8_t { draw, win };
constexpr Goal other(Goal g) { return g == Goal::draw ? Goal::win : Goal::draw; }

// Answers to both questions, as far as known.
class Facts {
 public:
  constexpr Facts() = default;
  constexpr explicit Facts(std::uint8_t bits) : bits_(bits) {}
  // A win is at least a draw; less than a draw is no win.
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
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  void prefetch(const Name& name) const { __builtin_prefetch(bucket(name)); }

  Facts find(const Name& name) const {
    const Entry* entries = bucket(name);
    for (std::size_t i = 0; i < kWays; ++i) {
      const std::uint64_t e = entries[i].load(std::memory_order_relaxed);
      if ((e ^ name.second) >> kCheckShift == 0) return Facts(static_cast<std::uint8_t>(e & kFactsMask));
    }
    return {};
  }

  // effort: nodes spent on the facts.
  void add(const Name& name, Facts facts, std::uint64_t effort);

  // The same with full states, for a checked table.
  bool checked() const { return full_ != nullptr; }
  Facts find(const Name& name, const CanonicalState& state);
  void add(const Name& name, const CanonicalState& state, Facts facts, std::uint64_t effort);
  std::uint64_t probes() const;         // counted by a checked table only
  std::uint64_t false_matches() const;  // likewise

  void clear();
  std::size_t bytes() const {  // the full states of a checked table included
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
  // Which of the bucket's entries is this state's, or kWays.
  static std::size_t way_of(const Entry* entries, const Name& name) {
    std::size_t i = 0;
    while (i < kWays && (entries[i].load(std::memory_order_relaxed) ^ name.second) >> kCheckShift != 0) ++i;
    return i;
  }
  std::size_t store(const Name& name, Facts facts, std::uint64_t effort);
  void allocate();
  void release() noexcept;

  // What a checked table has beside its entries.
  struct Full {
    std::vector<CanonicalState> states;  // one for each entry
    std::array<std::mutex, 64> locks;    // of the buckets, by their index modulo 64
    std::atomic<std::uint64_t> probes = 0, false_matches = 0;
  };
  std::mutex& lock_of(const Entry* entries) const {
    return full_->locks[static_cast<std::size_t>(entries - entries_) / kWays % full_->locks.size()];
  }

  std::size_t buckets_ = 0;
  Entry* entries_ = nullptr;
  std::unique_ptr<Full> full_;
};

}  // namespace quarto::solver
