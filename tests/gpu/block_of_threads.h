// Threads in the place of a block's.
#pragma once

#include <barrier>
#include <bit>
#include <thread>
#include <vector>

#include "env/position.h"
#include "tests/support/random_positions.h"

namespace quarto::gpu {

struct Alone {
  template <class F>
  void each(int count, const F& f) {
    for (int i = 0; i < count; ++i) f(i);
  }
};

// A block of real threads: what lacks a wait between two steps is a race, which the thread sanitizer reports.
struct Member {
  int index, size;
  std::barrier<>& everyone;
  template <class F>
  void each(int count, const F& f) {
    for (int i = index; i < count; i += size) f(i);
    everyone.arrive_and_wait();
  }
};

// Calls run(member) in every thread of a block of so many.
template <class F>
void run_block(int threads, const F& run) {
  if (threads == 1) {
    Alone alone;
    run(alone);
    return;
  }
  std::barrier<> everyone(threads);
  std::vector<std::jthread> members;
  for (int t = 0; t < threads; ++t) {
    members.emplace_back([&, t] {
      Member member{t, threads, everyone};
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
