// What a command that works for others elsewhere says on standard error: lines that stay, and one that is redrawn.
#pragma once

#include <chrono>
#include <string>

namespace quarto::app {

// On a terminal the last line is redrawn; elsewhere it is printed once a minute. Not thread-safe.
class Screen {
 public:
  explicit Screen(bool quiet);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  void say(const std::string& line);
  void show(const std::string& line);

 private:
  using Clock = std::chrono::steady_clock;
  void clear();
  bool quiet_, terminal_, drawn_ = false;
  Clock::time_point last_{};
};

// This machine's name, or `otherwise`.
std::string host_name(const std::string& otherwise);

}  // namespace quarto::app
