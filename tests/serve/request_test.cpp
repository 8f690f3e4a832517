// Reading untrusted JSON.
#include "serve/request.h"

#include <gmock/gmock.h>

namespace quarto::serve {
namespace {

using testing::HasSubstr;

template <class Call>
RequestError error_of(const Call& call) {
  try {
    call();
  } catch (const RequestError& e) {
    return e;
  }
  ADD_FAILURE() << "no error";
  return {0, "", ""};
}

TEST(ParseJson, TakesOneValueAndNothingElse) {
  EXPECT_EQ(parse_body(R"({"a": [1, "x", true, null]})")["a"][1], "x");
  for (const char* text : {"", " ", "{", "{}}", "{} {}", "{'a': 1}", "{\"a\": 1,}", "[1 2]", "nul", "NaN", "01", "+1",
                           "\"\x01\"", "\"\xff\xfe\"", "\"\xc0\x80\"", "{\"a\": 1e999}", "// c\n{}", "\"\\ud800\""}) {
    EXPECT_EQ(error_of([&] { parse_body(text); }).code(), "invalid_json") << text;
  }
}

TEST(ParseJson, RefusesDeepNestingHoweverDeep) {
  EXPECT_NO_THROW(parse_body("[[[[[[[[]]]]]]]]"));
  for (const std::size_t depth : {9UL, 1000UL, 1'000'000UL}) {
    EXPECT_THAT(error_of([&] { parse_body(std::string(depth, '[')); }).what(), HasSubstr("nested"));
    std::string objects;
    for (std::size_t i = 0; i < std::min(depth, 10'000UL); ++i) objects += "{\"a\":";
    EXPECT_THAT(error_of([&] { parse_body(objects); }).what(), HasSubstr("nested"));
  }
}

TEST(ParseJson, RefusesAFieldThatIsThereTwice) {
  const RequestError e = error_of([] { parse_body(R"({"a": {"b": 1}, "b": 2, "a": 3})"); });
  EXPECT_EQ(e.code(), "duplicate_field");
  EXPECT_EQ(e.field(), "a");
  EXPECT_NO_THROW(parse_body(R"([{"a": 1}, {"a": 2, "b": {"a": 3}}])"));
}

TEST(Fields, AnUnknownNameIsAnErrorThatNamesTheNearest) {
  const nlohmann::json json = {{"simulatoins", 3}};
  const RequestError e = error_of([&] { Fields(json, {"position", "simulations"}); });
  EXPECT_EQ(e.status(), 400);
  EXPECT_EQ(e.field(), "simulatoins");
  EXPECT_STREQ(e.what(), "unknown field 'simulatoins'; did you mean 'simulations'?");
  const nlohmann::json long_name = {{std::string(100'000, 'x'), 3}};
  EXPECT_LT(std::string(error_of([&] { Fields(long_name, {"position"}); }).what()).size(), 200U);
}

TEST(Fields, MustBeOfAnObject) {
  for (const char* text : {"[]", "1", "\"x\"", "null", "true"}) {
    const nlohmann::json json = nlohmann::json::parse(text);
    EXPECT_EQ(error_of([&] { Fields(json, {}); }).code(), "invalid_json") << text;
  }
}

TEST(Fields, WholeNumbersAreWholeAndInRange) {
  const auto whole = [](const std::string& value) {
    const nlohmann::json json = parse_body("{\"n\": " + value + "}");
    return Fields(json, {"n"}).whole("n", 0, 100);
  };
  EXPECT_EQ(whole("0"), 0);
  EXPECT_EQ(whole("100"), 100);
  EXPECT_EQ(whole("null"), std::nullopt);
  for (const char* bad :
       {"-1", "101", "1.0", "1e2", "-0.5", "\"5\"", "true", "[]", "{}", "9223372036854775807", "9223372036854775808",
        "18446744073709551615", "18446744073709551616", "-9223372036854775809", "1e300"}) {
    EXPECT_EQ(error_of([&] { whole(bad); }).field(), "n") << bad;
  }
  // Read as fractions, since they do not fit; the message must not say that they were written as such.
  EXPECT_THAT(error_of([&] { whole("18446744073709551616"); }).what(), testing::HasSubstr("or a number this large"));
}

TEST(Fields, TextsFlagsAndListsAreWhatTheySay) {
  const nlohmann::json json = parse_body(R"({"t": "abc", "f": true, "l": ["a", "b"], "n": 1, "e": [], "m": ["a", 1]})");
  const Fields fields(json, {"t", "f", "l", "n", "e", "m"});
  EXPECT_EQ(fields.text("t", 3), "abc");
  EXPECT_EQ(fields.flag("f"), true);
  EXPECT_THAT(*fields.texts("l", 2, 1), testing::ElementsAre("a", "b"));
  EXPECT_THROW(fields.text("t", 2), RequestError);
  EXPECT_THROW(fields.text("n", 9), RequestError);
  EXPECT_THROW(fields.flag("n"), RequestError);
  EXPECT_THROW(fields.texts("l", 1, 9), RequestError);
  EXPECT_THROW(fields.texts("e", 9, 9), RequestError);
  EXPECT_THROW(fields.texts("t", 9, 9), RequestError);
  EXPECT_EQ(error_of([&] { fields.texts("m", 9, 9); }).field(), "m[1]");
}

TEST(Errors, AreJsonWhateverTheyQuote) {
  const std::string text = to_text(error_body({400, "x", "found " + in_quotes("\xff\xfe\x01\"\\"), "\xc3"}));
  EXPECT_TRUE(nlohmann::json::accept(text)) << text;
}

}  // namespace
}  // namespace quarto::serve
