#include "store/url.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "base/percent.h"
#include "store/ranges.h"
#include "store/store.h"

namespace quarto::store {
namespace {

constexpr std::string_view kHidden = "***";

// By everything but the password.
std::map<std::string, std::string, std::less<>>& hidden() {
  static std::map<std::string, std::string, std::less<>> passwords;
  return passwords;
}

struct Credentials {
  std::size_t password = 0, end = 0;  // the password's place in the text; equal: none
};
// Of "redis://user:password@...": the last @ before the path ends the password.
std::optional<Credentials> password_in(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos || text.find("redis") == std::string_view::npos) return std::nullopt;
  const std::size_t begin = scheme + 3;
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || at < begin) return std::nullopt;
  const std::size_t colon = text.find(':', begin);
  if (colon == std::string_view::npos || colon >= at) return std::nullopt;
  return Credentials{colon + 1, at};
}

[[noreturn]] void fail(const std::string& why) {
  throw StoreError(
      fmt::format("the store's address: {}; it is written redis://[user:password@]host[:port][/database]", why));
}

std::string decoded(std::string_view text) {
  const auto plain = percent_decoded(text);
  if (!plain) fail("a '%' in the user or the password must be followed by two hex digits, which are not 00");
  return *plain;
}

}  // namespace

std::string StoreUrl::shown() const {
  const bool ip6 = host.find(':') != std::string::npos;
  return fmt::format("{}://{}{}{}:{}/{}", tls ? "rediss" : "redis", ip6 ? "[" : "", host, ip6 ? "]" : "", port,
                     database);
}

StoreUrl parse_store_url(std::string_view text) {
  StoreUrl url;
  std::string_view rest = text;
  if (rest.starts_with("redis://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("rediss://")) {
    rest.remove_prefix(9);
    url.tls = true;
  } else {
    fail("it must begin with redis:// or rediss://");
  }
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    const std::size_t colon = who.find(':');
    url.user = decoded(who.substr(0, colon));
    if (colon != std::string_view::npos) {
      const auto known = hidden().find(text);
      url.password = decoded(known != hidden().end() ? std::string_view(known->second) : who.substr(colon + 1));
    }
  }
  if (url.password.empty()) {
    if (const char* password = std::getenv("QUARTOZERO_STORE_PASSWORD")) url.password = password;
  }
  if (!url.user.empty() && url.password.empty()) {
    fail("it names a user without a password; write user:password@, or set QUARTOZERO_STORE_PASSWORD");
  }
  if (const std::size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view database = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
    if (!database.empty()) {
      const auto n = parse_number(database, 1'000'000);
      if (!n) fail("what follows the host's '/' must be the number of a database");
      url.database = static_cast<int>(*n);
    }
  }
  std::string_view port;
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) fail("the '[' of the host is not closed");
    url.host = rest.substr(1, close - 1);
    rest = rest.substr(close + 1);
    if (!rest.empty() && rest[0] != ':') fail("only ':' and a port may follow the host's ']'");
    if (!rest.empty()) port = rest.substr(1);
  } else {
    const std::size_t colon = rest.find(':');
    url.host = rest.substr(0, colon);
    if (colon != std::string_view::npos) port = rest.substr(colon + 1);
  }
  if (url.host.empty()) fail("it names no host");
  for (const char c : url.host) {
    if (static_cast<unsigned char>(c) <= ' ' || c == 127) fail("the host contains a blank or a control character");
  }
  if (!port.empty()) {
    const auto n = parse_number(port, 65535);
    if (!n || *n == 0) fail("the port must be a number from 1 to 65535");
    url.port = static_cast<std::uint16_t>(*n);
  }
  return url;
}

void hide_store_passwords(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string text = argv[i];
    const auto there = password_in(text);
    if (!there || there->password == there->end) continue;
    const std::string shown = text.substr(0, there->password) + std::string(kHidden) + text.substr(there->end);
    const std::size_t scheme = text.find("redis");
    hidden()[shown.substr(scheme)] = text.substr(there->password, there->end - there->password);
    // A password shorter than the stars leaves no room for them: then fewer of them are shown.
    const std::size_t fits = std::min(shown.size(), text.size());
    if (shown.size() > text.size()) {
      const std::string tight = text.substr(0, there->password) +
                                std::string(std::min(kHidden.size(), there->end - there->password), '*') +
                                text.substr(there->end);
      hidden()[tight.substr(scheme)] = text.substr(there->password, there->end - there->password);
      std::memcpy(argv[i], tight.data(), tight.size());
      continue;
    }
    std::memset(argv[i], 0, text.size());
    std::memcpy(argv[i], shown.data(), fits);
  }
}

}  // namespace quarto::store
