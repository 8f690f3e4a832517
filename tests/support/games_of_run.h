// Whether the samples that a finished run has learned from are those of its games, each number once. A game is a
// function of the run's seed, its number and the weights: the games are played again with every archived version of the
// weights.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "data/replay.h"
#include "model/evaluators.h"
#include "selfplay/playing_evaluator.h"
#include "train/actor.h"
#include "train/learner.h"

namespace quarto {

// Requirements: limits.archive_every=1, a replay window that holds the whole run, a limit in iterations.
inline void expect_games_of_run(const std::filesystem::path& run, const RunConfig& config, const SearchAids& aids) {
  const int iterations = config.limits.iterations;
  const auto count = static_cast<std::size_t>(iterations) * static_cast<std::size_t>(config.limits.games);
  const auto numbered = [](const char* format, int n) {
    char text[64];
    std::snprintf(text, sizeof text, format, n);
    return std::string(text);
  };
  std::vector<std::vector<GameRecord>> by_version;
  for (int version = 0; version < iterations; ++version) {
    std::unique_ptr<Evaluator> network =
        version == 0 ? make_learner(config)->make_evaluator()
                     : load_evaluator(run / "archive" / numbered("iteration-%06d", version), {.device = "cpu"});
    PlayingEvaluator evaluator(std::move(network), config.selfplay, config.selfplay.thread_count(),
                               playing_seed(config.seed, static_cast<std::uint64_t>(version)));
    by_version.push_back(play_games(self_play_settings(config, aids), evaluator, 0, static_cast<int>(count)));
  }
  std::vector<Sample> samples;
  std::uint64_t games = 0;
  for (int i = 1; i <= iterations; ++i) {
    const Shard shard = read_shard(run / "replay" / numbered("%08d.qrs", i));
    games += shard.games;
    samples.insert(samples.end(), shard.samples.begin(), shard.samples.end());
  }
  EXPECT_EQ(games, count);
  // A shard is its games one after the other. Games without a sample cannot be told from none, and there are none.
  std::vector<bool> seen(count);
  std::size_t at = 0;
  while (at < samples.size()) {
    bool found = false;
    for (std::size_t number = 0; number < count && !found; ++number) {
      if (seen[number]) continue;
      for (const std::vector<GameRecord>& version : by_version) {
        const std::vector<Sample>& wanted = version[number].samples;
        ASSERT_FALSE(wanted.empty());
        if (at + wanted.size() > samples.size()) continue;
        if (!std::equal(wanted.begin(), wanted.end(), samples.begin() + static_cast<std::ptrdiff_t>(at))) continue;
        seen[number] = found = true;
        at += wanted.size();
        break;
      }
    }
    ASSERT_TRUE(found) << "sample " << at << " of " << samples.size()
                       << " begins no game of this run that is missing yet";
  }
  EXPECT_EQ(static_cast<std::size_t>(std::count(seen.begin(), seen.end(), true)), count);
}

}  // namespace quarto
