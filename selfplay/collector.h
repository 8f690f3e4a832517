// Games of actors elsewhere, through a store: takes in each number once.
//
// The owner's thread (store/owner.h) reads results; they are checked (store/wire.h), and kept if they are of numbers
// that are not there yet. A result leaves the store when a checkpoint has its games (commit()), so whatever dies, a game
// is in the store, or in this process and the store, or in a checkpoint; or nobody has it, and it is leased again. A
// result that is refused, too old, or of games that are there already is taken out at once and counted.
// docs/many-protocol.md has the argument.
#pragma once

#include "selfplay/game_source.h"
#include "store/wire.h"

namespace quarto {

class Collector final : public GameSource {
 public:
  struct Options {
    store::Connect connect;
    store::RunCard card;
    store::GameRules rules;
    std::uint64_t max_lag = 8;                    // versions; games of older weights are dropped
    bool in_turn = false;                         // take() returns games by number, and the newest version alone counts
    std::uint64_t patience = 30;                  // ticks, about seconds, that a lease lives without its actor
    double tick = 1;                              // seconds
    std::function<void(const std::string&)> say;  // one line, when something begins or ends; called by its thread
    nlohmann::json stats = nlohmann::json::object();  // that the store shows besides the figures
  };

  // Takes the run over in the store; waits for nothing. `state.run` must be card.id.
  Collector(Options options, GamesState state);
  ~Collector() override;

  void publish(const NewWeights& weights) override;
  std::optional<PlayedGames> take(int count, const GoOn& go_on) override;
  GamesState state() const override;
  void commit() override;
  Closed close(bool finished) override;
  StoreFigures figures() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace quarto
