#include "selfplay/local_games.h"

#include <algorithm>

namespace quarto {

LocalGames::LocalGames(SelfPlaySettings settings, int threads, bool in_turn, GamesState state)
    : settings_(std::move(settings)), threads_(threads), in_turn_(in_turn), state_(std::move(state)) {}

void LocalGames::publish(const NewWeights& weights) {
  const std::shared_ptr<Evaluator> evaluator = weights.evaluator();
  if (!crew_) {
    // Before other threads are started: LibTorch starts threads of its own at the first call, and waits for ever for
    // one that does not start.
    evaluator->begin_thread();
    crew_.emplace(settings_, threads_);
    // In turn the threads rest while the learner learns, as they are to.
    crew_->count_idle(in_turn_ ? Crew::Idle::waited : Crew::Idle::paused);
  }
  crew_->set_weights({weights.version, 0, evaluator});
  // The lowest numbers that the run does not have, each by itself: others are begun with the next weights.
  const std::uint64_t end = state_.taken.end_with_absent(weights.games);
  crew_->add(state_.taken.missing(end, weights.games, 1));
}

std::optional<PlayedGames> LocalGames::take(int count, const GoOn& go_on) {
  const auto wanted = static_cast<std::size_t>(count);
  // However many there are: whoever waits may have been told to stop.
  std::size_t there = crew_->wait(0, wanted);
  while (true) {
    if (!go_on(static_cast<int>(std::min(there, wanted)), nullptr)) return std::nullopt;
    if (there >= wanted) break;
    there = crew_->wait(0.2, wanted);
  }
  PlayedGames played;
  for (PlayedRange& range : crew_->take(wanted)) played.games.push_back(std::move(range.games[0]));
  if (in_turn_) {
    std::sort(played.games.begin(), played.games.end(),
              [](const GameRecord& a, const GameRecord& b) { return a.number < b.number; });
  }
  for (const GameRecord& game : played.games) state_.taken.add(game.number);
  const SelfPlayCounts now = crew_->figures().counts;
  played.counts = now - std::exchange(reported_, now);
  return played;
}

GameSource::Closed LocalGames::close(bool /*finished*/) {
  const std::uint64_t abandoned = crew_ ? crew_->held(false).size() : 0;
  crew_.reset();
  return {abandoned, true};
}

}  // namespace quarto
