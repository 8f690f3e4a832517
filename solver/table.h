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
// hits a foreign entry with probability 8 / 2^56 = 1.1e-16: about one in a million for all of the 1e10 probes of a
// solution of the whole game.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

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
  explicit Table(std::size_t bytes);  // throws SolverError
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

  void clear();

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
  void allocate();
  void release() noexcept;

  std::size_t buckets_ = 0;
  Entry* entries_ = nullptr;
};

}  // namespace quarto::solver
