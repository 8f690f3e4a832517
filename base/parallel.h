// Work in chunks over threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace quarto {

// Calls body(begin, end, worker) for consecutive pieces of [0, count) of at most `chunk`, on up to `threads` threads,
// the calling one among them as worker 0. After each chunk, done(n) is called on the calling thread with the items
// finished so far by all. The first exception stops the handing out of chunks and is rethrown.
template <class Body, class Done>
void parallel_chunks(std::size_t count, std::size_t chunk, int threads, const Body& body, const Done& done) {
  if (count == 0) return;
  const auto workers = static_cast<std::size_t>(std::max(1, threads));
  chunk = std::max<std::size_t>(1, std::min(chunk, (count + workers - 1) / workers));
  std::atomic<std::size_t> next{0}, finished{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;
  const auto work = [&](std::size_t worker) {
    try {
      while (true) {
        const std::size_t begin = next.fetch_add(chunk);
        if (begin >= count) return;
        const std::size_t end = std::min(count, begin + chunk);
        body(begin, end, worker);
        const std::size_t so_far = finished.fetch_add(end - begin) + (end - begin);
        if (worker == 0) done(so_far);
      }
    } catch (...) {
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t w = 1; w < std::min(workers, (count + chunk - 1) / chunk); ++w) others.emplace_back(work, w);
    work(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace quarto
