#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "data/suites.h"
#include "eval/agreement.h"
#include "eval/match.h"
#include "model/checkpoint.h"
#include "model/evaluators.h"
#include "model/network.h"
#include "tests/support/message_of.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;

class NetworkPlayer : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(dir_);
    torch::manual_seed(1);
    NetworkConfig config;
    config.kind = NetworkKind::residual;
    config.width = 8;
    config.blocks = 1;
    save_weights(*make_network(config), dir_ / kWeightsFile, {});
    options_.load = network_loader("cpu");
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string name() const { return "net:" + dir_.string(); }

  fs::path dir_ = fs::temp_directory_path() / ("quartozero_network_player_" + std::to_string(::getpid()));
  PlayerOptions options_;
};

TEST_F(NetworkPlayer, ScoresExactlyHalfAgainstItself) {
  for (const char* simulations : {"", "@8"}) {
    const auto a = make_player(name() + simulations, options_);
    const auto b = make_player(name() + simulations, options_);
    MatchOptions match;
    match.games = 12;
    EXPECT_EQ(play_match(*a, *b, match).elo.score, 0.5);
  }
}

TEST_F(NetworkPlayer, OtherRulesThanItsOwnAreRefused) {
  options_.rules = Rules::squares;
  EXPECT_THAT(message_of<NetworkMismatch>([&] { make_player(name(), options_); }),
              testing::HasSubstr("trained for the rules 'lines', not 'squares'"));
}

TEST_F(NetworkPlayer, SearchingImprovesAnUntrainedNetwork) {
  const auto evaluator = load_network_from(dir_, "cpu").evaluator;
  AgreementOptions options;
  options.simulations = {0, 32};
  options.limit = 10;
  const AgreementReport report = measure_agreement(*evaluator, read_suites(default_suites()), options);
  EXPECT_GT(report.mean("decisive", 32).agreement, report.mean("decisive", 0).agreement + 0.1);
}

}  // namespace
}  // namespace quarto
