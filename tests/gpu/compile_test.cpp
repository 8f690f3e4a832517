// What CUDA's own compiler makes of the kernels. Skipped where it is not installed (PyPI: nvidia-cuda-nvrtc); it needs
// no GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "env/notation.h"
#include "gpu/evaluator.h"
#include "gpu/gradient.h"
#include "gpu/proofs.h"

namespace quarto::gpu {
namespace {

struct Program {
  int width;
  Rules rules;
  const char* architecture;
  friend std::ostream& operator<<(std::ostream& out, const Program& p) {
    return out << p.width << " wide, " << to_string(p.rules) << ", " << p.architecture;
  }
};

// The number that stands before these words; -1 if there is none.
int number_before(const std::string& text, const std::string& words) {
  const std::size_t end = text.find(words);
  if (end == std::string::npos) return -1;
  std::size_t begin = end;
  while (begin > 0 && text[begin - 1] >= '0' && text[begin - 1] <= '9') --begin;
  return begin == end ? -1 : std::stoi(text.substr(begin, end - begin));
}

// Skips the test where no compiler is there, or one that does not know the architecture. Any other error fails it.
void skip_or_fail(const CudaError& error) {
  const std::string why = error.what();
  if (why.find("invalid value for --gpu-architecture") == std::string::npos &&
      why.find("cannot be used") == std::string::npos) {
    FAIL() << why;
  }
  GTEST_SKIP() << why;
}

class Kernels : public testing::TestWithParam<Program> {};
INSTANTIATE_TEST_SUITE_P(, Kernels,
                         testing::Values(Program{16, Rules::lines, "sm_80"}, Program{16, Rules::lines, "sm_90"},
                                         Program{16, Rules::lines, "sm_120"}, Program{32, Rules::squares, "sm_90"},
                                         Program{48, Rules::lines, "sm_120"}, Program{64, Rules::lines, "sm_90"}),
                         [](const auto& i) {
                           return fmt::format("{}_{}_{}", i.param.width, to_string(i.param.rules),
                                              i.param.architecture);
                         });

// More registers than these leave room for too few blocks; spilled ones go through memory.
TEST_P(Kernels, StayWithinTheirRegisters) {
  const Program& p = GetParam();
  BoardPrograms made;
  try {
    made = compile_kernels(p.width, p.rules, p.architecture, true);
  } catch (const CudaError& e) {
    return skip_or_fail(e);
  }
  for (const BoardProgram& one : made) {
    EXPECT_GT(one.cubin.size(), 10'000U);
    const std::size_t at = one.log.find("Compiling entry function '");
    ASSERT_NE(at, std::string::npos) << one.log;
    const std::string kernel = one.log.substr(at);
    const int spilled = number_before(kernel, " bytes spill stores"), registers = number_before(kernel, " registers");
    fmt::print("{} {} threads, {} registers, {} bytes spilled\n", kernel.substr(0, kernel.find('\n')), one.threads,
               registers, spilled);
    EXPECT_GT(registers, 16) << one.log;
    EXPECT_LE(registers, p.width < 48 ? 144 : 80) << one.log;  // 80: there are as many for 768 threads
    EXPECT_GE(spilled, 0) << one.log;
    EXPECT_LE(spilled, 128) << one.log;
  }
  // What a block may have on the three architectures (CUDA C++ programming guide, compute capabilities).
  const std::size_t most = p.architecture == std::string("sm_120")  ? 101'376
                           : p.architecture == std::string("sm_80") ? 166'912
                                                                    : 232'448;
  for (const int empty : {8, 12, 16}) {
    const std::size_t shared = shared_memory(p.width, empty, p.rules);
    fmt::print("up to {} empty squares: {} bytes of shared memory\n", empty, shared);
    EXPECT_LE(shared, most);
  }
}

// Of kernels without a network.
void expect_registers(const std::string& log, int kernels, int most) {
  int found = 0;
  for (std::size_t at = 0; (at = log.find("Compiling entry function '", at)) != std::string::npos; ++at, ++found) {
    const std::string kernel = log.substr(at, log.find("Compiling", at + 1) - at);
    fmt::print("{} {} registers\n", kernel.substr(0, kernel.find('\n')), number_before(kernel, " registers"));
    EXPECT_LE(number_before(kernel, " registers"), most) << log;
    EXPECT_LE(number_before(kernel, " bytes spill stores"), 128) << log;
  }
  EXPECT_EQ(found, kernels) << log;
}

class GradientKernels : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(, GradientKernels, testing::Values(32, 64));

TEST_P(GradientKernels, StayWithinTheirRegisters) {
  try {
    for (const Compiled& one : compile_gradient(GetParam(), Rules::lines, "sm_90", true))
      expect_registers(one.log, 2, 255);
  } catch (const CudaError& e) {
    return skip_or_fail(e);
  }
}

TEST(Prover, StaysWithinItsRegisters) {
  for (const char* architecture : {"sm_80", "sm_90", "sm_120"}) {
    try {
      expect_registers(compile_proofs(Rules::lines, architecture, true).log, 1, 64);
    } catch (const CudaError& e) {
      return skip_or_fail(e);
    }
  }
}

}  // namespace
}  // namespace quarto::gpu
