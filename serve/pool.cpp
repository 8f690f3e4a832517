#include "serve/pool.h"

#include <exception>

namespace quarto::serve {

bool Pool::run(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  if (ending_ || busy_ >= most_) return false;
  try {
    if (busy_ == threads_.size()) threads_.emplace_back([this] { serve(); });
    accepted_.push_back(std::move(work));
  } catch (const std::exception&) {
    return false;  // no more threads, or no memory
  }
  ++busy_;
  wake_.notify_one();
  return true;
}

void Pool::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return ending_ || !accepted_.empty(); });
    if (accepted_.empty()) return;
    auto work = std::move(accepted_.front());
    accepted_.pop_front();
    lock.unlock();
    work();
    work = nullptr;
    lock.lock();
    --busy_;
  }
}

void Pool::join() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : threads_) {
    if (t.joinable()) t.join();
  }
}

std::size_t Pool::busy() const {
  const std::lock_guard lock(mutex_);
  return busy_;
}

}  // namespace quarto::serve
