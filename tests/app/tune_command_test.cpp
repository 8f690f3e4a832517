#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/app/run_quarto.h"

namespace quarto {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using TuneCommand = CommandTest;

TEST_F(TuneCommand, PrintsTheTableAndWritesTheJson) {
  const std::string suites = std::string(QUARTO_SOURCE_DIR) + "/eval/suites/";
  const Ran ran = run("tune strangler --suite " + suites + "decisive.tsv " + suites +
                      "deep.tsv --depth 1 --step 90 --threads 1 --seed 3 --json " + path("t.json"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  for (const char* text : {"angle", "+90.00", "given (2.21, 0.37)", "The other half", "decisive", "deep", "all"}) {
    EXPECT_THAT(ran.out, HasSubstr(text));
  }
  const json figures = json::parse(read_file(path("t.json")));
  EXPECT_EQ(figures.at("depth"), 1);
  EXPECT_EQ(figures.at("seed"), 3);
  EXPECT_GT(figures.at("best").at("agreement").get<double>(), 0.6);
  EXPECT_EQ(figures.at("given").at("report").size(), 3U);
}

TEST_F(TuneCommand, WrongCommandLinesExitWithTwo) {
  for (const char* arguments : {"tune", "tune perfect", "tune strangler --nodes 0", "tune strangler --depth 33",
                                "tune strangler --step 0", "tune strangler --device cpu"}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_FALSE(ran.err.empty()) << arguments;
  }
}

TEST_F(TuneCommand, AMissingSuiteIsAFailure) {
  const Ran ran = run("tune strangler --suite " + path("nowhere.tsv"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("nowhere.tsv"));
}

}  // namespace
}  // namespace quarto
