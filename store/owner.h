// The owner's side of a run in a store: a thread that opens the run, sets its terms, reads results and lets them go,
// counts ticks, and comes back after outages. It knows which numbers are there; what they stand for is up to whoever
// holds it: selfplay/collector.h takes in games with it, store/coordinator.h the results of shares.
// docs/many-protocol.md has the argument why no number is lost.
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

#include "base/json_library.h"
#include "base/repeats.h"
#include "store/backoff.h"
#include "store/store.h"

namespace quarto::store {

using Connect = std::function<std::unique_ptr<Store>()>;

// Counts since the owner was made, except where it says otherwise.
struct OwnerFigures {
  std::uint64_t duplicates = 0;                     // numbers of results that were there already
  std::uint64_t old = 0;                            // numbers of results that came too late, or of an earlier owner
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

// What the numbers stand for. The owner's thread calls these, one after the other, and holds no lock meanwhile: they may
// call the owner.
class Results {
 public:
  virtual ~Results() = default;
  // A result that has not been read before. Every one ends in Owner::refuse(), drop() or remove(), now or later.
  virtual void take_in(const Entry& entry) = 0;
  // What overview() shows besides the owner's figures.
  virtual nlohmann::json stats() = 0;
  // Sends what there is to send besides terms and ranges.
  virtual void send(Store&, std::uint64_t /*epoch*/) {}
  virtual void ticked(const Pulse&) {}
  // The store does not answer; `all`: it answers, and has lost what it held of the run.
  virtual void lost(bool /*all*/) {}
};

// Thread-safe.
class Owner {
 public:
  struct Options {
    Connect connect;
    RunCard card;
    std::uint64_t patience = 30;                  // ticks, about seconds, that a lease lives without its actor
    double tick = 1;                              // seconds
    std::function<void(const std::string&)> say;  // one line, when something begins or ends; called by the thread
  };

  // `received`: numbers that are there already; `highest`: the highest number below which any was ever to be leased,
  // also by an earlier owner. `anew`: what the store holds of the run when this owner comes is of no use to it.
  Owner(Options options, RangeSet received = {}, std::uint64_t highest = 0, bool anew = false);
  ~Owner() { end(); }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  // Starts the thread; waits for nothing. `results` must live until end().
  void start(Results& results);
  void end();
  // Ends, and says in the store that the owner leaves, if the store answers within some seconds; returns whether it
  // did, or there was nobody left to tell. An owner that never reached the store says only that its run has finished.
  bool close(RunPhase phase);

  // The terms, and unless it is empty the message with new weights (encode_weights()), go to the store.
  void set_terms(const Terms& terms, std::string weights = {});
  // Notes that a number is there. Returns false, and counts a duplicate, if it was before.
  bool receive(std::uint64_t number);
  bool has(std::uint64_t number) const;
  std::uint64_t highest() const;

  // Takes results out of the store. refuse() counts it for its actor and reports the first of each; drop() counts as
  // old those of its numbers that are not there. Both let what is missing be done again.
  void remove(const std::vector<std::string>& ids);
  void refuse(const Entry& entry, const std::string& name, const std::string& why);
  void drop(const Entry& entry);

  OwnerFigures figures() const;
  // Throws what ended the thread, if something has.
  void rethrow() const;
  // Says a line, or, if it repeats, less and less often (base/repeats.h). Returns whether it was said: what ends a
  // trouble is said always, if the trouble was.
  enum class Often { less, always };
  bool say(const std::string& line, Often often = Often::less);

 private:
  void open();
  void push();
  bool pull();
  void tick();
  void run();
  // With the mutex: takes the entry out, and lets the numbers that are missing be leased again. Returns how many.
  std::uint64_t let_go(const Entry& entry);
  std::string stats();
  // Says that this is not in the store any more, why if the server tells, and what follows.
  void tell_lost(const std::string& what, const char* then, bool only_if_known = false);
  // Seconds until what the store has lost is put there again: longer and longer if it is lost again and again.
  double after_loss();
  const char* kind() const { return options_.card.kind == kGames ? "actor" : "worker"; }

  const Options options_;
  const std::uint32_t longest_;  // range that is leased again: shares are leased one by one
  Results* results_ = nullptr;

  mutable std::mutex mutex_;  // guards these
  std::condition_variable wake_;
  bool stop_ = false;
  RangeSet received_;
  std::uint64_t highest_ = 0;
  std::vector<std::string> removals_;  // results that are to leave the store
  std::vector<Range> releases_;        // numbers that are to be leased again
  Terms terms_;
  std::string weights_message_;
  std::uint64_t wanted_ = 0, weights_wanted_ = 0;  // count publications
  OwnerFigures figures_;
  std::exception_ptr failure_;
  Repeats repeats_;

  // The thread's own.
  std::unique_ptr<Store> store_;
  std::uint64_t epoch_ = 0, published_ = 0, weights_sent_ = 0;
  bool anew_, opened_ = false;
  std::string cursor_;
  std::set<std::string> seen_;  // results that were read and are not known to have left the store
  // At the last tick nothing was leased or free, and everything below this number had been leased; 0: not so.
  std::uint64_t starving_ = 0;
  Backoff losses_;
  double lost_at_, publish_at_ = 0;  // seconds of the steady clock
  std::uint64_t ignored_ = 0;        // ticks in which there was work that nobody took, one after the other
  std::thread thread_;
};

// For a run that has finished without an owner: says so in the store, if that holds the run and does not know. Returns
// false if it could not, within some seconds.
bool tell_finished(const Connect& connect, const std::string& run);

}  // namespace quarto::store
