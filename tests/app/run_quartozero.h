// Runs the built `quartozero` in a shell and keeps what it said.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "tests/support/temporary_directory.h"

namespace quarto {

struct Ran {
  int status = -1;
  std::string out, err;
};

// A directory of its own for each test, removed afterwards with what killed processes leave in their temporary directory.
class CommandTest : public testing::Test {
 protected:
  CommandTest() { ::setenv("TMPDIR", dir_.c_str(), 1); }
  ~CommandTest() override { ::setenv("TMPDIR", own_.path().parent_path().c_str(), 1); }

  std::string path(const std::string& name) const { return (dir_ / name).string(); }

  // `arguments` as in a shell; `environment` like "LC_ALL=C.UTF-8".
  Ran run(const std::string& arguments, const std::string& input = "", const std::string& environment = "") const {
    write_file_atomic(path("stdin"), input);
    const std::string command =
        environment + " " QUARTOZERO_BINARY " " + arguments + " <" + path("stdin") + " 2>" + path("stderr");
    Ran ran;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (!pipe) throw std::runtime_error("popen failed");
    std::array<char, 4096> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe)) ran.out.append(buffer.data(), n);
    const int status = ::pclose(pipe);
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    ran.err = read_file(path("stderr"));
    return ran;
  }

  using Says = testing::Matcher<const std::string&>;
  // It succeeds and prints this.
  void says(const std::string& arguments, const Says& output) const {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 0) << arguments << "\n" << ran.err;
    EXPECT_THAT(ran.out, output) << arguments;
  }
  // It ends with this status and says why.
  void fails(int status, const std::string& arguments, const Says& why) const {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, status) << arguments;
    EXPECT_THAT(ran.err, why) << arguments;
  }

  const TemporaryDirectory own_;
  const std::filesystem::path dir_ = own_.path();
};

}  // namespace quarto
