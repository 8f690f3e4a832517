// Wakes a thread that waits in poll().
#pragma once

namespace quarto::serve {

// Thread-safe. A pipe: poll() reports its reading end as readable after notify().
class Wake {
 public:
  Wake();  // throws std::runtime_error if no pipe can be made
  ~Wake();
  Wake(const Wake&) = delete;
  Wake& operator=(const Wake&) = delete;

  int descriptor() const { return ends_[0]; }
  void notify() noexcept;
  void reset() noexcept;  // not readable until the next notify()

 private:
  int ends_[2] = {-1, -1};
};

}  // namespace quarto::serve
