// A program that is talked to in lines over pipes, and that is not trusted: it may end, hang, not read, or write
// without end, and every call still returns in time. POSIX only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/text.h"

namespace quarto {

// The program did not do its part. The message says what it did instead: "ended with status 1: ImportError: ...", "did
// not answer in time". What the program wrote is quoted without control characters.
class ChildError : public std::runtime_error {
 public:
  enum class Kind { ended, slow, flooding };
  ChildError(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

// Not thread-safe. After a ChildError the program is of no more use: destroy this object.
class ChildProcess {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kLongestLine = std::size_t{1} << 16;
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20;  // of its output between two calls of send()

  // Starts `command` with /bin/sh -c in a process group of its own, so that Ctrl-C does not reach it and all that it
  // starts ends with it. Throws std::system_error if the system starts no process. A command that is not there shows at
  // the first line().
  explicit ChildProcess(const std::string& command);
  // Closes its input, waits `patience` for its end if it was asked to, and kills what is left of the group.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Writes `text` and a newline. Throws ChildError.
  void send(std::string_view text, Clock::time_point deadline);
  // The next line of its standard output, without the newline. Throws ChildError.
  std::string line(Clock::time_point deadline);
  // Closes its input and gives it so long to end by itself; then it is killed.
  void end(std::chrono::milliseconds patience);

 private:
  // Waits for output, or for room to write if `writing`; reads what there is. False at the deadline.
  bool wait(bool writing, Clock::time_point deadline);
  [[noreturn]] void throw_ended();
  void reap(std::chrono::milliseconds patience);

  pid_t pid_ = -1;
  int to_ = -1, from_ = -1, errors_ = -1;
  TextDecoder decoder_;
  std::string buffer_, complaints_;  // its output, decoded; the end of what it wrote to standard error
  std::size_t at_ = 0;               // the first unread byte of the buffer
  std::size_t received_ = 0;         // bytes of output since the last send()
  std::optional<int> status_{};      // of waitpid(), if it ended by itself
};

}  // namespace quarto
