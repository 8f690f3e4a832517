// Networks that take as long as a test wants, a service over them, and a client that can misbehave.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "base/json_library.h"
#include "light/evaluator.h"
#include "serve/http.h"
#include "serve/service.h"
#include "tests/play/some_network.h"

namespace quarto::serve {

inline constexpr const char* kQuiet = "..../2F.A/E9../.8B3 -";  // eight pieces, none in hand
inline const std::string kAsk = "{\"position\": \"" + std::string(kQuiet) + "\"}";

// Uniform opinions, with a function called before each is asked for.
class Hooked final : public Evaluator {
 public:
  explicit Hooked(std::function<void()> before) : before_(std::move(before)) {}
  std::unique_ptr<EvaluationBatch> new_batch() override { return std::make_unique<Batch>(before_); }

 private:
  struct Batch final : EvaluationBatch {
    explicit Batch(const std::function<void()>& b) : before(b) {}
    Status add(const Position& position, Evaluation& out) override {
      before();
      return inner->add(position, out);
    }
    std::size_t size() const override { return inner->size(); }
    void compute() override { inner->compute(); }
    const std::function<void()>& before;
    std::unique_ptr<EvaluationBatch> inner = UniformEvaluator().new_batch();
  };
  std::function<void()> before_;
};

// A thousand evaluations a second, at best: a search that is to last.
inline std::shared_ptr<Evaluator> slow_evaluator() {
  return std::make_shared<Hooked>([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
}

inline std::vector<ServedNetwork> some_networks(std::shared_ptr<Evaluator> other = slow_evaluator()) {
  return {{{std::make_shared<PairsEvaluator>(some_kernel()), Rules::lines, {{"track", "zero"}}}, "some"},
          {{std::move(other), Rules::lines, {}}, "other"}};
}

inline ServiceOptions small_options() {
  ServiceOptions options;
  options.limits.simulations = 2000;
  options.limits.table_mib = 1;
  options.threads = 2;
  options.version = "test";
  return options;
}

inline Request post(const std::string& path, std::string body) {
  return {.method = "POST", .path = path, .body = std::move(body), .content_type = "application/json"};
}
inline Request get(const std::string& path) { return {.method = "GET", .path = path}; }
inline nlohmann::json json_of(const Reply& reply) { return nlohmann::json::parse(reply.body); }

// An error as it should be: a number from 400 on, and an object that says what was wrong.
inline void expect_error(const std::string& body, int status) {
  EXPECT_GE(status, 400) << body;
  const nlohmann::json json = nlohmann::json::parse(body, nullptr, false);
  ASSERT_TRUE(json.is_object() && json.contains("error")) << body;
  EXPECT_FALSE(json["error"]["code"].get<std::string>().empty());
  EXPECT_FALSE(json["error"]["message"].get<std::string>().empty());
}

// What came back over a socket; status 0: nothing did.
struct Received {
  int status = 0;
  std::string head, body;
  bool has(const std::string& text) const { return head.find(text) != std::string::npos; }
};

class Client {
 public:
  // `from`: the last byte of its own address, 127.0.0.N; all of them are this machine's.
  explicit Client(int port, unsigned from = 1) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xFFU) | from);
    if (from != 1) {
      EXPECT_EQ(::bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    // Nothing here should take so long; a test that waits for ever says less.
    const timeval patience{60, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  bool connected() const { return connected_; }
  // Whether the system took it all.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  void send_no_more() { ::shutdown(socket_, SHUT_WR); }

  // The next reply; interim ones (100) are skipped.
  Received receive(bool to_head = false) {
    Received r;
    while (true) {
      std::size_t end;
      while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
        if (!more()) return r;
      }
      r.head = buffer_.substr(0, end + 2);
      buffer_.erase(0, end + 4);
      if (r.head.rfind("HTTP/1.1 ", 0) != 0) return r;
      r.status = std::stoi(r.head.substr(9, 3));
      if (r.status != 100) break;
    }
    const auto at = r.head.find("Content-Length: ");
    const std::size_t length = at == std::string::npos || to_head ? 0 : std::stoul(r.head.substr(at + 16));
    while (buffer_.size() < length && more()) {
    }
    r.body = buffer_.substr(0, length);
    buffer_.erase(0, length);
    return r;
  }
  // What comes next, to the end of a line; "(nothing)" if nothing comes.
  std::string line(const std::string& ending = "\r\n") {
    std::size_t end;
    while ((end = buffer_.find(ending)) == std::string::npos) {
      if (!more()) return "(nothing)";
    }
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + ending.size());
    return line;
  }
  // The server has closed the connection, and nothing is left to read.
  bool at_end() { return buffer_.empty() && !more(); }

 private:
  bool more() {
    char bytes[4096];
    const ssize_t n = ::recv(socket_, bytes, sizeof bytes, 0);
    if (n > 0) buffer_.append(bytes, static_cast<std::size_t>(n));
    return n > 0;
  }
  int socket_;
  bool connected_ = false;
  std::string buffer_;
};

inline std::string http_post(const std::string& path, const std::string& body, const std::string& more = "") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + more + "\r\n" + body;
}
inline std::string http_get(const std::string& path, const std::string& more = "") {
  return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n";
}
inline Received ask(int port, const std::string& request) {
  Client client(port);
  client.send(request);
  return client.receive();
}

// Waits until the condition has been true once, and fails after a minute. The condition is not asked again after that,
// since asking can change the answer: a condition that takes a place can find no place free right after it gave one
// back.
template <class Condition>
void wait_until(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "the condition did not become true within a minute";
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// A service on a free port of loopback.
class Served {
 public:
  explicit Served(std::vector<ServedNetwork> networks = some_networks(), ServiceOptions options = small_options(),
                  HttpOptions http = {}, Site site = {})
      : service(std::move(networks), std::move(site), std::move(options)), server(service, http) {
    server.start();
  }
  int port() const { return server.port(); }

  Service service;
  HttpServer server;
};

}  // namespace quarto::serve
