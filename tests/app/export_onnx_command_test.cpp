// quartozero export --onnx, of a build that has it.
#include <gmock/gmock.h>

#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ExportOnnxCommand : public CommandTest {
 protected:
  const std::string small = QUARTOZERO_CHECKPOINTS "/small";
};

TEST_F(ExportOnnxCommand, WritesTheFileAndChecksIt) {
  says("export " + small + " --no-measure --onnx " + path("a.onnx") + " --check --positions 50",
       AllOf(HasSubstr("ONNX, opset 13"), HasSubstr("checked on 50 random positions")));
}

TEST_F(ExportOnnxCommand, TheFileIsNamedWhereACheckpointIsExpected) {
  ASSERT_EQ(run("export " + small + " --no-measure --no-check --onnx " + path("a.onnx")).status, 0);
  for (const char* command : {"eval ", "study ", "match random net:"}) {
    EXPECT_THAT(run(command + path("a.onnx")).err, AllOf(HasSubstr("a.onnx: this is an ONNX file"),
                                                         HasSubstr("give the checkpoint that it was exported from")));
  }
  // By its content, whatever its name.
  std::filesystem::rename(path("a.onnx"), path("b"));
  EXPECT_THAT(run("eval " + path("b")).err, HasSubstr("b: this is an ONNX file"));
}

}  // namespace
}  // namespace quarto
