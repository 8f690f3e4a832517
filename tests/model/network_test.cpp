#include "model/network.h"

#include <gtest/gtest.h>

#include "env/notation.h"
#include "model/input.h"
#include "model/program.h"
#include "model/runtime.h"
#include "tests/model/architectures.h"
#include "tests/model/stir.h"
#include "tests/support/random_positions.h"

namespace quarto {
namespace {

std::vector<Position> some_positions(int n, Rules rules = Rules::lines) { return unfinished_positions(n, rules, 11); }

torch::Tensor planes_of(const Network& network, const std::vector<Position>& positions) {
  return encode_inputs(network.config(), positions);
}

double largest(const torch::Tensor& difference) { return difference.abs().max().item<double>(); }

// The head's entry for the image of a move, in the image, against the entry for the move in the original.
void expect_equivariant(Network& network, const Position& p, int step) {
  network.eval();
  const torch::NoGradGuard no_gradients;
  const NetworkOutput original = network.forward(planes_of(network, {p}));
  EXPECT_GT(largest(original.place - original.place.mean()) + largest(original.give - original.give.mean()), 1e-3)
      << "the heads are constant: nothing is tested";
  std::vector<Symmetry> symmetries;
  for (int g = 0; g < symmetry_count(p.rules()); g += step) symmetries.push_back(symmetry(g));
  for (std::size_t begin = 0; begin < symmetries.size(); begin += 512) {
    const auto chunk = std::span(symmetries).subspan(begin, std::min<std::size_t>(512, symmetries.size() - begin));
    std::vector<Position> images;
    for (const Symmetry g : chunk) images.push_back(apply(g, p));
    const NetworkOutput out = network.forward(planes_of(network, images));
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      const auto row = static_cast<std::int64_t>(i);
      for (int m = 0; m < kMoves; ++m) {
        const int s = index(apply(chunk[i], square(m), p.rules())), q = index(apply(chunk[i], piece(m)));
        ASSERT_NEAR(out.place[row][s].item<float>(), original.place[0][m].item<float>(), 1e-4) << to_string(p);
        ASSERT_NEAR(out.give[row][q].item<float>(), original.give[0][m].item<float>(), 1e-4) << to_string(p);
      }
      for (int k = 0; k < 3; ++k) {
        ASSERT_NEAR(out.outcome[row][k].item<float>(), original.outcome[0][k].item<float>(), 1e-4) << to_string(p);
      }
    }
  }
}

class EquivariantNetwork : public testing::TestWithParam<Architecture> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EquivariantNetwork, testing::Values(Architecture::pairs));

TEST_P(EquivariantNetwork, UnderSymmetries) {
  torch::manual_seed(1);
  const auto network = make_network(config_of(GetParam()));
  stir(*network);
  expect_equivariant(*network, parse_position("..../2F.A/E9../.8B3 -"), 5);
  Rng rng(2);
  for (int plies = 1; plies < 28; plies += 3) expect_equivariant(*network, random_position_at(plies, rng), 211);
}

TEST_P(EquivariantNetwork, UnderTheRulesWithSquares) {
  torch::manual_seed(2);
  const auto network = make_network(config_of(GetParam(), Rules::squares));
  stir(*network);
  Rng rng(3);
  for (int plies = 6; plies < 20; plies += 3) {
    expect_equivariant(*network, random_position_at(plies, rng, Rules::squares), 41);
  }
}

TEST_P(EquivariantNetwork, DistinguishesSquaresThatOnlyTheSquareRulesDistinguish) {
  // A symmetry of the lines that does not keep the 2x2 squares must not be built into a network for those rules.
  torch::manual_seed(4);
  const auto network = make_network(config_of(GetParam(), Rules::squares));
  stir(*network);
  network->eval();
  const torch::NoGradGuard no_gradients;
  Position p(Rules::squares);
  p.give(piece(3));
  const torch::Tensor place = network->forward(planes_of(*network, {p})).place;
  EXPECT_GT(std::abs((place[0][0] - place[0][5]).item<float>()), 1e-4) << "a corner and a centre";
  EXPECT_NEAR(place[0][0].item<float>(), place[0][15].item<float>(), 1e-5) << "two corners";
}

