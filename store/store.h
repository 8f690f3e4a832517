// store: games, weights and shares of work between machines: a client of Redis, and the formats of what travels
// Uses: base, env, data.
// Promises: What comes from the store is checked before it is used. No password is in a message. The implementation is
// Redis; the tests have another one, in memory, which behaves alike.
//
// This header: the interface. One run lives in one database of the store. The learner (selfplay/collector.h) writes who it
// is, the newest weights, and up to which number games may be played; actors (worker.h) lease ranges of numbers,
// play them, and deliver the games. docs/many-protocol.md has the protocol and why no game is lost or counted twice.
//
// A job is a run of another kind: its numbers are those of shares of work (base/shares.h) instead of games, and a share
// has an input besides its number. Its owner is a coordinator (coordinator.h), and its actors are workers (share_work.h).
//
// Time in the store is a count of the learner's ticks, about one a second. So no machine's clock matters, and nothing
// expires while the learner is away.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/names.h"
#include "store/ranges.h"

namespace quarto::store {

// The store cannot be used as asked, and trying again will not help: a wrong password, another run in the database. The
// message says what to do.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The store did not answer, or cannot just now: it restarts, is out of memory, the network is cut. Try again later. The
// call may have been carried out all the same; each of them may be repeated.
class StoreUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The database does not hold this run (any more): it was emptied, or another run began.
class RunGone : public std::runtime_error {
 public:
  RunGone() : std::runtime_error("the run is not in the store") {}
};

// The database holds a run that has not finished, and is not this one.
StoreError foreign_run(const std::string& id);

// Another owner has taken the run over.
class Superseded : public StoreError {
 public:
  Superseded()
      : StoreError(
            "another process has taken this run or job over in the store; stop one of the two (a copy of its directory "
            "needs a database of its own)") {}
};

enum class RunPhase { running, stopped, finished };
constexpr auto names_of(RunPhase) {
  return std::to_array<Name<RunPhase>>(
      {{RunPhase::running, "running"}, {RunPhase::stopped, "stopped"}, {RunPhase::finished, "finished"}});
}

// The kind of runs whose numbers are games of self-play.
inline constexpr const char* kGames = "games";

// Seconds between the signs of life of an actor or a worker.
inline constexpr double kBeat = 2;

// What does not change in a run.
struct RunCard {
  std::string id;           // 32 hex digits, drawn when the run began
  std::string build;        // of the learner's program: its version and kStoreFormat
  std::string fingerprint;  // of `config`: fingerprint_text()
  std::string probe;        // of a game that every build must play alike (play_probe() in selfplay/game_work.h)
  std::string config;       // YAML, every key; of a job JSON
  std::string kind = kGames;
  friend bool operator==(const RunCard&, const RunCard&) = default;
};

// Which weights. A learner that died before its checkpoint and was resumed makes other weights of the same version; one
// that was resumed with other settings publishes the same weights for another configuration.
struct WeightsId {
  std::uint64_t version = 0;
  std::uint32_t checksum = 0;  // WeightsMessage::checksum
  friend bool operator==(const WeightsId&, const WeightsId&) = default;
};

// What an actor learns from the store with every exchange.
struct Notice {
  RunPhase phase = RunPhase::stopped;
  WeightsId weights;       // the newest
  bool published = false;  // there are weights
};

struct Lease {
  Notice notice;
  std::vector<Range> ranges;  // empty: nothing may be played now, or the actor's weights are not the newest
};

enum class Delivery { taken, full, finished };

// One result in the stream, as an actor delivered it: not checked.
struct Entry {
  std::string id;      // of the stream
  std::string member;  // the range that was leased, as text
  std::string actor;   // its session
  std::string bytes;   // decode_games()
};

// The state of the run after a tick.
struct Pulse {
  std::uint64_t tick = 0, version = 0, upto = 0, next = 0;
  std::uint64_t leased = 0, free = 0;  // ranges; those that are free, below upto (of overview(): all)
  std::uint64_t results = 0;           // entries in the stream
  std::uint64_t inputs = 0;            // of shares
  std::uint64_t actors = 0;            // seen in the last ticks
  std::uint64_t expired = 0;           // leases that this tick took back
  RunPhase phase = RunPhase::stopped;
  bool published = false;
};

// What `publish` puts into the store.
struct Terms {
  WeightsId weights;
  std::uint64_t upto = 0;     // games below this number may be leased
  std::uint64_t results = 0;  // entries that the stream may hold; an actor that finds it full waits
};

struct ActorLine {
  std::string session, status;    // status: JSON text by the actor, not checked
  std::int64_t ticks_since = -1;  // since it was seen
  double seconds_since = 0;       // the same by the store's clock
};

// For people: everything about the run in one look.
struct Overview {
  RunCard card;
  Pulse pulse;
  std::string stats;  // JSON text by the learner, not checked
  std::uint64_t weights_bytes = 0, memory_bytes = 0;
  double learner_seconds = 0;    // since the learner was seen, by the store's clock
  double published_seconds = 0;  // since the newest weights came, by the store's clock
  std::string server;            // "redis 7.0.15"
  std::string advice;            // settings of the server that lose data, or ""
  std::vector<ActorLine> actors;
};

// One connection. Not thread-safe: each thread has its own. Every function may throw StoreUnavailable and StoreError;
// those that name a run throw RunGone, and those with an epoch Superseded.
class Store {
 public:
  virtual ~Store() = default;

