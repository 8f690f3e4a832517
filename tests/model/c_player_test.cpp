// The C player, compiled by the C compilers that are installed, against the light engine.
#include "model/c_player.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "light/evaluator.h"
#include "light/network_file.h"
#include "light/pairs_layout.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using testing::HasSubstr;
using testing::Not;

bool installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null").c_str()) == 0;
}

light::NetworkInfo info_of(Rules rules, light::Precision precision) {
  light::NetworkInfo info;
  info.shape = {16, 2, light::kHeadWidth};
  info.rules = rules;
  info.precision = precision;
  return info;
}

// A light file with weights of about the size that training leaves.
std::string random_network(const light::NetworkInfo& info) {
  Rng rng(3);
  std::vector<float> weights(static_cast<std::size_t>(light::PairsLayout(info.shape).size));
  for (float& w : weights) w = 0.2F * static_cast<float>(rng.normal());
  return light::network_file_bytes(info, weights);
}

class CPlayer : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (dir_ / name).string(); }

  // What the program prints for these lines.
  std::vector<std::string> answers(const std::string& compiler, const std::string& header, const std::string& lines) {
    write_file_atomic(path("player.h"), header);
    write_file_atomic(path("main.c"),
                      read_file(std::filesystem::path(QUARTOZERO_SOURCE_DIR) / "tests/support/c_player_main.c"));
    write_file_atomic(path("in"), lines);
    const std::string compile =
        fmt::format("cd '{0}' && {1} -std=c99 -pedantic -Wall -Wextra -Werror -O2 -o player main.c > errors 2>&1",
                    dir_.string(), compiler);
    EXPECT_EQ(std::system(compile.c_str()), 0) << read_file(path("errors"));
    EXPECT_EQ(std::system(fmt::format("cd '{}' && ./player < in > out", dir_.string()).c_str()), 0);
    std::vector<std::string> out;
    std::istringstream stream(read_file(path("out")));
    for (std::string line; std::getline(stream, line);) out.push_back(line);
    return out;
  }

  TemporaryDirectory directory_;
  std::filesystem::path dir_ = directory_.path();
};

void compare_with_the_kernel(const std::string& file, const std::vector<Position>& positions,
                             const std::vector<std::string>& answers) {
  const light::LightNetwork network = light::parse_network_file(file, "test");
  const auto workspace = network.kernel->new_workspace();
  ASSERT_EQ(answers.size(), positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    std::istringstream in(answers[i]);
    int move = -2;
    std::vector<float> found(kMoves + 3);
    in >> move;
    for (float& x : found) in >> x;
    ASSERT_TRUE(in) << answers[i];
    const light::PairsOutput wanted = network.kernel->forward(positions[i], *workspace);
    const Mask legal = positions[i].legal_moves();
    float best = -1e30F;
    for (int m = 0; m < static_cast<int>(kMoves); ++m) {
      if (!((legal >> m) & 1U)) {
        EXPECT_EQ(found[static_cast<std::size_t>(m)], 0.0F);
        continue;
      }
      const float logit = wanted.policy[static_cast<std::size_t>(m)];
      best = std::max(best, logit);
      ASSERT_NEAR(found[static_cast<std::size_t>(m)], logit, 1e-4F * (1 + std::abs(logit))) << to_string(positions[i]);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_NEAR(found[kMoves + k], wanted.outcome[k], 1e-4F * (1 + std::abs(wanted.outcome[k])))
          << to_string(positions[i]);
    }
    // Equal by symmetry, moves may change places with the last bit.
    ASSERT_TRUE(move >= 0 && ((legal >> move) & 1U)) << move;
    EXPECT_GE(wanted.policy[static_cast<std::size_t>(move)], best - 1e-4F * (1 + std::abs(best)));
  }
}

std::string lines_of(const std::vector<Position>& positions) {
  std::string lines;
  for (const Position& p : positions) lines += to_string(p) + "\n";
  return lines;
}

TEST_F(CPlayer, ComputesWhatTheLightEngineDoesInEveryForm) {
  for (const std::string compiler : {"gcc", "clang"}) {
    if (!installed(compiler)) continue;
    for (const Rules rules : {Rules::lines, Rules::squares}) {
      SCOPED_TRACE(fmt::format("{}, {}", compiler, to_string(rules)));
      const std::string file = random_network(info_of(rules, light::Precision::float16));
      std::vector<Position> positions = unfinished_positions(150, rules, 5);
      positions.push_back(Position(rules));
      compare_with_the_kernel(file, positions, answers(compiler, c_player(file, "test"), lines_of(positions)));
    }
  }
}

TEST_F(CPlayer, PlaysTheShippedNetworksMoves) {
  for (const auto& [name, rules] : std::to_array<std::pair<const char*, Rules>>(
           {{"zero", Rules::lines}, {"small", Rules::lines}, {"squares", Rules::squares}})) {
    const std::string file =
        read_file(std::filesystem::path(QUARTOZERO_SOURCE_DIR) / "checkpoints" / name / "model.light");
    const std::vector<Position> positions = unfinished_positions(1500, rules, 6);
    compare_with_the_kernel(file, positions, answers("gcc", c_player(file, name), lines_of(positions)));
  }
}

TEST_F(CPlayer, KnowsTheRulesAndRefusesWhatIsNoPosition) {
  const std::string header = c_player(random_network(info_of(Rules::lines, light::Precision::float32)), "test");
  const std::vector<std::string> found = answers("gcc", header,
                                                 "0123/..../..../.... -\n"   // won
                                                 "0123/..../..../.... 4\n"   // won, and a piece in hand
                                                 "0.../0.../..../.... -\n"   // a piece twice
                                                 "0.../..../..../.... 0\n"   // likewise
                                                 "..../..../..../....\n"     // no hand
                                                 "..../..../..../.... G\n"   // no piece
                                                 "..../..../..../.... -x\n"  // more
                                                 "./../..../..../.... -\n"   // another shape
                                                 "\n");
  EXPECT_THAT(found, testing::ElementsAre("-1 over", "illegal", "illegal", "illegal", "illegal", "illegal", "illegal",
                                          "illegal", "illegal"));
}

TEST(CPlayerText, SaysWhatItIsAndCannotBeLeftByAName) {
  light::NetworkInfo info = info_of(Rules::squares, light::Precision::float32);
  info.extra["agreement_deep"] = "12.3*/ #error";
  info.track = "zero*/ #error";
  const std::string text = c_player(random_network(info), "a*/b");
  EXPECT_THAT(text, HasSubstr("rules: squares"));
  EXPECT_THAT(text, Not(HasSubstr("*/ #error")));
  EXPECT_THAT(text, Not(HasSubstr("a*/b")));
  EXPECT_EQ(text, c_player(random_network(info), "a*/b"));
}

TEST(CPlayerText, RefusesDamagedFilesAndWeightsThatDoNotFit) {
  std::string file = random_network(info_of(Rules::lines, light::Precision::float32));
  std::vector<float> weights(static_cast<std::size_t>(light::PairsLayout({16, 2}).size), 1e6F);
  EXPECT_THROW(c_player(light::network_file_bytes(info_of(Rules::lines, light::Precision::float32), weights), "x"),
               std::invalid_argument);
  file[200] ^= 1;
  EXPECT_THROW(c_player(file, "x"), light::NetworkFileError);
}

}  // namespace
}  // namespace quarto
