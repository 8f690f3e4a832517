// The C player, compiled by the C compilers that are installed, against the light player.
#include "model/c_player.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdint>
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
#include "play/choose.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using testing::HasSubstr;
using testing::Not;

bool installed(const std::string& program) {
  return std::system(("command -v " + program + " > /dev/null").c_str()) == 0;
}

// Weights of about the size that training leaves.
light::LightNetwork random_network(const light::NetworkInfo& info) {
  const light::PairsShape shape{16, 2, light::kHeadWidth};
  Rng rng(3);
  std::vector<float> weights(static_cast<std::size_t>(light::PairsLayout(shape).size));
  for (float& w : weights) w = 0.2F * static_cast<float>(rng.normal());
  const light::IntegerWeights integers = light::integer_weights(shape, weights, {7, 7, 6, 6, 6, 5, 7});
  return light::parse_network_file(light::network_file_bytes(info, integers), "random");
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

// Numbers and moves are equal, not only near.
void compare_with_the_engine(const light::LightNetwork& network, const std::vector<Position>& positions,
                             const std::vector<std::string>& answers) {
  const auto workspace = network.kernel->new_workspace();
  PairsEvaluator evaluator(network.kernel);
  const light::IntegerWeights& w = *network.weights;
  const auto bits_of = [&](int entry) {
    return w.hidden_bits(w.shape.blocks) +
           w.shifts[static_cast<std::size_t>(light::pairs_entry::head(w.shape.blocks, entry))];
  };
  ASSERT_EQ(answers.size(), positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    std::istringstream in(answers[i]);
    int move = -2;
    std::array<std::int64_t, kMoves + 3> found{};
    in >> move;
    for (auto& x : found) in >> x;
    ASSERT_TRUE(in) << answers[i];
    const light::PairsOutput wanted = network.kernel->forward(positions[i], *workspace);
    const auto logit = [&](std::size_t k, int entry) {
      return static_cast<float>(std::ldexp(static_cast<double>(found[k]), -bits_of(entry)));
    };
    const bool placing = positions[i].phase() == Phase::place;
    for (std::size_t m = 0; m < kMoves; ++m) {
      ASSERT_EQ(logit(m, placing ? light::pairs_entry::kPlaceOut : light::pairs_entry::kGiveOut), wanted.policy[m])
          << to_string(positions[i]);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_EQ(logit(kMoves + k, light::pairs_entry::kOutcomeOut), wanted.outcome[k]) << to_string(positions[i]);
    }
    ASSERT_EQ(move, choose(evaluator, nullptr, positions[i], {}).move.index) << to_string(positions[i]);
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
      light::NetworkInfo info;
      info.rules = rules;
      const light::LightNetwork network = random_network(info);
      std::vector<Position> positions = unfinished_positions(150, rules, 5);
      positions.push_back(Position(rules));
      compare_with_the_engine(network, positions, answers(compiler, c_player(network, "test"), lines_of(positions)));
    }
  }
}

TEST_F(CPlayer, PlaysTheShippedNetworksMoves) {
  for (const auto& [name, rules] : std::to_array<std::pair<const char*, Rules>>(
           {{"zero", Rules::lines}, {"small", Rules::lines}, {"squares", Rules::squares}})) {
    const light::LightNetwork network =
        light::load_network_file(std::filesystem::path(QUARTOZERO_SOURCE_DIR) / "checkpoints" / name / "model.light");
    const std::vector<Position> positions = unfinished_positions(1500, rules, 6);
    compare_with_the_engine(network, positions, answers("gcc", c_player(network, name), lines_of(positions)));
  }
}

TEST_F(CPlayer, KnowsTheRulesAndRefusesWhatIsNoPosition) {
  const std::string header = c_player(random_network({}), "test");
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
  light::NetworkInfo info;
  info.rules = Rules::squares;
  info.extra["agreement_deep"] = "12.3*/ #error";
  info.track = "zero*/ #error";
  const std::string text = c_player(random_network(info), "a*/b");
  EXPECT_THAT(text, HasSubstr("rules: squares"));
  EXPECT_THAT(text, Not(HasSubstr("*/ #error")));
  EXPECT_THAT(text, Not(HasSubstr("a*/b")));
  EXPECT_EQ(text, c_player(random_network(info), "a*/b"));
}

}  // namespace
}  // namespace quarto
