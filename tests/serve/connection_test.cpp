// A connection over a pair of sockets: what a client may do, and what it cannot.
#include "serve/connection.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace quarto::serve {
namespace {

using std::chrono::milliseconds;

class Pair : public testing::Test {
 protected:
  Pair() { connect(); }
  ~Pair() override { disconnect(); }
  void connect() {
    disconnect();
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
  }
  void disconnect() {
    for (int& end : ends_) {
      if (end >= 0) ::close(end);
      end = -1;
    }
  }
  // The client's end.
  void send(std::string_view bytes) {
    EXPECT_EQ(::send(ends_[0], bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  std::string received() {
    std::array<char, 4096> bytes{};
    const ssize_t n = ::recv(ends_[0], bytes.data(), bytes.size(), MSG_DONTWAIT);
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
  }
  void send_no_more() { ::shutdown(ends_[0], SHUT_WR); }
  void leave() {
    ::close(ends_[0]);
    ends_[0] = -1;
  }
  Connection connection(ConnectionLimits limits = {}, bool patient = true) {
    return {ends_[1], limits, [patient](milliseconds) { return !patient; }};
  }
  static int status_of(Connection& connection) {
    try {
      connection.next();
      return 200;
    } catch (const RequestError& e) {
      return e.status();
    }
  }
  std::array<int, 2> ends_{-1, -1};
};

const std::string kPost = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n";

TEST_F(Pair, RequestsAreReadOneByOneHoweverTheyCome) {
  const std::string both = kPost + "\r\nbodyGET /x HTTP/1.1\r\nHost: h\r\n\r\n";
  for (std::size_t first = 0; first <= both.size(); first += 7) {
    Connection c = connection();
    std::thread client([&] {
      send(both.substr(0, first));
      send(both.substr(first));
    });
    const auto one = c.next(), two = c.next();
    client.join();
    ASSERT_TRUE(one && two);
    EXPECT_EQ(one->body, "body");
    EXPECT_EQ(two->head.path, "/x");
    EXPECT_EQ(two->body, "");
  }
}

TEST_F(Pair, TheEndBetweenRequestsIsNoneAndWithinOneAnError) {
  for (const std::string& part : {std::string("G"), kPost, kPost + "\r\n", kPost + "\r\nbod"}) {
    connect();
    send(part);
    send_no_more();
    Connection c = connection();
    EXPECT_EQ(status_of(c), 400) << part;
  }
  connect();
  send_no_more();
  Connection ended = connection();
  EXPECT_FALSE(ended.next());
  EXPECT_FALSE(ended.next()) << "it stays ended";
}

// Nothing more is ever sent: whatever the machine does meanwhile, the limit is reached.
TEST_F(Pair, AClientThatStopsInARequestTimesOut) {
  send(kPost + "\r\nbo");
  Connection c = connection({.request = milliseconds(20)});
  EXPECT_EQ(status_of(c), 408);
}

TEST_F(Pair, WithoutARequestItWaitsForItsTimeOrUntilItGivesUp) {
  EXPECT_FALSE(connection({.idle = milliseconds(20)}).next());
  EXPECT_FALSE(connection({.idle = std::chrono::hours(1)}, false).next());
  send("G");
  Connection impatient = connection({.request = std::chrono::hours(1)}, false);
  EXPECT_EQ(status_of(impatient), 408) << "within a request, too";
}

TEST_F(Pair, TooMuchIsRefusedWhileItComes) {
  send("GET /" + std::string(kMostHeadBytes, 'x'));
  Connection line = connection();
  EXPECT_EQ(status_of(line), 414);
  connect();
  std::string head = "GET / HTTP/1.1\r\n";
  while (head.size() <= kMostHeadBytes) head += "X: y\r\n";
  send(head);
  Connection headers = connection();
  EXPECT_EQ(status_of(headers), 431);
}

TEST_F(Pair, WhoAsksWhetherToGoOnIsToldSoIfTheBodyIsNotThere) {
  send(kPost + "Expect: 100-continue\r\n\r\nbody");
  Connection c = connection();
  EXPECT_EQ(c.next()->body, "body");
  EXPECT_EQ(received(), "");
  send(kPost + "Expect: 100-continue\r\n\r\n");
  std::thread server([&] { EXPECT_EQ(c.next()->body, "late"); });
  std::string said;
  while (said.empty()) said = received();
  EXPECT_EQ(said, "HTTP/1.1 100 Continue\r\n\r\n");
  send("late");
  server.join();
}

TEST_F(Pair, AClientThatDoesNotReadOrHasGoneGetsNothing) {
  Connection c = connection({.reply = milliseconds(20)});
  EXPECT_TRUE(c.send("reply"));
  EXPECT_EQ(received(), "reply");
  EXPECT_FALSE(c.send(std::string(50'000'000, 'x'))) << "more than a socket takes";
  leave();
  EXPECT_FALSE(c.send("reply"));
}

TEST_F(Pair, AClientIsGoneWhenItHasEndedItsSideOrReset) {
  Connection c = connection();
  EXPECT_FALSE(c.client_gone());
  EXPECT_TRUE(c.pause(milliseconds(1)));
  send("G");
  EXPECT_FALSE(c.client_gone());
  EXPECT_TRUE(c.pause(milliseconds(1))) << "what it sends is for next()";
  EXPECT_TRUE(c.send("what it does not read"));
  leave();  // with bytes unread: a reset
  EXPECT_FALSE(c.pause(std::chrono::hours(1)));
  EXPECT_EQ(status_of(c), 400);
  EXPECT_TRUE(c.client_gone());
}

TEST_F(Pair, AClientThatResetItsConnectionIsGone) {
  Connection c = connection();
  EXPECT_TRUE(c.send("what it does not read"));
  leave();
  EXPECT_TRUE(c.client_gone());
  EXPECT_FALSE(c.next());
}

TEST_F(Pair, TheCloserSendsALastReplyAndCloses) {
  Closer closer;
  closer.close(ends_[1], "reply");
  ends_[1] = -1;
  std::string said;
  while (said.empty()) said = received();
  EXPECT_EQ(said, "reply");
  char byte = 0;
  EXPECT_EQ(::recv(ends_[0], &byte, 1, 0), 0) << "the end, without a reset";
}

// Clients that neither leave nor read: the oldest give way at once.
TEST(Closing, KeepsABoundedNumberOfSockets) {
  const auto open = [] {
    namespace fs = std::filesystem;
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  constexpr int kMany = 300, kMost = 256;
  Closer closer;
  const auto before = open();
  std::vector<int> clients;
  for (int i = 0; i < kMany; ++i) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    clients.push_back(ends[0]);
    closer.close(ends[1]);
  }
  EXPECT_LE(open() - before, kMany + kMost);
  for (const int client : clients) ::close(client);
}

}  // namespace
}  // namespace quarto::serve
