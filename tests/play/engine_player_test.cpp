#include "play/engine_player.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "base/file.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "env/symmetry.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const Position kPosition = parse_position("..../2F.A/E9../.8B3 -");

std::unique_ptr<Player> engine(const std::string& how, std::chrono::milliseconds patience = 60s) {
  PlayerOptions options;
  options.engine_patience = patience;
  return make_player("engine:exec " QUARTOZERO_FAKE_ENGINE " " + how, options);
}

std::string failure_of(Player& player) {
  try {
    player.choose({&kPosition, 1});
  } catch (const PlayerFailed& e) {
    EXPECT_EQ(e.player(), player.name());
    return e.reason();
  }
  return "no failure";
}

Move lowest() { return *kPosition.moves().begin(); }

TEST(EnginePlayer, PlaysWhatItsProgramSays) {
  const auto player = engine("honest");
  const Position placing = kPosition.after(parse_move("C", Phase::give));
  const Position both[] = {kPosition, placing, kPosition};
  const std::vector<Move> moves = player->choose(both);
  ASSERT_EQ(moves.size(), 3U);
  EXPECT_EQ(moves[0], lowest());
  EXPECT_EQ(moves[1], *placing.moves().begin());
  EXPECT_EQ(player->choose_by_clock(kPosition, {60s, 0ms}), lowest());
  EXPECT_EQ(player->name(), "engine:exec " QUARTOZERO_FAKE_ENGINE " honest");
  EXPECT_EQ(dynamic_cast<EnginePlayer&>(*player).title(), "fake");
}

TEST(EnginePlayer, ItsFirstLineMayBeginWithAByteOrderMark) {
  const auto player = make_player("engine:printf '\\357\\273\\277'; exec " QUARTOZERO_FAKE_ENGINE " honest", {});
  EXPECT_EQ(player->choose({&kPosition, 1}).front(), lowest());
  EXPECT_EQ(dynamic_cast<EnginePlayer&>(*player).title(), "fake");
}

// The time is generous: only that these decide is looked at.
TEST(EnginePlayer, WhatItSaysBesidesIsPassedOver) {
  for (const char* how : {"wordy", "babbles"}) {
    const auto player = engine(how);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(player->choose({&kPosition, 1}).front(), lowest()) << how;
  }
}

TEST(EnginePlayer, AFailureSaysWhatTheProgramDid) {
  EXPECT_THAT(failure_of(*engine("dies")), HasSubstr("ended with status 3: out of ideas"));
  EXPECT_THAT(failure_of(*engine("crashes")), HasSubstr("was ended by signal 11"));
  EXPECT_THAT(failure_of(*engine("lies")), HasSubstr("said 'bestmove ?[31mz9'"));
  EXPECT_THAT(failure_of(*engine("lies")), HasSubstr("which is no legal give"));
  EXPECT_THAT(failure_of(*engine("error")), HasSubstr("said 'error do not ask me'"));
  EXPECT_THAT(failure_of(*engine("floods")), HasSubstr("writes more than 4 MiB"));
  EXPECT_THAT(failure_of(*engine("one_line")), HasSubstr("writes a line of more than 65536 bytes"));
  const Position taken = parse_position("0.../..../..../.... 1");
  EXPECT_THROW(engine("cheats")->choose({&taken, 1}), PlayerFailed);
}

TEST(EnginePlayer, ACommandThatCannotBeStartedIsNamed) {
  const auto player = make_player("engine:/no/such/program --at all", {});
  EXPECT_THAT(failure_of(*player),
              testing::AllOf(HasSubstr("status 127"), HasSubstr("/no/such/program"), HasSubstr("when it was started")));
  EXPECT_THAT(failure_of(*player), HasSubstr("status 127"));
  EXPECT_THAT(failure_of(*player), HasSubstr("status 127"));
  EXPECT_THAT(failure_of(*player), HasSubstr("not started any more"));
  EXPECT_THROW(player->prepare(), PlayerFailed);
}

TEST(EnginePlayer, AfterAFailureItIsStartedAgain) {
  const auto player = engine("dies 2");
  for (int game = 0; game < 5; ++game) {
    EXPECT_EQ(player->choose({&kPosition, 1}).front(), lowest());
    EXPECT_EQ(player->choose({&kPosition, 1}).front(), lowest());
    EXPECT_THAT(failure_of(*player), HasSubstr("status 3"));
  }
}

// It never answers, so that a busy machine makes no difference.
TEST(EnginePlayer, OneThatHangsIsWaitedForThreeTimes) {
  const auto player = engine("hangs", 1ms);
  // Even a program that works may need longer than this to be ready.
  for (int i = 0; i < 3; ++i) EXPECT_THAT(failure_of(*player), HasSubstr("did not answer in time (0.001 s)"));
  EXPECT_THAT(failure_of(*player), HasSubstr("not asked any more"));
}

TEST(EnginePlayer, OneThatDoesNotReadDoesNotBlock) {
  const auto player = engine("deaf", 100ms);
  EXPECT_NE(failure_of(*player), "no failure");
}

TEST(EnginePlayer, ByTheClockOneThatHangsFailsWhenItsTimeIsOver) {
  const auto player = engine("hangs");
  player->prepare();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THROW(player->choose_by_clock(kPosition, {20ms, 0ms}), PlayerFailed);
  EXPECT_GT(std::chrono::steady_clock::now() - start, 20ms);
}

// All images of a position get images of one move.
TEST(EnginePlayer, AskedAboutCanonicalImagesItIsAFunctionOfThePosition) {
  PlayerOptions options;
  options.canonical_engines = true;
  const auto player = make_player("engine:" QUARTOZERO_FAKE_ENGINE " honest", options);
  EXPECT_TRUE(player->deterministic());
  EXPECT_FALSE(engine("honest")->deterministic());
  const Move move = player->choose({&kPosition, 1}).front();
  int others = 0;
  for (int i = 0; i < 20; ++i) {
    const Symmetry g = symmetry(i * 613);
    const Position image = apply(g, kPosition);
    const Move there = player->choose({&image, 1}).front();
    EXPECT_TRUE(kPosition.is_legal(apply(inverse(g, Rules::lines), there, Rules::lines)));
    EXPECT_EQ(canonical_key(image.after(there)), canonical_key(kPosition.after(move)));
    others += there != *image.moves().begin();
  }
  EXPECT_GT(others, 0) << "it is asked about the images themselves";
}

// With the player everything ends that its command has started.
TEST(EnginePlayer, NothingIsLeftOfTheProgram) {
  const TemporaryDirectory dir;
  const std::string file = (dir / "pid").string();
  {
    const auto player = make_player("engine:sleep 1000 & echo $! >" + file + "; " QUARTOZERO_FAKE_ENGINE " honest", {});
    EXPECT_EQ(player->choose({&kPosition, 1}).front(), lowest());
  }
  const pid_t pid = std::stoi(read_file(file));
  ASSERT_GT(pid, 0);
  // The system takes the process away a moment after it was killed.
  bool gone = false;
  for (int tries = 0; !gone && tries < 6000; ++tries) {
    std::string state;
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    for (int i = 0; i < 3; ++i) in >> state;
    gone = !in || state == "Z";
    if (!gone) std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(gone);
}

TEST(EnginePlayer, OtherRulesNeedTheProgramsOption) {
  PlayerOptions options;
  options.rules = Rules::squares;
  EXPECT_THAT(failure_of(*make_player("engine:" QUARTOZERO_FAKE_ENGINE, options)),
              HasSubstr("does not play by the rules 'squares'"));
}

}  // namespace
}  // namespace quarto
