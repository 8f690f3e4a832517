// Does shares of a job (coordinator.h) that it finds in a store.
//
// It takes the job's card and kit from the store, leases numbers of shares, fetches their inputs, and delivers results.
// One thread talks to the store, another works. It may end in any way at any moment: what it held is done by others,
// and nothing of it is kept here.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "store/owner.h"
#include "store/wire.h"

namespace quarto::store {

// The worker cannot work for this job: it is of another build, or finds other answers. The message says why.
class WorkerRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Does the shares of one job.
class ShareWorker {
 public:
  virtual ~ShareWorker() = default;
  // The result, a function of the input and of the job alone. Once `stop` is set it may return anything, which is not
  // used. A WireError refuses the input: the share is left to others. Any other exception ends the worker.
  virtual std::string work(const std::string& input, const std::atomic<bool>& stop) = 0;
};

struct WorkerOptions {
  Connect connect;
  std::string version;            // of this program
  std::string name;               // shown by the coordinator and `quartozero store`
  int threads = 1;                // shown as well
  bool keep = false;              // when the job has finished, wait for another
  std::optional<RunCard> only{};  // work for this job alone, and wait while there are others
  const std::atomic<bool>* stop = nullptr;
  // What does the shares of this job. Throws WorkerRefused if this program cannot.
  std::function<std::unique_ptr<ShareWorker>(const RunCard& card, const Kit& kit)> make;
  // A line that stays; and one that replaces the last of its kind (nothing: no such line).
  std::function<void(const std::string&)> say, show;
  double beat = kBeat;  // seconds between signs of life
};

struct WorkerResult {
  std::uint64_t shares = 0, bytes = 0;  // delivered
  double seconds = 0;                   // in all
  double working = 0;                   // of these, at work
  bool finished = false;                // the job has; false: the worker was stopped
};

// Works until the job that it has worked for has finished or `stop` is set; waits for the store and for a job, with
// backoff. Throws WorkerRefused, StoreError, and what the ShareWorker throws.
WorkerResult do_shares(const WorkerOptions& options);

}  // namespace quarto::store
