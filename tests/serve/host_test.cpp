// Normal forms of host names, loopback addresses, accepted Host headers.
#include "serve/host.h"

#include <gmock/gmock.h>

#include "serve/command.h"

namespace quarto::serve {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;

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
