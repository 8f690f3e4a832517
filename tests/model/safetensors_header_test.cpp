#include "model/safetensors_header.h"

#include <gmock/gmock.h>

#include <map>

#include "tests/support/message_of.h"

namespace quarto {
namespace {

using testing::HasSubstr;

std::string with_header(const std::string& json, std::size_t data_bytes) {
  std::string file(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<char>((json.size() >> (8 * i)) & 0xFF);
  return file + json + std::string(data_bytes, 'x');
}

std::string error_of(const std::string& file) {
  return message_of<CheckpointError>([&] { parse_safetensors_header(file, "file.safetensors"); });
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
  ASSERT_EQ(error_of(file), "no error");
  for (std::size_t n = 0; n < file.size(); ++n) {
    EXPECT_THAT(error_of(file.substr(0, n)), HasSubstr("file.safetensors: ")) << n << " bytes";
  }
}

TEST(SafetensorsHeader, SaysWhatIsWrong) {
  const auto entry = [](const char* name, const char* rest) { return std::string("\"") + name + "\":" + rest; };
  const std::string a = entry("a", R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})");
  EXPECT_EQ(error_of(with_header("{" + a + "}", 8)), "no error");
  const auto with_b = [&](const char* offsets) {
    return "{" + a + "," +
           entry("b", (R"({"dtype":"F32","shape":[2],"data_offsets":)" + std::string(offsets) + "}").c_str()) + "}";
  };
  struct Wrong {
    std::string json;
    std::size_t bytes;
    const char* says;
  };
  for (const Wrong& w : std::vector<Wrong>{
           {"{" + a + "}", 9, "1 bytes after the last tensor"},
           {"{" + a + "," + a + "}", 8, "'a' appears twice"},
           {with_b("[4,12]"), 12, "tensors overlap"},
           {with_b("[12,20]"), 20, "there is a gap"},
           {R"({"t":{"dtype":"F99","shape":[2],"data_offsets":[0,8]}})", 8, "tensor 't': dtype 'F99'"},
           {R"({"t":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8,
            "tensor 't': its shape and dtype need 12 bytes"},
           {R"({"t":{"dtype":"F32","shape":[2147483647,2147483647,8],"data_offsets":[0,8]}})", 8, "too large"},
           {"[]", 0, "not a JSON object"},
           {"{", 0, "not valid JSON"},
           {R"({"__metadata__":{"k":1}})", 0, "metadata 'k' is not a text"},
           {std::string(100'000, '[') + std::string(100'000, ']'), 0, "nested more than"},
           {"{" + std::string(5'000'000, ' ') + "}", 0, "its header would be 5000002"}})
    EXPECT_THAT(error_of(with_header(w.json, w.bytes)), HasSubstr(w.says));
  EXPECT_THAT(error_of(std::string(8, '\xFF') + "{}"), HasSubstr("not a safetensors file"));
}

TEST(SafetensorsHeader, SaysWhatIsWrongWithATensor) {
  const auto error = [](const std::string& tensor) { return error_of(with_header("{\"t\":" + tensor + "}", 8)); };
  EXPECT_EQ(error(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})"), "no error");
  for (const char* other :
       {"3", "[]", "{}", R"({"dtype":"F32","shape":[2]})", R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"x":1})",
        R"({"dtype":"F32","shape":[2],"offsets":[0,8]})", R"({"dtype":"F32","size":[2],"data_offsets":[0,8]})",
        R"({"type":"F32","shape":[2],"data_offsets":[0,8]})"})
    EXPECT_THAT(error(other), HasSubstr("tensor 't': expected exactly dtype, shape and data_offsets")) << other;
  EXPECT_THAT(error(R"({"dtype":4,"shape":[2],"data_offsets":[0,8]})"), HasSubstr("dtype must be a text"));
  EXPECT_THAT(error(R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})"), HasSubstr("shape must be a list"));
  for (const char* length : {"-2", "2.0", "\"2\"", "2147483648"}) {
    EXPECT_THAT(error(R"({"dtype":"F32","data_offsets":[0,8],"shape":[)" + std::string(length) + "]}"),
                HasSubstr("shape must be a list of whole numbers"))
        << length;
  }
  for (const char* offsets : {"8", "[8]", "[0,4,8]"}) {
    EXPECT_THAT(error(R"({"dtype":"F32","shape":[2],"data_offsets":)" + std::string(offsets) + "}"),
                HasSubstr("data_offsets must be two numbers"))
        << offsets;
  }
  for (const char* offsets : {"[-8,0]", "[0,8.5]", "[0,\"8\"]"}) {
    EXPECT_THAT(error(R"({"dtype":"F32","shape":[2],"data_offsets":)" + std::string(offsets) + "}"),
                HasSubstr("offsets must be whole numbers"))
        << offsets;
  }
  EXPECT_THAT(error(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"), HasSubstr("its offsets are 8 to 0"));
  EXPECT_THAT(error(R"({"dtype":"F32","shape":[3],"data_offsets":[0,12]})"), HasSubstr("ends at byte 12 of the data"));
  EXPECT_THAT(error_of(with_header(R"({"__metadata__":[]})", 0)), HasSubstr("__metadata__ is not a JSON object"));
}

TEST(SafetensorsHeader, TheBytesOfATensorAreThoseOfItsType) {
  for (const auto& [dtype, bytes] :
       std::map<std::string, std::size_t>{{"BOOL", 1}, {"U8", 1}, {"I32", 4}, {"F32", 4}, {"I64", 8}, {"F64", 8}}) {
    std::vector<TensorEntry> tensors = {{"t", dtype, {3}, 0, 0}};
    const std::string header = make_safetensors_header(tensors, {});
    EXPECT_EQ(tensors[0].end - tensors[0].begin, 3 * bytes) << dtype;
    EXPECT_EQ(error_of(header + std::string(3 * bytes, 'x')), "no error") << dtype;
    EXPECT_NE(error_of(header + std::string(3 * bytes + 1, 'x')), "no error") << dtype;
  }
}

TEST(SafetensorsHeader, ANameIsWrittenOnce) {
  std::vector<TensorEntry> tensors = {{"a", "F32", {1}, 0, 0}, {"a", "F32", {1}, 0, 0}};
  EXPECT_THROW(make_safetensors_header(tensors, {}), CheckpointError);
}

}  // namespace
}  // namespace quarto
