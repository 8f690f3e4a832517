#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/message_of.h"

namespace quarto {
namespace {

std::string nested(int depth) {
  const auto n = static_cast<std::size_t>(depth);
  return std::string(n, '[') + std::string(n, ']');
}

std::string error_of(const std::string& text) {
  return message_of<JsonError>([&] { parse_json(text); });
}

TEST(Json, IsParsedUpToADepth) {
  EXPECT_EQ(parse_json(R"({"a": [1, {"b": "x"}]})").dump(), R"({"a":[1,{"b":"x"}]})");
  EXPECT_EQ(error_of(nested(kMostJsonDepth)), "no error");
  EXPECT_THAT(error_of(nested(kMostJsonDepth + 1)), testing::HasSubstr("nested more than 32"));
  std::string objects, ends;
  for (int i = 0; i <= kMostJsonDepth; ++i) {
    objects += "{\"a\":";
    ends += "}";
  }
  EXPECT_THAT(error_of(objects + "1" + ends), testing::HasSubstr("nested more than 32"));
  EXPECT_THAT(error_of(nested(1'000'000)), testing::HasSubstr("nested"));
  EXPECT_EQ(json_or_null(nested(1'000'000)), nlohmann::json());
}

TEST(Json, BracketsInTextsAreNoNesting) {
  const std::string many(100, '[');
  EXPECT_EQ(parse_json("[\"" + many + "\", \"\\\"" + many + "\"]").size(), 2U);
  std::string siblings = "[";
  for (int i = 0; i < 100; ++i) siblings += "[],";
  EXPECT_EQ(parse_json(siblings + "[]]").size(), 101U);
}

TEST(Json, WhatIsNotJsonIsAnErrorOrNull) {
  for (const char* text : {"", "{", "[1,]", "nul", "\"", "[1] 2", "]]]]"}) {
    EXPECT_NE(error_of(text), "no error") << text;
    EXPECT_EQ(json_or_null(text), nlohmann::json()) << text;
  }
}

// What nlohmann-json does by itself: cut, wrap, or what the language leaves undefined.
TEST(Json, OnlyWholeNumbersInRangeBecomeIntegers) {
  const nlohmann::json json =
      parse_json(R"({"n": [7, -7, 255], "cut": 1.5, "whole": 2.0, "huge": 1e300, "minus": -1e300,
      "true": true, "text": "7", "large": 18446744073709551615, "low": -129, "null": null})");
  EXPECT_EQ(json["n"][1].get<int>(), -7);
  EXPECT_EQ(json["n"][2].get<std::uint8_t>(), 255);
  EXPECT_EQ(json["large"].get<std::uint64_t>(), 18446744073709551615U);
  EXPECT_EQ(json.value("none", 5), 5);
  for (const char* key : {"cut", "whole", "huge", "minus", "true", "text", "large", "null"}) {
    EXPECT_THROW(json[key].get<int>(), nlohmann::json::type_error) << key;
    EXPECT_THROW(json.value(key, std::int64_t{1}), nlohmann::json::type_error) << key;
  }
  EXPECT_THROW(json["low"].get<std::int8_t>(), nlohmann::json::type_error);
  EXPECT_THROW((json["n"].get<std::array<std::uint8_t, 3>>()), nlohmann::json::type_error);
  EXPECT_THROW(json["n"].get<std::vector<unsigned>>(), nlohmann::json::type_error);
  EXPECT_EQ(json["huge"].get<double>(), 1e300);
  EXPECT_TRUE(json["true"].get<bool>());
  EXPECT_EQ(without_library_code(message_of<nlohmann::json::exception>([&] { json["huge"].get<int>(); })),
            "type must be whole number from -2147483648 to 2147483647, but is 1e+300");
  EXPECT_EQ(nlohmann::json({std::int8_t{-3}, std::uint64_t{18446744073709551615U}, std::uint8_t{200}}).dump(),
            "[-3,18446744073709551615,200]");
}

TEST(Json, AWholeNumberIsTakenWithinItsRangeOnly) {
  const auto taken = [](const char* text) -> std::optional<int> {
    try {
      return integer_in(parse_json(text), -5, 7);
    } catch (const JsonError& e) {
      EXPECT_STREQ(e.what(), "expected a whole number from -5 to 7");
      return std::nullopt;
    }
  };
  for (const int n : {-5, -1, 0, 7}) EXPECT_EQ(taken(std::to_string(n).c_str()), n);
  for (const char* text : {"-6", "8", "4294967296", "-4294967295", "9223372036854775808", "18446744073709551615",
                           "1e30", "2.0", "\"3\"", "null", "true", "[3]"})
    EXPECT_EQ(taken(text), std::nullopt) << text;
  EXPECT_EQ(integer_in(parse_json("9223372036854775807"), std::uint64_t{0}, UINT64_MAX), INT64_MAX);
  EXPECT_THROW(integer_in(parse_json("-1"), std::uint64_t{0}, UINT64_MAX), JsonError);
}

TEST(Json, WhatWasSealedIsReadBackAndDamageIsNoticed) {
  const nlohmann::json object = {{"a", {1, 2.5, "x"}}, {"crc", nullptr}};
  const std::string text = sealed(object);
  EXPECT_EQ(unsealed(text), object);
  EXPECT_EQ(sealed(parse_json(text)), text) << "an old checksum is replaced";
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    try {
      EXPECT_EQ(unsealed(changed), object) << changed;
    } catch (const JsonError&) {
    }
  }
  for (const char* bad : {"{\"a\": 1}", "[1]", "{\"crc32c\": 5}"}) EXPECT_THROW(unsealed(bad), JsonError) << bad;
}

TEST(Json, MessagesAreWithoutTheLibrarysName) {
  EXPECT_EQ(without_library_code("[json.exception.type_error.302] type must be string, but is number"),
            "type must be string, but is number");
  for (const char* text : {"", "[other] x", "[json.exception.", "a] [json.exception.x] y"})
    EXPECT_EQ(without_library_code(text), text);
}

}  // namespace
}  // namespace quarto
