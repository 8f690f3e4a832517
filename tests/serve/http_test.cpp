// The server over sockets: connections, limits, malformed requests, stopping.
#include "serve/http.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "tests/serve/support.h"
#include "tests/support/temporary_directory.h"

namespace quarto::serve {
namespace {

using testing::HasSubstr;

const std::string kAsk = "{\"position\": \"" + std::string(kQuiet) + "\"}";

TEST(Http, AnswersOverOneConnectionManyTimes) {
  Served served;
  Client client(served.port());
  for (int i = 0; i < 20; ++i) {
    client.send(http_post("/api/v1/move", kAsk));
    const Received reply = client.receive();
    ASSERT_EQ(reply.status, 200);
    EXPECT_TRUE(reply.has("Content-Type: application/json\r\n"));
    EXPECT_TRUE(reply.has("Keep-Alive: "));
    EXPECT_TRUE(nlohmann::json::parse(reply.body).contains("move"));
  }
  client.send(http_get("/health", "Connection: close\r\n"));
  EXPECT_TRUE(client.receive().has("Connection: close\r\n"));
  EXPECT_TRUE(client.at_end());
}

TEST(Http, RequestsMayBeSentAheadAndInPieces) {
  Served served;
  Client client(served.port());
  client.send(http_post("/api/v1/move", kAsk) + http_get("/health") + http_get("/nowhere"));
  EXPECT_THAT(client.receive().body, HasSubstr("\"move\""));
  EXPECT_THAT(client.receive().body, HasSubstr("\"ok\""));
  EXPECT_EQ(client.receive().status, 404);
  for (const char c : http_post("/api/v1/play", kAsk)) client.send(std::string(1, c));
  EXPECT_EQ(client.receive().status, 200);
}

TEST(Http, HeadHasNoBodyAndOldClientsAreClosed) {
  Served served;
  Client client(served.port());
  client.send("HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.receive(true).status, 200);
  client.send(http_get("/health"));  // would be out of step if there had been a body
  EXPECT_THAT(client.receive().body, HasSubstr("\"ok\""));
  Client old(served.port());
  old.send("GET /health HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.receive().status, 200);
  EXPECT_TRUE(old.at_end());
}

TEST(Http, ClientsThatAskFirstAreToldToGoOn) {
  Served served;
  Client client(served.port());
  const std::string request = http_post("/api/v1/move", kAsk, "Expect: 100-continue\r\n");
  client.send(request.substr(0, request.size() - kAsk.size()));
  EXPECT_EQ(client.line(), "HTTP/1.1 100 Continue");  // before there is a body
  EXPECT_EQ(client.line(), "");
  client.send(kAsk);
  EXPECT_EQ(client.receive().status, 200);
}

TEST(Http, WhatIsTooMuchIsRefusedBeforeItIsRead) {
  Served served;
  const auto status = [&](const std::string& request) {
    const Received reply = ask(served.port(), request);
    expect_error(reply.body, reply.status);
    EXPECT_TRUE(reply.has("Connection: close\r\n"));
    return reply.status;
  };
  const std::string head = "POST /api/v1/move HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  EXPECT_EQ(status(head + "Content-Length: 65537\r\n\r\n"), 413);
  EXPECT_EQ(status(head + "Content-Length: 1000000000\r\n\r\n" + std::string(1 << 20, ' ')), 413);
  EXPECT_EQ(status(head + "Transfer-Encoding: chunked\r\n\r\n5\r\n{    \r\n"), 411);
  EXPECT_EQ(status(head + "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nabcde"), 415);
  EXPECT_EQ(status("GET /" + std::string(5000, 'x') + " HTTP/1.1\r\nHost: h\r\n\r\n"), 414);
  EXPECT_EQ(status("GET /" + std::string(1 << 20, 'x')), 414);
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(1 << 20, 'x')), 431);
  for (const char* name : {"X", "Content-Type", "If-None-Match"})
    EXPECT_EQ(status(std::string("GET / HTTP/1.1\r\nHost: h\r\n") + name + ": " + std::string(9000, 'x') + "\r\n\r\n"),
              431);
  std::string many = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 1000; ++i) many += "X: y\r\n";
  EXPECT_EQ(status(many + "\r\n"), 431);
}

TEST(Http, SlowClientsAreNotWaitedForForEver) {
  HttpOptions impatient;
  impatient.limits.idle = std::chrono::milliseconds(50);
  Served soon(some_networks(), small_options(), impatient);
  Client silent(soon.port());
  EXPECT_TRUE(silent.at_end());
  HttpOptions http;
  http.limits.idle = std::chrono::minutes(10);  // however long this process waits for its turn
  http.limits.request = std::chrono::milliseconds(200);
  Served served(some_networks(), small_options(), http);
  Client slow(served.port());
  slow.send("GET /health HTTP/1.1\r\n");
  EXPECT_EQ(slow.receive().status, 408);
  Client stuck(served.port());
  stuck.send("POST /api/v1/move HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_EQ(stuck.receive().status, 408);
}

// Only the crowd can end an idle connection here: every other limit is longer than the test may take.
HttpOptions patient_options(int connections) {
  HttpOptions http;
  http.connections = connections;
  http.limits.idle = http.limits.request = std::chrono::minutes(10);
  return http;
}

void wait_until_open(Served& served, int connections) {
  const std::string line = "quartozero_connections_open " + std::to_string(connections) + "\n";
  wait_until([&] { return served.service.metrics().text().find(line) != std::string::npos; });
}

TEST(Http, AnIdleConnectionGivesWayWhenAllThreadsAreBusy) {
  Served served(some_networks(), small_options(), patient_options(2));
  Client idle(served.port());
  wait_until_open(served, 1);
  Client unfinished(served.port());
  unfinished.send("GET /health HT");
  EXPECT_TRUE(idle.at_end());
  wait_until_open(served, 1);
  EXPECT_EQ(ask(served.port(), http_get("/health")).status, 200);
}

TEST(Http, AnIdleConnectionIsKeptWhileThreadsAreFree) {
  Served served(some_networks(), small_options(), patient_options(8));
  Client idle(served.port());
  wait_until_open(served, 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(1300));  // longer than a full server would wait
  idle.send(http_get("/health"));
  EXPECT_EQ(idle.receive().status, 200);
}

TEST(Http, ClientsThatDoNotReadAreNotWaitedForForEver) {
  TemporaryDirectory dir;
  make_directories(dir / "web");
  write_file_atomic(dir / "web/large.bin", std::string(15 << 20, 'x'));
  HttpOptions http;
  http.limits.reply = std::chrono::milliseconds(100);
  Served served(some_networks(), small_options(), http, Site(dir / "web"));
  Client client(served.port());
  client.send(http_get("/large.bin"));  // and never reads it
  wait_until(
      [&] { return served.service.metrics().text().find("quartozero_connections_open 1\n") != std::string::npos; });
  wait_until(
      [&] { return served.service.metrics().text().find("quartozero_connections_open 0\n") != std::string::npos; });
  EXPECT_EQ(ask(served.port(), http_get("/health")).status, 200);
}

TEST(Http, PagesCannotBeLeft) {
  TemporaryDirectory dir;
  make_directories(dir / "web");
  write_file_atomic(dir / "web/index.html", "<p>front");
  write_file_atomic(dir / "web/a b.js", "1");
  write_file_atomic(dir / "secret.txt", "not for everybody");
  Served served(some_networks(), small_options(), {}, Site(dir / "web"));
  EXPECT_EQ(ask(served.port(), http_get("/")).body, "<p>front");
  EXPECT_EQ(ask(served.port(), http_get("/index.html?version=2")).body, "<p>front");
  EXPECT_EQ(ask(served.port(), http_get("/index.html?a=b?c&?%zz")).body, "<p>front");
  EXPECT_EQ(ask(served.port(), http_get("/health?")).status, 400);
  EXPECT_TRUE(ask(served.port(), http_get("/a%20b.js")).has("Content-Type: text/javascript"));
  for (const char* path :
       {"/../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/%2e%2e%2fsecret.txt", "/.%2e/secret.txt",
        "/%252e%252e/secret.txt", "/..%5csecret.txt", "/%c0%ae%c0%ae/secret.txt", "//etc/passwd"}) {
    const Received reply = ask(served.port(), http_get(path));
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_THAT(reply.body, testing::Not(HasSubstr("not for everybody")));
    expect_error(reply.body, reply.status);
  }
  for (const char* path : {"/index.html%00", "/%00", "/%", "/%zz", "/%u002e%u002e/secret.txt", "/secret%2"}) {
    const Received reply = ask(served.port(), http_get(path));
    EXPECT_EQ(reply.status, 400) << path;
    expect_error(reply.body, reply.status);
  }
}

TEST(Http, KeptConnectionsSayForHowLong) {
  HttpOptions http;
  http.requests = 3;
  Served served(some_networks(), small_options(), http);
  Client client(served.port());
  for (int i = 1; i <= 3; ++i) {
    client.send(http_get("/health"));
    const Received reply = client.receive();
    EXPECT_EQ(reply.has("Connection: keep-alive\r\nKeep-Alive: timeout=5, max=3\r\n"), i < 3) << reply.head;
    EXPECT_EQ(reply.has("Connection: close\r\n"), i == 3) << reply.head;
  }
  EXPECT_TRUE(client.at_end());
  Client old(served.port());
  old.send("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_TRUE(old.receive().has("Connection: keep-alive\r\n"));
  old.send("GET /health HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(old.receive().has("Connection: close\r\n"));
  EXPECT_TRUE(old.at_end());
}

TEST(Http, RepliesWithoutABodyHaveNoLengthAndNoneHasRanges) {
  TemporaryDirectory dir;
  make_directories(dir / "web");
  write_file_atomic(dir / "web/index.html", "<p>front");
  Served served(some_networks(), small_options(), {}, Site(dir / "web"));
  Client client(served.port());
  client.send("OPTIONS /api/v1/move HTTP/1.1\r\nHost: localhost\r\n\r\n");
  Received reply = client.receive();
  EXPECT_EQ(reply.status, 204);
  EXPECT_FALSE(reply.has("Content-Length"));
  client.send(http_get("/", "If-None-Match: *\r\n"));
  reply = client.receive();
  EXPECT_EQ(reply.status, 304);
  EXPECT_FALSE(reply.has("Content-Length"));
  EXPECT_TRUE(reply.has("ETag: "));
  client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  reply = client.receive(true);
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(reply.has("Content-Length: 8\r\n"));
  EXPECT_FALSE(reply.has("Accept-Ranges"));
  client.send(http_get("/"));
  reply = client.receive();
  EXPECT_EQ(reply.body, "<p>front");
  EXPECT_FALSE(reply.has("Accept-Ranges"));
}

TEST(Http, ThereAreNoPartialReplies) {
  Served served;
  // Thousands of overlapping ranges, or one that is none: the whole is sent, once.
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 2000; ++i) ranges += ",0-";
  for (const std::string& range :
       {ranges, std::string("Range: bytes=99999999999999999999-"), std::string("Range: x")}) {
    const Received reply = ask(served.port(), http_get("/health", range + "\r\n"));
    EXPECT_EQ(reply.status, 200);
    EXPECT_LT(reply.body.size(), 1000U);
  }
}

TEST(Http, AClientThatGoesIsNotWorkedFor) {
  Served served;
  {
    Client client(served.port());
    client.send(http_post("/api/v1/move", "{\"game\": \"\", \"network\": \"other\", \"simulations\": 2000}"));
    wait_until([&] { return served.service.jobs().running() == 1; });
  }
  wait_until([&] {
    return served.service.metrics().value("quartozero_jobs_total", "kind=\"move\",state=\"cancelled\"") == 1;
  });
}

TEST(Http, StopsWhileItWorksAndTellsThoseWhoWait) {
  auto served = std::make_unique<Served>();
  Client waits(served->port()), idle(served->port()), half(served->port());
  half.send("POST /api/v1/move HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n");
  idle.send(http_get("/health"));
  EXPECT_EQ(idle.receive().status, 200);
  const std::string job = "{\"kind\": \"move\", \"game\": \"\", \"network\": \"other\", \"simulations\": 2000}";
  EXPECT_EQ(ask(served->port(), http_post("/api/v1/jobs", job)).status, 202);
  waits.send(http_post("/api/v1/move", "{\"game\": \"\", \"network\": \"other\", \"simulations\": 2000}"));
  wait_until([&] { return served->service.jobs().running() == 2; });
  const int port = served->port();
  served.reset();
  EXPECT_EQ(waits.receive().status, 503);
  EXPECT_TRUE(idle.at_end());
  const int cut_off = half.receive().status;
  EXPECT_TRUE(cut_off == 408 || cut_off == 0) << cut_off;  // 0: nothing of it had been read
  EXPECT_FALSE(Client(port).connected());
}

TEST(Http, NeverStartedItStops) {
  Service service(some_networks(), {}, small_options());
  const HttpServer server(service, {});
  EXPECT_GT(server.port(), 0);
}

}  // namespace
}  // namespace quarto::serve
