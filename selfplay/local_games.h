// Games of this process.
#pragma once

#include "selfplay/crew.h"
#include "selfplay/game_source.h"

namespace quarto {

class LocalGames final : public GameSource {
 public:
  // `in_turn`: take() waits for exactly the games that were allowed, and returns them by number; with one thread nothing
  // depends on timing. Else it returns the first that end.
  LocalGames(SelfPlaySettings settings, int threads, bool in_turn, GamesState state);

  // Starts the threads at the first call.
  void publish(const NewWeights& weights) override;
  std::optional<PlayedGames> take(int count, const GoOn& go_on) override;
  GamesState state() const override { return state_; }
  Closed close(bool finished) override;

 private:
  const SelfPlaySettings settings_;
  const int threads_;
  const bool in_turn_;
  GamesState state_;
  SelfPlayCounts reported_;
  std::optional<Crew> crew_;
};

}  // namespace quarto
