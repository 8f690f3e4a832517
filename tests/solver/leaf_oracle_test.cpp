// The solver behind the oracle's contract: right, and from many threads at once.
#include "solver/leaf_oracle.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "env/notation.h"
#include "env/random_play.h"
#include "tests/support/reference.h"

namespace quarto {
namespace {

TEST(LeafOracle, KnowsWhatTrialOfEverythingShowsInManyThreadsAtOnce) {
  LeafOracle oracle(std::size_t{1} << 20);
  Rng rng(2);
  std::vector<Position> positions;
  std::vector<Value> exact;
  for (int i = 0; i < 300; ++i) {
    const Rules rules = i % 2 ? Rules::lines : Rules::squares;
    positions.push_back(random_position_at(21 + static_cast<int>(rng.below(11)), rng, rules));
    exact.push_back(reference::value(positions.back()));
  }
  std::vector<int> wrong(4);
  std::vector<std::thread> threads;
  for (int& mistakes : wrong) {
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < positions.size(); ++i) mistakes += oracle.value(positions[i]) != exact[i];
    });
  }
  for (std::thread& t : threads) t.join();
  for (const int mistakes : wrong) EXPECT_EQ(mistakes, 0);
}

}  // namespace
}  // namespace quarto
