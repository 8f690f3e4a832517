// Many searches, one batch.
#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>

#include "tests/mcts/support.h"

namespace quarto {
namespace {

struct Games {
  std::deque<Search> searches;
  std::vector<Search*> pointers;
  explicit Games(const std::vector<Position>& positions) {
    for (const Position& p : positions) {
      searches.emplace_back(plain(), 1);
      searches.back().set_root(p);
      pointers.push_back(&searches.back());
    }
  }
};

std::vector<Position> positions(int n, int plies) {
  Rng rng(1);
  std::vector<Position> all;
  for (int i = 0; i < n; ++i) all.push_back(random_position_at(plies, rng));
  return all;
}

TEST(RunSearches, EveryStepAsksForOneLeafOfEveryUnfinishedSearch) {
  Games games(positions(32, 4));
  Scripted evaluator(hashed_opinion);
  run_searches(games.pointers, *evaluator.new_batch(), 20);
  EXPECT_EQ(evaluator.batch_sizes, std::vector<std::size_t>(20, 32)) << "nothing is proven this early";
  for (const Search& s : games.searches) EXPECT_EQ(s.simulations(), 20);
}

TEST(RunSearches, EachSearchIsWhatItWouldBeAlone) {
  const auto all = positions(20, 17);
  Games games(all);
  Scripted evaluator(hashed_opinion);
  run_searches(games.pointers, *evaluator.new_batch(), 200);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Search alone = searched(all[i], 200, hashed_opinion);
    EXPECT_EQ(games.searches[i].simulations(), alone.simulations());
    EXPECT_EQ(games.searches[i].root_value(), alone.root_value());
    EXPECT_EQ(games.searches[i].policy_target(), alone.policy_target());
  }
  EXPECT_GT(evaluator.batch_sizes.front(), evaluator.batch_sizes.back()) << "finished searches drop out";
}

TEST(RunSearches, KnownLeavesDoNotTakeAPlaceInTheBatch) {
  // A cache that knows half of all positions.
  const auto half = [](const Position& p) { return canonical_key(p).hash() % 2 == 0; };
  Games games(positions(32, 4));
  Scripted evaluator(hashed_opinion, half);
  run_searches(games.pointers, *evaluator.new_batch(), 40);
  EXPECT_GT(evaluator.known, 400);
  std::size_t computed = 0;
  for (std::size_t i = 0; i < evaluator.batch_sizes.size(); ++i) computed += evaluator.batch_sizes[i];
  EXPECT_EQ(computed + static_cast<std::size_t>(evaluator.known), 32U * 40);
  for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(evaluator.batch_sizes[i], 32U) << "the first batches are full";
}

TEST(RunSearches, CanBeRepeatedAfterTheEvaluatorFailed) {
  const auto all = positions(8, 6);
  Games games(all);
  int calls = 0;
  Scripted failing([&](const Position& p) {
    if (++calls == 100) throw std::runtime_error("the device is gone");
    return hashed_opinion(p);
  });
  EXPECT_THROW(run_searches(games.pointers, *failing.new_batch(), 60), std::runtime_error);
  Scripted working(hashed_opinion);
  run_searches(games.pointers, *working.new_batch(), 60);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(games.searches[i].policy_target(), searched(all[i], 60, hashed_opinion).policy_target());
  }
}

}  // namespace
}  // namespace quarto
