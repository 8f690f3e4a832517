// Programs of others as players of the commands.
#include <gmock/gmock.h>

#include "base/json_library.h"
#include "env/notation.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using EnginePlayerCommand = CommandTest;

std::string fake(const std::string& how) { return "'engine:exec " QUARTOZERO_FAKE_ENGINE " " + how + "'"; }

// The adapter that the documentation shows, in a ladder: it plays by the one-ply rule.
TEST_F(EnginePlayerCommand, ALadderWithTheAdapterInIt) {
  const std::string adapter = "engine:python3 " QUARTOZERO_SOURCE_DIR "/examples/engine/adapter.py";
  const Ran ran = run("rate '" + adapter + "' random oneply --games 20 --json " + path("r.json"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, Not(HasSubstr("failed")));
  double of_adapter = -1, of_random = -1;
  const json ratings = json::parse(read_file(path("r.json")));
  for (const json& player : ratings.at("players")) {
    if (player.at("name") == adapter) of_adapter = player.at("score");
    if (player.at("name") == "random") of_random = player.at("score");
  }
  EXPECT_GT(of_adapter, 0.5);
  EXPECT_LT(of_random, 0.3);
}

TEST_F(EnginePlayerCommand, AMatchWithABadEngineIsWonAndSaysWhy) {
  const Ran ran = run("match " + fake("dies 3") + " random --games 4 --json " + path("m.json") + " --out-games " +
                      path("games.txt"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("lost 4 games because it failed; the first time it ended with status 3: out of ideas"));
  EXPECT_EQ(json::parse(read_file(path("m.json"))).at("a_forfeits"), 4);
  EXPECT_THAT(read_file(path("games.txt")), HasSubstr("\t# failed: ended with status 3"));
}

TEST_F(EnginePlayerCommand, EveryKindOfBadEngineLosesItsGamesOfALadderAndNothingElse) {
  const Ran ran = run("rate oneply random " + fake("lies 4") + " " + fake("floods") + " " + fake("hangs") +
                      " --engine-patience 0.5 --games 4 --json " + path("r.json"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  for (const char* text : {"lies 4 lost ", "floods lost ", "hangs lost ", "5 players, 10 pairings of 4 games"}) {
    EXPECT_THAT(ran.out, HasSubstr(text));
  }
  const json ratings = json::parse(read_file(path("r.json")));
  for (const json& pairing : ratings.at("pairings")) {
    if (pairing.at("a") != "oneply") continue;
    EXPECT_FALSE(pairing.contains("a_forfeits"));
    if (pairing.at("b") == "random") {
      EXPECT_FALSE(pairing.contains("b_forfeits"));
    } else {
      EXPECT_EQ(pairing.at("wins"), 4);
      EXPECT_GT(pairing.at("b_forfeits"), 0);
    }
  }
}

TEST_F(EnginePlayerCommand, OneThatHangsLosesByTheClock) {
  const Ran ran = run("match " + fake("hangs 1") + " random --games 2 --clock 2");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("wins 0   draws 0   losses 2"));
  EXPECT_THAT(ran.out, HasSubstr("lost on time:"));
}

TEST_F(EnginePlayerCommand, ACommandThatDoesNotStartIsAnErrorBeforeAnyGame) {
  for (const std::string command :
       {"match oneply engine:/no/such/thing", "rate oneply engine:/no/such/thing", "exploit engine:/no/such/thing",
        "eval uniform --beside engine:/no/such/thing", "play --opponent engine:/no/such/thing"}) {
    fails(1, command, AllOf(HasSubstr("/no/such/thing"), HasSubstr("status 127")));
  }
}

TEST_F(EnginePlayerCommand, AgreementOfAnEngineIsMeasuredBesideOthers) {
  says("eval uniform --sims 0 --limit 2 --no-baselines --beside " + fake("honest") + " --json " + path("e.json"),
       Not(HasSubstr("failed")));
  says("eval uniform --sims 0 --limit 2 --no-baselines --beside " + fake("dies 5"),
       HasSubstr("which count as wrong; the first time it ended with status 3"));
}

// Alone it has the figures that it has beside others, as what is measured, and nothing is said of a network.
TEST_F(EnginePlayerCommand, AgreementOfAnEngineAlone) {
  const std::string engine = fake("honest");
  const std::string how = " --limit 3 --sims 0 --threads 1 --json ";
  const Ran alone = run("eval " + engine + how + path("alone.json"));
  ASSERT_EQ(alone.status, 0) << alone.err;
  EXPECT_THAT(alone.out, Not(HasSubstr("Outcome head")));
  ASSERT_EQ(run("eval uniform --beside " + engine + how + path("beside.json")).status, 0);
  const json a = json::parse(read_file(path("alone.json"))), b = json::parse(read_file(path("beside.json")));
  const auto of_engine = [](const json& list) {
    json chosen = json::array();
    for (const json& row : list) {
      if (row.value("player", "").starts_with("engine")) chosen.push_back(row);
    }
    return chosen;
  };
  for (const std::string key : {"means", "means_7_to_13", "means_all_positions"}) {
    EXPECT_EQ(a.at(key), of_engine(b.at("baseline_" + key))) << key;
    EXPECT_FALSE(a.at(key).empty());
  }
  EXPECT_EQ(a.at("rows"), of_engine(b.at("baselines")));
  EXPECT_TRUE(of_engine(a.at("baselines")).empty());
  for (const json& mean : a.at("means")) {
    EXPECT_TRUE(mean.at("sims").is_null());
    EXPECT_LT(mean.at("low"), mean.at("agreement"));
    EXPECT_GT(mean.at("high"), mean.at("agreement"));
  }
  EXPECT_EQ(run("eval 'engine:no-such-program-at-all'" + how + path("x.json")).status, 1);
}

// Where people read it an engine has the name that its program gives, with its own interval.
TEST_F(EnginePlayerCommand, TablesNameTheProgram) {
  const std::string eval =
      "eval " + fake("honest").insert(7, "@30") + " --limit 3 --sims 0 --threads 1 --json " + path("e.json");
  says(eval, AllOf(HasSubstr("  fake@30  "), Not(HasSubstr("engine")), ContainsRegex("mean, all rows +[0-9.]+ \\[")));
  EXPECT_EQ(json::parse(read_file(path("e.json"))).at("titles").begin().value(), "fake@30");
  says("match " + fake("honest") + " random --games 2 --json " + path("m.json") + " --out-games " + path("games.txt"),
       AllOf(HasSubstr("fake against random"), Not(HasSubstr("engine"))));
  const json match = json::parse(read_file(path("m.json")));
  EXPECT_EQ(match.at("titles").at(match.at("a").get<std::string>()), "fake");
  EXPECT_FALSE(match.at("titles").contains("random"));
  // The games say what played.
  EXPECT_THAT(read_file(path("games.txt")),
              testing::StartsWith("# A = engine:exec " QUARTOZERO_FAKE_ENGINE " honest, B"));
  says("analyse " + path("games.txt"), HasSubstr("engine:exec"));
  says("rate random oneply " + fake("honest") + " --games 2",
       AllOf(ContainsRegex("[123] fake "), Not(HasSubstr("engine"))));
}

TEST_F(EnginePlayerCommand, ALongNameIsCutAndASharedOneIsNotUsed) {
  const std::string name(60, 'x');
  says("match " + fake("named " + name) + " oneply --games 2",
       AllOf(HasSubstr(name.substr(0, 37) + "... against oneply"), Not(HasSubstr(name))));
  says("match " + fake("honest") + " " + fake("turns") + " --games 2",
       AllOf(HasSubstr("fake_engine honest against engine:exec"), HasSubstr("fake_engine turns: ")));
  // Nor one that is a column's of eval.
  says("eval uniform --sims 0 --limit 2 --beside " + fake("named random"), HasSubstr("  engine:exec "));
  write_file_atomic(path("old.txt"), "# A = engine:" + name +
                                         ", B = oneply; points of A, who gave first, moves; rules lines\n"
                                         "0\tA\t0 a1 1\n");
  says("analyse " + path("old.txt"), Not(HasSubstr(name)));
}

TEST_F(EnginePlayerCommand, EveryLineIsTriedAgainstAnEngine) {
  const Ran ran = run("exploit " + fake("honest").insert(1, "endgame:11:"));
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("It can be beaten"));
  EXPECT_THAT(ran.err, HasSubstr("taken to choose the same move every time"));
  EXPECT_THAT(ran.out, HasSubstr("asked about one image of each position"));
  fails(1, "exploit " + fake("dies 5").insert(1, "endgame:11:"), HasSubstr("the walk ended because the player"));
}

TEST_F(EnginePlayerCommand, AWalkIsNotGoneOnWithWhenTheEngineHasChanged) {
  const auto program = [&](const std::string& how) {
    write_file_atomic(path("bot.sh"), "exec " QUARTOZERO_FAKE_ENGINE " " + how + "\n");
  };
  const std::string walk = "exploit 'endgame:12:engine:sh " + path("bot.sh") + "' --out " + path("walk");
  program("honest");
  ASSERT_EQ(run(walk).status, 0);
  EXPECT_EQ(run(walk).status, 0);
  program("turns");
  fails(1, walk, HasSubstr("with another version of the program or of the engine"));
}

// Two thousand decisions later it plays otherwise: what it has lost by then it has lost.
TEST_F(EnginePlayerCommand, ALosingLineThatAnEngineDoesNotRepeatCounts) {
  says("exploit " + fake("turns 2000").insert(1, "endgame:11:") + " --json " + path("e.json"),
       AllOf(HasSubstr("It can be beaten"), HasSubstr("does not move as in the walk")));
  const json found = json::parse(read_file(path("e.json")));
  EXPECT_GT(found.at("losing_lines").get<int>(), 0);
  EXPECT_TRUE(found.at("seats").at(0).value("shortest_not_repeated", false) ||
              found.at("seats").at(1).value("shortest_not_repeated", false));
}

// Its path is repeated, and its last move is another one, which does not lose.
TEST_F(EnginePlayerCommand, ALineWhoseLastMoveIsNotRepeatedIsNotShownAsLosing) {
  int shown = 0;
  for (int honest = 394; honest < 400; ++honest) {
    const std::string engine = fake("turns " + std::to_string(honest)).insert(1, "endgame:12:");
    ASSERT_EQ(run("exploit " + engine + " --seat gives --threads 1 --json " + path("e.json")).status, 0);
    const json seat = json::parse(read_file(path("e.json"))).at("seats").at(0);
    if (!seat.contains("shortest_to_the_end")) continue;
    ++shown;
    Position p;
    for (const Move m : parse_game(seat.at("shortest_to_the_end").get<std::string>())) p.play(m);
    EXPECT_TRUE(p.is_won()) << honest;
  }
  EXPECT_GT(shown, 0);
}

// The engine itself presses Ctrl-C in the middle.
TEST_F(EnginePlayerCommand, AnInterruptedMatchKeepsItsGames) {
  const Ran ran = run("match " + fake("interrupts 60") + " random --games 100 --side-by-side 1 --out-games " +
                      path("games.txt") + " --json " + path("m.json"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr(" of 100 games had ended"));
  EXPECT_THAT(ran.out, HasSubstr("Elo difference"));
  const json result = json::parse(read_file(path("m.json")));
  EXPECT_EQ(result.at("games_asked"), 100);
  const int games = result.at("games");
  EXPECT_GE(games, 2);
  EXPECT_LT(games, 100);
  const std::string text = read_file(path("games.txt"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), games + 1);
}

TEST_F(EnginePlayerCommand, AnInterruptedEvaluationKeepsItsColumns) {
  const Ran ran = run("eval uniform --sims 0 --limit 3 --no-baselines --beside " + fake("interrupts 2"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("had not been measured"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Suite decisive"), HasSubstr("policy"), Not(HasSubstr("Suite deep"))));
}

}  // namespace
}  // namespace quarto
