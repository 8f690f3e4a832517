#include "app/store_option.h"

#include "app/interrupt.h"
#include "store/redis_store.h"

namespace quarto::app {
namespace {

// Two signs of life, which workers and actors give equally often: with less, those that live lose work.
const int kLeastLease = static_cast<int>(2 * store::kBeat);
constexpr int kMostLease = 86'400;

}  // namespace

CLI::Option* add_store_option(CLI::App& command, std::string& url, const std::string& what) {
  return command.add_option("--store", url, what)->type_name("redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE]");
}

CLI::Option* add_lease_option(CLI::App& command, std::uint64_t& seconds, const std::string& what) {
  return command.add_option("--lease", seconds, what)
      ->type_name("SECONDS")
      ->check(CLI::Range(kLeastLease, kMostLease))
      ->capture_default_str();
}

std::function<std::unique_ptr<store::Store>()> store_connector(const std::string& url) {
  const store::StoreUrl parsed = store::parse_store_url(url);
  store::make_redis_store(parsed);  // rediss:// without TLS is an error now
  return [parsed] { return store::make_redis_store(parsed); };
}

store::WorkerOptions worker_options(const std::string& url, const std::string& name, const std::string& otherwise,
                                    int threads, bool keep, Screen& screen) {
  store::WorkerOptions options;
  options.connect = store_connector(url);
  options.version = QUARTOZERO_VERSION;
  options.name = name.empty() ? host_name(otherwise) : name;
  options.threads = threads;
  options.keep = keep;
  options.stop = &stop_on_interrupt();
  options.say = [&screen](const std::string& line) { screen.say(line); };
  options.show = [&screen](const std::string& line) { screen.show(line); };
  return options;
}

std::string shown_store(const std::string& url) { return store::parse_store_url(url).shown(); }

}  // namespace quarto::app
