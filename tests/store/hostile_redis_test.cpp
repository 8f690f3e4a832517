// What is no Redis server, or a hostile one.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "store/redis_store.h"

namespace quarto::store {
namespace {

using testing::HasSubstr;

// Answers whatever it is asked with `first`, then with `rest` again and again.
class HostileServer {
 public:
  HostileServer(std::string first, std::string rest, std::chrono::milliseconds pause = {})
      : thread_([this, first = std::move(first), rest = std::move(rest), pause] {
          const int client = ::accept(socket_, nullptr, nullptr);
          std::array<char, 4096> question;
          if (::read(client, question.data(), question.size()) > 0 && send(client, first)) {
            while (!stop_ && send(client, rest)) std::this_thread::sleep_for(pause);
          }
          ::close(client);
        }) {}
  ~HostileServer() {
    stop_ = true;
    thread_.join();
    ::close(socket_);
  }
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;
  std::unique_ptr<Store> connect(double answer) const {
    return make_redis_store(parse_store_url("redis://127.0.0.1:" + std::to_string(port_)),
                            {.answer = answer, .bytes = 8 << 20});
  }

 private:
  static bool send(int client, const std::string& text) {
    return ::send(client, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  int listening() {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
    EXPECT_EQ(::listen(fd, 1), 0);
    port_ = ntohs(address.sin_port);
    return fd;
  }
  int port_ = 0;
  const int socket_ = listening();
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

TEST(HostileRedis, AnswersWithoutMeasureAreRefused) {
  const std::string much(1 << 20, 'x');
  for (const auto& [first, rest] : {std::pair<std::string, std::string>{"+", much},
                                    {"-", much},
                                    {":", std::string(1 << 20, '1')},
                                    {"$", std::string(1 << 20, '1')},
                                    {"*", std::string(1 << 20, '1')},
                                    {"*2147483647\r\n", ":1\r\n"},
                                    {"*16\r\n*1000000\r\n", "*1000000\r\n"},
                                    {"$9000000000\r\n", much}}) {
    const HostileServer server(first, rest);
    EXPECT_THAT([&] { server.connect(60)->card(); },
                testing::ThrowsMessage<StoreError>(HasSubstr("an answer that Redis would not give")))
        << testing::PrintToString(first);
  }
}

TEST(HostileRedis, AnAnswerThatDoesNotEndIsGivenUp) {
  const HostileServer server("+", "x", std::chrono::milliseconds(20));
  EXPECT_THAT([&] { server.connect(1)->card(); },
              testing::ThrowsMessage<StoreUnavailable>(HasSubstr("does not answer: ")));
}

}  // namespace
}  // namespace quarto::store
