// More clients than the limits allow: each gets an answer or a refusal, and the metrics add up.
#include <gmock/gmock.h>

#include <map>

#include "tests/serve/support.h"

namespace quarto::serve {
namespace {

std::string move_request(const std::string& network, int simulations) {
  return http_post("/api/v1/move", "{\"position\": \"" + std::string(kQuiet) + "\", \"network\": \"" + network +
                                       "\", \"simulations\": " + std::to_string(simulations) + "}");
}

double count(Served& served, const std::string& labels) {
  return served.service.metrics().value("quartozero_requests_total", labels);
}

TEST(Load, WhatDoesNotFitIsRefusedAndTheRestIsAnswered) {
  auto gate = std::make_shared<GatedEvaluator>();
  ServiceOptions options = small_options();
  options.queue = 4;
  Served served(some_networks(gate), options);
  constexpr int kClients = 24;
  std::mutex mutex;
  std::map<int, int> statuses;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&] {
      const Received reply = ask(served.port(), move_request("other", 8));
      if (reply.status == 503) {
        EXPECT_TRUE(reply.has("Retry-After: 1\r\n"));
        expect_error(reply.body, reply.status);
      } else {
        EXPECT_TRUE(nlohmann::json::parse(reply.body).contains("move"));
      }
      const std::lock_guard lock(mutex);
      ++statuses[reply.status];
    });
  }
  // Until all have been taken in or refused nothing is finished; meanwhile the server can be asked how it does.
  wait_until([&] {
    return static_cast<int>(served.service.metrics().value("quartozero_queue_full_total")) +
               static_cast<int>(served.service.jobs().waiting() + served.service.jobs().running()) ==
           kClients;
  });
  EXPECT_EQ(ask(served.port(), http_get("/health")).status, 200);
  EXPECT_EQ(ask(served.port(), http_get("/metrics")).status, 200);
  gate->open();
  for (auto& t : clients) t.join();
  EXPECT_EQ(statuses[200] + statuses[503], kClients);
  EXPECT_GE(statuses[200], 4);
  EXPECT_LE(statuses[200], 4 + options.threads);
  EXPECT_EQ(count(served, "endpoint=\"move\",status=\"200\""), statuses[200]);
  EXPECT_EQ(count(served, "endpoint=\"move\",status=\"503\""), statuses[503]);
  EXPECT_EQ(ask(served.port(), move_request("other", 8)).status, 200);
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
  auto gate = std::make_shared<GatedEvaluator>();
  ServiceOptions options = small_options();
  options.queue = 2;
  Served served(some_networks(gate), options);
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
        if (reply.status == 0 || reply.has("Connection: close\r\n")) client = std::make_unique<Client>(served.port());
      }
    });
  }
  wait_until([&] { return served.service.metrics().value("quartozero_queue_full_total") >= kClients - room; });
  gate->open();
  for (auto& t : clients) t.join();
  EXPECT_EQ(failed, 0);
  EXPECT_GE(refused, kClients - room);
  EXPECT_GT(answered, 0);
  EXPECT_EQ(answered + refused, kClients * kRequests);
  EXPECT_EQ(all_counted(served), kClients * kRequests);
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
