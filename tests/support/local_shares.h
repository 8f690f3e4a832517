// Shares (base/shares.h) that are done at once in this process, by a function; what is taken comes in any order.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/shares.h"

namespace quarto {

class LocalShares final : public Shares {
 public:
  using Work = std::function<std::string(const std::string& input)>;
  explicit LocalShares(Work work, std::uint64_t workers = 1) : work_(std::move(work)), workers_(workers) {}

  std::uint64_t ask(std::string input) override {
    results_[asked_] = work_(input);
    return asked_++;
  }
  std::optional<std::string> take(std::uint64_t number, const std::function<bool()>& give_up) override {
    if (give_up()) return std::nullopt;
    std::string result = std::move(results_.at(number));
    results_.erase(number);
    return result;
  }
  // The last that was asked for comes first.
  std::optional<std::pair<std::uint64_t, std::string>> take_any(const std::function<bool()>& give_up) override {
    if (give_up()) return std::nullopt;
    const auto last = std::prev(results_.end());
    std::pair<std::uint64_t, std::string> taken = *last;
    results_.erase(last);
    return taken;
  }
  std::uint64_t workers() const override { return workers_; }
  std::uint64_t asked() const { return asked_; }

 private:
  Work work_;
  std::uint64_t workers_, asked_ = 0;
  std::map<std::uint64_t, std::string> results_;
};

}  // namespace quarto
