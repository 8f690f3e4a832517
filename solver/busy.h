// The states that the threads of one search are searching now, so that two threads do not search the same state. A
// thread that comes to a state in this set takes the next one first; when it returns, the result is usually in the
// table. (ABDADA: Weill, 1996; in this simple form: Kerrigan, 2016.) The first move of a node is never deferred. It
// decides most nodes that one move decides, so all threads search it together and divide the work inside it. If first
// moves are deferred too, two threads search a third more nodes than one thread; without that, no more.
//
// The set is approximate: two states may share a slot. Then a state may not be deferred, or may be deferred needlessly.
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

  // The state is in the set during the lifetime of this object.
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
