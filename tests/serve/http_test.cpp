// The server over sockets: connections, limits, malformed requests, stopping.
#include "serve/http.h"

#include <gmock/gmock.h>

#include <future>

#include "base/file.h"
#include "tests/serve/support.h"
#include "tests/support/temporary_directory.h"

namespace quarto::serve {
namespace {

using testing::HasSubstr;

TEST(Http, ClientsThatAskFirstAreToldToGoOn) {
  Served served;
  Client client(served.port());
  const std::string request = http_post("/api/v1/move", kAsk, "Expect: 100-continue\r\n");
  client.send(request.substr(0, request.size() - kAsk.size()));
  EXPECT_EQ(client.line(), "HTTP/1.1 100 Continue");  // before there is a body
  EXPECT_EQ(client.line(), "");
  client.send(kAsk);
  EXPECT_EQ(client.receive().status, 200);
  client.send(request);
  EXPECT_EQ(client.line(), "HTTP/1.1 200 OK") << "its body was there";
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

double count(Served& served, const std::string& labels) {
  return served.service.metrics().value("quartozero_requests_total", labels);
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
  // When its request has been answered it is open, until it ends: however soon that is.
  wait_until([&] { return count(served, "endpoint=\"page\",status=\"200\"") == 1; });
  wait_until_open(served, 0);
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
  write_file_atomic(dir / "web/empty.js", "");
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
  client.send(http_get("/empty.js"));
  EXPECT_TRUE(client.receive().has("Content-Length: 0\r\n"));
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

// More clients than the limits allow: each gets an answer or a refusal, and the metrics add up.

std::string move_request(const std::string& network, int simulations) {
  return http_post("/api/v1/move", "{\"position\": \"" + std::string(kQuiet) + "\", \"network\": \"" + network +
                                       "\", \"simulations\": " + std::to_string(simulations) + "}");
}

TEST(Load, TooManyConnectionsAreRefusedInGoodOrder) {
  HttpOptions http;
  http.connections = 3;
  http.limits.request = std::chrono::minutes(1);
  Served served(some_networks(), small_options(), http);
  std::vector<std::unique_ptr<Client>> busy;
  for (int i = 0; i < 3; ++i) {
    busy.push_back(std::make_unique<Client>(served.port()));
    busy.back()->send("GET /health HT");
  }
  for (int i = 0; i < 20; ++i) {
    const Received reply = ask(served.port(), move_request("some", 0));
    EXPECT_EQ(reply.status, 503);
    EXPECT_TRUE(reply.has("Retry-After: 1\r\n"));
    expect_error(reply.body, reply.status);
  }
  for (auto& client : busy) {
    client->send("TP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(client->receive().status, 200);
  }
  EXPECT_EQ(served.service.metrics().value("quartozero_connections_total", "state=\"refused\""), 20);
  EXPECT_EQ(count(served, "endpoint=\"refused\",status=\"503\""), 20);
}

TEST(Load, OneClientCannotTakeAllConnections) {
  HttpOptions http;
  http.connections = 12;
  http.per_client = 4;
  http.limits.request = std::chrono::minutes(1);
  Served served(some_networks(), small_options(), http);
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 4; ++i) {
    slow.push_back(std::make_unique<Client>(served.port(), 7));
    slow.back()->send("GET /health HT");
  }
  for (int i = 0; i < 20; ++i) {
    Client another(served.port(), 7);
    another.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const Received reply = another.receive();
    EXPECT_EQ(reply.status, 503);
    EXPECT_NE(reply.body.find("from your address"), std::string::npos);
  }
  Client other(served.port(), 8);
  other.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(other.receive().status, 200);
  // When one of them has ended, its place is free.
  slow.front()->send("TP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(slow.front()->receive().status, 200);
  EXPECT_TRUE(slow.front()->at_end());
  int status = 503;
  for (int i = 0; i < 200 && status != 200; ++i) {  // the server's thread may still be on its way out
    Client again(served.port(), 7);
    again.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    status = again.receive().status;
    if (status != 200) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(status, 200);
}

// All that was counted, over all labels.
double all_counted(Served& served) {
  const std::string text = served.service.metrics().text();
  const std::string family = "quartozero_requests_total{";
  double sum = 0;
  for (auto at = text.find("\n" + family); at != std::string::npos; at = text.find("\n" + family, at + 1))
    sum += std::stod(text.substr(text.find("} ", at) + 2));
  return sum;
}

TEST(Load, ManyClientsForAWhile) {
  std::promise<void> gate;
  ServiceOptions options = small_options();
  options.queue = 2;
  Served served(some_networks(std::make_shared<Hooked>([open = gate.get_future().share()] { open.wait(); })), options);
  constexpr int kClients = 16, kRequests = 25;
  const int room = options.threads + static_cast<int>(options.queue);
  std::atomic<int> answered = 0, refused = 0, failed = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&, i] {
      auto client = std::make_unique<Client>(served.port());
      for (int j = 0; j < kRequests; ++j) {
        // At first all want what nobody gets until there is no room left.
        switch (j == 0 ? 4 : (i + j) % 5) {
          case 0:
            client->send(move_request("some", 0));
            break;
          case 1:
            client->send(move_request("some", 10));
            break;
          case 2:
            client->send(http_post("/api/v1/jobs", "{\"kind\": \"move\", \"game\": \"0 a1\", \"simulations\": 5}"));
            break;
          case 3:
            client->send(http_get("/metrics"));
            break;
          default:
            client->send(move_request("other", 5));
        }
        const Received reply = client->receive();
        const bool good = reply.status == 200 || reply.status == 202;
        ++(good ? answered : reply.status == 503 ? refused : failed);
        if (!good) {
          EXPECT_TRUE(reply.has("Retry-After: 1\r\n"));
          expect_error(reply.body, reply.status);
        }
        if (reply.status == 0 || reply.has("Connection: close\r\n")) client = std::make_unique<Client>(served.port());
      }
    });
  }
  wait_until([&] { return served.service.metrics().value("quartozero_queue_full_total") >= kClients - room; });
  EXPECT_EQ(ask(served.port(), http_get("/health")).status, 200) << "meanwhile it can be asked how it does";
  gate.set_value();
  for (auto& t : clients) t.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GE(refused, kClients - room);
  EXPECT_GT(answered, 0);
  EXPECT_EQ(answered + refused, kClients * kRequests);
  EXPECT_EQ(all_counted(served), kClients * kRequests + 1);
  const double counted = count(served, "endpoint=\"move\",status=\"200\"") +
                         count(served, "endpoint=\"jobs\",status=\"202\"") +
                         count(served, "endpoint=\"metrics\",status=\"200\"");
  EXPECT_EQ(counted, answered);
  EXPECT_EQ(count(served, "endpoint=\"move\",status=\"503\"") + count(served, "endpoint=\"jobs\",status=\"503\""),
            refused);
  EXPECT_EQ(ask(served.port(), http_get("/health")).status, 200);
}

}  // namespace
}  // namespace quarto::serve
