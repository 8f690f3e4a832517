#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/json_library.h"
#include "tests/app/process.h"
#include "tests/app/run_quartozero.h"
#include "tests/support/eventually.h"

namespace quarto {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kSuites = QUARTOZERO_SOURCE_DIR "/eval/suites/";

class Solve : public CommandTest {};

TEST_F(Solve, PrintsTheValueOfEveryMove) {
  says("solve '135./..../..../.... 7' --moves", testing::AllOf(HasSubstr("win"), HasSubstr("d1")));
}

TEST_F(Solve, SpeaksJson) {
  const Ran ran = run("solve '..../2F.A/E9../.8B3 -' --moves --json");
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["position"], "..../2F.A/E9../.8B3 -");
  EXPECT_EQ(json["phase"], "give");
  EXPECT_EQ(json["moves"].size(), 8U);
  int best = -1;
  for (const auto& [move, value] : json["moves"].items()) best = std::max(best, value.get<int>());
  // In the order in which people read them, the best moves first.
  EXPECT_THAT(ran.out, testing::StartsWith("{\"position\":"));
  int last = 1;
  for (const auto& [move, value] : nlohmann::ordered_json::parse(ran.out)["moves"].items()) {
    EXPECT_LE(value.get<int>(), last) << move;
    last = value.get<int>();
  }
  EXPECT_EQ(json["value"], best) << "after a give it is the other player's turn, and values are the giver's";
}

TEST_F(Solve, SaysInHowManyPlacementsAMoveEnds) {
  says("solve '135./..../..../.... 7' --moves",
       testing::AllOf(HasSubstr("value  win in 1\n"), HasSubstr("d1     win in 1\n")));
  const Ran ran = run("solve '135./284./6..A/.C.. 7' --moves --json");
  const auto json = nlohmann::ordered_json::parse(ran.out);
  EXPECT_EQ(json["placements"]["d1"], 1);
  EXPECT_EQ(json["ends_in"], 1);
  int last = 0;
  for (const auto& [move, placements] : json["placements"].items()) {
    const int value = json["moves"][move];
    EXPECT_EQ(placements.is_null(), value == 0) << move;
    if (value != 1) break;
    EXPECT_GE(placements.get<int>(), last) << "the shortest win first";
    last = placements;
  }
}

// Whether the process has a handler of this signal.
bool catches(pid_t pid, int signal) {
  std::error_code gone;
  const std::string file = "/proc/" + std::to_string(pid) + "/status";
  if (!std::filesystem::exists(file, gone)) return false;
  const std::string text = read_file(file);
  const auto at = text.find("SigCgt:");
  return at != std::string::npos && (std::stoull(text.substr(at + 7), nullptr, 16) >> (signal - 1) & 1) != 0;
}

TEST_F(Solve, WhatIsKnownIsPrintedWhenItIsInterrupted) {
  // By search alone the empty board takes hours.
  Process process({"solve", "..../..../..../.... 0", "--moves", "--book", "none"}, path("log"));
  ASSERT_TRUE(eventually([&] { return catches(process.pid(), SIGINT); }));
  process.signal(SIGINT);
  EXPECT_EQ(process.wait_for_end(), 1);
  EXPECT_THAT(read_file(path("log")), AllOf(HasSubstr("value  not solved\n"), HasSubstr("a1     not solved\n"),
                                            HasSubstr("stopped: what had not been found is missing above")));
}

TEST_F(Solve, AgreesWithASuite) {
  std::string lines;
  std::istringstream in(read_file(std::string(kSuites) + "deep.tsv"));
  for (std::string line; std::getline(in, line) && lines.size() < 20000;) lines += line + "\n";
  write_file_atomic(path("some.tsv"), lines);
  says("solve --suite " + path("some.tsv"), testing::ContainsRegex("[0-9]+ positions, [0-9]+ moves, 0 wrong"));
}

TEST_F(Solve, OneWrongValueFailsTheSuite) {
  // The first position of decisive.tsv with the value of one move changed from a draw to a loss.
  std::istringstream in(read_file(std::string(kSuites) + "decisive.tsv"));
  std::string line;
  std::getline(in, line);
  const auto at = line.find(":0", line.find('\t', line.find('\t') + 1));
  ASSERT_NE(at, std::string::npos);
  write_file_atomic(path("wrong.tsv"), line.substr(0, at) + ":-1" + line.substr(at + 2) + "\n");
  const Ran ran = run("solve --suite " + path("wrong.tsv"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("1 positions, "));
  EXPECT_THAT(ran.out, HasSubstr(", 1 wrong"));
}

TEST_F(Solve, WrongValuesNameTheRulesThatTheyBelongTo) {
  // Every tenth position: early and late ones. What a slow machine leaves unsolved in so short a time changes nothing.
  std::istringstream in(read_file(std::string(kSuites) + "squares/decisive.tsv"));
  std::string lines, line;
  for (int n = 0; std::getline(in, line); ++n) {
    if (n % 10 == 0) lines += line + "\n";
  }
  write_file_atomic(path("squares.tsv"), lines);
  for (const char* limit : {"0.5", "0.001"}) {
    fails(1, "solve --time-limit " + std::string(limit) + " --suite " + path("squares.tsv"),
          HasSubstr("they are those by 'squares'"));
  }
}

TEST_F(Solve, ATimeLimitGivesNotSolvedAndNeverAGuess) {
  const Ran ran = run("solve '..../..../..../.... -' --book none --time-limit 0.05");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out + ran.err, HasSubstr("not solved"));
}

