// The light engine's file against LibTorch, for the networks that come with the program.
#include <gmock/gmock.h>

#include "base/file.h"
#include "env/encoding.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "light/network_file.h"
#include "light/softmax.h"
#include "model/checkpoint.h"
#include "model/input.h"
#include "model/light_export.h"
#include "model/network.h"
#include "play/shipped_networks.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;
using light::Precision;
using testing::HasSubstr;
using testing::ThrowsMessage;

const fs::path kCheckpoints = fs::path(QUARTOZERO_SOURCE_DIR) / "checkpoints";

class ShippedFile : public testing::TestWithParam<ShippedNetwork> {
 protected:
  fs::path checkpoint() const { return kCheckpoints / GetParam().name; }
};
INSTANTIATE_TEST_SUITE_P(Of, ShippedFile, testing::ValuesIn(kShippedNetworks),
                         [](const auto& network) { return std::string(network.param.name); });

// Beyond this the rounding of single precision alone moves a probability: `distilled` has logits of 50,000 on the first
// boards (docs/networks.md). There a larger difference is allowed in proportion.
constexpr double kSteadyLogit = 100;

struct Difference {
  double logits = 0;         // as a share of the largest logit of the head, if that is above one
  double probabilities = 0;  // of moves, and of win, draw and loss; for larger logits than kSteadyLogit see there
};

// The largest over positions with any number of pieces.
Difference largest_difference(const light::LightNetwork& network, Network& torch_network) {
  torch_network.eval();
  const torch::NoGradGuard no_gradients;
  const auto room = network.kernel->new_workspace();
  Difference largest;
  for (const Position& p : unfinished_positions(500, network.info.rules, 11)) {
    const torch::Tensor planes = encode_inputs(torch_network.config(), std::span(&p, 1));
    const NetworkOutput theirs = torch_network.forward(planes);
    const light::PairsOutput ours = network.kernel->forward(p, *room);
    light::PairsOutput other{};
    const torch::Tensor& policy = p.has_hand() ? theirs.place : theirs.give;
    for (const int m : BitsOf(p.legal_moves())) other.policy[static_cast<std::size_t>(m)] = policy[0][m].item<float>();
    for (int i = 0; i < 3; ++i) other.outcome[static_cast<std::size_t>(i)] = theirs.outcome[0][i].item<float>();

    const auto difference = [](std::span<const float> a, std::span<const float> b) {
      double most = 0;
      for (std::size_t i = 0; i < a.size(); ++i)
        most = std::max(most, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
      return most;
    };
    const auto size_of = [](std::span<const float> logits) {
      double size = 1;
      for (const float x : logits) size = std::max(size, std::abs(static_cast<double>(x)));
      return size;
    };
    const double policy_size = size_of(other.policy), outcome_size = size_of(other.outcome);
    largest.logits = std::max({largest.logits, difference(ours.policy, other.policy) / policy_size,
                               difference(ours.outcome, other.outcome) / outcome_size});
    const Evaluation mine = evaluation_of(ours.policy, p.legal_moves(), ours.outcome);
    const Evaluation its = evaluation_of(other.policy, p.legal_moves(), other.outcome);
    const std::array<float, 3> my_outcome = {mine.win, mine.draw, mine.loss},
                               its_outcome = {its.win, its.draw, its.loss};
    largest.probabilities =
        std::max({largest.probabilities, difference(mine.prior, its.prior) / std::max(1.0, policy_size / kSteadyLogit),
                  difference(my_outcome, its_outcome) / std::max(1.0, outcome_size / kSteadyLogit)});
  }
  return largest;
}

TEST_P(ShippedFile, InFloat32HasLibTorchsNumbers) {
  const auto network = light::parse_network_file(light_network_bytes(checkpoint(), Precision::float32), "float32");
  const Difference difference = largest_difference(network, *load_network(checkpoint()));
  EXPECT_LT(difference.logits, 1e-4);
  EXPECT_LT(difference.probabilities, 1e-4);
}

TEST_P(ShippedFile, InFloat16IsClose) {
  const auto network = light::parse_network_file(light_network_bytes(checkpoint(), Precision::float16), "float16");
  const Difference difference = largest_difference(network, *load_network(checkpoint()));
  EXPECT_LT(difference.logits, 0.05);
  EXPECT_GT(difference.logits, 1e-5);  // it is rounded
}

TEST_P(ShippedFile, TheComparisonSeesAnotherNetwork) {
  const auto network = light::parse_network_file(light_network_bytes(checkpoint(), Precision::float32), "other");
  NetworkConfig config;
  config.width = network.info.shape.width;
  config.blocks = network.info.shape.blocks;
  config.rules = network.info.rules;
  EXPECT_GT(largest_difference(network, *make_network(config)).logits, 0.1);
}

// `quartozero export --light` made it, and says where the strength was measured; the weights must be the checkpoint's.
TEST_P(ShippedFile, TheFileBesideItIsThisCheckpoints) {
  const auto shipped = light::load_network_file(checkpoint() / "model.light");
  const WeightsInfo info = read_weights_info(checkpoint());
  EXPECT_EQ(shipped.info.step, info.step);
  EXPECT_EQ(shipped.info.track, name_of(info.track));
  EXPECT_EQ(shipped.info.precision, Precision::float16);
  Metadata notes = shipped.info.extra;
  EXPECT_THAT(notes, testing::Contains(testing::Key("agreement_decisive")));
  EXPECT_EQ(light_network_bytes(checkpoint(), Precision::float16, notes), read_file(checkpoint() / "model.light"));
}

TEST_P(ShippedFile, TheExportsOwnCheckAgreesAndSeesAnotherNetwork) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "a.light", light_network_bytes(checkpoint(), Precision::float32));
  EXPECT_LT(check_light_network(checkpoint(), dir / "a.light", 100, 1), 1e-4);
  NetworkConfig config;
  config.rules = read_weights_info(checkpoint()).rules;
  WeightsInfo info;
  info.rules = config.rules;
  save_weights(*make_network(config), dir / kWeightsFile, info);
  EXPECT_GT(check_light_network(dir.path(), dir / "a.light", 100, 1), 0.1);
}

TEST(LightExport, OtherNetworksAreRefusedByName) {
  const TemporaryDirectory dir;
  NetworkConfig config;
  config.kind = NetworkKind::residual;
  save_weights(*make_network(config), dir / kWeightsFile, {});
  EXPECT_THAT([&] { light_network_bytes(dir.path(), Precision::float32); },
              ThrowsMessage<CheckpointError>(AllOf(HasSubstr("residual"), HasSubstr("--onnx"))));
}

}  // namespace
}  // namespace quarto
