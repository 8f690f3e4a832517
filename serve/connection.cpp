#include "serve/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <vector>

namespace quarto::serve {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds kSlice{100};  // between two calls of give_up()
constexpr milliseconds kLinger{1000};

milliseconds until(std::chrono::steady_clock::time_point deadline) {
  return std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
}

// Of a call that failed: nothing is wrong, it would have had to wait.
bool would_wait(int error) {
  static_assert(EAGAIN == EWOULDBLOCK);
  return error == EAGAIN || error == EINTR;
}

// True: the socket is ready, or has an error or an end of file to report.
bool wait_for(int socket, short events, milliseconds time) {
  pollfd p{socket, events, 0};
  return ::poll(&p, 1, static_cast<int>(std::max<std::int64_t>(time.count(), 0))) > 0;
}

}  // namespace

Connection::Connection(int socket, ConnectionLimits limits, std::function<bool(milliseconds)> give_up)
    : socket_(socket), limits_(limits), give_up_(std::move(give_up)) {}

bool Connection::receive(Clock::time_point deadline) {
  std::array<char, 8192> buffer;
  bool give_up = false;
  while (!ended_) {
    const ssize_t n = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n > 0) {
      received_.append(buffer.data(), static_cast<std::size_t>(n));
      return true;
    }
    if (n == 0 || !would_wait(errno)) {
      ended_ = true;
      break;
    }
    const milliseconds left = until(deadline);
    if (give_up || left.count() <= 0) break;
    wait_for(socket_, POLLIN, std::min(left, kSlice));
    give_up = give_up_(in_request_ ? milliseconds(0) : limits_.idle - left);
    // Between requests the loop reads once more: a request that has begun meanwhile is answered.
    if (give_up && in_request_) break;
  }
  return false;
}

std::optional<WholeRequest> Connection::next() {
  in_request_ = false;
  if (received_.empty() && !receive(Clock::now() + limits_.idle)) return std::nullopt;
  in_request_ = true;

  const auto deadline = Clock::now() + limits_.request;
  const auto more = [&](const char* what) {
    if (receive(deadline)) return;
    if (ended_) throw RequestError(400, "bad_request", std::string("the connection ended within ") + what);
    throw RequestError(408, "timeout", std::string("waited too long for the rest of ") + what);
  };
  std::size_t end;
  std::size_t looked_at = 0;
  while ((end = received_.find("\r\n\r\n", looked_at)) == std::string::npos) {
    if (received_.size() > kMostHeadBytes) break;
    looked_at = received_.size() < 3 ? 0 : received_.size() - 3;
    more("the request's head");
  }
  if (end == std::string::npos || end + 4 > kMostHeadBytes) {
    // A first line without an end counts as a target that is too long.
    if (received_.find("\r\n") > kMostTargetBytes + 32)
      throw RequestError(414, "uri_too_long", "the request's first line is too long");
    throw RequestError(431, "headers_too_large",
                       "the headers have more than " + std::to_string(kMostHeadBytes) + " bytes");
  }
  WholeRequest request{parse_head(std::string_view(received_).substr(0, end + 4), limits_.body_bytes), ""};
  received_.erase(0, end + 4);
  const std::size_t length = request.head.body_bytes;
  if (length > received_.size() && request.head.expects_continue) send("HTTP/1.1 100 Continue\r\n\r\n");
  while (received_.size() < length) more("the request's body");
  request.body = received_.substr(0, length);
  received_.erase(0, length);
  return request;
}

bool Connection::send(std::string_view bytes) {
  const auto deadline = Clock::now() + limits_.reply;
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (n < 0 && !would_wait(errno)) return false;
    const milliseconds left = until(deadline);
    if (left.count() <= 0) return false;
    wait_for(socket_, POLLOUT, left);
  }
  return true;
}

bool Connection::client_gone() const {
  char c;
  const ssize_t n = ::recv(socket_, &c, 1, MSG_PEEK | MSG_DONTWAIT);
  return n == 0 || (n < 0 && !would_wait(errno));
}

bool Connection::pause(milliseconds time) const {
  // Not POLLIN: bytes that nobody reads would end every wait at once.
  return !wait_for(socket_, POLLRDHUP, time);
}

Closer::Closer() {
  thread_ = std::thread([this] { run(); });
}

Closer::~Closer() {
  stopped_ = true;
  wake_.notify();
  thread_.join();
  for (const Leaving& l : leaving_) ::close(l.socket);
}

void Closer::close(int socket, std::string_view reply) noexcept {
  if (!reply.empty()) [[maybe_unused]]
    const ssize_t n = ::send(socket, reply.data(), reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  ::shutdown(socket, SHUT_WR);
  const std::lock_guard lock(mutex_);
  if (leaving_.size() >= kMost) {  // the oldest one may lose its reply
    ::close(leaving_.front().socket);
    leaving_.pop_front();
  }
  try {
    leaving_.push_back({socket, Clock::now() + kLinger});
  } catch (const std::bad_alloc&) {
    ::close(socket);
  }
  wake_.notify();
}

void Closer::run() {
  std::vector<pollfd> waiting;
  std::array<char, 4096> ignored;
  while (!stopped_) {
    waiting.assign(1, {wake_.descriptor(), POLLIN, 0});
    {
      const std::lock_guard lock(mutex_);
      for (const Leaving& l : leaving_) waiting.push_back({l.socket, POLLIN, 0});
    }
    ::poll(waiting.data(), waiting.size(), waiting.size() > 1 ? static_cast<int>(kSlice.count()) : -1);
    wake_.reset();
    const auto now = Clock::now();
    const std::lock_guard lock(mutex_);
    std::erase_if(leaving_, [&](const Leaving& l) {
      // A bounded amount in each round; the deadline ends a client that keeps sending.
      ssize_t n = 1;
      for (int i = 0; i < 16 && n > 0; ++i) n = ::recv(l.socket, ignored.data(), ignored.size(), MSG_DONTWAIT);
      const bool over = n == 0 || (n < 0 && !would_wait(errno)) || now > l.deadline;
      if (over) ::close(l.socket);
      return over;
    });
  }
}

}  // namespace quarto::serve
