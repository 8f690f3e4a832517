// checkpoints/record is proven unbeatable (docs/experiments/exploitability.md). What is proven of it holds for the
// function that it was then: record.outputs has, for each of 10,000 positions, the probability of a win and the largest
// prior, as commit 63d549c computed them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/file.h"
#include "env/random_play.h"
#include "light/evaluator.h"
#include "light/network_file.h"
#include "tests/support/sanitized.h"

namespace quarto::light {
namespace {

#ifndef QUARTOZERO_SANITIZED  // two minutes there, for code that other tests run as well
TEST(Record, IsTheFunctionThatWasWalked) {
  const std::filesystem::path root = QUARTOZERO_SOURCE_DIR;
  const std::string kept = read_file(root / "tests/light/record.outputs");
  const std::vector<Position> positions = unfinished_positions(10000, Rules::lines, 63);
  std::vector<std::array<float, 2>> outputs(positions.size());
  ASSERT_EQ(kept.size(), sizeof outputs[0] * outputs.size());
  std::memcpy(outputs.data(), kept.data(), kept.size());
  PairsEvaluator record(load_network_file(root / "checkpoints/record/model.light").kernel);
  std::vector<Evaluation> found(positions.size());
  evaluate(record, positions, found);
  // Processors group sums differently.
  for (std::size_t i = 0; i < positions.size(); ++i) {
    EXPECT_NEAR(found[i].win, outputs[i][0], 1e-4) << i;
    EXPECT_NEAR(*std::ranges::max_element(found[i].prior), outputs[i][1], 1e-4) << i;
  }
}
#endif

}  // namespace
}  // namespace quarto::light
