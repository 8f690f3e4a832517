// Threads in the place of a block's.
#pragma once

#include <barrier>
#include <bit>
#include <deque>
#include <thread>
#include <vector>

#include "env/position.h"
#include "tests/support/random_positions.h"

namespace quarto::gpu {

struct Alone {
  static constexpr int kParts = 1;
  template <class F>
  void each(int count, const F& f) {
    for (int i = 0; i < count; ++i) f(i);
  }
  void meet(int, int) {}
};

// A block of real threads: what lacks a wait between two steps, or within one between those that share an item, is a race,
// which the thread sanitizer reports. The size is a multiple of PARTS.
template <int PARTS>
struct Member {
  static constexpr int kParts = PARTS;

  int index, size;
  std::barrier<>&everyone, &parts;
  template <class F>
  void each(int count, const F& f) {
    for (int i = index; i < count; i += size) f(i);
    everyone.arrive_and_wait();
  }
  void meet(int, int) { parts.arrive_and_wait(); }
};

// Calls run(member) in every thread of a block of so many.
template <int PARTS = 1, class F>
void run_block(int threads, const F& run) {
  if (threads == 1) {
    Alone alone;
    run(alone);
    return;
  }
  std::barrier<> everyone(threads);
  std::deque<std::barrier<>> parts;
  for (int i = 0; i < threads / PARTS; ++i) parts.emplace_back(PARTS);
  std::vector<std::jthread> members;
  for (int t = 0; t < threads; ++t) {
    members.emplace_back([&, t] {
      Member<PARTS> member{t, threads, everyone, parts[static_cast<std::size_t>(t / PARTS)]};
      run(member);
    });
  }
}

inline std::vector<Position> some_positions(int count, int most_empty, Rules rules, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Position> positions;
  while (static_cast<int>(positions.size()) < count) {
    const Position p = random_position_at(static_cast<int>(rng.below(32)), rng, rules);
    if (std::popcount(p.empty()) <= most_empty) positions.push_back(p);
  }
  return positions;
}

}  // namespace quarto::gpu
