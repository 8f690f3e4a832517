#include "app/store_option.h"

#include "store/redis_store.h"

namespace quarto::app {

CLI::Option* add_store_option(CLI::App& command, std::string& url, const std::string& what) {
  return command.add_option("--store", url, what)->type_name("redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]");
}

std::function<std::unique_ptr<store::Store>()> store_connector(const std::string& url) {
  const store::StoreUrl parsed = store::parse_store_url(url);
  store::make_redis_store(parsed);  // rediss:// without TLS is an error now
  return [parsed] { return store::make_redis_store(parsed); };
}

std::string shown_store(const std::string& url) { return store::parse_store_url(url).shown(); }

}  // namespace quarto::app
