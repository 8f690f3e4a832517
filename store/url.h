// Where a store is: redis://[user[:password]@]host[:port][/database], or rediss:// for TLS.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace quarto::store {

struct StoreUrl {
  bool tls = false;
  std::string user, password;  // "": none
  std::string host;
  std::uint16_t port = 6379;
  int database = 0;

  // Without user and password, for messages: "redis://host:6379/0".
  std::string shown() const;
};

// User and password may be percent-encoded. Without a password in the text, that of the environment variable
// QUARTOZERO_STORE_PASSWORD counts. Throws StoreError (store.h); the message does not repeat the text.
StoreUrl parse_store_url(std::string_view text);

// Takes the passwords of such URLs out of the program's arguments, in place, so that neither a message nor the list of
// processes shows them: "redis://user:***@host". parse_store_url() knows them all the same. Call it once, before
// anything reads the arguments; not thread-safe.
void hide_store_passwords(int argc, char** argv);

}  // namespace quarto::store
