// Where the games of an iteration come from: threads of this process (local_games.h), which may play while the learner
// learns, or actors elsewhere through a store (collector.h). Whoever takes them does not see the difference.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json_library.h"
#include "selfplay/games.h"
#include "store/owner.h"
#include "store/ranges.h"

namespace quarto {

// What a checkpoint remembers of the games of a run, whoever played them.
struct GamesState {
  store::RangeSet taken;  // the numbers of all games that the run has learned from
  // If games have come from a store:
  std::string run{};                                 // RunCard::id
  std::map<std::uint64_t, std::uint32_t> weights{};  // versions that games may be of, WeightsMessage::checksum
  std::uint64_t upto = 0;                            // the highest number below which games were ever allowed
};
nlohmann::json to_json(const GamesState& state);
// Throws std::runtime_error for what to_json() would not write.
GamesState games_state(const nlohmann::json& json);

// Weights that games are played with from now on.
struct NewWeights {
  std::uint64_t version = 0, step = 0;                      // the learner's iteration and step
  std::uint64_t games = 0;                                  // so many beyond those that were taken may be begun
  std::function<std::shared_ptr<Evaluator>()> evaluator{};  // for games in this process
  std::function<std::string()> file{};                      // model.safetensors, for those elsewhere
};

// Counts since the source was made.
struct StoreFigures : store::OwnerFigures {
  std::uint64_t received = 0;   // games
  double waited_for_store = 0;  // seconds, by the actors' threads
};

struct PlayedGames {
  std::vector<GameRecord> games;
  SelfPlayCounts counts;              // of the time since the last ones were taken
  std::optional<StoreFigures> store;  // of a store
};

// Used by one thread.
class GameSource {
 public:
  virtual ~GameSource() = default;

  // Before the first take(), and whenever there are new weights. Games that have begun keep the weights that they began
  // with: a game is a function of the run's seed, its number and the version of the weights.
  virtual void publish(const NewWeights& weights) = 0;
  // Waits until `count` games are there. Calls `go_on` now and then with how many are; nothing when it says false.
  // Throws ThreadError, what the network throws, and StoreError.
  using GoOn = std::function<bool(int games, const StoreFigures*)>;
  virtual std::optional<PlayedGames> take(int count, const GoOn& go_on) = 0;
  // For a checkpoint with the games that were taken so far, and the newest weights; commit(): it has been written.
  virtual GamesState state() const = 0;
  virtual void commit() {}
  // No more games are taken. Without it the run was cut off.
  struct Closed {
    std::uint64_t abandoned = 0;  // games that had ended, and that nobody took
    bool told = true;             // that the run has finished, or stops until it is resumed: whoever has to know
  };
  virtual Closed close(bool finished) = 0;
};

}  // namespace quarto