class EveryNetwork : public testing::TestWithParam<Architecture> {
 protected:
  void SetUp() override {
    configure_torch(1);
    torch::manual_seed(5);
    network_ = make_network(config_of(GetParam()));
    stir(*network_);
    // Running statistics as after some training.
    for (int i = 0; i < 5; ++i) network_->forward(planes_of(*network_, some_positions(32)));
  }
  std::shared_ptr<Network> network_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryNetwork, kEveryArchitecture);

class LearningNetwork : public testing::TestWithParam<Architecture> {};
INSTANTIATE_TEST_SUITE_P(Kinds, LearningNetwork, kEveryArchitecture);

TEST_P(EveryNetwork, FoldedProgramComputesWhatTheNetworkDoes) {
  const torch::Tensor planes = planes_of(*network_, some_positions(64));
  const Program program(*network_);  // from a network in training mode
  network_->eval();
  const torch::NoGradGuard no_gradients;
  const NetworkOutput out = network_->forward(planes);
  const torch::Tensor logits = program.run(planes);
  EXPECT_LT(largest(logits - torch::cat({out.place, out.give, out.outcome}, 1)), 1e-4);
  EXPECT_GT(program.flops(), 100000);
}

TEST_P(EveryNetwork, ProgramKeepsItsWeightsWhenTheNetworkLearns) {
  const torch::Tensor planes = planes_of(*network_, some_positions(4));
  const Program program(*network_);
  const torch::Tensor before = program.run(planes);
  stir(*network_);
  EXPECT_TRUE(torch::equal(program.run(planes), before));
  EXPECT_GT(largest(Program(*network_).run(planes) - before), 1e-3);
}

TEST_P(EveryNetwork, BatchOfOneEqualsBatchOfMany) {
  const torch::Tensor planes = planes_of(*network_, some_positions(64));
  const Program program(*network_);
  const torch::Tensor together = program.run(planes);
  for (std::int64_t i = 0; i < 64; ++i) {
    EXPECT_LT(largest(program.run(planes.slice(0, i, i + 1)) - together[i]), 1e-4 * std::max(1.0, largest(together)));
  }
}

// Memorises the moves of a handful of positions: every head is connected and gradients reach it.
TEST_P(LearningNetwork, LearnsAHandfulOfPositions) {
  torch::manual_seed(6);
  const auto network = make_network(config_of(GetParam()));
  Rng rng(8);
  std::vector<Position> positions;
  std::vector<std::int64_t> place, give, outcome;
  for (int i = 0; i < 16; ++i) {
    positions.push_back(random_position_at(8 + i % 2, rng));
    place.push_back(random_bit(positions.back().empty(), rng));
    give.push_back(random_bit(positions.back().available(), rng));
    outcome.push_back(i % 3);
  }
  const torch::Tensor planes = planes_of(*network, positions);
  torch::optim::Adam optimizer(network->parameters(), torch::optim::AdamOptions(1e-2));
  double first = 0, least = 0;
  namespace F = torch::nn::functional;
  for (int step = 0; step < 100; ++step) {
    const NetworkOutput out = network->forward(planes);
    const torch::Tensor loss = F::cross_entropy(out.place, torch::tensor(place)) +
                               F::cross_entropy(out.give, torch::tensor(give)) +
                               F::cross_entropy(out.outcome, torch::tensor(outcome));
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    // The least loss, not the last: once the gradients have nearly vanished, Adam's normalised steps can throw the
    // weights far off, and when that happens depends on the processor's arithmetic.
    const auto now = loss.item<double>();
    if (step == 0) first = least = now;
    least = std::min(least, now);
  }
  EXPECT_LT(least, 0.5 * first);
  for (const auto& item : network->named_parameters()) {
    EXPECT_TRUE(item.value().grad().defined()) << item.key() << " takes no part";
  }
}

}  // namespace
}  // namespace quarto
