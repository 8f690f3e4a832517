#include "base/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/json_library.h"
#include "base/nearest.h"
#include "tests/support/as_others_write.h"
#include "tests/support/message_of.h"

namespace quarto {
namespace {

using testing::HasSubstr;

enum class Kind { adamw, sgd };
constexpr auto names_of(Kind) { return std::to_array<Name<Kind>>({{Kind::adamw, "adamw"}, {Kind::sgd, "sgd"}}); }

struct Inner {
  double rate = 0.5;
  Kind kind = Kind::adamw;
  void visit(FieldVisitor& v) {
    v.field("rate", rate, "a rate", {0, 1});
    v.field("kind", kind, "which");
  }
};
struct Outer {
  int simulations = 64;
  std::uint64_t seed = 1;
  bool noise = true;
  std::string name;
  Inner learner;
  void visit(FieldVisitor& v) {
    v.field("simulations", simulations, "per move", {1, 1000});
    v.field("seed", seed, "for everything random");
    v.field("noise", noise, "at the root");
    v.field("name", name, "anything");
    v.section("learner", "the learner", [&] { learner.visit(v); });
  }
};

std::string error_of(const std::string& yaml) {
  Outer outer;
  return message_of<ConfigError>([&] { config::load_yaml(yaml, "a.yaml", config::visitor_of(outer)); });
}

TEST(Config, LoadsWhatIsGivenAndKeepsTheRest) {
  Outer outer;
  config::load_yaml("simulations: 8\nlearner:\n  rate: 0.25\n", "a.yaml", config::visitor_of(outer));
  EXPECT_EQ(outer.simulations, 8);
  EXPECT_EQ(outer.learner.rate, 0.25);
  EXPECT_EQ(outer.learner.kind, Kind::adamw);
  EXPECT_TRUE(outer.noise);
}

TEST(Config, IsReadHoweverAProgramWritesIt) {
  for (const std::string& text : as_others_write("simulations: 8\nlearner:\n  rate: 0.25\n")) {
    Outer outer;
    config::load_yaml(text, "a.yaml", config::visitor_of(outer));
    EXPECT_EQ(outer.simulations, 8);
    EXPECT_EQ(outer.learner.rate, 0.25);
  }
}

TEST(Config, WhatIsSavedLoadsBackTheSame) {
  Outer outer;
  outer.learner.rate = 0.1;
  outer.seed = 18446744073709551615ULL;
  outer.name = "yes: a # strange name";
  outer.noise = false;
  Outer back;
  config::load_yaml(config::to_yaml(outer), "saved", config::visitor_of(back));
  EXPECT_EQ(config::to_yaml(back), config::to_yaml(outer));
  EXPECT_EQ(back.learner.rate, 0.1);
  EXPECT_EQ(back.seed, outer.seed);
  EXPECT_EQ(back.name, outer.name);
}

TEST(Config, JsonHasTheSameFields) {
  Outer outer;
  const nlohmann::json json = config::to_json(config::visitor_of(outer));
  EXPECT_EQ(json["learner"]["rate"], 0.5);
  Outer back;
  back.learner.rate = 0.9;
  config::from_json(json, "metadata", config::visitor_of(back));
  EXPECT_EQ(back.learner.rate, 0.5);
}

TEST(Config, AnUnknownKeyNamesItsLineAndTheNearestKey) {
  EXPECT_EQ(error_of("seed: 3\nsimulatons: 8\n"), "a.yaml:2: unknown key 'simulatons' (did you mean 'simulations'?)");
  EXPECT_EQ(error_of("learner:\n  rat: 1\n"), "a.yaml:2: unknown key 'learner.rat' (did you mean 'learner.rate'?)");
  EXPECT_THAT(error_of("rate: 0.5\n"), HasSubstr("did you mean 'learner.rate'?"));
  EXPECT_EQ(error_of("zzzzzzzzzzzz: 1\n"), "a.yaml:1: unknown key 'zzzzzzzzzzzz'");
}

TEST(Config, WhatIsWrongIsSaidWithItsLine) {
  for (const auto& [yaml, says] : std::vector<std::pair<std::string, std::string>>{
           {"simulations: many\n", "a.yaml:1: 'simulations' is 'many', expected a whole number"},
           {"simulations: 0\n", "a.yaml:1: 'simulations' is '0', expected a whole number from 1 to 1000"},
           {"simulations: 1001\n", "'1001', expected a whole number from 1 to 1000"},
           {"simulations: 2.5\n", "'2.5', expected a whole number"},
           {"simulations: 8 9\n", "'8 9', expected a whole number"},
           {"simulations: 99999999999999999999\n", "'99999999999999999999', expected a whole number"},
           {"learner:\n  rate: nan\n", "a.yaml:2: 'learner.rate' is 'nan', expected a number"},
           {"learner:\n  rate: 1.5\n", "'1.5', expected a number from 0 to 1"},
           {"learner:\n  rate: -0.1\n", "'-0.1', expected a number from 0 to 1"},
           {"learner:\n  kind: adam\n", "'adam', expected one of adamw, sgd (did you mean 'adamw'?)"},
           {"noise: maybe\n", "expected true or false"},
           {"seed: -1\n", "expected a whole number, zero or more"},
           {"seed: 18446744073709551616\n", "expected a whole number, zero or more"},
           {"learner: 3\n", "'learner' is a section: expected indented keys below it"},
           {"seed: [1, 2]\n", "'seed' needs a single value"},
           {"seed: 1\nseed: 2\n", "a.yaml:2: 'seed' appears twice (first at a.yaml:1)"},
           {"seed: [1\n", "not valid YAML"},
           {"- 1\n", "a.yaml: expected 'key: value' lines"},
           {"? [seed]\n: 3\n", "a.yaml:1: a key must be a plain word"},
           {"seed: 1\n? {a: b}\n: 3\n", "a.yaml:2: a key must be a plain word"},
           {"seed: 1\n---\nsede: 2\n", "a.yaml:2: text after the end of the first YAML document"},
           {"seed: 1\n---\n", "a.yaml:2: text after the end of the first YAML document"},
           {", ", "a.yaml:1: "},  // newer versions of yaml-cpp say that it is not valid
           {std::string(70'000, '#'), "a.yaml: 70000 bytes are too many for a configuration"}})
    EXPECT_THAT(error_of(yaml), HasSubstr(says)) << yaml.substr(0, 80);
}

TEST(Config, WhatSaysNothingChangesNothing) {
  for (const std::string& yaml : {std::string(), std::string("# nothing\n"), std::string("learner:\n"),
                                  std::string("learner: {}\n"), "#" + std::string(60'000, 'x') + "\n"}) {
    Outer outer;
    config::load_yaml(yaml, "a.yaml", config::visitor_of(outer));
    EXPECT_EQ(config::to_yaml(outer), config::to_yaml(Outer())) << yaml.substr(0, 80);
  }
  for (const char* yaml : {"seed: 1\n...\n# no more\n", "---\nseed: 1\n", "simulations: 1000\nlearner:\n  rate: 1"})
    EXPECT_EQ(error_of(yaml), "no error") << yaml;
}

TEST(Config, NumbersOutOfTheirRangeNameIt) {
  struct Free {
    int any = 0;
    double part = 0.75, large = 1;
    void visit(FieldVisitor& v) {
      v.field("any", any, "any number");
      v.field("part", part, "a part", {0.5, 1});
      v.field("large", large, "a large number", {0, 1e20});
    }
  } free;
  const auto error = [&](const char* yaml) {
    return message_of<ConfigError>([&] { config::load_yaml(yaml, "a.yaml", config::visitor_of(free)); });
  };
  EXPECT_EQ(error("any: -2147483648\n"), "no error");
  EXPECT_EQ(free.any, -2147483648);
  EXPECT_THAT(error("any: 2147483648\n"), HasSubstr("expected a whole number from -2147483648 to 2147483647"));
  EXPECT_THAT(error("part: 0.25\n"), HasSubstr("expected a number from 0.5 to 1"));
  EXPECT_THAT(error("large: 1e21\n"), HasSubstr("expected a number from 0 to 1e+20"));
}

TEST(Config, AllWordsForYesAndNoAreRead) {
  Outer outer;
  for (const auto& [word, value] : std::map<std::string, bool>{
           {"true", true}, {"yes", true}, {"on", true}, {"false", false}, {"no", false}, {"off", false}}) {
    outer.noise = !value;
    config::set("noise=" + word, config::visitor_of(outer));
    EXPECT_EQ(outer.noise, value) << word;
  }
}

TEST(Config, SetOverridesOneKey) {
  Outer outer;
  config::set("learner.kind=sgd", config::visitor_of(outer));
  EXPECT_EQ(outer.learner.kind, Kind::sgd);
  const auto error = [&](const char* assignment, const char* option = "--set") {
    return message_of<ConfigError>([&] { config::set(assignment, config::visitor_of(outer), option); });
  };
  EXPECT_EQ(error("learner.knd=sgd"),
            "--set learner.knd=sgd: unknown key 'learner.knd' (did you mean 'learner.kind'?)");
  EXPECT_EQ(error("seed"), "--set seed: expected key=value");
  EXPECT_EQ(error("=3"), "--set =3: expected key=value");
  EXPECT_EQ(error("learner=3"), "--set learner=3: unknown key 'learner'");
  EXPECT_EQ(error("simulations=-4"),
            "--set simulations=-4: 'simulations' is '-4', expected a whole number from 1 to 1000");
  EXPECT_THAT(error("learner.knd=sgd", "--search"), testing::StartsWith("--search learner.knd=sgd"));
}

TEST(Config, AnEnumerationIsWrittenByItsNames) {
  Outer outer;
  outer.learner.kind = Kind::sgd;
  EXPECT_THAT(config::to_yaml(outer), HasSubstr("kind: sgd                      # which (adamw | sgd)\n"));
  EXPECT_EQ(config::to_json(config::visitor_of(outer))["learner"]["kind"], "sgd");
  EXPECT_EQ(value_named<Kind>("sgd"), Kind::sgd);
  EXPECT_EQ(value_named<Kind>("adam"), std::nullopt);
}

TEST(Config, ASectionWithinAnotherIsNamedByBoth) {
  struct Whole {
    Outer outer;
    void visit(FieldVisitor& v) {
      v.section("run", "a run", [&] { outer.visit(v); });
    }
  } whole;
  config::load_yaml("run:\n  learner:\n    rate: 0.25\n", "a.yaml", config::visitor_of(whole));
  EXPECT_EQ(whole.outer.learner.rate, 0.25);
  config::set("run.learner.rate=0.125", config::visitor_of(whole));
  EXPECT_EQ(whole.outer.learner.rate, 0.125);
  EXPECT_THROW(config::set("learner.rate=0.5", config::visitor_of(whole)), ConfigError);
}

TEST(Nearest, PrefersTheClosestAndGivesUpWhenNothingIsNear) {
  EXPECT_EQ(nearest("colour", {"color", "cooler"}), "color");
  EXPECT_EQ(nearest("abc", {"xyzxyz"}), "");
}

}  // namespace
}  // namespace quarto
