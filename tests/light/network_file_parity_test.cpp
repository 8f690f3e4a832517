// The light engine's file against LibTorch, for the networks that come with the program.
#include <gmock/gmock.h>

#include "base/file.h"
#include "env/encoding.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "light/network_file.h"
#include "model/checkpoint.h"
#include "model/light_export.h"
#include "model/network.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;
using light::Precision;
using testing::HasSubstr;
using testing::ThrowsMessage;

const fs::path kCheckpoints = fs::path(QUARTO_SOURCE_DIR) / "checkpoints";

class ShippedNetwork : public testing::TestWithParam<const char*> {
 protected:
  fs::path checkpoint() const { return kCheckpoints / GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Of, ShippedNetwork, testing::Values("demo", "zero", "distilled"));

// The largest difference of any probability that matters: of legal moves, and of the outcome.
double largest_difference(const light::LightNetwork& network, Network& torch_network) {
  torch_network.eval();
  const torch::NoGradGuard no_gradients;
  const auto room = network.kernel->new_workspace();
  double largest = 0;
  for (const Position& p : unfinished_positions(500, network.info.rules, 11)) {
    torch::Tensor planes = torch::empty({1, kPlanes, 4, 4});
    encode(p, {planes.data_ptr<float>(), kInputSize});
    const NetworkOutput theirs = torch_network.forward(planes);
    const light::PairsOutput ours = network.kernel->forward(p, *room);
    const torch::Tensor& policy = p.has_hand() ? theirs.place : theirs.give;
    double size = 1;
    const auto compare = [&](float mine, float other) {
      size = std::max(size, std::abs(static_cast<double>(other)));
      const double difference = std::abs(static_cast<double>(mine) - static_cast<double>(other));
      largest = std::max(largest, difference / size);
    };
    for (const int m : BitsOf(p.legal_moves()))
      compare(ours.policy[static_cast<std::size_t>(m)], policy[0][m].item<float>());
    size = 1;
    for (int i = 0; i < 3; ++i) compare(ours.outcome[static_cast<std::size_t>(i)], theirs.outcome[0][i].item<float>());
  }
  return largest;
}

TEST_P(ShippedNetwork, InFloat32HasLibTorchsNumbers) {
  const auto network = light::parse_network_file(light_network_bytes(checkpoint(), Precision::float32), "float32");
  // Logits; relative to their size where that is above one.
  EXPECT_LT(largest_difference(network, *load_network(checkpoint())), 1e-4);
}

TEST_P(ShippedNetwork, InFloat16IsClose) {
  const auto network = light::parse_network_file(light_network_bytes(checkpoint(), Precision::float16), "float16");
  const double difference = largest_difference(network, *load_network(checkpoint()));
  EXPECT_LT(difference, 0.1);
  EXPECT_GT(difference, 1e-6);  // it is rounded
}

TEST_P(ShippedNetwork, TheComparisonSeesAnotherNetwork) {
  const auto network = light::parse_network_file(light_network_bytes(checkpoint(), Precision::float32), "other");
  NetworkConfig config;
  config.width = network.info.shape.width;
  config.blocks = network.info.shape.blocks;
  EXPECT_GT(largest_difference(network, *make_network(config)), 1e-2);
}

// `quarto export --light` made it, and says where the strength was measured; the weights must be the checkpoint's.
TEST_P(ShippedNetwork, TheFileBesideItIsThisCheckpoints) {
  const auto shipped = light::load_network_file(checkpoint() / "model.light");
  const WeightsInfo info = read_weights_info(checkpoint());
  EXPECT_EQ(shipped.info.step, info.step);
  EXPECT_EQ(shipped.info.track, info.track);
  EXPECT_EQ(shipped.info.precision, Precision::float16);
  Metadata notes = shipped.info.extra;
  EXPECT_THAT(notes, testing::Contains(testing::Key("agreement_decisive")));
  EXPECT_EQ(light_network_bytes(checkpoint(), Precision::float16, notes), read_file(checkpoint() / "model.light"));
}

TEST(LightExport, OtherNetworksAreRefusedByName) {
  const TemporaryDirectory dir;
  for (const char* kind : {"line", "mlp", "residual"}) {
    NetworkConfig config;
    config.kind = kind;
    save_weights(*make_network(config), dir / kWeightsFile, {});
    EXPECT_THAT([&] { light_network_bytes(dir.path(), Precision::float32); },
                ThrowsMessage<CheckpointError>(AllOf(HasSubstr(kind), HasSubstr("--onnx"))));
  }
  NetworkConfig wide;
  wide.width = 80;
  save_weights(*make_network(wide), dir / kWeightsFile, {});
  EXPECT_THAT([&] { light_network_bytes(dir.path(), Precision::float32); },
              ThrowsMessage<CheckpointError>(HasSubstr("width 80")));
}

}  // namespace
}  // namespace quarto
