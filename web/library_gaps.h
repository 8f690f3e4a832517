// What Debian 12's emscripten (libc++ 14) lacks of C++20, so that the shared sources need not know. Included before
// every source of the browser player's build, and of no other.
#pragma once

#include <version>

#ifndef __cpp_lib_bit_cast
namespace std {
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
}  // namespace std
#endif

#ifndef __cpp_lib_jthread
namespace std {
// A page without special headers from its host gets no threads. The solver makes none when it is asked for one.
class jthread {
 public:
  template <class... Args>
  explicit jthread(Args&&... /*unused*/) {
    __builtin_trap();
  }
};
}  // namespace std
#endif
