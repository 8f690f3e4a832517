// The program quartozero-serve: it prints its URL, answers, and ends on a signal.
#include "serve/command.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <csignal>

#include "base/file.h"
#include "tests/serve/support.h"
#include "tests/support/temporary_directory.h"

namespace quarto::serve {
namespace {

using testing::HasSubstr;

struct Started {
  explicit Started(const std::vector<std::string>& arguments) {
    int out[2];
    if (::pipe(out) != 0) throw std::runtime_error("pipe failed");
    pid = ::fork();
    if (pid == 0) {
      ::dup2(out[1], STDOUT_FILENO);
      ::dup2(out[1], STDERR_FILENO);
      ::close(out[0]);
      ::close(out[1]);
      std::vector<char*> argv = {const_cast<char*>(QUARTOZERO_SERVE)};
      for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
      argv.push_back(nullptr);
      ::execv(QUARTOZERO_SERVE, argv.data());
      ::_exit(127);
    }
    ::close(out[1]);
    from = ::fdopen(out[0], "r");
  }
  ~Started() {
    if (pid > 0) {
      ::kill(pid, SIGKILL);
      end();
    }
    std::fclose(from);
  }
  std::string line() {
    char text[1000];
    return std::fgets(text, sizeof text, from) ? text : "";
  }
  int end() {
    int status = 0;
    ::waitpid(pid, &status, 0);
    pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }
  pid_t pid;
  FILE* from;
};

TEST(ServeCommand, SaysWhereAnswersAndEndsInOrder) {
  TemporaryDirectory dir;
  for (const char* folder : {"fine", "lr-0.1", "lr-0.2"}) {
    make_directories(dir / folder);
    write_file_atomic(dir / folder / "model.light", some_network_file());
  }
  Started serve({"--port", "0", "--threads", "1", "--net", (dir / "fine").string(), "--net",
                 "second=" + (dir / "fine/model.light").string(), "--net", (dir / "lr-0.1/").string(), "--net",
                 (dir / "lr-0.2/model.light").string()});
  const std::string where = serve.line();
  ASSERT_THAT(where, HasSubstr("listening on http://127.0.0.1:"));
  EXPECT_THAT(serve.line(), HasSubstr("networks: fine, second, lr-0.1, lr-0.2"));
  EXPECT_EQ(serve.line(), "computing threads: 1\n");
  const int port = std::stoi(where.substr(where.rfind(':') + 1));
  const std::string body = "{\"position\": \"" + std::string(kQuiet) + "\", \"network\": \"second\"}";
  EXPECT_EQ(ask(port, http_post("/api/v1/move", body)).status, 200);
  const std::string job = "{\"kind\": \"analysis\", \"game\": \"\", \"exact\": true, \"simulations\": 100000}";
  EXPECT_EQ(ask(port, http_post("/api/v1/jobs", job)).status, 202);
  ::kill(serve.pid, SIGTERM);
  EXPECT_THAT(serve.line(), HasSubstr("stopping"));
  EXPECT_EQ(serve.end(), 0);
}

// /dev/full takes no byte.
TEST(ServeCommand, OutputThatCannotBeWrittenIsAnError) {
  for (const char* argument : {"--help", "--version", "--port 0"}) {
    const std::string command =
        std::string("timeout -s TERM 60 '" QUARTOZERO_SERVE "' ") + argument + " > /dev/full 2> /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 1 << 8) << argument;
  }
}

TEST(ServeCommand, RefusesWhatItCannotServe) {
  TemporaryDirectory dir;
  write_file_atomic(dir / "x.light", some_network_file());
  const std::string file = (dir / "x.light").string();
  for (const auto& [arguments, why] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--net", (dir / "absent").string()}, "absent"},
           {{"--net", "a b=" + file}, "a network's name"},
           {{"--net", file, "--net", file}, "two networks are called 'x'"},
           {{"--host", ""}, "--host: empty"},
           {{"--allow-host", ":80"}, "--allow-host: ':80' names no host"},
           {{"--host", "256.0.0.1"}, "cannot listen on 256.0.0.1"},
           {{"--web", (dir / "absent").string()}, "absent"},
           {{"--max-simulations", "0"}, "--max-simulations"},
           {{"--prot", "1"}, "--prot"}}) {
    Started serve(arguments);
    EXPECT_THAT(serve.line(), HasSubstr(why));
    EXPECT_NE(serve.end(), 0);
  }
}

// As in a container that allows less memory than the machine has cores for.
TEST(ComputingThreads, AreAsManyAsThereIsMemoryForUnlessOneSaysHowMany) {
  CommandOptions o;
  o.limits.table_mib = 64;
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  EXPECT_EQ(computing_threads(o, 64, 2048 * kMiB), 16);
  EXPECT_EQ(computing_threads(o, 4, 2048 * kMiB), 4);
  EXPECT_EQ(computing_threads(o, 64, 65 * kMiB), 1);
  EXPECT_THROW(computing_threads(o, 64, 63 * kMiB), std::invalid_argument) << "not even one";
  EXPECT_EQ(computing_threads(o, 64, std::nullopt), 64);
  o.threads = 32;
  EXPECT_EQ(computing_threads(o, 4, 2048 * kMiB), 32);
  o.threads = 33;
  EXPECT_EQ(computing_threads(o, 4, std::nullopt), 33);
  try {
    computing_threads(o, 64, 2048 * kMiB);
    ADD_FAILURE() << "their tables do not fit";
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "33 threads with --table-mb 64 each need 2112 MB, and 2048 MB of memory are available");
  }
}

}  // namespace
}  // namespace quarto::serve
