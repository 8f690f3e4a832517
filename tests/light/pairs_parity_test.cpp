// The kernel against LibTorch: the same network, written twice.
#include <gtest/gtest.h>

#include "env/encoding.h"
#include "env/notation.h"
#include "light/pairs_kernel.h"
#include "model/input.h"
#include "model/pairs.h"
#include "tests/model/stir.h"
#include "tests/support/random_positions.h"

namespace quarto {
namespace {

using light::PairsOutput;

struct Case {
  int width, blocks;
  Rules rules;
};

class PairsKernelOf : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    NetworkConfig config;
    config.kind = NetworkKind::pairs;
    config.width = GetParam().width;
    config.blocks = GetParam().blocks;
    config.rules = GetParam().rules;
    torch::manual_seed(3);
    network = std::make_shared<PairsNetwork>(config);
    stir(*network);
  }
  std::vector<Position> positions(int n) const {
    std::vector<Position> out = unfinished_positions(n, GetParam().rules, 7);
    out[0] = Position(GetParam().rules);
    out[1] = out[0].after(Move::give(piece(9)));
    return out;
  }
  torch::Tensor planes(const Position& p) const { return encode_inputs(network->config(), std::span(&p, 1)); }
  std::shared_ptr<PairsNetwork> network;
};
INSTANTIATE_TEST_SUITE_P(Shapes, PairsKernelOf,
                         testing::Values(Case{16, 1, Rules::lines}, Case{16, 3, Rules::lines},
                                         Case{32, 2, Rules::lines}, Case{48, 1, Rules::lines},
                                         Case{64, 1, Rules::lines}, Case{16, 2, Rules::squares},
                                         Case{32, 1, Rules::squares}));

TEST_P(PairsKernelOf, SaysWhatLibTorchSays) {
  const auto kernel = network->make_kernel();
  const auto workspace = kernel->new_workspace();
  const torch::NoGradGuard no_gradients;
  for (const Position& p : positions(120)) {
    const PairsOutput ours = kernel->forward(p, *workspace);
    const NetworkOutput theirs = network->forward(planes(p));
    const torch::Tensor& policy = p.has_hand() ? theirs.place : theirs.give;
    for (const int m : BitsOf(p.legal_moves())) {
      const float expected = policy[0][m].item<float>();
      EXPECT_NEAR(ours.policy[static_cast<std::size_t>(m)], expected, 5e-4 * (1 + std::abs(expected))) << to_string(p);
    }
    for (int i = 0; i < 3; ++i) {
      const float expected = theirs.outcome[0][i].item<float>();
      EXPECT_NEAR(ours.outcome[static_cast<std::size_t>(i)], expected, 5e-4 * (1 + std::abs(expected))) << to_string(p);
    }
  }
}

TEST_P(PairsKernelOf, HasLibTorchsGradients) {
  const auto kernel = network->make_kernel();
  const auto workspace = kernel->new_workspace();
  const auto& layout = network->layout();
  Rng rng(11);
  // Where rounding decides whether a ReLU is on or which of two equal things is the larger, the two may differ, and
  // both are right. That is rare; anything else is wrong in every position.
  int differ = 0;
  for (const Position& p : positions(25)) {
    std::string where;
    PairsOutput d{};
    for (const int m : BitsOf(p.legal_moves()))
      d.policy[static_cast<std::size_t>(m)] = static_cast<float>(rng.normal());
    for (float& x : d.outcome) x = static_cast<float>(rng.normal());
    light::Floats ours(static_cast<std::size_t>(layout.size), 0.0F);
    kernel->forward(p, *workspace);
    kernel->backward(d, *workspace, ours);

    network->zero_grad();
    const NetworkOutput out = network->forward(planes(p));
    const torch::Tensor by_policy = torch::from_blob(d.policy.data(), {1, kMoves}).clone();
    const torch::Tensor by_outcome = torch::from_blob(d.outcome.data(), {1, 3}).clone();
    ((p.has_hand() ? out.place : out.give) * by_policy).sum().add((out.outcome * by_outcome).sum()).backward();
    const auto parameters = network->parameters();
    ASSERT_EQ(parameters.size(), layout.entries.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto& e = layout.entries[i];
      const torch::Tensor mine = torch::from_blob(ours.data() + e.offset, {e.rows, e.cols}, torch::kFloat32).clone();
      const torch::Tensor theirs =
          parameters[i].grad().defined() ? parameters[i].grad() : torch::zeros({e.rows, e.cols});
      const double size = theirs.abs().max().item<double>() + mine.abs().max().item<double>();
      if ((mine - theirs).abs().max().item<double>() > 2e-4 * size + 1e-5) where += e.name + " ";
      if (e.name == "pair") {
        EXPECT_GT(mine.abs().max().item<double>(), 0) << to_string(p);
      }
    }
    differ += !where.empty();
    EXPECT_LE(differ, 1) << where << "at " << to_string(p);
  }
}

TEST_P(PairsKernelOf, GradientsAddUp) {
  const auto kernel = network->make_kernel();
  const auto workspace = kernel->new_workspace();
  const auto list = positions(4);
  const auto size = static_cast<std::size_t>(network->layout().size);
  PairsOutput d{};
  d.outcome = {1, -2, 0.5F};
  light::Floats both(size, 0.0F), first(size, 0.0F), second(size, 0.0F);
  const auto add = [&](const Position& p, light::Floats& g) {
    kernel->forward(p, *workspace);
    kernel->backward(d, *workspace, g);
  };
  add(list[2], both);
  add(list[3], both);
  add(list[2], first);
  add(list[3], second);
  for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR(both[i], first[i] + second[i], 1e-3F * (1 + std::abs(both[i])));
}

}  // namespace
}  // namespace quarto
