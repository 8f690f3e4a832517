// Work in chunks over threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace quarto {

// Threads that run body(i) for i from `first` to `end` - 1, or for the first of these if the system starts no more: the
// caller works beside them, and does alone what must be done.
template <class Body>
std::vector<std::jthread> start_helpers(std::size_t first, std::size_t end, const Body& body) {
  std::vector<std::jthread> helpers;
  try {
    for (std::size_t i = first; i < end; ++i) helpers.emplace_back(body, i);
  } catch (const std::system_error&) {  // a limit of processes or of memory
  }
  return helpers;
}

// Calls body(begin, end, worker) for consecutive pieces of [0, count) of at most `chunk`, on up to `threads` threads,
// the calling one among them as worker 0. After each chunk of the calling thread done(n) is called on it, with the
// items finished so far by all; it need not be called with `count`. The first exception stops the handing out of chunks
// and is rethrown.
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
    const auto others = start_helpers(1, std::min(workers, (count + chunk - 1) / chunk), work);
    work(0);
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace quarto
