// Threads that each look after one connection at a time, made as they are needed, up to a bound.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace quarto::serve {

// Thread-safe.
class Pool {
 public:
  explicit Pool(std::size_t most) : most_(most) {}
  ~Pool() { join(); }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // False, and nothing happens, if all threads are busy.
  bool run(std::function<void()> work);
  // Waits for all that was taken on. Nothing may be added any more.
  void join();

  std::size_t busy() const;
  bool crowded() const { return busy() * 4 >= most_ * 3; }
  bool full() const { return busy() >= most_; }

 private:
  void serve();

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> taken_on_;
  std::size_t busy_ = 0;  // at work, or with work that they are about to begin
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace quarto::serve
