// The built `quartozero` as a process that runs beside a test, and may be killed.
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/eventually.h"

namespace quarto {

using Clock = std::chrono::steady_clock;

// A busy machine may be slow; what takes longer hangs.
inline constexpr auto kLongest = std::chrono::minutes(8);

// `quartozero` with these arguments, and what it says in a file, or what it says to its standard error in another.
class Process {
 public:
  Process(std::vector<std::string> words, const std::string& says, const std::string& errors = "") {
    words.insert(words.begin(), QUARTOZERO_BINARY);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ != 0) return;
    if (!std::freopen(says.c_str(), "a", stdout)) ::_exit(126);
    if (errors.empty() ? ::dup2(1, 2) < 0 : !std::freopen(errors.c_str(), "a", stderr)) ::_exit(126);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ~Process() { kill(SIGKILL); }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  pid_t pid() const { return pid_; }
  void signal(int number) const {
    if (pid_ > 0) ::kill(pid_, number);
  }
  void kill(int number) {
    signal(number);
    if (pid_ > 0) wait();
  }
  // Exit status; 128 and the signal's number for one that was killed.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // The same; nothing if it takes longer than anything should.
  std::optional<int> wait_for_end() {
    std::optional<int> status;
    eventually([&] { return (status = ended()).has_value(); }, kLongest);
    return status;
  }
  // The same if it has ended.
  std::optional<int> ended() {
    int status = 0;
    if (pid_ <= 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
};

}  // namespace quarto
