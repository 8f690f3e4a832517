#include <gmock/gmock.h>

#include <bit>
#include <cstring>
#include <limits>

#include "model/checkpoint.h"
#include "tests/support/message_of.h"

namespace quarto {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kNetwork = R"({"kind": "pairs", "width": 16, "blocks": 1, "head_width": 32})";

// Every weight of this network is its number in the file.
class StoredWeightsTest : public testing::Test {
 protected:
  StoredWeightsTest() {
    metadata_ = {{"format", kWeightsFormat}, {"network", kNetwork}, {"rules", "lines"},
                 {"track", "zero"},          {"step", "12"},        {"note", "a test"}};
    for (const auto& e : layout_.entries) tensors_.push_back({e.name, "F32", {e.rows, e.cols}, 0, 0});
  }
  std::string file() const {
    std::vector<TensorEntry> tensors = tensors_;
    std::string bytes = make_safetensors_header(tensors, metadata_);
    const std::size_t data = bytes.size();
    bytes.resize(tensors.empty() ? data : tensors.back().end);
    for (std::size_t at = data, n = 0; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
      const auto number = static_cast<float>(n++);
      std::memcpy(bytes.data() + at, &number, sizeof number);
    }
    return bytes;
  }
  std::string error() const {
    return message_of<CheckpointError>([this] { pairs_weights(parse_weights(file(), "file.safetensors")); });
  }

  const light::PairsLayout layout_{{.width = 16, .blocks = 1}};
  Metadata metadata_;
  std::vector<TensorEntry> tensors_;
};

TEST_F(StoredWeightsTest, AreTheTensorsInTheLayoutsOrder) {
  std::reverse(tensors_.begin(), tensors_.end());  // the file's order is its own
  const StoredWeights weights = parse_weights(file(), "f");
  EXPECT_EQ(weights.info.step, 12U);
  EXPECT_EQ(weights.info.track, Track::zero);
  EXPECT_EQ(weights.info.rules, Rules::lines);
  EXPECT_EQ(weights.info.extra, (Metadata{{"note", "a test"}}));
  const light::Floats flat = pairs_weights(weights);
  ASSERT_EQ(flat.size(), static_cast<std::size_t>(layout_.size));
  std::vector<bool> weight(flat.size());
  float number = 0;
  for (auto e = layout_.entries.rbegin(); e != layout_.entries.rend(); ++e) {
    for (int i = 0; i < e->rows * e->cols; ++i) {
      const auto at = static_cast<std::size_t>(e->offset + i);
      ASSERT_EQ(flat[at], number++) << e->name;
      weight[at] = true;
    }
  }
  for (std::size_t i = 0; i < flat.size(); ++i) {
    ASSERT_TRUE(weight[i] || flat[i] == 0) << "a gap at " << i;
  }
}

TEST_F(StoredWeightsTest, MetadataIsReadAsItIsWritten) {
  const WeightsInfo info = parse_weights(file(), "f").info;
  metadata_ = metadata_of(info.network, info, {{"commit", "abc"}});
  const WeightsInfo again = parse_weights(file(), "f").info;
  EXPECT_EQ(again.network, info.network);
  EXPECT_EQ(again.step, 12U);
  EXPECT_EQ(again.extra, (Metadata{{"note", "a test"}, {"commit", "abc"}}));
}

TEST_F(StoredWeightsTest, EveryKeyIsNeededAndChecked) {
  ASSERT_EQ(error(), "no error");
  for (const char* key : kOwnMetadata) {
    const auto kept = metadata_.extract(key);
    EXPECT_THAT(error(), AllOf(HasSubstr("file.safetensors: "), HasSubstr(key)));
    metadata_[key] = kept.mapped();
  }
  const auto with = [&](const char* key, const std::string& value) {
    const Metadata kept = std::exchange(metadata_, [&] {
      Metadata changed = metadata_;
      changed[key] = value;
      return changed;
    }());
    const std::string text = error();
    metadata_ = kept;
    return text;
  };
  EXPECT_THAT(with("format", "quarto-network/2"), HasSubstr("format is 'quarto-network/2'"));
  EXPECT_THAT(with("network", "{"), HasSubstr("'network' is not valid JSON"));
  EXPECT_THAT(with("network", R"({"kind": "pairs", "widht": 16})"), HasSubstr("'widht'"));
  EXPECT_THAT(with("network", R"({"kind": "pairs", "width": -1})"), HasSubstr("width"));
  EXPECT_THAT(with("rules", "chess"), HasSubstr("metadata 'rules': "));
  EXPECT_THAT(with("rules", "squares"), HasSubstr("metadata 'rules' is 'squares', and the network is for 'lines'"));
  EXPECT_THAT(with("track", "copied"), AllOf(HasSubstr("'copied'"), HasSubstr("zero, distilled")));
  for (const char* step : {"", "12x", "-1", "99999999999999999999"}) {
    EXPECT_THAT(with("step", step), HasSubstr("expected a whole number")) << step;
  }
}

TEST_F(StoredWeightsTest, EveryWeightIsFinite) {
  const std::string good = file();
  const StoredWeights weights = parse_weights(good, "f");
  for (const float broken : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    for (const TensorEntry& t : {weights.header.tensors.front(), weights.header.tensors.back()}) {
      std::string bytes = good;
      std::memcpy(bytes.data() + t.end - sizeof broken, &broken, sizeof broken);
      EXPECT_EQ(message_of<CheckpointError>([&] { parse_weights(bytes, "file.safetensors"); }),
                "file.safetensors: tensor '" + t.name + "' has a weight that is not a finite number");
    }
  }
}

TEST_F(StoredWeightsTest, EveryTensorIsNeededWithItsShapeAndTypeAndNoOther) {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const std::vector<TensorEntry> kept = tensors_;
    tensors_.erase(tensors_.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_THAT(error(), HasSubstr("tensor '" + kept[i].name + "' is missing"));
    tensors_ = kept;
    tensors_[i].shape[0] += 1;
    EXPECT_THAT(error(), AllOf(HasSubstr("'" + kept[i].name + "' is F32 ["), HasSubstr("the network needs F32 [")));
    tensors_ = kept;
    tensors_[i].dtype = "I32";
    EXPECT_THAT(error(), HasSubstr("'" + kept[i].name + "' is I32 ["));
    tensors_ = kept;
  }
  tensors_.push_back({"stranger", "F32", {1}, 0, 0});
  EXPECT_THAT(error(), HasSubstr("tensor 'stranger' does not belong to this network"));
}

}  // namespace
}  // namespace quarto
