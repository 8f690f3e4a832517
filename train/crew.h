// Threads that play leased games without a pause.
//
// A range of games is played with one version of the weights: the newest when its first game begins. When newer weights
// come, the games that have begun go on with theirs beside the new ones, so that every game is a function of the run's
// seed, its number and the version. (SelfPlayPool instead lets games go on with the newest weights.)
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "store/ranges.h"
#include "train/self_play.h"

namespace quarto {

// Weights that games are played with.
struct CrewWeights {
  std::uint64_t version = 0;
  std::uint32_t checksum = 0;  // WeightsMessage::checksum
  std::shared_ptr<Evaluator> evaluator;
};

// All games of a leased range.
struct PlayedRange {
  store::Range range;
  std::uint64_t version = 0;
  std::uint32_t checksum = 0;
  std::vector<GameRecord> games;  // by number
};

// The functions may be called from one thread; the games are played in others.
class GameCrew {
 public:
  // What threads without a game wait for: games that the learner has not allowed yet, or an answer of the store.
  enum class Missing { learner, store };

  // Throws ThreadError. `settings` with games_in_flight for each thread.
  GameCrew(const SelfPlaySettings& settings, int threads);
  ~GameCrew();  // abandons the games in flight
  GameCrew(const GameCrew&) = delete;
  GameCrew& operator=(const GameCrew&) = delete;

  void set_weights(CrewWeights weights);
  // Returns false for games of which it has some already.
  bool add(const store::Range& range);
  // Waits until there are finished ranges, fewer than `low` games left that nobody plays, or the time is over. Rethrows
  // an exception of a thread.
  void wait(double seconds, std::uint64_t low);
  // The ranges that are finished, once. Rethrows an exception of a thread.
  std::vector<PlayedRange> take();
  // Games that no thread has begun.
  std::uint64_t waiting() const;
  // All ranges that were added and not taken; without `playing` those that are finished.
  std::vector<store::Range> held(bool playing = true) const;
  void missing(Missing what);

  struct Figures {
    SelfPlayCounts counts;        // `paused`: idle for want of games that the learner allows
    double waited_for_store = 0;  // seconds, summed over threads
    std::uint64_t steps = 0;      // of all threads, to see whether they live
  };
  Figures figures() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace quarto
