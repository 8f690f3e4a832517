#include <gmock/gmock.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <torch/torch.h>

#include "base/file.h"
#include "model/checkpoint.h"
#include "model/input.h"
#include "model/network.h"
#include "model/onnx_export.h"
#include "tests/model/architectures.h"
#include "tests/model/stir.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;
const char* const kScript = QUARTOZERO_SOURCE_DIR "/scripts/onnx/check.js";

class OnnxExport : public testing::TestWithParam<Architecture> {
 protected:
  void SetUp() override {
    save_stirred(config_of(GetParam()), 1, folder_ / kWeightsFile);
    export_onnx(folder_, folder_ / "model.onnx", {{"agreement_deep", "12.3"}});
  }
  TemporaryDirectory directory_;
  fs::path folder_ = directory_.path();
};
INSTANTIATE_TEST_SUITE_P(Kinds, OnnxExport, kEveryArchitecture);

// Needs node and scripts/onnx/node_modules (npm ci --ignore-scripts --prefix scripts/onnx), as `make` installs them.
TEST_P(OnnxExport, ComputesInOnnxRuntimeWhatLibTorchDoes) {
  ASSERT_EQ(missing_for_onnx_check(kScript), "");
  const int positions = 1000;
  const OnnxParity parity = check_onnx(folder_, folder_ / "model.onnx", kScript, positions, 1);
  EXPECT_EQ(parity.positions, positions);
  EXPECT_LT(parity.largest_difference, 1e-4);
  EXPECT_EQ(parity.same_move, positions);
  EXPECT_EQ(parity.same_outcome, positions);
}

TEST_P(OnnxExport, SatisfiesTheCheckerAndSaysWhatItIs) {
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromString(read_file(folder_ / "model.onnx")));
  EXPECT_NO_THROW(onnx::checker::check_model(model));
  ASSERT_EQ(model.opset_import_size(), 1);
  EXPECT_EQ(model.opset_import(0).version(), kOnnxOpset);
  ASSERT_EQ(model.graph().input_size(), 1);
  EXPECT_EQ(model.graph().input(0).name(), input_of(config_of(GetParam())).name);
  EXPECT_EQ(model.graph().input(0).type().tensor_type().shape().dim(0).dim_param(), "N");
  std::vector<std::string> outputs;
  for (const auto& out : model.graph().output()) outputs.push_back(out.name());
  EXPECT_THAT(outputs, testing::ElementsAre("place", "give", "outcome"));
  // What viewers show beside the edges: each has its sizes, the free one first.
  ASSERT_GT(model.graph().value_info_size(), 3);
  for (const auto& value : model.graph().value_info()) {
    EXPECT_GT(value.type().tensor_type().shape().dim_size(), 0) << value.name();
  }
  std::map<std::string, std::string> metadata;
  for (const auto& entry : model.metadata_props()) metadata[entry.key()] = entry.value();
  EXPECT_EQ(metadata["format"], kWeightsFormat);
  EXPECT_EQ(metadata["rules"], "lines");
  EXPECT_EQ(metadata["track"], "zero");
  EXPECT_EQ(metadata["step"], "42");
  EXPECT_EQ(metadata["agreement_deep"], "12.3");
  EXPECT_THAT(metadata["network"], testing::HasSubstr(std::string(name_of(config_of(GetParam()).kind))));
}

// The parity check must be able to fail.
TEST_P(OnnxExport, TheCheckSeesOtherWeights) {
  save_stirred(config_of(GetParam()), 2, folder_ / "other.safetensors");
  EXPECT_FALSE(check_onnx(folder_ / "other.safetensors", folder_ / "model.onnx", kScript, 50, 1).passed());
}

TEST_P(OnnxExport, AFileThatIsNoGraphIsAnError) {
  write_file_atomic(folder_ / "broken.onnx", "not a graph");
  EXPECT_THROW(check_onnx(folder_, folder_ / "broken.onnx", kScript, 10, 1), OnnxError);
  EXPECT_THAT(missing_for_onnx_check(folder_ / "check.js"), testing::HasSubstr("check.js"));
}

}  // namespace
}  // namespace quarto
