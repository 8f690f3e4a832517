// The program quartozero-serve: it prints its URL, answers, and ends on a signal.
#include "serve/command.h"

#include <gmock/gmock.h>

#include <csignal>

#include "base/file.h"
#include "serve/host.h"
#include "tests/serve/support.h"
#include "tests/support/message_of.h"
#include "tests/support/talk.h"
#include "tests/support/temporary_directory.h"

namespace quarto::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

std::unique_ptr<Talk> started(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), QUARTOZERO_SERVE);
  return std::make_unique<Talk>(std::move(arguments), true);
}

TEST(ServeCommand, SaysWhereAnswersAndEndsInOrder) {
  TemporaryDirectory dir;
  for (const char* folder : {"fine", "lr-0.1", "lr-0.2"}) {
    make_directories(dir / folder);
    write_file_atomic(dir / folder / "model.light", some_network_file());
  }
  const auto serve = started({"--port", "0", "--threads", "1", "--net", (dir / "fine").string(), "--net",
                              "second=" + (dir / "fine/model.light").string(), "--net", (dir / "lr-0.1/").string(),
                              "--net", (dir / "lr-0.2/model.light").string()});
  const std::string where = serve->line().value();
  ASSERT_THAT(where, HasSubstr("listening on http://127.0.0.1:"));
  EXPECT_THAT(serve->line(), testing::Optional(HasSubstr("networks: fine, second, lr-0.1, lr-0.2")));
  EXPECT_EQ(serve->line(), "computing threads: 1");
  const int port = std::stoi(where.substr(where.rfind(':') + 1));
  const std::string body = "{\"position\": \"" + std::string(kQuiet) + "\", \"network\": \"second\"}";
  EXPECT_EQ(ask(port, http_post("/api/v1/move", body)).status, 200);
  const std::string job = "{\"kind\": \"analysis\", \"game\": \"\", \"exact\": true, \"simulations\": 100000}";
  EXPECT_EQ(ask(port, http_post("/api/v1/jobs", job)).status, 202);
  serve->signal(SIGTERM);
  EXPECT_THAT(serve->line(), testing::Optional(HasSubstr("stopping")));
  EXPECT_EQ(serve->end(), 0);
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
    const auto serve = started(arguments);
    EXPECT_THAT(serve->line(), testing::Optional(HasSubstr(why)));
    EXPECT_NE(serve->end(), 0);
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
  EXPECT_EQ(message_of<std::invalid_argument>([&] { computing_threads(o, 64, 2048 * kMiB); }),
            "33 threads with --table-mb 64 each need 2112 MB, and 2048 MB of memory are available");
}

// Normal forms of host names, loopback addresses, accepted Host headers.

TEST(Host, HasOneSpelling) {
  for (const auto& [written, normal] :
       std::vector<std::pair<std::string, std::string>>{{"localhost", "localhost"},
                                                        {"LocalHost:8080", "localhost"},
                                                        {"quarto.example.", "quarto.example"},
                                                        {"Quarto.Example.:80", "quarto.example"},
                                                        {"127.0.0.1:1", "127.0.0.1"},
                                                        {"::1", "[::1]"},
                                                        {"[::1]", "[::1]"},
                                                        {"[0:0:0:0:0:0:0:1]:8080", "[::1]"},
                                                        {"2001:DB8::A", "[2001:db8::a]"},
                                                        {"", ""},
                                                        {":80", ""},
                                                        {".", ""}}) {
    EXPECT_EQ(normal_host(written), normal) << written;
    EXPECT_EQ(normal_host(normal), normal);
  }
}

TEST(Host, IsLoopbackByWhatItIsNotByHowItBegins) {
  for (const char* host : {"localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.5.6.7", "127.1", "::1", "[::1]",
                           "0:0:0:0:0:0:0:1", "0000::0001", "::ffff:127.0.0.1"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"", "0.0.0.0", "::", "127.evil.example", "127.", "128.0.0.1", "127.0.0.1.example.org",
                           "localhost.example.org", "::2", "::ffff:10.0.0.1", "192.168.0.1"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

TEST(Host, NamesThatAreAllowedAddToLoopbacks) {
  const auto hosts = [](const std::string& host, std::vector<std::string> allowed) {
    CommandOptions options;
    options.host = host;
    options.allow_hosts = std::move(allowed);
    return hosts_of(options);
  };
  EXPECT_THAT(hosts("127.0.0.1", {}), IsSupersetOf({"localhost", "127.0.0.1", "[::1]"}));
  EXPECT_THAT(hosts("127.0.0.1", {"Quarto.Example:80"}), IsSupersetOf({"localhost", "quarto.example"}));
  EXPECT_THAT(hosts("0.0.0.0", {}), IsEmpty());  // any name
  EXPECT_THAT(hosts("192.168.0.1", {"quarto.example."}),
              ElementsAre("localhost", "127.0.0.1", "[::1]", "192.168.0.1", "quarto.example"));
  EXPECT_THROW(hosts("127.0.0.1", {""}), std::invalid_argument);
  EXPECT_THROW(hosts("127.0.0.1", {":80"}), std::invalid_argument);
  EXPECT_THROW(hosts("", {}), std::invalid_argument);
}

}  // namespace
}  // namespace quarto::serve
