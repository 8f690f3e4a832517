#include <gmock/gmock.h>

#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using testing::HasSubstr;
using TuneCommand = CommandTest;

TEST_F(TuneCommand, PrintsTheTable) {
  const std::string suites = std::string(QUARTOZERO_SOURCE_DIR) + "/eval/suites/";
  const Ran ran = run("tune strangler --suite " + suites + "decisive.tsv " + suites +
                      "deep.tsv --depth 1 --step 90 --threads 1 --seed 3");
  ASSERT_EQ(ran.status, 0) << ran.err;
  for (const char* text : {"angle", "+90.00", "given, +9.50", "other half", "only the given weights in"}) {
    EXPECT_THAT(ran.out, HasSubstr(text));
  }
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
