// Works for a run elsewhere through a store: plays games for a learner (selfplay/game_work.h), or does the shares of a
// job (share_work.h).
//
// A worker takes the run's card and weights from the store, leases numbers, and delivers what becomes of them. One
// thread talks to the store; the work is done by others. It may end in any way at any moment: what it held is done by
// others, and nothing of it is kept here.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json_library.h"
#include "store/owner.h"
#include "store/wire.h"

namespace quarto::store {

// The worker cannot work for this run: it is of another build, or finds other answers. The message says why.
class WorkerRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What is done for one run. Its functions are called from one thread, return at once but for wait(), and throw what
// makes the work fail for good.
class Work {
 public:
  virtual ~Work() = default;

  // Weights of the run, or the kit of a job. Returns false where it cannot go on with others than it has: the work is
  // begun anew. Throws WireError for what is no weights, and keeps those that it has.
  virtual bool set_weights(const WeightsMessage& weights) = 0;
  // Of how many numbers it wants a lease now; and of how many at most in one range.
  virtual std::uint32_t wanted() = 0;
  virtual std::uint32_t longest() const = 0;
  // Begins these. `input` is that of a share. Returns false for those that it has already.
  virtual bool add(const Range& range, std::string input) = 0;

  struct Done {
    Range range;
    std::string message{};      // for the owner
    double seconds = 0;         // that a share took
    std::uint64_t samples = 0;  // of games
    std::string refused{};      // why the input of a share was; there is no message then
  };
  // What has been done, once.
  virtual std::vector<Done> take() = 0;
  // Ranges that were added and not taken; with `alive` without those at which nothing seems to be done any more.
  virtual std::vector<Range> held(bool alive) = 0;
  // Waits until something is done, or so many seconds, or if `lease` something is wanted.
  virtual void wait(double seconds, bool lease) = 0;
  // What the work waits for if it has nothing to do: the owner, or an answer of the store.
  virtual void waits_for_store(bool /*store*/) {}
  // What others see of it, besides what every worker says.
  virtual nlohmann::json status() const { return nlohmann::json::object(); }
};

struct WorkerOptions {
  Connect connect;
  std::string version;         // of this program
  std::string name;            // shown by the owner and `quartozero store`
  std::string device = "cpu";  // shown as well
  int threads = 1;
  bool games = false;             // what it works for: self-play, else jobs
  bool keep = false;              // when the run has finished, wait for another
  std::optional<RunCard> only{};  // work for this run alone, and wait while there are others
  const std::atomic<bool>* stop = nullptr;
  // Begins the work for a run. Throws WorkerRefused if this program cannot do it.
  std::function<std::unique_ptr<Work>(const RunCard& card)> make;
  // A line that stays; and one that replaces the last of its kind (nothing: no such line).
  std::function<void(const std::string&)> say, show;
  double beat = kBeat;  // seconds between signs of life
};

struct WorkerResult {
  std::uint64_t numbers = 0, bytes = 0;  // delivered: games or shares
  std::uint64_t samples = 0;             // of the games
  double seconds = 0;                    // in all
  double working = 0;                    // of these, at shares
  bool finished = false;                 // the run has; false: the worker was stopped
};

// Works until the run that it has worked for has finished or `stop` is set; waits for the store, a run and its weights,
// with backoff. Throws WorkerRefused, StoreError, and what the Work throws.
WorkerResult work_for_store(const WorkerOptions& options);

}  // namespace quarto::store
