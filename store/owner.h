// The owner's side of a run in a store, whatever its numbers stand for: a thread that opens the run, sets its terms,
// reads results and lets them go, counts ticks, and comes back after outages. train/collector.h takes in games with it,
// store/coordinator.h the results of shares; docs/many-protocol.md has the argument why no number is lost.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "store/store.h"

namespace quarto::store {

using Connect = std::function<std::unique_ptr<Store>()>;

// Counts since the owner was made, except where it says otherwise.
struct OwnerFigures {
  std::uint64_t duplicates = 0;                     // numbers of results that were there already
  std::uint64_t refused = 0;                        // results
  std::map<std::string, std::uint64_t> refused_by;  // results, by actor
  std::uint64_t expired = 0, replayed = 0;          // leases taken back; numbers leased again because they were missing
  std::uint64_t outages = 0;                        // times that the store did not answer
  std::uint64_t bytes = 0;                          // of results
  std::uint64_t actors = 0, queue = 0, leased = 0;  // now; ranges
  double answer_seconds = 0;                        // of one question to the store, lately
  bool connected = false;
  bool failed = false;  // for good: the store holds another run, another owner has taken it over, ...
};

class Owner {
 public:
  struct Options {
    Connect connect;
    RunCard card;
    std::uint64_t patience = 30;                  // ticks, about seconds, that a lease lives without its actor
    double tick = 1;                              // seconds
    std::function<void(const std::string&)> say;  // one line, when something begins or ends; called by the thread
  };

  // `anew`: what the store holds of the run when this owner comes is of no use to it.
  explicit Owner(Options options, bool anew = false) : options_(std::move(options)), anew_(anew) {}
  // end() has been called: a derived class calls it first of all in its own destructor.
  virtual ~Owner() = default;
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  // Waits for nothing.
  void start();
  void end();
  // Ends, and says in the store that the owner leaves, if the store answers within some seconds; returns whether it
  // did, or there was nobody left to tell. An owner that never reached the store says only that its run has finished.
  bool close(RunPhase phase);

 protected:
  // What numbers stand for is up to these. Called by the thread without the mutex, except where it says otherwise.
  virtual void take_in(const Entry& entry) = 0;  // a result that has not been read before
  virtual std::string stats() const = 0;         // JSON object for overview()
  // With the mutex: numbers from this one on were never leased; whether this process lacks a number; and ranges of the
  // numbers below `end` that it lacks, at most `most`.
  virtual std::uint64_t next() const = 0;
  virtual bool lacks(std::uint64_t number) const = 0;
  // With the mutex: the highest number below which any was ever to be leased, also by an earlier process.
  virtual std::uint64_t highest() const { return terms_.upto; }
  virtual std::vector<Range> missing(std::uint64_t end, std::size_t most) const = 0;
  // With the mutex: the store has lost what it held of the run.
  virtual void emptied() {}
  // Sends what there is to send besides terms and ranges.
  virtual void push_more(Store&, std::uint64_t) {}
  // With the mutex: the state of the run after a tick, and the store does not answer.
  virtual void ticked(const Pulse&) {}
  virtual void lost() {}

  // Takes a result out and counts it for its actor; the first of each actor is reported.
  void refuse(const Entry& entry, const std::string& name, const std::string& why);
  // Takes a result out, and lets what it should have held be done again.
  void drop(const Entry& entry);
  // With the mutex: new terms, or new weights, are to be sent.
  void send_terms(bool weights);
  void say(const std::string& line) const {
    if (options_.say) options_.say(line);
  }
  bool of_games() const { return options_.card.kind == kGames; }

  const Options options_;

  mutable std::mutex mutex_;  // guards all members up to `failure_`
  std::condition_variable changed_, wake_;
  bool stop_ = false;
  std::vector<std::string> removals_;  // results that are to leave the store
  std::vector<Range> releases_;        // numbers that are to be leased again
  Terms terms_;
  std::string weights_message_;
  std::uint64_t wanted_ = 0, weights_wanted_ = 0;  // count publications
  OwnerFigures figures_;
  std::exception_ptr failure_;

 private:
  void open();
  void push();
  bool pull();
  void tick();
  void run();

  // The thread's own.
  std::unique_ptr<Store> store_;
  std::uint64_t epoch_ = 0, published_ = 0, weights_sent_ = 0;
  bool anew_, opened_ = false;
  std::string cursor_;
  std::set<std::string> seen_;  // results that were read and are not known to have left the store
  // At the last tick nothing was leased or free, and everything below this number had been leased; 0: not so.
  std::uint64_t starving_ = 0;
  std::uint64_t ignored_ = 0;  // ticks in which there was work that nobody took, one after the other
  std::thread thread_;
};

// For a run that has finished without an owner: says so in the store, if that holds the run and does not know. Returns
// false if it could not, within some seconds.
bool tell_finished(const Connect& connect, const std::string& run);

}  // namespace quarto::store
