// What the server does with bytes and sockets, seen from the other end: heads, connections, addresses.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

#include <atomic>
#include <filesystem>
#include <iterator>
#include <optional>

#include "tests/serve/support.h"
#include "tests/support/message_of.h"

namespace quarto::serve {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

std::string request(const std::string& first, const std::string& headers = "") {
  return first + "\r\nHost: h\r\n" + headers + "\r\n";
}

// The status of what is sent by a client that sends nothing after it.
int status_of(Served& served, const std::string& bytes) {
  Client client(served.port());
  client.send(bytes);
  client.send_no_more();
  const Received reply = client.receive();
  if (reply.status >= 400) expect_error(reply.body, reply.status);
  if (reply.status >= 411) {
    EXPECT_TRUE(reply.has("Connection: close\r\n")) << reply.head;
  }
  return reply.status;
}

// The sockets of the server in this process, the one that listens or those of its connections.
std::vector<int> sockets_of(int port, bool listening) {
  std::vector<int> found;
  for (int fd = 3; fd < 1024; ++fd) {
    sockaddr_in own{};
    socklen_t size = sizeof own;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &size) != 0 || own.sin_family != AF_INET) continue;
    int listens = 0;
    size = sizeof listens;
    ::getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size);
    if (ntohs(own.sin_port) == port && (listens != 0) == listening) found.push_back(fd);
  }
  return found;
}

// Of a server that cannot be had.
std::string error_of(const std::string& host, int port) {
  Service service(some_networks(), {}, small_options());
  return message_of<std::runtime_error>([&] { const HttpServer server(service, {.host = host, .port = port}); });
}

TEST(Head, NamesAreReadInAnyCaseAndValuesWithoutBlanksAround) {
  Served served;
  Client client(served.port());
  client.send(
      "POST /api/v1/play HTTP/1.1\r\nhOST:localhost:8080\r\ncontent-type: \t application/json \r\ncontent-LENGTH: 000" +
      std::to_string(kAsk.size()) + "\r\nAccept-Encoding: gzip\r\nConnection: foo, Close\r\n\r\n" + kAsk);
  const Received reply = client.receive();
  EXPECT_EQ(reply.status, 200) << reply.body;
  EXPECT_TRUE(reply.has("Connection: close\r\n"));
}

TEST(Head, APathIsPercentDecodedOnceAndAQueryIsNot) {
  Served served;
  const auto said = [&](const std::string& target) { return ask(served.port(), http_get(target)).body; };
  EXPECT_THAT(said("/a%20b.js"), HasSubstr("'/a b.js'"));
  EXPECT_THAT(said("/%4a%4A+%2f%2e"), HasSubstr("'/JJ+/.'"));
  EXPECT_THAT(said("/%252e"), HasSubstr("'/%2e'"));
  EXPECT_THAT(said("/x%3Fy"), HasSubstr("'/x?y'"));
  for (const char* target : {"/x?", "/x?%", "/x?a=%zz&?%00", "/x?/../y"}) EXPECT_THAT(said(target), HasSubstr("'/x'"));
  for (const char* target : {"/%", "/%4", "/%%", "/%%41", "/%zz", "/%4g", "/%g4", "/% 41", "/%+4", "/%-1", "/%0x41",
                             "/%u0041", "/x%?41", "/%4?1", "/%00", "/a%00b", "/%2e%00"}) {
    EXPECT_EQ(status_of(served, http_get(target)), 400) << target;
  }
}

