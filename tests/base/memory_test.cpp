#include "base/memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace quarto {
namespace {

TEST(SystemMemory, IsNoMoreThanTheMachineHas) {
  const auto memory = system_memory();
  ASSERT_TRUE(memory.has_value());
  const auto physical =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGE_SIZE));
  EXPECT_LE(memory->total, physical + physical / 8);
  EXPECT_LE(memory->available, memory->total);
  EXPECT_GT(memory->available, std::size_t{1} << 20);
}

}  // namespace
}  // namespace quarto
