#include "base/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/printable.h"
#include "base/text.h"
#include "base/without_sigpipe.h"

namespace quarto {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostComplaints = 4096;

// Both ends above the standard streams' numbers, which may be free here, and not inherited.
struct Pipe {
  int out = -1, in = -1;  // out: read from it
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    for (int& end : ends) {
      const int higher = ::fcntl(end, F_DUPFD_CLOEXEC, 3);
      if (higher < 0) throw std::system_error(errno, std::generic_category(), "pipe");
      ::close(end);
      end = higher;
    }
    out = ends[0];
    in = ends[1];
  }
};

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

ssize_t write_quietly(int fd, const char* bytes, std::size_t size) {
  const WithoutSigpipe quietly;
  return ::write(fd, bytes, size);
}

int milliseconds_until(ChildProcess::Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - ChildProcess::Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
}

}  // namespace

ChildProcess::ChildProcess(const std::string& command) {
  const Pipe to, from, errors;
#ifdef __linux__
  // The signal below comes when the *thread* ends that starts the process.
  const bool main_thread = ::getpid() == static_cast<pid_t>(::syscall(SYS_gettid));
  const pid_t parent = ::getpid();
#endif
  pid_ = ::fork();
  if (pid_ == 0) {
    // Only calls that are allowed between fork() and exec() of a program with threads.
    ::setpgid(0, 0);
#ifdef __linux__
    // If this program is killed, a child that hangs goes too.
    if (main_thread) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
#endif
    ::dup2(to.out, STDIN_FILENO);
    ::dup2(from.in, STDOUT_FILENO);
    ::dup2(errors.in, STDERR_FILENO);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  const int error = errno;
  ::close(to.out);
  ::close(from.in);
  ::close(errors.in);
  to_ = to.in;
  from_ = from.out;
  errors_ = errors.out;
  if (pid_ < 0) {
    close_fd(to_);
    close_fd(from_);
    close_fd(errors_);
    throw std::system_error(error, std::generic_category(), "a process cannot be started");
  }
  ::setpgid(pid_, pid_);  // whichever of the two comes first
  for (const int fd : {to_, from_, errors_}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  reap(0ms);
  close_fd(to_);
  close_fd(from_);
  close_fd(errors_);
}

void ChildProcess::end(std::chrono::milliseconds patience) { reap(patience); }

void ChildProcess::reap(std::chrono::milliseconds patience) {
  close_fd(to_);
  if (pid_ < 0) return;
  const auto deadline = Clock::now() + patience;
  siginfo_t info{};
  const auto has_ended = [&] {
    // The process stays a zombie, so that the number of its group is not given to another.
    info.si_pid = 0;
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_;
  };
  while (!has_ended() && Clock::now() < deadline) {
    // Its output is taken from it, or it could not end.
    if (from_ >= 0 || errors_ >= 0) {
      wait(false, std::min(deadline, Clock::now() + 5ms));
      buffer_.clear();
      at_ = received_ = 0;
    } else {
      ::poll(nullptr, 0, 5);
    }
  }
  const bool by_itself = has_ended();
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  if (by_itself) status_ = status;
  pid_ = -1;
}

bool ChildProcess::wait(bool writing, Clock::time_point deadline) {
  // A negative descriptor is passed over: also that of output for which there is no more room.
  const bool room = buffer_.size() - at_ <= kMostBytes;
  std::array<pollfd, 3> fds{{{room ? from_ : -1, POLLIN, 0}, {errors_, POLLIN, 0}, {writing ? to_ : -1, POLLOUT, 0}}};
  const int ready = ::poll(fds.data(), fds.size(), milliseconds_until(deadline));
  if (ready < 0 && errno != EINTR)
    throw ChildError(ChildError::Kind::ended, fmt::format("cannot be waited for: {}", std::strerror(errno)));
  if (ready <= 0) return Clock::now() < deadline;
  std::array<char, 1 << 14> bytes{};
  if (fds[1].revents != 0) {
    const ssize_t n = ::read(errors_, bytes.data(), bytes.size());
    if (n > 0) {
      complaints_.append(bytes.data(), static_cast<std::size_t>(n));
      if (complaints_.size() > kMostComplaints) complaints_.erase(0, complaints_.size() - kMostComplaints);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
      close_fd(errors_);
    }
  }
  if (fds[0].revents != 0) {
    const ssize_t n = ::read(from_, bytes.data(), bytes.size());
    if (n > 0) {
      buffer_.erase(0, at_);
      at_ = 0;
      for (const char byte : std::string_view(bytes.data(), static_cast<std::size_t>(n))) decoder_.add(byte, buffer_);
      received_ += static_cast<std::size_t>(n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
      close_fd(from_);
    }
  }
  return true;
}

void ChildProcess::throw_ended() {
  // What it says before it dies often comes a moment later.
  const auto soon = Clock::now() + 2s;
  while (errors_ >= 0 && wait(false, soon)) {
  }
  reap(2s);
  std::string how = "closed its output";
  if (status_ && WIFEXITED(*status_)) how = fmt::format("ended with status {}", WEXITSTATUS(*status_));
  if (status_ && WIFSIGNALED(*status_))
    how = fmt::format("was ended by signal {} ({})", WTERMSIG(*status_), ::strsignal(WTERMSIG(*status_)));
  const std::string last = printable(last_line(complaints_));
  throw ChildError(ChildError::Kind::ended, last.empty() ? how : how + ": " + last);
}

void ChildProcess::send(std::string_view text, Clock::time_point deadline) {
  received_ = 0;
  const std::string bytes = std::string(text) + "\n";
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = write_quietly(to_, bytes.data() + done, bytes.size() - done);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n < 0 && errno == EPIPE) {
      throw_ended();
    } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
      throw ChildError(ChildError::Kind::ended, fmt::format("cannot be written to: {}", std::strerror(errno)));
    } else if (!wait(true, deadline)) {
      throw ChildError(ChildError::Kind::slow, "does not read what is said to it");
    } else if (received_ > kMostBytes) {
      throw ChildError(ChildError::Kind::flooding, "writes without end and does not read");
    }
  }
}

std::string ChildProcess::line(Clock::time_point deadline) {
  while (true) {
    if (const auto end = buffer_.find('\n', at_); end != std::string::npos) {
      std::string text = buffer_.substr(at_, end - at_);
      at_ = end + 1;
      return text;
    }
    if (buffer_.size() - at_ > kLongestLine)
      throw ChildError(ChildError::Kind::flooding, fmt::format("writes a line of more than {} bytes", kLongestLine));
    if (received_ > kMostBytes)
      throw ChildError(ChildError::Kind::flooding, fmt::format("writes more than {} MiB", kMostBytes >> 20));
    if (from_ < 0) throw_ended();
    // Also if it writes all the time, but not what is waited for.
    if (Clock::now() >= deadline || !wait(false, deadline))
      throw ChildError(ChildError::Kind::slow, "did not answer in time");
  }
}

}  // namespace quarto
