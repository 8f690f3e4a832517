#include "model/safetensors_header.h"

#include <gmock/gmock.h>

#include "base/random.h"

namespace quarto {
namespace {

using testing::HasSubstr;

std::string with_header(const std::string& json, std::size_t data_bytes) {
  std::string file(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<char>((json.size() >> (8 * i)) & 0xFF);
  return file + json + std::string(data_bytes, 'x');
}

// The message of the error, or "" if there was none.
std::string error_of(const std::string& file) {
  try {
    parse_safetensors_header(file, "file.safetensors");
    return "";
  } catch (const CheckpointError& e) {
    return e.what();
  }
}

std::string small_file() {
  std::vector<TensorEntry> tensors = {{"a", "F32", {2, 3}, 0, 0}, {"b", "I64", {1}, 0, 0}, {"c", "U8", {5}, 0, 0}};
  std::string file = make_safetensors_header(tensors, {{"format", "test"}, {"quote", "a \"b\" \\ \n"}});
  return file.append(24 + 8 + 5, 'x');
}

TEST(SafetensorsHeader, ReadsWhatItWrites) {
  std::vector<TensorEntry> tensors = {
      {"a", "F32", {2, 3}, 0, 0}, {"b", "I64", {}, 0, 0}, {"empty", "F32", {0, 7}, 0, 0}};
  const Metadata metadata = {{"format", "test"}, {"quote", "a \"b\" \\ \n"}};
  std::string file = make_safetensors_header(tensors, metadata);
  EXPECT_EQ(tensors[0].begin, file.size());
  EXPECT_EQ(file.size() % 8, 0U) << "data is aligned";
  file.append(24 + 8, 'x');
  const SafetensorsHeader header = parse_safetensors_header(file, "f");
  EXPECT_EQ(header.metadata, metadata);
  EXPECT_THAT(header.tensors, testing::UnorderedElementsAreArray(tensors));
}

TEST(SafetensorsHeader, EveryPrefixOfAFileIsRefusedWithItsName) {
  const std::string file = small_file();
  ASSERT_EQ(error_of(file), "");
  for (std::size_t n = 0; n < file.size(); ++n) {
    EXPECT_THAT(error_of(file.substr(0, n)), HasSubstr("file.safetensors: ")) << n << " bytes";
  }
}

TEST(SafetensorsHeader, AnyChangedByteIsReadOrRefusedButNeverCrashes) {
  const std::string file = small_file();
  Rng rng(1);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string broken = file;
    for (auto changes = 1 + rng.below(3); changes > 0; --changes) {
      broken[rng.below(broken.size())] = static_cast<char>(rng.below(256));
    }
    refused += !error_of(broken).empty();
  }
  EXPECT_GT(refused, 10000);
}

TEST(SafetensorsHeader, SaysWhatIsWrong) {
  const auto entry = [](const char* name, const char* rest) { return std::string("\"") + name + "\":" + rest; };
  const std::string a = entry("a", R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})");
  EXPECT_EQ(error_of(with_header("{" + a + "}", 8)), "");
  EXPECT_THAT(error_of(with_header("{" + a + "}", 9)), HasSubstr("1 bytes after the last tensor"));
  EXPECT_THAT(error_of(with_header("{" + a + "," + a + "}", 8)), HasSubstr("'a' appears twice"));
  EXPECT_THAT(error_of(with_header(
                  "{" + a + "," + entry("b", R"({"dtype":"F32","shape":[2],"data_offsets":[4,12]})") + "}", 12)),
              HasSubstr("tensors overlap"));
  EXPECT_THAT(error_of(with_header(
                  "{" + a + "," + entry("b", R"({"dtype":"F32","shape":[2],"data_offsets":[12,20]})") + "}", 20)),
              HasSubstr("there is a gap"));
  EXPECT_THAT(error_of(with_header("{" + entry("t", R"({"dtype":"F99","shape":[2],"data_offsets":[0,8]})") + "}", 8)),
              HasSubstr("tensor 't': dtype 'F99'"));
  EXPECT_THAT(error_of(with_header("{" + entry("t", R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})") + "}", 8)),
              HasSubstr("tensor 't': its shape and dtype need 12 bytes"));
  EXPECT_THAT(error_of(with_header("{" + entry("t", R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})") + "}", 8)),
              HasSubstr("tensor 't': shape"));
  EXPECT_THAT(
      error_of(with_header(
          "{" + entry("t", R"({"dtype":"F32","shape":[2147483647,2147483647,8],"data_offsets":[0,8]})") + "}", 8)),
      HasSubstr("too large"));
  EXPECT_THAT(error_of(with_header("[]", 0)), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of(with_header("{", 0)), HasSubstr("not valid JSON"));
  EXPECT_THAT(error_of(with_header(R"({"__metadata__":{"k":1}})", 0)), HasSubstr("metadata 'k' is not a text"));
  EXPECT_THAT(error_of(std::string(8, '\xFF') + "{}"), HasSubstr("not a safetensors file"));
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_THAT(error_of(with_header(deep, 0)), HasSubstr("nested more than"));
  EXPECT_THAT(error_of(with_header("{" + std::string(5'000'000, ' ') + "}", 0)), HasSubstr("its header would be 5000002"));
}

TEST(SafetensorsHeader, ANameIsWrittenOnce) {
  std::vector<TensorEntry> tensors = {{"a", "F32", {1}, 0, 0}, {"a", "F32", {1}, 0, 0}};
  EXPECT_THROW(make_safetensors_header(tensors, {}), CheckpointError);
}

}  // namespace
}  // namespace quarto
