#include "store/caller.h"

#include "base/random_hex.h"
#include "store/wire.h"

namespace quarto::store {

std::string store_build(const std::string& version) {
  return fmt::format("quartozero {}, store format {}", version, kStoreFormat);
}

std::string new_session(const std::string& name) { return name.substr(0, kMostName - 9) + "-" + random_hex(1); }

std::optional<RunCard> Caller::find_run(const std::string& last, bool quiet) {
  poll_.reset();
  finished_ = false;
  while (!stopping()) {
    const auto found = ask([&] { return store_->find(); });
    if (!found) return std::nullopt;
    const bool finished = *found && (*found)->phase == RunPhase::finished;
    if (*found && !finished) return (*found)->card;
    if (finished && (*found)->card.id == last && !options_.keep) {
      finished_ = true;
      say(fmt::format("the {} has finished", options_.what));
      return std::nullopt;
    }
    if (!quiet) {
      say(fmt::format(
          "{} {}: waiting for {}",
          finished ? fmt::format("the {} has finished in", options_.what) : fmt::format("no {} in", options_.what),
          store_->name(), options_.waits_for));
    }
    quiet = true;
    sleep_unless(*options_.stop, poll_.next());
  }
  return std::nullopt;
}

}  // namespace quarto::store
