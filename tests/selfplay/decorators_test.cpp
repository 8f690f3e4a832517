#include "selfplay/decorators.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "env/canonical.h"
#include "env/notation.h"
#include "selfplay/playing_evaluator.h"
#include "tests/support/random_positions.h"
#include "tests/support/scripted_evaluator.h"

namespace quarto {
namespace {

// Distinct for every position and move, and not equivariant: a layer that mixes anything up is seen at once.
Evaluation pattern(const Position& p) {
  Evaluation e;
  float sum = 0;
  for (const int m : BitsOf(p.legal_moves())) {
    const auto word = mix_seed(p.key(), static_cast<std::uint64_t>(m));
    sum += e.prior[static_cast<std::size_t>(m)] = static_cast<float>(word >> 40) + 1.0F;
  }
  for (float& x : e.prior) x /= sum;
  e.win = static_cast<float>(p.key() % 1000) / 1000.0F;
  e.draw = 1 - e.win;
  return e;
}

// Sees only what every image of a position shares: equivariant by construction.
Evaluation invariant(const Position& p) {
  Evaluation e;
  float sum = 0;
  for (const int m : BitsOf(p.legal_moves())) {
    const Position next = p.after({p.phase(), static_cast<std::uint8_t>(m)});
    sum += e.prior[static_cast<std::size_t>(m)] = static_cast<float>(canonical_key(next).hash() >> 44) + 1.0F;
  }
  for (float& x : e.prior) x /= sum;
  e.win = static_cast<float>(canonical_key(p).hash() % 1000) / 1000.0F;
  return e;
}

void expect_equal(const Evaluation& a, const Evaluation& b, float tolerance, const Position& p) {
  for (std::size_t m = 0; m < kMoves; ++m) EXPECT_NEAR(a.prior[m], b.prior[m], tolerance) << to_string(p);
  EXPECT_NEAR(a.win, b.win, tolerance) << to_string(p);
}

std::vector<Position> some_positions(int n, std::uint64_t seed) { return unfinished_positions(n, Rules::lines, seed); }

TEST(CacheEvaluator, GivesExactlyWhatItWrapsAndAsksOnce) {
  Scripted inner(pattern);
  CacheEvaluator cache(inner, 1 << 16);
  const std::vector<Position> positions = some_positions(100, 1);
  std::vector<Evaluation> out(positions.size());
  for (int round = 0; round < 2; ++round) {
    evaluate(cache, positions, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      expect_equal(out[i], pattern(positions[i]), 0, positions[i]);
    }
  }
  EXPECT_LE(inner.evaluated, 105U) << "a few of the second round may have lost their slot";
}

TEST(CacheEvaluator, NeverHoldsMoreThanItsEntries) {
  Scripted inner(pattern);
  CacheEvaluator cache(inner, 64);  // one in each shard
  Rng rng(2);
  std::vector<Position> positions;
  for (int i = 0; i < 1000; ++i) positions.push_back(random_position_at(8 + i % 16, rng));
  std::vector<Evaluation> out(positions.size());
  evaluate(cache, positions, out);
  evaluate(cache, positions, out);
  EXPECT_GE(inner.evaluated, 2000U - 64);
  for (std::size_t i = 0; i < out.size(); ++i) {
    expect_equal(out[i], pattern(positions[i]), 0, positions[i]);
  }
}

// By threads and memory, so that a fast device does not turn it over within a second, and a small machine is not filled.
TEST(CacheEvaluator, ItsSizeInSelfPlayFollowsThreadsAndMemory) {
  constexpr std::size_t kGiB = std::size_t{1} << 30;
  EXPECT_GE(cache_entries(16, 128 * kGiB), 10'000'000U) << "what sixteen threads and a large GPU evaluate in a second";
  EXPECT_LE(cache_entries(16, 2 * kGiB) * CacheEvaluator::kEntryBytes, kGiB / 4);
  EXPECT_EQ(cache_entries(4, 128 * kGiB), 2 * cache_entries(2, 128 * kGiB));
  EXPECT_EQ(cache_entries(4, 0), 0U);
}

TEST(PlayingEvaluator, CachesUnlessToldNotTo) {
  const Position p = parse_position("5.../..../..../.... A");
  for (const int cache : {SelfPlayConfig().cache, 64, 0}) {
    auto network = std::make_unique<Scripted>(pattern);
    const Scripted& inner = *network;
    SelfPlayConfig config;
    config.cache = cache;
    PlayingEvaluator playing(std::move(network), config, 1, 1);
    std::vector<Evaluation> out(1);
    for (int i = 0; i < 2; ++i) evaluate(playing, std::span(&p, 1), out);
    EXPECT_EQ(inner.evaluated, cache == 0 ? 2U : 1U);
  }
}

TEST(CacheEvaluator, KeyedByPositionDoesNotServeImages) {
  Scripted inner(pattern);
  CacheEvaluator cache(inner, 1 << 10);
  const Position p = parse_position("5.../..../..../.... A");
  const std::vector<Position> positions = {p, apply(symmetry(5000), p)};
  std::vector<Evaluation> out(1);
  for (const Position& each : positions) {
    evaluate(cache, std::span(&each, 1), out);
    expect_equal(out[0], pattern(each), 0, each);
  }
  EXPECT_EQ(inner.evaluated, 2U);
}

TEST(CacheEvaluator, KeyedCanonicallyServesEveryImageOfAPosition) {
  Scripted inner(invariant);
  CacheEvaluator cache(inner, 1 << 10, CacheEvaluator::Key::canonical);
  Rng rng(4);
  for (const int plies : {9, 14}) {
    const Position p = random_position_at(plies, rng);
    const auto evaluated = inner.evaluated;
    std::vector<Evaluation> out(1);
    for (int g = 0; g < kSymmetriesLines; g += 37) {
      const Position image = apply(symmetry(g), p);
      evaluate(cache, std::span(&image, 1), out);
      expect_equal(out[0], invariant(image), 1e-6F, image);
    }
    EXPECT_EQ(inner.evaluated, evaluated + 1);
  }
}

TEST(CacheEvaluator, WhatIsAskedTwiceInABatchIsEvaluatedOnce) {
  Rng rng(21);
  Scripted inner(pattern);
  CacheEvaluator cache(inner, 1024);
  const auto batch = cache.new_batch();
  const Position p = random_position_at(9, rng), q = random_position_at(10, rng);
  std::array<Evaluation, 4> out;
  for (std::size_t i = 0; i < 3; ++i) ASSERT_EQ(batch->add(p, out[i]), EvaluationBatch::Status::queued);
  ASSERT_EQ(batch->add(q, out[3]), EvaluationBatch::Status::queued);
  EXPECT_EQ(batch->size(), 2U);
  batch->compute();
  EXPECT_EQ(inner.evaluated, 2U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(out[i].prior, pattern(p).prior);
  EXPECT_EQ(out[3].prior, pattern(q).prior);
  Evaluation again;
  EXPECT_EQ(batch->add(p, again), EvaluationBatch::Status::known);
}

// Even of an evaluator that is not equivariant: whichever image is asked for first, the answers are the same.
TEST(CacheEvaluator, KeyedCanonicallyDoesNotDependOnTheOrderOfQuestions) {
  Rng rng(22);
  for (int plies = 3; plies < 24; plies += 4) {
    const Position p = random_position_at(plies, rng), image = apply(symmetry(4321), p);
    const auto ask = [](const std::vector<Position>& questions) {
      Scripted inner(pattern);
      CacheEvaluator cache(inner, 1024, CacheEvaluator::Key::canonical);
      const auto batch = cache.new_batch();
      std::vector<Evaluation> out(questions.size());
      for (std::size_t i = 0; i < questions.size(); ++i) batch->add(questions[i], out[i]);
      if (batch->size() > 0) batch->compute();
      return out;
    };
    const auto one = ask({p, image}), other = ask({image, p});
    EXPECT_EQ(one[0].prior, other[1].prior) << to_string(p);
    EXPECT_EQ(one[1].prior, other[0].prior) << to_string(p);
    EXPECT_EQ(one[0].win, other[0].win) << to_string(p);
  }
}

TEST(CacheEvaluator, MayBeUsedFromManyThreads) {
  Scripted inner(pattern);
  CacheEvaluator cache(inner, 256);
  const std::vector<Position> positions = some_positions(300, 5);
  const auto work = [&] {
    for (int round = 0; round < 20; ++round) {
      std::vector<Evaluation> out(positions.size());
      evaluate(cache, positions, out);
      for (std::size_t i = 0; i < out.size(); ++i) {
        ASSERT_EQ(out[i].prior, pattern(positions[i]).prior);
      }
    }
  };
  std::thread other(work);
  work();
  other.join();
}

TEST(SymmetryEvaluator, CarriesTheImagesPriorsBack) {
  Scripted inner(invariant);
  SymmetryEvaluator layer(inner, 1);
  const std::vector<Position> positions = some_positions(300, 6);
  std::vector<Evaluation> out(positions.size());
  evaluate(layer, positions, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    expect_equal(out[i], invariant(positions[i]), 1e-6F, positions[i]);
  }
}

TEST(SymmetryEvaluator, IsAFunctionOfSeedAndPosition) {
  Scripted inner(pattern);
  const std::vector<Position> positions = some_positions(50, 7);
  std::vector<Evaluation> first(positions.size()), again(positions.size()), other(positions.size());
  SymmetryEvaluator a(inner, 1), b(inner, 1), c(inner, 2);
  evaluate(a, positions, first);
  for (std::size_t i = positions.size(); i-- > 0;) {
    evaluate(b, std::span(&positions[i], 1), std::span(&again[i], 1));
  }
  evaluate(c, positions, other);
  int changed = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    EXPECT_EQ(first[i].prior, again[i].prior);
    changed += first[i].win != other[i].win;
    for (int m = 0; m < kMoves; ++m) {
      EXPECT_EQ(first[i].prior[static_cast<std::size_t>(m)] > 0, ((positions[i].legal_moves() >> m) & 1) == 1);
    }
  }
  EXPECT_GT(changed, 40);
}

TEST(Layers, PassASubmissionOnAndRefuseWhatComesAfterIt) {
  Scripted inner(pattern);
  CacheEvaluator cache(inner, 1 << 10);
  SymmetryEvaluator images(inner, 1);
  const std::vector<Position> positions = some_positions(2, 8);
  for (Evaluator* layer : {static_cast<Evaluator*>(&cache), static_cast<Evaluator*>(&images)}) {
    inner.submitted = 0;
    inner.batch_sizes.clear();
    const auto batch = layer->new_batch();
    Evaluation first, second;
    batch->submit();
    EXPECT_EQ(inner.submitted, 0) << "there was nothing to submit";
    batch->add(positions[0], first);
    batch->submit();
    EXPECT_EQ(inner.submitted, 1);
    EXPECT_TRUE(inner.batch_sizes.empty());
    EXPECT_THROW(batch->add(positions[1], second), std::logic_error);
    batch->compute();
    EXPECT_EQ(inner.batch_sizes.size(), 1U);
    float sum = 0;  // nothing was there before
    for (const float p : first.prior) sum += p;
    EXPECT_NEAR(sum, 1, 1e-4);
    EXPECT_NO_THROW(batch->add(positions[1], second));
    batch->compute();
  }
}

// An evaluator with the traits it is told to have.
class Claims final : public Evaluator {
 public:
  explicit Claims(EvaluatorTraits traits) : traits_(traits) {}
  std::unique_ptr<EvaluationBatch> new_batch() override { return UniformEvaluator().new_batch(); }
  EvaluatorTraits traits() const override { return traits_; }

 private:
  EvaluatorTraits traits_;
};

TEST(Traits, LayersPassOnWhatTheyDoNotChange) {
  for (const bool equivariant : {false, true}) {
    for (const bool batch_invariant : {false, true}) {
      Claims inner({.equivariant = equivariant, .batch_invariant = batch_invariant});
      const SymmetryEvaluator symmetry(inner, 1);
      const CacheEvaluator by_position(inner, 8, CacheEvaluator::Key::position);
      const CacheEvaluator canonical(inner, 8, CacheEvaluator::Key::canonical);
      EXPECT_EQ(symmetry.traits().equivariant, equivariant);
      EXPECT_EQ(by_position.traits().equivariant, equivariant);
      EXPECT_TRUE(canonical.traits().equivariant) << "all images of a position share one evaluation";
      for (const Evaluator* layer :
           {static_cast<const Evaluator*>(&symmetry), static_cast<const Evaluator*>(&canonical),
            static_cast<const Evaluator*>(&by_position)}) {
        EXPECT_EQ(layer->traits().batch_invariant, batch_invariant);
      }
    }
  }
}

}  // namespace
}  // namespace quarto
