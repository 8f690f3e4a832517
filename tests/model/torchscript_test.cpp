// The TorchScript file against the checkpoint it was made of.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <torch/script.h>

#include <cmath>

#include "base/file.h"
#include "base/json_library.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "model/checkpoint.h"
#include "model/evaluators.h"
#include "model/input.h"
#include "model/network.h"
#include "model/torchscript_export.h"
#include "tests/model/architectures.h"
#include "tests/model/stir.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

class TorchScriptExport : public testing::TestWithParam<Architecture> {
 protected:
  void SetUp() override { save_stirred(config_of(GetParam()), 1, dir_ / kWeightsFile); }
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
  save_stirred(config_of(GetParam()), 2, dir_ / "other.safetensors");
  EXPECT_GT(check_torchscript(dir_ / "other.safetensors", file(), 50, 1), 1e-3);
}

std::vector<Evaluation> evaluations(const std::string& named, const std::vector<Position>& positions) {
  std::vector<Evaluation> all(positions.size());
  evaluate(*load_network_from(named, "cpu").evaluator, positions, all);
  return all;
}

TEST_P(TorchScriptExport, PlaysAsTheCheckpointDoes) {
  export_torchscript(dir_.path(), file());
  const std::vector<Position> positions = unfinished_positions(40, Rules::lines, 1);
  const auto ours = evaluations(dir_.path().string(), positions);
  const auto script = evaluations("torchscript:" + file().string(), positions);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t m = 0; m < kMoves; ++m) ASSERT_NEAR(script[i].prior[m], ours[i].prior[m], 1e-4);
    ASSERT_NEAR(script[i].win, ours[i].win, 1e-4);
    ASSERT_NEAR(script[i].loss, ours[i].loss, 1e-4);
  }
  EXPECT_EQ(load_network_from("torchscript:" + file().string(), "cpu").info.at("step"), "42");
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

// Modules of other people.
class TorchScriptPlayer : public testing::Test {
 protected:
  std::string named() const { return "torchscript:" + (dir_ / "own.pt").string(); }
  void save(const std::string& forward, const std::string& metadata = "") const {
    torch::jit::Module module("Own");
    module.define("def forward(self, x):\n" + forward);
    torch::jit::ExtraFilesMap files;
    if (!metadata.empty()) files["metadata.json"] = metadata;
    module.save((dir_ / "own.pt").string(), files);
  }
  std::string error() const {
    return message_of<CheckpointError>([&] { load_network_from(named(), "cpu"); });
  }
  TemporaryDirectory dir_;
};

constexpr const char* kPlanesOnly = "    assert x.size(1) == 34\n";

TEST_F(TorchScriptPlayer, GivesPlaceAndGiveOrOnePolicy) {
  const std::vector<Position> positions = unfinished_positions(20, Rules::lines, 1);
  // Square or piece 3 is the best, by eight; moves that are often illegal have minus infinity.
  for (const char* result :
       {"    p = torch.zeros([x.size(0), 16])\n    p[:, 3] = 8.0\n    return (p, p, torch.zeros([x.size(0), 3]))\n",
        "    p = torch.zeros([x.size(0), 32])\n    p[:, 3] = 8.0\n    p[:, 19] = 8.0\n"
        "    return (p.double(), torch.zeros([x.size(0), 3]))\n",
        "    p = torch.full([x.size(0), 32], float('-inf'))\n    p[:, 3] = 8.0\n    p[:, 19] = 8.0\n"
        "    return (p, torch.zeros([x.size(0), 3]))\n"}) {
    save(std::string(kPlanesOnly) + result);
    const auto found = evaluations(named(), positions);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const bool legal = positions[i].legal_moves() & (1U << 3);
      EXPECT_EQ(found[i].prior[3] > 0.9F, legal) << to_string(positions[i]);
      EXPECT_NEAR(found[i].win, 1.0F / 3, 1e-5);
      float sum = 0;
      for (const float prior : found[i].prior) sum += prior;
      EXPECT_NEAR(sum, 1, 1e-4);
    }
  }
}

TEST_F(TorchScriptPlayer, SaysItsRules) {
  const std::string forward =
      std::string(kPlanesOnly) + "    return (x.new_zeros([x.size(0), 32]), x.new_zeros([x.size(0), 3]))\n";
  save(forward);
  EXPECT_EQ(load_network_from(named(), "cpu").rules, Rules::lines);
  save(forward, R"({"rules": "squares", "by": "me"})");
  const LoadedNetwork network = load_network_from(named(), "cpu");
  EXPECT_EQ(network.rules, Rules::squares);
  EXPECT_EQ(network.info.at("by"), "me");
  save(forward, R"({"rules": "chess"})");
  EXPECT_THAT(error(), testing::HasSubstr("chess"));
  save(forward, R"({"rules": 1})");
  EXPECT_THAT(error(), testing::HasSubstr("metadata.json"));
  save(forward, "[");
  EXPECT_THAT(error(), testing::HasSubstr("metadata.json"));
}

TEST_F(TorchScriptPlayer, WhatIsNoNetworkIsRefusedInASentence) {
  save(std::string(kPlanesOnly) + "    return x\n");
  EXPECT_THAT(error(), testing::AllOf(testing::HasSubstr("own.pt"), testing::HasSubstr("gives no tuple of tensors")));
  save(std::string(kPlanesOnly) + "    return (x.new_zeros([x.size(0), 16]), x.new_zeros([x.size(0), 3]))\n");
  EXPECT_THAT(error(), testing::HasSubstr("gives [2, 16], [2, 3], and should give a tuple of logits"));
  save(std::string(kPlanesOnly) + "    return (x.new_zeros([1, 32]), x.new_zeros([1, 3]))\n");
  EXPECT_THAT(error(), testing::HasSubstr("gives [1, 32], [1, 3]"));
  save(std::string(kPlanesOnly) +
       "    return (x.new_full([x.size(0), 32], float('nan')), x.new_zeros([x.size(0), 3]))\n");
  EXPECT_THAT(error(), testing::HasSubstr("a logit is not a number"));
  save("    assert False, 'I take nothing'\n    return x\n");
  EXPECT_THAT(error(), testing::HasSubstr("I take nothing"));
  write_file_atomic(dir_ / "own.pt", "not a module");
  EXPECT_THAT(error(), testing::HasSubstr("not a TorchScript module"));
}

TEST_P(TorchScriptExport, AFileThatIsNoModuleIsAnError) {
  write_file_atomic(file(), "not a module");
  EXPECT_THAT([&] { check_torchscript(dir_.path(), file(), 10, 1); },
              testing::ThrowsMessage<CheckpointError>(testing::HasSubstr("model.pt")));
}

}  // namespace
}  // namespace quarto
