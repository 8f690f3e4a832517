// The listening socket: addresses, taken ports, errors of accept().
#include "serve/listener.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include "tests/serve/support.h"

namespace quarto::serve {
namespace {

using testing::HasSubstr;

// Accepts connections, keeps them open and counts them.
struct Accepting {
  explicit Accepting(const std::string& host = "127.0.0.1", int port = 0) : listener(host, port) {
    listener.start([this](int socket) {
      const std::lock_guard lock(mutex);
      sockets.push_back(socket);
    });
  }
  ~Accepting() {
    listener.stop();
    for (const int s : sockets) ::close(s);
  }
  std::size_t count() {
    const std::lock_guard lock(mutex);
    return sockets.size();
  }
  std::mutex mutex;
  std::vector<int> sockets;
  Listener listener;
};

std::string error_of(const std::string& host, int port) {
  try {
    const Listener listener(host, port);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

sockaddr_in6 ipv6_loopback(int port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  address.sin6_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

// Asked of the system without any code of the server.
bool has_ipv6_loopback() {
  const int socket = ::socket(AF_INET6, SOCK_STREAM, 0);
  if (socket < 0) return false;
  const sockaddr_in6 address = ipv6_loopback(0);
  const bool bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return bound;
}

TEST(Listener, AcceptsOnAFreePort) {
  Accepting accepting;
  EXPECT_GT(accepting.listener.port(), 0);
  Client a(accepting.listener.port()), b(accepting.listener.port());
  EXPECT_TRUE(a.connected() && b.connected());
  wait_until([&] { return accepting.count() == 2; });
  int no_delay = 0;
  socklen_t size = sizeof no_delay;
  EXPECT_EQ(::getsockopt(accepting.sockets[0], IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
  EXPECT_NE(no_delay, 0);
  EXPECT_NE(::fcntl(accepting.sockets[0], F_GETFD) & FD_CLOEXEC, 0);
}

TEST(Listener, ATakenPortIsAnErrorWithTheReason) {
  const Listener first("127.0.0.1", 0);  // listens, though it does not accept yet
  EXPECT_THAT(error_of("127.0.0.1", first.port()), HasSubstr("Address already in use"));
  EXPECT_THAT(error_of("127.0.0.1", first.port()), HasSubstr("port " + std::to_string(first.port())));
  Accepting second;
  EXPECT_NE(error_of("127.0.0.1", second.listener.port()), "");
  EXPECT_NE(error_of("0.0.0.0", second.listener.port()), "");
  EXPECT_TRUE(Client(second.listener.port()).connected());
}

TEST(Listener, APortIsFreeAgainAfterTheListener) {
  int port = 0;
  {
    Accepting accepting;
    port = accepting.listener.port();
    Client client(port);
    wait_until([&] { return accepting.count() == 1; });
  }
  // The server closed first, so the old connection is in TIME_WAIT or about to be.
  EXPECT_FALSE(Client(port).connected());
  Accepting again("127.0.0.1", port);
  EXPECT_TRUE(Client(port).connected());
}

TEST(Listener, NamesAndAddressesThatCannotBeHadAreErrors) {
  for (const char* host : {"no.such.host.invalid", "256.0.0.1", "", "1.2.3.4.5", ":::"})
    EXPECT_THAT(error_of(host, 0), HasSubstr("cannot listen on " + std::string(host))) << host;
  EXPECT_NE(error_of("192.0.2.1", 0), "");  // an address of nobody (RFC 5737)
}

TEST(Listener, ANameIsLookedUp) {
  addrinfo* found = nullptr;
  const int unknown = ::getaddrinfo("localhost", nullptr, nullptr, &found);
  if (unknown != 0) {  // a machine that knows no names at all, a bare container for one
    EXPECT_THAT(error_of("localhost", 0), HasSubstr(::gai_strerror(unknown)));
    return;
  }
  ::freeaddrinfo(found);
  Accepting accepting("localhost");
  EXPECT_GT(accepting.listener.port(), 0);
}

// On a machine without ::1 (the system refuses to bind it) there is nothing to check and the test passes. On any other
// machine the server must answer there.
TEST(Listener, ListensOnIpv6) {
  if (!has_ipv6_loopback()) return;
  Service service(some_networks(), {}, small_options());
  HttpServer server(service, {.host = "::1"});
  server.start();
  EXPECT_EQ(server.url(), "http://[::1]:" + std::to_string(server.port()));
  const int socket = ::socket(AF_INET6, SOCK_STREAM, 0);
  const sockaddr_in6 address = ipv6_loopback(server.port());
  ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::string request = http_get("/health", "Connection: close\r\n");
  ASSERT_EQ(::send(socket, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
  std::string reply;
  std::array<char, 1000> bytes;
  for (ssize_t n; (n = ::recv(socket, bytes.data(), bytes.size(), 0)) > 0;)
    reply.append(bytes.data(), static_cast<std::size_t>(n));
  ::close(socket);
  EXPECT_THAT(reply, testing::StartsWith("HTTP/1.1 200 OK\r\n"));
  Service other(some_networks(), {}, small_options());
  EXPECT_THROW(HttpServer(other, {.host = "::1", .port = server.port()}), std::runtime_error);
}

TEST(Listener, SurvivesALackOfDescriptors) {
  Accepting accepting;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  std::vector<int> taken;
  for (int fd; (fd = ::dup(STDERR_FILENO)) >= 0;) taken.push_back(fd);
  EXPECT_EQ(errno, EMFILE);
  ASSERT_FALSE(taken.empty());
  ::close(taken.back());
  taken.pop_back();
  Client client(accepting.listener.port());  // has the last descriptor
  EXPECT_TRUE(client.connected());           // by the system: it waits to be accepted
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  EXPECT_EQ(accepting.count(), 0U);
  for (const int fd : taken) ::close(fd);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  wait_until([&] { return accepting.count() == 1; });
}

// Connections that are reset while they wait to be accepted.
TEST(Listener, SurvivesAbortedConnections) {
  Listener listener("127.0.0.1", 0);
  for (int i = 0; i < 20; ++i) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(listener.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const linger reset{1, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    ::close(socket);
  }
  std::atomic<int> accepted = 0;
  Client client(listener.port());
  listener.start([&](int socket) {
    char byte;
    if (::recv(socket, &byte, 1, 0) == 1 && byte == 'x') ++accepted;
    ::close(socket);
  });
  client.send("x");
  wait_until([&] { return accepted == 1; });
}

TEST(Listener, StopsAtOnceAndOnlyOnce) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) {
    Accepting accepting;
    accepting.listener.stop();
    accepting.listener.stop();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

}  // namespace
}  // namespace quarto::serve
