// Work that is done elsewhere, in shares: text in, text out, each share a function of its text alone. Who has work to
// give sees this interface; store/coordinator.h gives the shares to workers on other machines.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace quarto {

class Shares {
 public:
  virtual ~Shares() = default;
  // Asks for one more share; returns its number. Shares are begun in the order of their numbers.
  virtual std::uint64_t ask(std::string input) = 0;
  // Waits for the result of this share, which has been checked. Each can be taken once. `give_up` is called now and
  // then while it waits; nothing when it says true. Throws when there will be no result.
  virtual std::optional<std::string> take(std::uint64_t number, const std::function<bool()>& give_up) = 0;
  // The same for the first share that is ready, whichever it is.
  virtual std::optional<std::pair<std::uint64_t, std::string>> take_any(const std::function<bool()>& give_up) = 0;
  // How many workers there are now; at least 1, and at most some thousands.
  virtual std::uint64_t workers() const = 0;
};

}  // namespace quarto