  // For messages, without the password: "redis://host:6379/0".
  virtual std::string name() const = 0;

  struct Found {
    RunCard card;
    RunPhase phase = RunPhase::stopped;
  };
  // The run in this database, which may have finished; nothing if there is none.
  virtual std::optional<Found> find() = 0;
  std::optional<RunCard> card() {
    const auto found = find();
    return found ? std::optional(found->card) : std::nullopt;
  }

  // --- the learner

  struct Opened {
    std::uint64_t epoch = 0;
    bool empty = false;  // the run was not in the store: it knows of no leases and holds no results
  };
  // Takes the run over: epochs grow, and an older one's calls throw Superseded from now on. Those of a newer one throw
  // RunGone, where the server came back with data of before it. Numbers from `next` on were never leased,
  // if the store does not know better. `anew`: what the store holds of the run is forgotten first. Throws StoreError if
  // the database holds another run that has not finished.
  virtual Opened open(const RunCard& card, std::uint64_t next, bool anew = false) = 0;
  // Sets the terms and, if `weights` is not empty, the weights (encode_weights()).
  virtual void publish(std::uint64_t epoch, const Terms& terms, const std::string& weights) = 0;
  // One tick: leases that were not renewed for `patience` ticks are free again, actors not seen for kForgetTicks are
  // forgotten, `stats` is kept for overview().
  virtual Pulse tick(std::uint64_t epoch, std::uint64_t patience, const std::string& stats) = 0;
  // At most `most` results after the entry with this id; "" begins with the oldest.
  virtual std::vector<Entry> read(std::uint64_t epoch, const std::string& after, std::size_t most) = 0;
  // Takes results out of the stream: they are safe, or refused.
  virtual void remove(std::uint64_t epoch, const std::vector<std::string>& ids) = 0;
  // These games may be leased again.
  virtual void release(std::uint64_t epoch, const std::vector<Range>& ranges) = 0;
  // The inputs of shares, by number; and that they are not needed any more.
  virtual void put_inputs(std::uint64_t epoch, const std::map<std::uint64_t, std::string>& inputs) = 0;
  virtual void remove_inputs(std::uint64_t epoch, const std::vector<std::uint64_t>& numbers) = 0;
  // The learner leaves. When the run has finished, all but its card goes away.
  virtual void close(std::uint64_t epoch, RunPhase phase) = 0;

  // --- an actor

  // The newest weights as they were published (decode_weights()); nothing if there are none.
  virtual std::optional<std::string> weights(const std::string& run) = 0;
  // Ranges of about `games` games in all, none longer than `longest`, for an actor that has these weights.
  // Games that nobody else is to play any more come first; if no number is left that nobody plays, a range that was
  // given out at least kSpareTicks ago is given out a second time, as long as it was then.
  virtual Lease lease(const std::string& run, const WeightsId& weights, std::uint32_t games, std::uint32_t longest) = 0;
  // The inputs of these shares; nothing for one that is not there (any more).
  virtual std::vector<std::optional<std::string>> inputs(const std::string& run,
                                                         const std::vector<std::uint64_t>& numbers) = 0;
  virtual Delivery deliver(const std::string& run, const std::string& session, const Range& range,
                           const std::string& bytes) = 0;
  // The actor lives, holds these leases, and says this of itself.
  virtual Notice beat(const std::string& run, const std::string& session, const std::string& status,
                      const std::vector<Range>& held) = 0;
  // The actor goes; others may play these. Without a session ("") nobody goes: an actor hands these back and stays.
  virtual void leave(const std::string& run, const std::string& session, const std::vector<Range>& held) = 0;

  // --- for people

  virtual std::optional<Overview> overview() = 0;
  // What the server says of keys that it has thrown out, and what to change; "" if it has thrown out none.
  virtual std::string eviction() = 0;
  // Removes the run, whatever it is.
  virtual void clear() = 0;
};

// "quartozero 0.1.0, store format 3": owner and actors must agree on it.
std::string store_build(const std::string& version);

inline constexpr int kStoreFormat = 3;
inline constexpr std::uint64_t kForgetTicks = 120;
inline constexpr std::uint64_t kSpareTicks = 20;
inline constexpr std::size_t kMostActors = 100'000;

}  // namespace quarto::store
