// Waits for what another thread does.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace quarto {

// Whether it holds before that time is over.
inline bool eventually(const std::function<bool()>& holds, std::chrono::seconds within = std::chrono::minutes(1)) {
  const auto end = std::chrono::steady_clock::now() + within;
  while (!holds()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace quarto
