// Which states the threads of one search are at work on, so that they do not do the same work twice: a thread that
// comes to a state another one is searching leaves it for later and takes the next. By then the answer is in the table,
// mostly. (ABDADA: Weill, 1996; in this simple form: Kerrigan, 2016.) The first move of a node is never left to others:
// it settles most nodes that are settled by one move, so the threads go into it together and divide what is inside.
// With the first moves divided as well, two threads search a third more nodes than one; like this, no more than one.
//
// Only a hint: two states may share a slot, and then one of them is not deferred, or needlessly.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "solver/canonical.h"

namespace quarto::solver {

class BusySet {
 public:
  bool holds(const Name& name) const { return slot(name).load(std::memory_order_relaxed) == name.second; }

  // The state is in the set as long as this lives.
  class Mark {
   public:
    Mark(BusySet* set, const Name& name) {
      if (set == nullptr) return;
      std::uint64_t free = 0;
      if (set->slot(name).compare_exchange_strong(free, name.second, std::memory_order_relaxed)) {
        slot_ = &set->slot(name);
      }
    }
    ~Mark() {
      if (slot_ != nullptr) slot_->store(0, std::memory_order_relaxed);
    }
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    std::atomic<std::uint64_t>* slot_ = nullptr;
  };

 private:
  static constexpr std::size_t kSlots = 1 << 12;
  std::atomic<std::uint64_t>& slot(const Name& name) { return slots_[name.first % kSlots]; }
  const std::atomic<std::uint64_t>& slot(const Name& name) const { return slots_[name.first % kSlots]; }

  std::array<std::atomic<std::uint64_t>, kSlots> slots_{};
};

}  // namespace quarto::solver
