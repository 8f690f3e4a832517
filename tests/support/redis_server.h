// A Redis server of one's own, on a free port of this machine, with its files in a directory that goes away with it.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "base/scratch_directory.h"
#include "store/redis_store.h"

namespace quarto {

inline constexpr const char* kNoRedisServer =
    "the program redis-server is missing: install the package redis-server (scripts/install-deps.sh installs it)";

class RedisServer {
 public:
  static bool installed() { return std::system("command -v redis-server > /dev/null 2>&1") == 0; }

  // `settings` as on its command line: {"--requirepass", "secret"}.
  explicit RedisServer(std::vector<std::string> settings = {}) : settings_(std::move(settings)) {
    // Between the choice of a port and its use somebody else may take it.
    for (int tries = 0; tries < 20; ++tries) {
      port_ = free_port();
      if (start()) return;
    }
    throw std::runtime_error("redis-server does not start on any port");
  }
  ~RedisServer() { kill(SIGKILL); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  int port() const { return port_; }
  std::string url(int database = 0) const {
    return "redis://127.0.0.1:" + std::to_string(port_) + "/" + std::to_string(database);
  }
  std::unique_ptr<store::Store> connect(int database = 0) const {
    return store::make_redis_store(store::parse_store_url(url(database)));
  }

  // As the program redis-cli would send it.
  void command(const std::vector<std::string>& words) const {
    std::string line = "redis-cli -p " + std::to_string(port_);
    for (const std::string& word : words) line += " '" + word + "'";
    if (std::system((line + " > /dev/null").c_str()) != 0) throw std::runtime_error("redis-cli failed");
  }
  // It neither answers nor closes connections until go_on().
  void pause() const {
    ::kill(pid_, SIGSTOP);
    ::waitpid(pid_, nullptr, WUNTRACED);
  }
  void go_on() const { ::kill(pid_, SIGCONT); }

  void kill(int signal) {
    if (pid_ <= 0) return;
    ::kill(pid_, signal);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  // SIGTERM, or with SIGKILL as in a power cut; what its append-only file holds is there again afterwards.
  void restart(int signal) {
    kill(signal);
    for (int tries = 0; tries < 100; ++tries) {
      if (start()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));  // the port may be in use for a moment
    }
    throw std::runtime_error("redis-server does not start again");
  }
  // As if the disk were lost.
  void lose_everything() {
    kill(SIGKILL);
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path()))
      std::filesystem::remove_all(entry.path());
    restart(SIGKILL);
  }

 private:
  static int free_port() {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                       ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0;
    ::close(fd);
    if (!bound) throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
  }

  // Whether the server answers; false if it ended before.
  bool start() {
    write_file_atomic(directory_ / "redis.conf",
                      "bind 127.0.0.1\nport " + std::to_string(port_) + "\ndir " + directory_.path().string() +
                          "\nsave \"\"\nappendonly yes\nappendfsync everysec\nloglevel warning\nlogfile redis.log\n",
                      Flush::no);
    std::vector<std::string> words = {"redis-server", (directory_ / "redis.conf").string()};
    words.insert(words.end(), settings_.begin(), settings_.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    const auto probe = connect();
    for (int i = 0; i < 600; ++i) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        return false;
      }
      try {
        probe->card();
        return true;
      } catch (const store::StoreUnavailable&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      } catch (const store::StoreError&) {
        return true;  // it asks for a password
      }
    }
    kill(SIGKILL);
    return false;
  }

  ScratchDirectory directory_{"redis"};
  std::vector<std::string> settings_;
  int port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace quarto
