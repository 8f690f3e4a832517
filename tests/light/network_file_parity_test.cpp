// A light file against LibTorch, for the networks that come with the program.
#include <gmock/gmock.h>

#include "base/file.h"
#include "light/network_file.h"
#include "model/checkpoint.h"
#include "model/light_export.h"
#include "model/network.h"
#include "play/shipped_networks.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;

const fs::path kCheckpoints = fs::path(QUARTOZERO_SOURCE_DIR) / "checkpoints";

class ShippedFile : public testing::TestWithParam<ShippedNetwork> {
 protected:
  fs::path checkpoint() const { return kCheckpoints / GetParam().name; }
};
INSTANTIATE_TEST_SUITE_P(Of, ShippedFile, testing::ValuesIn(kShippedNetworks),
                         [](const auto& network) { return std::string(network.param.name); });

// `quartozero export --light` made it, and says where the strength was measured; the weights must be the checkpoint's.
TEST_P(ShippedFile, TheFileBesideItIsThisCheckpoints) {
  const auto shipped = light::load_network_file(checkpoint() / "model.light");
  const WeightsInfo info = read_weights_info(checkpoint());
  EXPECT_EQ(shipped.info.step, info.step);
  EXPECT_EQ(shipped.info.track, name_of(info.track));
  EXPECT_THAT(shipped.info.extra, testing::Contains(testing::Key("agreement_decisive")));
  const StoredWeights weights = read_weights(checkpoint());
  const light::IntegerWeights integers =
      light::integer_weights(pairs_shape(info.network), pairs_weights(weights), shipped.weights->bits);
  EXPECT_EQ(shipped.weights->shifts, integers.shifts);
  EXPECT_EQ(shipped.weights->weights, integers.weights);
}

TEST_P(ShippedFile, IsNearLibTorchByACheckThatSeesAnotherNetwork) {
  const TemporaryDirectory dir;
  EXPECT_LT(check_light_network(checkpoint(), checkpoint() / "model.light", 500, 1), 0.02);
  NetworkConfig config;
  config.rules = read_weights_info(checkpoint()).rules;
  WeightsInfo info;
  info.rules = config.rules;
  save_weights(*make_network(config), dir / kWeightsFile, info);
  EXPECT_GT(check_light_network(dir.path(), checkpoint() / "model.light", 100, 1), 0.04);
}

TEST(LightExport, OtherNetworksAreRefusedByName) {
  const TemporaryDirectory dir;
  NetworkConfig config;
  config.kind = NetworkKind::residual;
  save_weights(*make_network(config), dir / kWeightsFile, {});
  EXPECT_THAT([&] { to_light(dir.path()); },
              ThrowsMessage<CheckpointError>(AllOf(HasSubstr("residual"), HasSubstr("--onnx"))));
}

}  // namespace
}  // namespace quarto
