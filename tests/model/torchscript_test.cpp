// The TorchScript file against the checkpoint it was made of.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <torch/script.h>

#include <cmath>

#include "base/file.h"
#include "base/json_library.h"
#include "model/checkpoint.h"
#include "model/input.h"
#include "model/network.h"
#include "model/torchscript_export.h"
#include "tests/model/architectures.h"
#include "tests/model/stir.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

class TorchScriptExport : public testing::TestWithParam<Architecture> {
 protected:
  void SetUp() override { save(dir_ / kWeightsFile, 1); }
  void save(const std::filesystem::path& file, int seed) const {
    torch::manual_seed(seed);
    const auto network = make_network(config_of(GetParam()));
    // As after some training: running statistics and heads away from their start.
    network->forward(torch::rand(with_rows(64, input_of(network->config()))));
    stir(*network);
    WeightsInfo info;
    info.step = 42;
    save_weights(*network, file, info);
  }
  std::filesystem::path file() const { return dir_ / "model.pt"; }
  TemporaryDirectory dir_;
};
INSTANTIATE_TEST_SUITE_P(Kinds, TorchScriptExport, kEveryArchitecture);

TEST_P(TorchScriptExport, ComputesWhatTheCheckpointDoes) {
  export_torchscript(dir_.path(), file());
  for (const int positions : {1, 50}) EXPECT_LT(check_torchscript(dir_.path(), file(), positions, 1), 1e-5);
}

TEST_P(TorchScriptExport, TheCheckSeesOtherWeights) {
  export_torchscript(dir_.path(), file());
  save(dir_ / "other.safetensors", 2);
  EXPECT_GT(check_torchscript(dir_ / "other.safetensors", file(), 50, 1), 1e-3);
}

// In whichever head: what is not a number must not look like agreement.
TEST_P(TorchScriptExport, TheCheckSeesWhatIsNotANumber) {
  for (int head = 0; head < 3; ++head) {
    torch::jit::Module module("Broken");
    const auto zeros = [&](int k, int width) {
      const char* nan = k == head ? " + x.sum() * 0.0 / 0.0" : "";
      return fmt::format("torch.zeros([x.size(0), {}]){}", width, nan);
    };
    module.define(
        fmt::format("def forward(self, x):\n    return ({}, {}, {})\n", zeros(0, 16), zeros(1, 16), zeros(2, 3)));
    module.save(file().string());
    EXPECT_TRUE(std::isinf(check_torchscript(dir_.path(), file(), 5, 1))) << head;
  }
}

TEST_P(TorchScriptExport, SaysWhatItIs) {
  export_torchscript(dir_.path(), file(), {{"agreement_deep", "12.3"}});
  torch::jit::ExtraFilesMap extra = {{"metadata.json", ""}};
  torch::jit::load(file().string(), torch::Device(torch::kCPU), extra);
  const auto metadata = nlohmann::json::parse(extra["metadata.json"]);
  EXPECT_EQ(metadata["format"], kWeightsFormat);
  EXPECT_EQ(metadata["network"]["kind"], std::string(name_of(config_of(GetParam()).kind)));
  EXPECT_EQ(metadata["rules"], "lines");
  EXPECT_EQ(metadata["track"], "zero");
  EXPECT_EQ(metadata["step"], "42");
  EXPECT_EQ(metadata["agreement_deep"], "12.3");
}

TEST_P(TorchScriptExport, InputOfTheWrongSizeIsRefusedInASentence) {
  export_torchscript(dir_.path(), file());
  auto module = torch::jit::load(file().string());
  const NetworkInput input = input_of(config_of(GetParam()));
  const std::vector<std::int64_t> right = with_rows(2, input), wrong = {2, input.sizes[0] - 4, 4, 4}, none = {};
  EXPECT_NO_THROW(module.forward({torch::zeros(right)}));
  for (const auto& sizes : {wrong, none, input.sizes}) {
    EXPECT_THAT([&] { module.forward({torch::zeros(sizes)}); },
                testing::ThrowsMessage<std::exception>(
                    testing::HasSubstr(fmt::format("{0} must be of size [N, {1}], and these are [{2}]", input.name,
                                                   fmt::join(input.sizes, ", "), fmt::join(sizes, ", ")))));
  }
}

TEST_P(TorchScriptExport, AFileThatIsNoModuleIsAnError) {
  write_file_atomic(file(), "not a module");
  EXPECT_THAT([&] { check_torchscript(dir_.path(), file(), 10, 1); },
              testing::ThrowsMessage<CheckpointError>(testing::HasSubstr("model.pt")));
}

}  // namespace
}  // namespace quarto
