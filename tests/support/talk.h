// A program at the other end of two pipes.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace quarto {

class Talk {
 public:
  // `errors_too`: what it writes to its standard error comes among the lines.
  explicit Talk(std::vector<std::string> command, bool errors_too = false) {
    ::signal(SIGPIPE, SIG_IGN);
    int to[2], from[2];
    if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("pipe failed");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(to[0], STDIN_FILENO);
      ::dup2(from[1], STDOUT_FILENO);
      if (errors_too) ::dup2(from[1], STDERR_FILENO);
      std::vector<char*> argv;
      for (std::string& word : command) argv.push_back(word.data());
      argv.push_back(nullptr);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }
  // The program ends when its input does. In a build for coverage one that is killed would not write what it has
  // counted.
  ~Talk() {
    close_input();
    for (int waited = 0; pid_ > 0 && waited < 10'000; ++waited) {
      if (::waitpid(pid_, nullptr, WNOHANG) == pid_) pid_ = -1;
      if (pid_ > 0) ::usleep(1000);
    }
    ::close(from_);
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  Talk(const Talk&) = delete;
  Talk& operator=(const Talk&) = delete;

  void signal(int number) const { ::kill(pid_, number); }
  void say(const std::string& line) { send(line + "\n"); }
  void send(const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::write(to_, bytes.data() + done, bytes.size() - done);
      if (n <= 0) throw std::runtime_error("the program does not read any more");
      done += static_cast<std::size_t>(n);
    }
  }
  void close_input() {
    if (to_ >= 0) ::close(to_);
    to_ = -1;
  }
  // The next line, or nothing when the program has closed its output. Throws if nothing comes for a minute: a program
  // that hangs.
  std::optional<std::string> line() {
    while (true) {
      if (const auto end = buffer_.find('\n'); end != std::string::npos) {
        std::string text = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return text;
      }
      pollfd ready{from_, POLLIN, 0};
      if (::poll(&ready, 1, 60'000) <= 0) throw std::runtime_error("no answer for a minute");
      char bytes[4096];
      const ssize_t n = ::read(from_, bytes, sizeof bytes);
      if (n <= 0) return std::nullopt;
      buffer_.append(bytes, static_cast<std::size_t>(n));
    }
  }
  // Lines up to the first that begins so, which comes last.
  std::vector<std::string> until(const std::string& start) {
    std::vector<std::string> lines;
    while (const auto next = line()) {
      lines.push_back(*next);
      if (next->starts_with(start)) return lines;
    }
    throw std::runtime_error("the program ended before it said " + start);
  }
  // The exit status; waits for the end.
  int end() {
    close_input();
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1;
  std::string buffer_;
};

}  // namespace quarto
