// The learner's side of the store: takes in the games of actors, each number once.
//
// A thread of its own reads results, checks them (store/wire.h), and keeps those of numbers that it does not have yet.
// A result leaves the store when a checkpoint has its games (commit()), so whatever dies, a game is in the store, or in
// this process and the store, or in a checkpoint; or nobody has it, and it is leased again. A result that is refused,
// too old, or of games that are there already is taken out at once and counted. docs/many-protocol.md has the argument.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/json_library.h"
#include "store/owner.h"
#include "store/store.h"
#include "store/wire.h"
#include "train/self_play.h"

namespace quarto {

// What a checkpoint remembers of it.
struct CollectorState {
  std::string run;                                 // RunCard::id
  store::RangeSet taken;                           // numbers of all games that a checkpoint or an earlier one has
  std::map<std::uint64_t, std::uint32_t> weights;  // versions that games may be of, WeightsMessage::checksum
  std::uint64_t upto = 0;                          // the highest below which numbers were ever published
};
nlohmann::json to_json(const CollectorState& state);
// Throws std::runtime_error for what to_json() would not write.
CollectorState collector_state(const nlohmann::json& json);

// Counts since the collector was made, of games.
struct CollectorFigures : store::OwnerFigures {
  std::uint64_t received = 0, old = 0;
  double waited_for_store = 0;  // seconds, by the actors' threads
};

class Collector {
 public:
  struct Options {
    std::function<std::unique_ptr<store::Store>()> connect;
    store::RunCard card;
    store::GameRules rules;
    std::uint64_t max_lag = 8;                    // versions; games of older weights are dropped
    bool by_number = false;                       // take() returns games by number, and the newest version alone counts
    std::uint64_t patience = 30;                  // ticks, about seconds, that a lease lives without its actor
    double tick = 1;                              // seconds
    std::function<void(const std::string&)> say;  // one line, when something begins or ends; called by its thread
    std::string stats;                            // JSON object that the store shows besides the figures
  };

  // Takes the run over in the store; waits for nothing. `state.run` must be card.id.
  Collector(Options options, CollectorState state);
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // The newest weights: `file` is a model.safetensors. Games below `upto` may be played with them.
  void publish(std::uint64_t version, std::uint64_t step, const std::string& file, std::uint64_t upto);
  // Waits until `count` games are there. Returns nothing if `stop` becomes true. Throws store::StoreError when the
  // store cannot be used (any more); an outage is waited for.
  std::optional<SelfPlayResult> take(int count, const std::atomic<bool>& stop,
                                     const std::function<void(int)>& on_progress);
  // What was taken is in a checkpoint: the results leave the store.
  void commit();
  // Of the games taken so far. For the checkpoint that has them.
  CollectorState state() const;
  CollectorFigures figures() const;
  // Says in the store that the learner leaves, if the store answers within some seconds; returns whether it did.
  bool close(store::RunPhase phase);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto
