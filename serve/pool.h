// A bounded pool of threads. Threads are started when they are needed. There is no queue: work that finds no free
// thread is refused.
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

  // False: all threads are busy, or the system has no more; `work` will not be called. `work` must not throw.
  bool run(std::function<void()> work);
  // Waits until all accepted work is done. Later work is refused.
  void join();

  std::size_t busy() const;
  bool crowded() const { return busy() * 4 >= most_ * 3; }
  bool full() const { return busy() >= most_; }

 private:
  void serve();

  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> accepted_;  // not begun; each has a free thread
  std::size_t busy_ = 0;                        // threads that work, or are about to begin
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace quarto::serve
