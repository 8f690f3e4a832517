// Gives the shares of a job to workers elsewhere (worker.h) through a store.
//
// A share has a number and an input; its result is a function of the input and of the job's kit alone, so it does not
// matter who does it, nor how often. A result counts if its share was asked for, is not there yet, names the input's
// fingerprint and passes the check; others are dropped and counted, and their shares are done again. Nothing is kept in
// the store that could not be asked for again: a coordinator that comes back begins with an empty one.
#pragma once

#include <functional>
#include <string>

#include "base/shares.h"
#include "store/owner.h"
#include "store/wire.h"

namespace quarto::store {

struct CoordinatorFigures : OwnerFigures {
  std::uint64_t asked = 0, done = 0;
};

// Thread-safe.
class Coordinator final : public Shares {
 public:
  struct Options {
    Connect connect;
    RunCard card;  // its id must be the same for the same job, so that one that was killed can go on
    Kit kit;
    // What is wrong with a result is thrown as an exception. Called by another thread.
    std::function<void(const std::string& input, const std::string& result)> check;
    std::uint64_t patience = 30;                  // ticks, about seconds, that a lease lives without its worker
    double tick = 1;                              // seconds
    std::function<void(const std::string&)> say;  // one line, when something begins or ends; called by another thread
    std::string workers_command;                  // how to start a worker, for the line that says that there is none
  };
  explicit Coordinator(const Options& options);
  ~Coordinator() override;

  std::uint64_t ask(std::string input) override;
  // Throw store::StoreError when the store cannot be used (any more), and what fail() was given.
  std::optional<std::string> take(std::uint64_t number, const std::function<bool()>& give_up) override;
  std::optional<std::pair<std::uint64_t, std::string>> take_any(const std::function<bool()>& give_up) override;
  std::uint64_t workers() const override;

  // There will be no more results: whoever waits gets this exception.
  void fail(std::exception_ptr failure);
  CoordinatorFigures figures() const;
  // Says in the store that the job is done (finished) or is to be gone on with (stopped).
  bool close(RunPhase phase);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto::store
