#include "base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarto {
namespace {

std::string nested(int depth) {
  const auto n = static_cast<std::size_t>(depth);
  return std::string(n, '[') + std::string(n, ']');
}

std::string error_of(const std::string& text) {
  try {
    parse_json(text);
    return "";
  } catch (const JsonError& e) {
    return e.what();
  }
}

TEST(Json, IsParsedUpToADepth) {
  EXPECT_EQ(parse_json(R"({"a": [1, {"b": "x"}]})").dump(), R"({"a":[1,{"b":"x"}]})");
  EXPECT_EQ(error_of(nested(kMostJsonDepth)), "");
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
    EXPECT_NE(error_of(text), "") << text;
    EXPECT_EQ(json_or_null(text), nlohmann::json()) << text;
  }
}

}  // namespace
}  // namespace quarto
