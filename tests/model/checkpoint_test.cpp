#include "model/checkpoint.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "base/json_library.h"
#include "model/evaluators.h"
#include "model/network.h"
#include "model/safetensors.h"
#include "tests/support/message_of.h"
#include "tests/support/random_positions.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Checkpoint : public testing::TestWithParam<NetworkKind> {
 protected:
  void SetUp() override {
    torch::manual_seed(3);
    config_.kind = GetParam();
    config_.width = GetParam() == NetworkKind::pairs ? 16 : 4;  // 16: with a kernel
    config_.blocks = 1;
    network_ = make_network(config_);
    info_.step = 123;
    info_.track = Track::distilled;
    info_.extra = {{"note", "made by a test"}};
  }
  fs::path file() const { return folder_ / kWeightsFile; }
  // The same from both ways to load: as tensors, and for the kernel of a pairs network.
  std::string load_error() const {
    const std::string error = message_of<CheckpointError>([&] { load_network(folder_); });
    EXPECT_EQ(message_of<CheckpointError>([&] { load_evaluator(folder_, {"cpu", 1}); }), error);
    return error;
  }
  // Saves, then rewrites the file with its contents changed.
  void rewrite(const std::function<void(NamedTensors&, Metadata&)>& change) {
    save_weights(*network_, file(), info_);
    TensorFile contents = read_safetensors(file());
    change(contents.tensors, contents.metadata);
    write_safetensors(file(), contents.tensors, contents.metadata);
  }

  TemporaryDirectory directory_;
  fs::path folder_ = directory_.path();
  NetworkConfig config_;
  std::shared_ptr<Network> network_;
  WeightsInfo info_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, Checkpoint, testing::Values(NetworkKind::pairs, NetworkKind::residual));

TEST_P(Checkpoint, LoadsWhatWasSavedFromTheDirectoryAndTheFile) {
  // Moves the running statistics away from their start, so that they are seen to be saved.
  network_->forward(torch::randn(with_rows(8, input_of(network_->config()))));
  network_->eval();
  save_weights(*network_, file(), info_);
  const torch::Tensor input = torch::randn(with_rows(5, input_of(network_->config())));
  for (const fs::path& path : {folder_, file()}) {
    WeightsInfo read;
    const std::shared_ptr<Network> loaded = load_network(path, &read);
    loaded->eval();
    EXPECT_TRUE(torch::equal(loaded->forward(input).place, network_->forward(input).place));
    EXPECT_TRUE(torch::equal(loaded->forward(input).outcome, network_->forward(input).outcome));
    EXPECT_EQ(read.step, 123U);
    EXPECT_EQ(read.track, Track::distilled);
    EXPECT_EQ(read.extra.at("note"), "made by a test");
    EXPECT_EQ(read.rules, Rules::lines);
    EXPECT_EQ(read.network, network_->config());
  }
  const std::string bytes = read_file(file());
  save_weights(*load_network(file()), file(), info_);
  EXPECT_EQ(read_file(file()), bytes) << "saving what was loaded gives the same bytes";
}

TEST_P(Checkpoint, NothingThereIsNamed) {
  EXPECT_THAT(load_error(), AllOf(HasSubstr(folder_.string()), HasSubstr(kWeightsFile)));
}

TEST_P(Checkpoint, TruncatedFilesAreRefused) {
  save_weights(*network_, file(), info_);
  const std::string bytes = read_file(file());
  for (std::size_t n = 0; n < bytes.size(); n += 1 + bytes.size() / 300) {
    write_file_atomic(file(), bytes.substr(0, n));
    EXPECT_THAT(load_error(), HasSubstr(kWeightsFile)) << n << " of " << bytes.size() << " bytes";
  }
}