TEST_F(Solve, MistakesAreNamed) {
  EXPECT_THAT(run("solve '..../..../..../...G -'").err, HasSubstr("character 19: found 'G'"));
  EXPECT_EQ(run("solve '..../..../..../...G -'").status, 1);
  EXPECT_THAT(run("solve '..../A../..../.... -'").err, HasSubstr("row 2 has 3 of its 4 squares\n"
                                                                 "  ..../A../..../.... -\n"
                                                                 "          ^\n"));
  EXPECT_EQ(run("solve").status, 2);
  for (const char* number : {"nan", "-nan", "NaN", "-1", "inf", "1e99"}) {
    EXPECT_EQ(run("solve '..../..../..../.... -' --time-limit " + std::string(number)).status, 2) << number;
  }
  EXPECT_THAT(run("solve --suite /nonexistent.tsv").err, HasSubstr("nonexistent.tsv"));
}

class Doctor : public CommandTest {};

TEST_F(Doctor, NamesTheLibrariesThatMatter) {
  const Ran ran = run("doctor");
  for (const char* what : {"LibTorch", "BLAS", "CUDA", "cores usable"}) EXPECT_THAT(ran.out, HasSubstr(what));
}

TEST_F(Doctor, ForecastsARun) {
  write_file_atomic(path("tiny.yaml"),
                    "network: {width: 16, blocks: 1}\n"
                    "selfplay: {simulations: 4, threads: 1, games_in_flight: 16}\n"
                    "learner: {threads: 1, batch: 64}\n"
                    "limits: {games: 20, iterations: 1}\n"
                    "device: cpu\n");
  const std::string command = "doctor --seconds 1 --forecast " + path("tiny.yaml");
  says(command, AllOf(HasSubstr("games an hour"), HasSubstr("no curve")));
  write_file_atomic(path("tiny.curve.tsv"),
                    "# made up\ngames\tdecisive\n1000\t81.5\t62\t98\t97\n9000000000\t83\t65\t98\t97\n");
  const Ran with = run(command);
  EXPECT_THAT(with.out, AllOf(HasSubstr("81.5"), HasSubstr("9000000000")));
  write_file_atomic(path("tiny.curve.tsv"), "2000\t81.5\t62\t98\t97\n1000\t83\t65\t98\t97\n");
  fails(1, command, HasSubstr("tiny.curve.tsv:2"));
}

TEST_F(Doctor, AShippedConfigurationHasItsCurveInAnyFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(path(""));
  const Ran ran = run("doctor --seconds 1 --forecast configs/cpu.yaml");
  std::filesystem::current_path(before);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("What a run of it reached"));
}

TEST_F(Doctor, NoTimeIsNoNumber) {
  for (const char* command : {"doctor --forecast configs/cpu.yaml --seconds nan", "bench solver --time-limit nan",
                              "bench selfplay configs/cpu.yaml --seconds nan", "bench mcts --seconds nan"}) {
    fails(2, command, HasSubstr("nan"));
  }
}

class Help : public CommandTest {};

// The names in the list of subcommands that this help has, if it has one.
std::vector<std::string> subcommands(const std::string& help) {
  std::vector<std::string> names;
  const auto list = help.find("\nSubcommands:\n");
  if (list == std::string::npos) return names;
  std::istringstream lines(help.substr(list + 1));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("  ")) names.push_back(line.substr(2, line.find(' ', 2) - 2));
  return names;
}

TEST_F(Help, EveryCommandExplainsItselfWithAnExampleAndTakesASeed) {
  std::vector<std::string> commands = subcommands(run("--help").out);
  ASSERT_GT(commands.size(), 20U);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::string command = commands[i];
    const Ran ran = run(command + " --help");
    EXPECT_EQ(ran.status, 0) << command;
    EXPECT_THAT(ran.out, HasSubstr("\nExample")) << command;
    // Those of one group may have examples together.
    EXPECT_THAT(ran.out, HasSubstr("\n  quartozero " + command.substr(0, command.find(' ')))) << command;
    const std::vector<std::string> parts = subcommands(ran.out);
    for (const std::string& part : parts) commands.push_back(command + " " + part);
    if (parts.empty()) {
      EXPECT_THAT(ran.out, HasSubstr("--seed")) << command;
    }
  }
}

}  // namespace
}  // namespace quarto
