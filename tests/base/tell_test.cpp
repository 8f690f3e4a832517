#include "base/tell.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace quarto {
namespace {

TEST(Tell, WhatCannotBeWrittenIsLost) {
  const int kept = ::dup(STDERR_FILENO);
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  ::dup2(full, STDERR_FILENO);
  EXPECT_NO_THROW(tell("{} words\n", 2));
  ::dup2(kept, STDERR_FILENO);
  ::close(full);
  ::close(kept);
}

// In a process of its own, whose streams are closed.
TEST(Tell, ClosedStreamsAreFilledWithWhatTakesNothing) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int stream : {0, 1, 2}) ::close(stream);
    fill_standard_streams();
    bool good = ::write(1, "x", 1) < 0 && ::write(2, "x", 1) < 0;
    char byte = 0;
    good = good && ::read(0, &byte, 1) == 0 && ::open("/dev/null", O_RDONLY) > 2;
    ::_exit(good ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace quarto
