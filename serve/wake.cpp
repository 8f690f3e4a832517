#include "serve/wake.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

namespace quarto::serve {

Wake::Wake() {
  if (::pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("cannot create a pipe");
}

Wake::~Wake() {
  for (const int end : ends_) ::close(end);
}

// A full pipe is readable already, so a failed write does not matter.
void Wake::notify() noexcept { [[maybe_unused]] const ssize_t n = ::write(ends_[1], "x", 1); }

void Wake::reset() noexcept {
  std::array<char, 64> ignored;
  while (::read(ends_[0], ignored.data(), ignored.size()) > 0) {
  }
}

}  // namespace quarto::serve
