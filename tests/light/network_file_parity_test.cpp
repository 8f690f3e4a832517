// The light engine's file against LibTorch, for the networks that come with the program.
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

TEST_P(ShippedFile, HasLibTorchsNumbersByACheckThatSeesAnotherNetwork) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "a.light", light_network_bytes(checkpoint(), Precision::float32));
  EXPECT_LT(check_light_network(checkpoint(), dir / "a.light", 500, 1).largest, 1e-4);
  // Of all that are shipped: 0.05 is rounding to 16 bits.
  EXPECT_LT(check_light_network(checkpoint(), checkpoint() / "model.light", 500, 1).largest, 0.05);
  write_file_atomic(dir / "i.light", light_network_bytes(checkpoint(), Precision::int8));
  EXPECT_LT(check_light_network(checkpoint(), dir / "i.light", 500, 1).mean, 0.02);
  NetworkConfig config;
  config.rules = read_weights_info(checkpoint()).rules;
  WeightsInfo info;
  info.rules = config.rules;
  save_weights(*make_network(config), dir / kWeightsFile, info);
  EXPECT_GT(check_light_network(dir.path(), dir / "a.light", 100, 1).largest, 0.1);
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
