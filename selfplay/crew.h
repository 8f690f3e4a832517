// Threads that play games without a pause.
//
// A range of games is played with one version of the weights: the newest when its first game begins. When newer weights
// come, the games that have begun go on with theirs beside the new ones, so that every game is a function of the run's
// seed, its number and the version.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "selfplay/games.h"
#include "store/ranges.h"

namespace quarto {

// Weights that games are played with.
struct CrewWeights {
  std::uint64_t version = 0;
  std::uint32_t checksum = 0;  // WeightsMessage::checksum
  std::shared_ptr<Evaluator> evaluator;
};

// All games of a range.
struct PlayedRange {
  store::Range range;
  std::uint64_t version = 0;
  std::uint32_t checksum = 0;
  std::vector<GameRecord> games;  // by number
};

// The system did not start as many threads as were asked for. Those that it had started have ended.
class ThreadError : public std::runtime_error {
 public:
  ThreadError(std::size_t started, int wanted, const std::system_error& why);
};

// The functions may be called from one thread; the games are played in others.
class Crew {
 public:
  // Throws ThreadError. `settings` with games_in_flight for each thread.
  Crew(const SelfPlaySettings& settings, int threads);
  ~Crew();  // abandons the games in flight
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  void set_weights(CrewWeights weights);
  // All at once, so that what the first batch holds does not depend on timing. Leaves out ranges of which it has some
  // games already; returns how many it has added.
  std::size_t add(const std::vector<store::Range>& ranges);
  // Waits until so many ranges are finished, fewer than `low` games left that nobody plays, or the time is over. Returns
  // how many ranges are finished. Rethrows an exception of a thread.
  std::size_t wait(double seconds, std::size_t finished, std::uint64_t low = 0);
  // At most so many of the ranges that are finished, once, in the order in which they ended. Rethrows an exception of a
  // thread.
  std::vector<PlayedRange> take(std::size_t most = ~std::size_t{0});
  // Games that no thread has begun.
  std::uint64_t waiting() const;
  // All ranges that were added and not taken; without `playing` those that are finished.
  std::vector<store::Range> held(bool playing = true) const;

  // Where the time of threads without a game is counted: in counts.paused, or in waited.
  enum class Idle { paused, waited };
  void count_idle(Idle as);
  struct Figures {
    SelfPlayCounts counts;
    double waited = 0;        // seconds, summed over threads
    std::uint64_t steps = 0;  // of all threads, to see whether they live
  };
  Figures figures() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

// Plays games `first` .. `first + count - 1` with this evaluator, by number. With one thread nothing depends on timing.
// What Crew throws.
std::vector<GameRecord> play_games(const SelfPlaySettings& settings, Evaluator& evaluator, std::uint64_t first,
                                   int count, int threads = 1, SelfPlayCounts* counts = nullptr);

}  // namespace quarto