// Each as its file begins. The name does not matter, except for an ONNX file by another program.
TEST_P(Checkpoint, OtherKindsOfFilesAreNamedWithWhatToGiveInstead) {
  const auto error_of = [&](const char* name, const std::string& bytes) {
    write_file_atomic(folder_ / name, bytes);
    return message_of<CheckpointError>([&] { read_weights_info(folder_ / name); });
  };
  const std::string rest(100, 'x');
  const std::string instead = "give the checkpoint that it was exported from (a directory with model.safetensors)";
  for (const char* name : {"a.onnx", "b"}) {
    EXPECT_THAT(error_of(name, "\b\a\x12\nquartozero:" + rest),
                AllOf(HasSubstr(name), HasSubstr("this is an ONNX file"), HasSubstr(instead)));
  }
  EXPECT_THAT(error_of("c.onnx", "\b\a\x12\apytorch:" + rest), HasSubstr("this is an ONNX file"));
  EXPECT_THAT(error_of("d.pt", "PK\3\4" + rest),
              AllOf(HasSubstr("this is a TorchScript or PyTorch file"), HasSubstr(instead)));
  EXPECT_THAT(error_of("e.light", "QuartoLN" + rest),
              AllOf(HasSubstr("this is a light file"), HasSubstr(instead),
                    HasSubstr("play as light:" + (folder_ / "e.light").string())));
  EXPECT_THAT(error_of("model.safetensors", "anything but a header"), HasSubstr("model.safetensors: damaged"));
  EXPECT_THAT(error_of("f.md", "# quartozero, a text"), HasSubstr("f.md: not a checkpoint: expected"));
  save_weights(*network_, folder_ / "g.onnx", info_);
  EXPECT_NO_THROW(read_weights_info(folder_ / "g.onnx"));
}

// It would take gigabytes to build.
// Pairs networks are small; a residual one of a short file must not take gigabytes before the file is seen to be short.
TEST_P(Checkpoint, AShortFileIsNotALargeNetwork) {
  rewrite([&](NamedTensors&, Metadata& m) {
    auto network = nlohmann::json::parse(m.at("network"));
    network["width"] = 1024;
    network["blocks"] = 64;
    m["network"] = network.dump();
  });
  const char* says = GetParam() == NetworkKind::pairs ? "a width of 16, 32, 48 or 64, 1 to 16 blocks"
                                                      : "width 1024 with 64 blocks has more than";
  EXPECT_THAT(load_error(), AllOf(HasSubstr(kWeightsFile), HasSubstr(says)));
}

TEST_P(Checkpoint, WhatIsWrongWithAFileIsNamed) {
  const auto set = [](const char* key, std::string value) {
    return [key, value](NamedTensors&, Metadata& m) { m[key] = value; };
  };
  // A message that shows the value would run out of stack.
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  std::string changed;  // the name of a tensor
  const std::vector<std::pair<std::function<void(NamedTensors&, Metadata&)>, std::vector<std::string>>> wrong = {
      {[](NamedTensors&, Metadata& m) { m.clear(); }, {"not the weights of a Quarto network"}},
      {set("format", "quarto-network/2"), {"quarto-network/2", "quarto-network/1"}},
      {set("network", "{"), {"'network' is not valid JSON"}},
      {set("network", R"({"kind": "pairs", "widht": 3})"), {"'widht'", "width"}},
      {set("network", deep), {"metadata 'network'", "nested more than"}},
      {set("network", "{\"kind\":" + deep + "}"), {"metadata 'network'", "nested more than"}},
      {[&](NamedTensors& t, Metadata&) {
         changed = t[1].first;
         t[1].second = torch::zeros({7, 7});
       },
       {"[7, 7]"}},
      {[&](NamedTensors& t, Metadata&) {
         changed = t.back().first;
         t.pop_back();
       },
       {"missing"}},
      {[](NamedTensors& t, Metadata&) { t.emplace_back("stranger", torch::zeros({1})); }, {"'stranger'"}}};
  for (const auto& [change, said] : wrong) {
    changed.clear();
    rewrite(change);
    const std::string error = load_error();
    for (const std::string& text : said) EXPECT_THAT(error, HasSubstr(text));
    if (!changed.empty()) {
      EXPECT_THAT(error, HasSubstr("'" + changed + "'"));
    }
  }
}

TEST_P(Checkpoint, RulesMustBeTheNetworksAndExtraKeysMustNotHideOurs) {
  info_.rules = Rules::squares;
  EXPECT_THROW(save_weights(*network_, file(), info_), CheckpointError);
  info_.rules = Rules::lines;
  info_.extra = {{"step", "7"}};
  EXPECT_THROW(save_weights(*network_, file(), info_), CheckpointError);
  EXPECT_FALSE(fs::exists(file()));
}

TEST(NetworkConfig, ErrorsNameTheChoices) {
  NetworkConfig config;
  const auto set = [&](const char* assignment) { config::set(assignment, config::visitor_of(config)); };
  EXPECT_THAT([&] { set("kind=transformer"); }, testing::ThrowsMessage<ConfigError>(HasSubstr("pairs, residual")));
  EXPECT_THAT([&] { set("rules=chess"); }, testing::ThrowsMessage<ConfigError>(HasSubstr("lines, squares")));
  config.width = -3;
  EXPECT_THROW(make_network(config), ConfigError);
}

}  // namespace
}  // namespace quarto
