#include "serve/listener.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace quarto::serve {
namespace {

constexpr int kBacklog = 128;
constexpr int kPauseMilliseconds = 50;

void enable(int socket, int level, int option) {
  const int yes = 1;
  ::setsockopt(socket, level, option, &yes, sizeof yes);
}

// A listening socket, or -1 with errno set. SO_REUSEADDR allows a restart while old connections are in TIME_WAIT.
// Unlike SO_REUSEPORT it does not allow two servers to listen on one port.
int listening_socket(const sockaddr* address, socklen_t size) {
  const int socket = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket < 0) return -1;
  enable(socket, SOL_SOCKET, SO_REUSEADDR);
  if (::bind(socket, address, size) == 0 && ::listen(socket, kBacklog) == 0) return socket;
  const int error = errno;
  ::close(socket);
  errno = error;
  return -1;
}

}  // namespace

Listener::Listener(const std::string& host, int port) {
  const auto failed = [&](const std::string& reason) {
    return std::runtime_error(fmt::format("cannot listen on {} port {}: {}", host, port, reason));
  };
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); error != 0)
    throw failed(error == EAI_SYSTEM ? std::generic_category().message(errno) : ::gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> addresses(found, ::freeaddrinfo);
  for (const addrinfo* a = found; a && socket_ < 0; a = a->ai_next)
    socket_ = listening_socket(a->ai_addr, a->ai_addrlen);
  if (socket_ < 0) {
    const int error = errno;
    throw failed(std::generic_category().message(error) +
                 (error == EADDRINUSE ? "; name another port, or 0 for any that is free" : ""));
  }
  // The address with the port that was chosen: replace_socket() binds it again.
  address_size_ = sizeof address_;
  ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address_), &address_size_);
}

Listener::~Listener() { stop(); }

int Listener::port() const {
  return ntohs(address_.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address_).sin6_port
                                              : reinterpret_cast<const sockaddr_in&>(address_).sin_port);
}

void Listener::start(std::function<void(int)> accepted) {
  accepted_ = std::move(accepted);
  thread_ = std::thread([this] { run(); });
}

void Listener::stop() noexcept {
  stopping_ = true;
  wake_.notify();
  if (thread_.joinable()) thread_.join();
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

void Listener::run() {
  while (!stopping_) {
    std::array<pollfd, 2> waiting = {{{socket_, POLLIN, 0}, {wake_.descriptor(), POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0) {
      if (errno != EINTR) pause();  // no memory
    } else if (waiting[0].revents != 0 && !stopping_) {
      accept_one();
    }
  }
}

void Listener::accept_one() {
  const int socket = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (socket >= 0) {
    enable(socket, IPPROTO_TCP, TCP_NODELAY);
    accepted_(socket);
    return;
  }
  switch (errno) {
    case EAGAIN:
    case EINTR:
    case ECONNABORTED:
      return;
    case EINVAL:  // the socket does not listen any more
      replace_socket();
      return;
    default:  // EMFILE, ENFILE, ENOBUFS, ENOMEM, or an error of the network
      pause();
  }
}

void Listener::replace_socket() {
  ::close(socket_);
  socket_ = -1;
  while (!stopping_) {
    socket_ = listening_socket(reinterpret_cast<const sockaddr*>(&address_), address_size_);
    if (socket_ >= 0) return;
    pause();
  }
}

void Listener::pause() const {
  pollfd wake{wake_.descriptor(), POLLIN, 0};
  ::poll(&wake, 1, kPauseMilliseconds);
}

}  // namespace quarto::serve
