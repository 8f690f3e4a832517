#include "data/label_input.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/support/as_others_write.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

TEST(LabelInput, PositionsAreReadHoweverAProgramWritesThem) {
  const TemporaryDirectory dir;
  for (const std::string& text : as_others_write("6CA3/4.58/2B1D/.EF7 9\n..../2F.A/E9../.8B3 -\n")) {
    write_file_atomic(dir / "positions", text, Flush::no);
    EXPECT_EQ(read_positions((dir / "positions").string(), Rules::lines).size(), 2U);
  }
}

}  // namespace
}  // namespace quarto