// As a proxy sends them (RFC 9112, 3.2.2). The URI's host is checked, not the header's.
TEST(Head, ATargetMayBeAUri) {
  ServiceOptions options = small_options();
  options.hosts = {"localhost"};
  Served served(some_networks(), options);
  const auto status = [&](const std::string& target, const std::string& host) {
    return status_of(served, "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  };
  for (const char* target : {"http://localhost/health", "HTTP://LOCALHOST:80/health", "http://localhost./%68ealth"}) {
    EXPECT_EQ(status(target, "localhost"), 200) << target;
    EXPECT_EQ(status(target, "evil.example"), 200) << target;
  }
  EXPECT_EQ(status("http://evil.example/health", "localhost"), 403);
  EXPECT_EQ(status("http://localhost/nowhere", "localhost"), 404);
  for (const char* target : {"http://localhost", "http://localhost?x"})
    EXPECT_EQ(status(target, "localhost"), 200) << target << ": the path is /";
  for (const char* target : {"http://", "http:///health", "http://me@localhost/health", "http:/health", "http:health",
                             "https://localhost/health", "ftp://localhost/health", "//localhost:80#x", "localhost:80",
                             "*", "health", "http://localhost/%zz", "http://localhost/#x"}) {
    EXPECT_EQ(status(target, "localhost"), 400) << target;
  }
  EXPECT_EQ(status_of(served, "GET http://localhost/health HTTP/1.1\r\n\r\n"), 400) << "the header must be there";
}

TEST(Head, WhatIsWrongHasItsNumber) {
  Served served;
  const std::string get = "GET /health HTTP/1.1", post = "POST /api/v1/play HTTP/1.1";
  EXPECT_EQ(status_of(served, request(get)), 200);
  for (const std::string first :
       {" ", "GET", "GET /", "GET / ", "GET  / HTTP/1.1", "GET / / HTTP/1.1", " GET / HTTP/1.1", "GET x HTTP/1.1",
        "GET * HTTP/1.1", "GET h:80 HTTP/1.1", "GET / HTTX/1.1", "GET / http/1.1", "G\x01T / HTTP/1.1",
        "GET /\xc3\xa4 HTTP/1.1", "GET /\t HTTP/1.1", "GET /#x HTTP/1.1", "G(T / HTTP/1.1", "GET / HTTP/1.11"}) {
    EXPECT_EQ(status_of(served, request(first)), 400) << first;
  }
  for (const std::string first : {"BREW / HTTP/1.1", "get / HTTP/1.1", "CONNECT /h:1 HTTP/1.1", "TRACE / HTTP/1.1"})
    EXPECT_EQ(status_of(served, request(first)), 501) << first;
  EXPECT_EQ(status_of(served, request("GET / HTTP/2.0")), 505);
  EXPECT_EQ(status_of(served, request("GET /" + std::string(3000, 'a') + " HTTP/1.1")), 414);
  EXPECT_EQ(status_of(served, "GET /" + std::string(1 << 20, 'x')), 414);
  EXPECT_EQ(status_of(served, "GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(1 << 20, 'x')), 431);
  for (const std::string header :
       {"x", ": y", "x y: z", " x: y", "x : y", "x: \x01", "x: y\rz", "x: y\nz: w", "Host: i", "Host: h",
        "Content-Length: x", "Content-Length: -1", "Content-Length: +1", "Content-Length: 1, 1",
        "Content-Length: ", "Content-Length: 0x10", "Content-Length: 1\r\nContent-Length: 1", "Content-Length: 5",
        "Content-Length: 1\r\nTransfer-Encoding: chunked"}) {
    EXPECT_EQ(status_of(served, request(get, header + "\r\n")), 400) << header;
  }
  const auto with_body = [&](const std::string& headers, std::size_t bytes = 0) {
    return status_of(served, request(post, "Content-Type: application/json\r\n" + headers) + std::string(bytes, ' '));
  };
  EXPECT_EQ(with_body("Content-Length: 65536\r\n", 65536), 400) << "taken, and no JSON";
  EXPECT_EQ(with_body("Content-Length: 65537\r\n"), 413);
  EXPECT_EQ(with_body("Content-Length: 999999999999\r\n", 1 << 20), 413);
  EXPECT_EQ(with_body("Transfer-Encoding: gzip\r\n"), 400) << "it has no end";
  EXPECT_EQ(with_body("Transfer-Encoding: gzip, chunked\r\n"), 501);
  EXPECT_EQ(with_body("Content-Encoding: gzip\r\n"), 415);
  EXPECT_EQ(with_body("Content-Encoding: Identity\r\nContent-Length: 2\r\n", 2), 400) << "taken, and no JSON";
  EXPECT_EQ(status_of(served, request("PUT /health HTTP/1.1", "Content-Length: 1\r\n") + "x"), 405);
  EXPECT_EQ(with_body("Expect: a miracle\r\n"), 417);
  std::string many;
  for (int i = 0; i < 100; ++i) many += "x: y\r\n";
  EXPECT_EQ(status_of(served, request(get, many)), 431);
  EXPECT_EQ(status_of(served, request(get, many.substr(6))), 200);
  EXPECT_EQ(status_of(served, request(get, "X: " + std::string(7900, 'y') + "\r\n")), 200);
  EXPECT_EQ(status_of(served, request(get, "X: " + std::string(8000, 'y') + "\r\n")), 431);
  EXPECT_EQ(status_of(served, "GET /health HTTP/1.1\r\n\r\n"), 400) << "no Host";
  EXPECT_EQ(status_of(served, "GET /health HTTP/1.1\r\nHost: a b\r\n\r\n"), 400);
  EXPECT_EQ(status_of(served, "GET /health HTTP/1.1\nHost: h\n\n"), 400);
}

TEST(Connection, RequestsAreReadOneByOneHoweverTheyCome) {
  Served served;
  const std::string both = http_post("/api/v1/play", "{\"game\": \"0 a1\"}") + http_get("/nowhere");
  for (std::size_t first = 0; first <= both.size(); first += 7) {
    Client client(served.port());
    client.send(both.substr(0, first));
    client.send(both.substr(first));
    EXPECT_EQ(client.receive().status, 200) << first;
    EXPECT_EQ(client.receive().status, 404) << first;
  }
  Client slowly(served.port());
  for (const char c : both) slowly.send(std::string(1, c));
  EXPECT_EQ(slowly.receive().status, 200);
}

// RFC 9112, 2.2. They are no request: they do not keep a connection.
TEST(Connection, EmptyLinesBeforeARequestAreIgnored) {
  Served served;
  Client client(served.port());
  client.send("\r\n" + http_post("/api/v1/play", "{\"game\": \"0 a1\"}") + "\r\n" + http_get("/health") +
              "\r\n\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(client.receive().status, 200);
  client.send("\r");
  client.send("\n" + http_get("/nowhere"));
  EXPECT_EQ(client.receive().status, 404);
  HttpOptions http;
  http.limits.idle = milliseconds(50);
  Served soon(some_networks(), small_options(), http);
  Client nothing(soon.port());
  nothing.send("\r\n");
  EXPECT_TRUE(nothing.at_end());
}

TEST(Connection, TheEndBetweenRequestsIsNoneAndWithinOneAnError) {
  Served served;
  const std::string head = "POST /api/v1/play HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n";
  for (const std::string& part : {std::string("G"), head, head + "\r\n", head + "\r\nbod"})
    EXPECT_EQ(status_of(served, part), 400) << part;
  EXPECT_EQ(status_of(served, ""), 0);
  Client client(served.port());
  client.send(http_get("/health"));
  client.send_no_more();
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_TRUE(client.at_end());
}

// One that has sent more meanwhile, which nobody reads, is gone too.
TEST(Connection, AClientIsGoneWhenItHasEndedItsSide) {
  Served served;
  const auto cancelled = [&] {
    return served.service.metrics().value("quartozero_jobs_total", "kind=\"move\",state=\"cancelled\"");
  };
  const std::string endless =
      http_post("/api/v1/move", "{\"game\": \"\", \"network\": \"other\", \"simulations\": 2000}");
  for (const std::string& more : {std::string(), http_get("/health")}) {
    const double before = cancelled();
    Client client(served.port());
    client.send(endless);
    wait_until([&] { return served.service.jobs().running() == 1; });
    client.send(more);
    client.send_no_more();
    EXPECT_EQ(client.receive().status, 503);
    wait_until([&] { return cancelled() == before + 1; });
  }
}

// Clients that were refused and neither leave nor read.
// A branch whose reply is a stream of what `next` gives.
ServiceOptions streaming(std::function<std::optional<std::string>()> next) {
  ServiceOptions options = small_options();
  options.branches.push_back({.path = "/stream", .label = "stream", .get = [next](const std::string&) {
                                return Reply{200, "begin ", "text/plain", {}, next};
                              }});
  return options;
}

TEST(Connection, AStreamIsSentPieceByPieceAndEndsTheConnection) {
  std::atomic<int> asked = 0;
  Served served(some_networks(), streaming([&]() -> std::optional<std::string> {
                  const int n = ++asked;
                  return n > 5 ? std::nullopt : std::optional<std::string>(n % 2 == 0 ? "" : std::to_string(n) + "\n");
                }));
  Client client(served.port());
  client.send(http_get("/stream"));
  const Received head = client.receive(true);
  EXPECT_EQ(head.status, 200);
  EXPECT_FALSE(head.has("Content-Length")) << head.head;
  EXPECT_TRUE(head.has("Connection: close\r\n"));
  for (const char* line : {"begin 1", "3", "5"}) EXPECT_EQ(client.line("\n"), line);
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(asked, 6);

  Client head_only(served.port());
  head_only.send("HEAD /stream HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(head_only.receive(true).status, 200);
  EXPECT_TRUE(head_only.at_end());
  EXPECT_EQ(asked, 6);
}

TEST(Connection, AStreamEndsWithItsClientAndWhereItCannotGoOn) {
  const auto alive = std::make_shared<int>();
  std::atomic<bool> fails = false;
  Served served(some_networks(), streaming([alive = alive, &fails]() -> std::optional<std::string> {
                  if (fails) throw std::runtime_error("no more");
                  return "";
                }));
  const long kept = alive.use_count();
  {
    Client client(served.port());
    client.send(http_get("/stream"));
    EXPECT_EQ(client.line(" "), "HTTP/1.1");
    wait_until([&] { return alive.use_count() > kept; });
  }
  wait_until([&] { return alive.use_count() == kept; });
  Client client(served.port());
  client.send(http_get("/stream"));
  client.receive(true);
  fails = true;
  EXPECT_EQ(client.line(" "), "begin");
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(ask(served.port(), http_get("/health")).status, 200);
}

TEST(Connection, AStreamGivesWayOnAFullServer) {
  HttpOptions http;
  http.connections = 1;
  Served served(some_networks(), streaming([]() -> std::optional<std::string> { return ""; }), http);
  Client streams(served.port());
  streams.send(http_get("/stream"));
  EXPECT_EQ(streams.receive(true).status, 200);
  wait_until([&] { return ask(served.port(), http_get("/health")).status == 200; });
  EXPECT_EQ(streams.line(" "), "begin");
  EXPECT_TRUE(streams.at_end());
}

TEST(Connection, AStreamEndsWithTheServer) {
  Served served(some_networks(), streaming([]() -> std::optional<std::string> { return ""; }));
  Client client(served.port());
  client.send(http_get("/stream"));
  EXPECT_EQ(client.receive(true).status, 200);
  EXPECT_EQ(client.line(" "), "begin");
  served.server.stop();
  EXPECT_TRUE(client.at_end());
}

TEST(Connection, AClientThatGoesOnSendingIsNotWaitedForForEver) {
  Served served;
  Client client(served.port());
  client.send("nonsense\r\n\r\n");
  EXPECT_EQ(client.receive().status, 400);
  wait_until([&] { return !client.send("more"); });
}

TEST(Connection, ABoundedNumberOfSocketsWaitsToBeClosed) {
  const auto open = [] {
    namespace fs = std::filesystem;
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  HttpOptions http;
  http.connections = 1;
  http.limits.request = std::chrono::minutes(10);
  Served served(some_networks(), small_options(), http);
  Client busy(served.port());
  busy.send("GET /health HT");
  constexpr int kMany = 300, kMost = 256;
  const auto before = open();
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < kMany; ++i) clients.push_back(std::make_unique<Client>(served.port()));
  wait_until(
      [&] { return served.service.metrics().value("quartozero_connections_total", "state=\"refused\"") >= kMany; });
  EXPECT_LE(open() - before, kMany + kMost + 1);
}

// 200 clients that send a byte now and then, at the limits that a server has by itself: 128 are waited for, 10 s at
// most, the rest is refused at once. Whoever does as the refusal says is served.
TEST(Connection, TwoHundredSlowClientsDoNotKeepOthersOut) {
  Served served;
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 200; ++i) {
    slow.push_back(std::make_unique<Client>(served.port()));
    slow.back()->send("GET /health HTTP/1.1\r\nHost: localhost\r\nX: ");
  }
  wait_until([&] {
    const Metrics& metrics = served.service.metrics();
    return metrics.value("quartozero_connections_total", "state=\"served\"") +
               metrics.value("quartozero_connections_total", "state=\"refused\"") >=
           200;
  });
  int refused = 0;
  Received reply;
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (reply.status != 200 && std::chrono::steady_clock::now() < end) {
    reply = ask(served.port(), http_get("/health"));
    if (reply.status == 200) break;
    ASSERT_EQ(reply.status, 503);
    ASSERT_TRUE(reply.has("Retry-After: 1\r\n"));
    expect_error(reply.body, reply.status);
    if (++refused <= 3) {
      for (auto& client : slow) client->send("x");
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  EXPECT_EQ(reply.status, 200);
  std::map<int, int> statuses;
  for (auto& client : slow) ++statuses[client->receive().status];
  EXPECT_GT(statuses[408], 0) << "all 128, but for those whose first bytes came so late that they gave way";
}

TEST(Address, ConnectionsSendAtOnceAndStayInThisProcess) {
  Served served;
  Client client(served.port());
  client.send(http_get("/health"));
  EXPECT_EQ(client.receive().status, 200);
  const std::vector<int> connections = sockets_of(served.port(), false), listening = sockets_of(served.port(), true);
  ASSERT_EQ(connections.size(), 1U);
  ASSERT_EQ(listening.size(), 1U);
  int no_delay = 0;
  socklen_t size = sizeof no_delay;
  EXPECT_EQ(::getsockopt(connections[0], IPPROTO_TCP, TCP_NODELAY, &no_delay, &size), 0);
  EXPECT_NE(no_delay, 0);
  for (const int socket : {connections[0], listening[0]}) EXPECT_NE(::fcntl(socket, F_GETFD) & FD_CLOEXEC, 0);
}

TEST(Address, ATakenPortIsAnErrorWithTheReason) {
  Service service(some_networks(), {}, small_options());
  const HttpServer first(service, {});  // listens, though it does not accept yet
  EXPECT_THAT(error_of("127.0.0.1", first.port()), HasSubstr("Address already in use"));
  EXPECT_THAT(error_of("127.0.0.1", first.port()), HasSubstr("port " + std::to_string(first.port())));
  Served second;
  EXPECT_NE(error_of("127.0.0.1", second.port()), "no error");
  EXPECT_NE(error_of("0.0.0.0", second.port()), "no error");
  EXPECT_EQ(ask(second.port(), http_get("/health")).status, 200);
}

TEST(Address, AServerStartedAgainAtOnceHasItsPort) {
  auto served = std::make_unique<Served>();
  const int port = served->port();
  Client client(port);
  client.send(http_get("/health"));
  EXPECT_EQ(client.receive().status, 200);
  // The server closes first, so the old connection is in TIME_WAIT or about to be.
  served.reset();
  EXPECT_FALSE(Client(port).connected());
  HttpOptions http;
  http.port = port;
  Served again(some_networks(), small_options(), http);
  EXPECT_EQ(ask(port, http_get("/health")).status, 200);
}

TEST(Address, WhatCannotBeHadIsAnError) {
  for (const char* host : {"no.such.host.invalid", "256.0.0.1", "", "1.2.3.4.5", ":::"})
    EXPECT_THAT(error_of(host, 0), HasSubstr("cannot listen on " + std::string(host))) << host;
  EXPECT_NE(error_of("192.0.2.1", 0), "no error");  // an address of nobody (RFC 5737)
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

// On a machine without ::1 (the system refuses to bind it) there is nothing to check and the test passes. On any other
// machine the server must answer there.
TEST(Address, MayBeOfIpv6) {
  if (!has_ipv6_loopback()) return;
  Service service(some_networks(), {}, small_options());
  HttpServer server(service, {.host = "::1"});
  server.start();
  EXPECT_EQ(server.url(), "http://[::1]:" + std::to_string(server.port()));
  const int socket = ::socket(AF_INET6, SOCK_STREAM, 0);
  const sockaddr_in6 address = ipv6_loopback(server.port());
  ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::string get = http_get("/health", "Connection: close\r\n");
  ASSERT_EQ(::send(socket, get.data(), get.size(), MSG_NOSIGNAL), static_cast<ssize_t>(get.size()));
  std::string reply;
  std::array<char, 1000> bytes;
  for (ssize_t n; (n = ::recv(socket, bytes.data(), bytes.size(), 0)) > 0;)
    reply.append(bytes.data(), static_cast<std::size_t>(n));
  ::close(socket);
  EXPECT_THAT(reply, testing::StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_NE(error_of("::1", server.port()), "no error");
}

TEST(Accepting, SurvivesALackOfDescriptors) {
  Served served;
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
  Client client(served.port());     // has the last descriptor
  EXPECT_TRUE(client.connected());  // by the system: it waits to be accepted
  std::this_thread::sleep_for(milliseconds(150));
  EXPECT_EQ(served.service.metrics().value("quartozero_connections_total", "state=\"served\""), 0);
  for (const int fd : taken) ::close(fd);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  client.send(http_get("/health"));
  EXPECT_EQ(client.receive().status, 200);
}

// Connections that are reset while they wait to be accepted.
TEST(Accepting, SurvivesAbortedConnections) {
  Service service(some_networks(), {}, small_options());
  HttpServer server(service, {});
  for (int i = 0; i < 20; ++i) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(server.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const linger reset{1, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    ::close(socket);
  }
  Client client(server.port());
  server.start();
  client.send(http_get("/health"));
  EXPECT_EQ(client.receive().status, 200);
}

// More than the server lets wait to be closed.
TEST(Accepting, ManyClientsThatDoNotCloseGetTheirReplies) {
  HttpOptions http;
  http.connections = 4;
  Served served(some_networks(), small_options(), http);
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 400; ++i) {
    clients.push_back(std::make_unique<Client>(served.port()));
    clients.back()->send("GET x\r\n\r\n");
    EXPECT_EQ(clients.back()->receive().status, 400);
  }
}

// What listens in this process, and nothing else, stops listening.
TEST(Accepting, ListensAgainWhenListeningFails) {
  Served served;
  for (const int socket : sockets_of(served.port(), true)) ::shutdown(socket, SHUT_RDWR);
  wait_until([&] { return ask(served.port(), http_get("/health")).status == 200; });
}

}  // namespace
}  // namespace quarto::serve
