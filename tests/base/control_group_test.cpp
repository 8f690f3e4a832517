#include "base/control_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/cores.h"
#include "base/file.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ControlGroup, ValuesAreThoseOfTheProcesssGroupAndTheOnesAboveIt) {
  const TemporaryDirectory dir;
  make_directories(dir / "groups/slice/service/below");
  write_file_atomic(dir / "groups/memory.max", "4000\n");
  write_file_atomic(dir / "groups/slice/service/memory.max", "2000\n");
  write_file_atomic(dir / "groups/slice/service/below/memory.max", "1000\n");
  write_file_atomic(dir / "own", "1:name=old:/elsewhere\n0::/slice/service\n");
  const auto values = [&](const char* file, const char* own) {
    return control_group_values(file, dir / "groups", dir / own);
  };
  EXPECT_THAT(values("memory.max", "own"), ElementsAre("2000", "4000"));
  EXPECT_THAT(values("cpu.max", "own"), IsEmpty());
  EXPECT_THAT(values("memory.max", "absent"), ElementsAre("4000")) << "a container sees its own group as the first";
}

TEST(UsableCores, AreOneAtLeast) { EXPECT_GE(usable_cores(), 1); }

}  // namespace
}  // namespace quarto
