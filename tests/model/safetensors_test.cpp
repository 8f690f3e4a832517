#include "model/safetensors.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

TEST(Safetensors, RoundTripIsByteExact) {
  torch::manual_seed(1);
  const NamedTensors tensors = {{"weights", torch::randn({3, 4, 2})},
                                {"wide", torch::randn({2, 2}, torch::kFloat64)},
                                {"count", torch::tensor(7, torch::kInt64)},
                                {"transposed", torch::randn({5, 3}).t()},
                                {"none", torch::empty({0, 4})},
                                {"flags", torch::tensor({true, false})}};
  const Metadata metadata = {{"step", "12"}};
  const std::string bytes = to_safetensors(tensors, metadata);
  const TensorFile file = parse_safetensors(bytes, "memory");
  EXPECT_EQ(file.metadata, metadata);
  EXPECT_THROW(file.at("another"), CheckpointError);
  ASSERT_EQ(file.tensors.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    EXPECT_EQ(file.at(name).sizes(), tensor.sizes()) << name;
    EXPECT_TRUE(torch::equal(file.at(name), tensor)) << name;
  }
  EXPECT_EQ(to_safetensors(tensors, metadata), bytes);
  EXPECT_EQ(to_safetensors(file.tensors, file.metadata).size(), bytes.size());
}

TEST(Safetensors, FilesAreReadBackAndMissingOnesNamed) {
  const TemporaryDirectory dir;
  const auto path = dir / "round_trip.safetensors";
  write_safetensors(path, {{"a", torch::arange(6)}});
  EXPECT_TRUE(torch::equal(read_safetensors(path).at("a"), torch::arange(6)));
  std::filesystem::remove(path);
  EXPECT_THAT(message_of<CheckpointError>([&] { read_safetensors(path); }),
              testing::HasSubstr("round_trip.safetensors"));
}

TEST(Safetensors, TypesThatCannotBeWrittenAreNamed) {
  EXPECT_THAT(message_of<CheckpointError>([] {
                to_safetensors({{"half", torch::zeros({2}, torch::kFloat16)}});
              }),
              testing::HasSubstr("'half'"));
}

}  // namespace
}  // namespace quarto
