// --store URL of the commands whose work can be done in shares: this process owns the result and gives shares to
// workers (`quartozero worker`), one of which is in this process.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "base/shares.h"
#include "eval/jobs.h"

namespace quarto::app {

struct SharingOptions {
  std::string store;
  std::uint64_t lease = 30;
  bool only_coordinate = false;

  void add_to(CLI::App& command);
  // Throws PlayerError with --store, networks and a device that is no processor.
  void require_processor(const std::string& device, bool networks) const;
  bool wanted() const { return !store.empty(); }
};

// Says in the store that this job has ended, if the store holds it and does not know: its result is there, and the
// process that wrote it may have died before it said so.
void tell_ended(const SharingOptions& options, const Job& job, const std::string& out);

class Sharing {
 public:
  // `out` is what the job writes: with the settings it tells the job from others. `own` is for the shares done in this
  // process. Says what happens on standard error.
  Sharing(const SharingOptions& options, Job job, const std::string& out, WorkerSettings own);
  // A job that has not finished is left to be gone on with.
  ~Sharing();
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;

  Shares& shares() { return *coordinator_; }
  // "3 workers", for the line of progress.
  std::string note() const;
  // All is done: workers may go.
  void finish();

 private:
  void close(store::RunPhase phase);

  const std::string store_;
  std::unique_ptr<store::Coordinator> coordinator_;
  std::atomic<bool> stop_ = false;
  bool closed_ = false;
  std::thread local_;
};

}  // namespace quarto::app
