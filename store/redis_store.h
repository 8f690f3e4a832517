// The store on a Redis server (5 or newer, also Valkey), by hiredis. Every change of more than one key is one script,
// so that a connection or a process that dies in the middle leaves the old state or the new one. All keys share the
// hash tag {quartozero}.
#pragma once

#include <memory>

#include "store/store.h"
#include "store/url.h"
#include "store/wire.h"

namespace quarto::store {

struct RedisLimits {
  double connect = 5, answer = 15;  // seconds
  // Of one reply: more than any that these programs cause.
  std::size_t bytes = kMostWeightsBytes + (std::size_t{16} << 20);
};

// Connects at the first call, and again after every failure. Throws StoreError for rediss:// in a build without TLS.
std::unique_ptr<Store> make_redis_store(const StoreUrl& url, const RedisLimits& limits = {});

// Whether this build can connect by TLS (hiredis 1.0 or newer with libhiredis_ssl; Debian 12 has 0.14).
bool redis_has_tls();

}  // namespace quarto::store
