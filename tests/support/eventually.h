// Waits for what another thread does.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace quarto {

// Whether it holds within a minute.
inline bool eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 6000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace quarto
