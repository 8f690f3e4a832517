#include "selfplay/targets.h"

#include <gtest/gtest.h>

#include "env/notation.h"

namespace quarto {
namespace {

// Always the same.
class One final : public SampleSource {
 public:
  explicit One(const Sample& sample) : sample_(sample) {}
  Sample draw(Rng&) const override { return sample_; }

 private:
  Sample sample_;
};

Sample sample(int outcome, float root_value) {
  const Position p = parse_position("..../2F.A/E9../.8B3 -");
  std::array<float, kMoves> policy{};
  policy[static_cast<std::size_t>(*BitsOf(p.legal_moves()).begin())] = 1;
  Sample s = Sample::of(p, policy, root_value);
  s.outcome = static_cast<std::int8_t>(outcome);
  return s;
}

std::vector<Target> targets(const Sample& s, double search_value, bool images = false) {
  Rng rng(1);
  return draw_targets(One(s), 3, search_value, images, rng);
}

// The game's result and the search's value, in the shares that learner.search_value says; a value v is a win with
// probability v, or a loss with -v.
TEST(Targets, MixTheResultWithTheSearchsValue) {
  struct Case {
    int result;
    float value;
    double mix;
    std::array<float, 3> outcome;  // win, draw, loss
  };
  for (const Case& c : {Case{1, 0.25F, 0, {1, 0, 0}}, Case{0, 0.25F, 0, {0, 1, 0}}, Case{-1, 0.25F, 0, {0, 0, 1}},
                        Case{1, 0.25F, 1, {0.25F, 0.75F, 0}}, Case{1, -0.25F, 1, {0, 0.75F, 0.25F}},
                        Case{1, 0.5F, 0.5, {0.75F, 0.25F, 0}}, Case{1, -0.5F, 0.5, {0.5F, 0.25F, 0.25F}},
                        Case{0, 0.5F, 0.5, {0.25F, 0.75F, 0}}, Case{-1, 0.5F, 0.5, {0.25F, 0.25F, 0.5F}}}) {
    const auto drawn = targets(sample(c.result, c.value), c.mix);
    ASSERT_EQ(drawn.size(), 3U);
    for (const Target& t : drawn) {
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(t.outcome[i], c.outcome[i], 1e-4) << c.result << " " << c.value << " " << c.mix << " " << i;
    }
  }
}

TEST(Targets, WhatIsNotToBeLearnedIsZero) {
  for (const std::uint8_t skip : {Sample::kSkipPolicy, Sample::kSkipOutcome}) {
    Sample s = sample(1, 0.5F);
    s.skip = skip;
    const auto drawn = targets(s, 0.5);
    ASSERT_EQ(drawn.size(), 3U);
    for (const Target& t : drawn) {
      float policy = 0, outcome = 0;
      for (const float x : t.policy) policy += x;
      for (const float x : t.outcome) outcome += x;
      EXPECT_NEAR(policy, skip == Sample::kSkipPolicy ? 0 : 1, 1e-3);
      EXPECT_NEAR(outcome, skip == Sample::kSkipOutcome ? 0 : 1, 1e-3);
    }
  }
}

// The move goes with the position.
TEST(Targets, ImagesKeepTheirMoves) {
  const Sample s = sample(1, 0.5F);
  Rng rng(1);
  int others = 0;
  for (const Target& t : draw_targets(One(s), 50, 0, true, rng)) {
    others += t.position != s.position();
    float legal = 0;
    for (const int m : BitsOf(t.position.legal_moves())) legal += t.policy[static_cast<std::size_t>(m)];
    EXPECT_NEAR(legal, 1, 1e-3);
  }
  EXPECT_GT(others, 40);
}

}  // namespace
}  // namespace quarto
