// An actor's side of a store, whatever it does for the run: asks until the store answers, and waits for a run.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/progress.h"
#include "store/backoff.h"
#include "store/store.h"

namespace quarto::store {

// One of the sessions of an actor with this name.
std::string new_session(const std::string& name);

// Not thread-safe.
class Caller {
 public:
  struct Options {
    const std::atomic<bool>* stop = nullptr;
    bool keep = false;                            // when the run has finished, wait for another
    std::string what = "run";                     // that it works for: "run", "job"
    std::string waits_for;                        // "a learner (quartozero train CONFIG --store URL)"
    std::function<void(const std::string&)> say;  // a line that stays; may be null
    std::function<void()> lost;                   // each time that the store does not answer; may be null
  };
  Caller(std::unique_ptr<Store> store, Options options, std::uint64_t seed)
      : store_(std::move(store)),
        options_(std::move(options)),
        outage_(kFirst, kMost, seed),
        poll_(kPollFirst, kPollMost, seed + 1) {}

  Store& store() { return *store_; }
  bool stopping() const { return *options_.stop; }
  void say(const std::string& line) const {
    if (options_.say) options_.say(line);
  }
  // Of one question, lately.
  double answer_seconds() const { return answer_seconds_; }

  // Asks the store until it answers; nothing if the actor is to stop. Says once that it waits, and once that it is
  // over.
  template <class Call>
  auto ask(const Call& call) -> std::optional<decltype(call())> {
    while (!stopping()) {
      try {
        const auto begin = Clock::now();
        auto answer = call();
        const double took = seconds_since(begin);
        answer_seconds_ = answer_seconds_ == 0 ? took : 0.9 * answer_seconds_ + 0.1 * took;
        if (lost_) say(fmt::format("the store answers again after {}", format_duration(seconds_since(lost_since_))));
        lost_ = false;
        outage_.reset();
        return answer;
      } catch (const StoreUnavailable& e) {
        if (!lost_) say(fmt::format("{}; trying again until it does", e.what()));
        if (!lost_) lost_since_ = Clock::now();
        lost_ = true;
        if (options_.lost) options_.lost();
        sleep_unless(*options_.stop, outage_.next());
      }
    }
    return std::nullopt;
  }

  // A run that has not finished; nothing if the actor is to stop, or the run `last` that it worked for has finished
  // meanwhile (has_finished()). A run that had finished before is no reason to end: its owner may be about to go on
  // with it, or another to begin. `quiet`: it has been said already that the actor waits.
  std::optional<RunCard> find_run(const std::string& last, bool quiet);
  bool has_finished() const { return finished_; }

  // Seconds between two questions, and between two tries to reach the store.
  static constexpr double kPollFirst = 0.02, kPollMost = 0.5, kFirst = 0.2, kMost = 15;

 private:
  using Clock = std::chrono::steady_clock;
  std::unique_ptr<Store> store_;
  const Options options_;
  Backoff outage_, poll_;
  Clock::time_point lost_since_;  // if lost_
  bool lost_ = false, finished_ = false;
  double answer_seconds_ = 0;
};

}  // namespace quarto::store
