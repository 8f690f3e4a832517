#include "data/label_stream.h"

#include <gmock/gmock.h>

#include <map>

#include "env/notation.h"
#include "tests/support/message_of.h"

namespace quarto {
namespace {

LabelStream::Options options() {
  return {.strata = {{Phase::give, 9}, {Phase::place, 10}, {Phase::give, 12}}, .keep = Keep::decisive, .seed = 5};
}

std::vector<SuiteEntry> labels_of(const LabelStream::Options& options, const std::vector<std::size_t>& portions,
                                  int threads = 1) {
  Solver solver({.table_bytes = std::size_t{8} << 20, .threads = threads});
  LabelStream stream(options);
  std::vector<SuiteEntry> labels;
  for (const std::size_t count : portions) {
    const auto some = stream.next(count, solver);
    EXPECT_EQ(some.size(), count);
    labels.insert(labels.end(), some.begin(), some.end());
  }
  return labels;
}

std::vector<LabelRecord> records(const std::vector<SuiteEntry>& labels) {
  std::vector<LabelRecord> all;
  for (const SuiteEntry& label : labels) all.push_back(LabelRecord::of(label));
  return all;
}

TEST(LabelStreams, AreExactAndOfTheStrataInTurn) {
  const auto labels = labels_of(options(), {90});
  Solver solver({.table_bytes = std::size_t{8} << 20});
  std::map<int, int> by_plies;
  for (const SuiteEntry& label : labels) {
    const MoveSolution exact = solver.solve_moves(label.position);
    ASSERT_EQ(label.value, exact.value) << to_string(label.position);
    ASSERT_EQ(label.moves, exact.values) << to_string(label.position);
    EXPECT_TRUE(label.decisive());
    by_plies[label.position.ply()] += 1;
  }
  EXPECT_THAT(by_plies, testing::ElementsAre(testing::Pair(18, 30), testing::Pair(21, 30), testing::Pair(24, 30)));
}

TEST(LabelStreams, DoNotDependOnPortionsOrThreads) {
  const auto labels = records(labels_of(options(), {60}));
  EXPECT_EQ(records(labels_of(options(), {1, 7, 52})), labels);
  EXPECT_EQ(records(labels_of(options(), {60}, 2)), labels);
  auto other = options();
  other.seed = 6;
  EXPECT_NE(records(labels_of(other, {60})), labels);
}

TEST(LabelStreams, LeaveOutAllImagesOfWhatIsExcluded) {
  const auto labels = labels_of(options(), {60});
  auto rest = options();
  for (const SuiteEntry& label : labels) rest.excluded.insert(canonical_key(apply({3, 100}, label.position)));
  for (const SuiteEntry& label : labels_of(rest, {60}))
    EXPECT_FALSE(rest.excluded.contains(canonical_key(label.position)));
}

TEST(LabelStreams, StopWithoutLosingTheirPlace) {
  const auto labels = labels_of(options(), {20});
  Solver solver({.table_bytes = std::size_t{8} << 20});
  LabelStream stream(options());
  std::atomic<bool> stop = true;
  SolveLimits limits;
  limits.stop = &stop;
  EXPECT_TRUE(stream.next(20, solver, limits).empty());
  stop = false;
  EXPECT_EQ(records(stream.next(20, solver, limits)), records(labels));
}

TEST(LabelStreams, GiveUpWhereNothingIsKept) {
  Solver solver({.table_bytes = std::size_t{8} << 20});
  LabelStream stream({.strata = {{Phase::give, 15}}, .keep = Keep::decisive});
  EXPECT_THAT(message_of<LabelError>([&] { stream.next(1, solver); }), testing::HasSubstr("15 pieces on the board"));
}

}  // namespace
}  // namespace quarto
