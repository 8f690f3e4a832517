#include "store/url.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "store/store.h"
#include "tests/support/message_of.h"

namespace quarto::store {
namespace {

using testing::HasSubstr;
using testing::Not;

// Users are told to set the password in the environment; here only one test does.
class ParsedUrl : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* set = ::getenv(kVariable)) before_ = set;
    ::unsetenv(kVariable);
  }
  void TearDown() override {
    if (before_)
      ::setenv(kVariable, before_->c_str(), 1);
    else
      ::unsetenv(kVariable);
  }
  static constexpr const char* kVariable = "QUARTOZERO_STORE_PASSWORD";
  std::optional<std::string> before_;
};

TEST_F(ParsedUrl, HasDefaults) {
  const StoreUrl url = parse_store_url("redis://host");
  EXPECT_EQ(url.host, "host");
  EXPECT_EQ(url.port, 6379);
  EXPECT_EQ(url.database, 0);
  EXPECT_FALSE(url.tls);
  EXPECT_EQ(url.user + url.password, "");
}

TEST_F(ParsedUrl, AllPartsAreRead) {
  const StoreUrl url = parse_store_url("rediss://me:p%40ss%2f@[::1]:7000/3");
  EXPECT_EQ(url.user, "me");
  EXPECT_EQ(url.password, "p@ss/");
  EXPECT_EQ(url.host, "::1");
  EXPECT_EQ(url.port, 7000);
  EXPECT_EQ(url.database, 3);
  EXPECT_TRUE(url.tls);
  EXPECT_EQ(url.shown(), "rediss://[::1]:7000/3");
  EXPECT_EQ(parse_store_url("redis://:only@h").password, "only");
  EXPECT_EQ(parse_store_url("redis://u:%6A%6a%4A@h").password, "jjJ");
  EXPECT_EQ(parse_store_url("redis://[::1]").port, 6379);
  EXPECT_EQ(parse_store_url("redis://h:/").port, 6379) << "an empty port or database is none";
  EXPECT_EQ(parse_store_url("redis://h:/").database, 0);
}

TEST_F(ParsedUrl, AWrongOneIsExplainedAndNotRepeated) {
  for (const char* text : {"",
                           "host",
                           "http://secret@h",
                           "redis://",
                           "redis://:secret@",
                           "redis://h:0",
                           "redis://h:65536",
                           "redis://h:secret",
                           "redis://h/secret",
                           "redis://[::1",
                           "redis://[::1]secret",
                           "redis://u@h",
                           "redis://u:secret%2@h",
                           "redis://u:%zzsecret@h",
                           "redis://u:%:0secret@h",
                           "redis://u:%@0secret@h",
                           "redis://u:%g0secret@h",
                           "redis://u:%G0secret@h",
                           "redis://h h",
                           "redis://h\x7f"}) {
    const std::string error = message_of<StoreError>([&] { parse_store_url(text); });
    EXPECT_THAT(error, HasSubstr("redis://[user:password@]host[:port][/database]")) << text;
    EXPECT_THAT(error, Not(HasSubstr("secret"))) << text;
  }
}

TEST_F(ParsedUrl, ThePasswordMayComeFromTheEnvironment) {
  ::setenv(kVariable, "hidden", 1);
  EXPECT_EQ(parse_store_url("redis://u@h").password, "hidden");
  EXPECT_EQ(parse_store_url("redis://h").password, "hidden");
  EXPECT_EQ(parse_store_url("redis://u:own@h").password, "own");
}

TEST_F(ParsedUrl, PasswordsLeaveTheArguments) {
  std::string program = "quartozero", plain = "redis://u:password@host:1/2", option = "--store=redis://:x@host",
              other = "--name=a:b@c";
  const std::string other_before = other;
  char* argv[] = {program.data(), plain.data(), option.data(), other.data(), nullptr};
  hide_store_passwords(4, argv);
  EXPECT_STREQ(argv[1], "redis://u:***@host:1/2");
  EXPECT_THAT(plain, Not(HasSubstr("word")));
  EXPECT_STREQ(argv[2], "--store=redis://:*@host");
  EXPECT_EQ(other, other_before);
  for (const std::string text : {"redis", "redis://host:1/2", "redis://user@host", "redis://:@host", "redis@://a:b"}) {
    std::string same = text;
    char* one[] = {program.data(), same.data(), nullptr};
    hide_store_passwords(2, one);
    EXPECT_EQ(same, text) << "there is no password in it";
  }
  EXPECT_EQ(parse_store_url(argv[1]).password, "password");
  EXPECT_EQ(parse_store_url(argv[2] + std::string("--store=").size()).password, "x");
}

}  // namespace
}  // namespace quarto::store
