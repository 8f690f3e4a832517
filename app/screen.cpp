#include "app/screen.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "base/progress.h"
#include "base/tell.h"

namespace quarto::app {

Screen::Screen(bool quiet) : quiet_(quiet), terminal_(stderr_is_terminal()) {}
Screen::~Screen() { clear(); }

void Screen::say(const std::string& line) {
  if (quiet_) return;
  clear();
  tell("{}\n", line);
}

void Screen::show(const std::string& line) {
  if (quiet_) return;
  if (terminal_) {
    tell("\r\033[K\033[?7l{}\033[?7h", line);
    drawn_ = true;
  } else if (const auto now = Clock::now(); now - last_ >= std::chrono::minutes(1)) {
    last_ = now;
    tell("{}\n", line);
  }
}

void Screen::clear() {
  if (drawn_) tell("\r\033[K");
  drawn_ = false;
}

std::string host_name(const std::string& otherwise) {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : otherwise;
}

}  // namespace quarto::app
