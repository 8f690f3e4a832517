// The protocol as docs/engine.md tells it, against the program itself: what another program may rely on.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/file.h"
#include "base/random.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "play/choose.h"
#include "solver/solver.h"
#include "tests/play/some_network.h"
#include "tests/support/as_others_write.h"
#include "tests/support/talk.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

class Protocol : public testing::Test {
 protected:
  static std::string written(const TemporaryDirectory& dir) {
    write_file_atomic(dir / "some.light", some_network_file());
    return (dir / "some.light").string();
  }
  // After everything said so far has been dealt with: what came meanwhile.
  std::vector<std::string> answers() {
    engine.say("isready");
    std::vector<std::string> lines = engine.until("readyok");
    lines.pop_back();
    return lines;
  }
  std::vector<std::string> answer_to(const std::string& line) {
    engine.say(line);
    return answers();
  }
  std::string best_move(const std::string& go) {
    engine.say(go);
    const std::string last = engine.until("bestmove ").back();
    return last.substr(last.find(' ') + 1);
  }

  TemporaryDirectory dir;
  std::string network = written(dir);
  Talk engine{{QUARTOZERO_ENGINE, network}};
};

TEST_F(Protocol, IntroducesItself) {
  engine.say("uqi");
  const auto lines = engine.until("uqiok");
  EXPECT_THAT(lines, Contains(StartsWith("id name quartozero ")));
  EXPECT_THAT(lines, Contains("id protocol uqi 1"));
  EXPECT_THAT(lines, Contains("option name Network type string default " + network));
  EXPECT_THAT(lines, Contains("option name Rules type combo default lines var lines var squares"));
  EXPECT_THAT(lines, Contains("option name Simulations type spin default 128 min 0 max 1000000"));
  EXPECT_THAT(lines, Contains("option name ExactSquares type spin default 0 min 0 max 16"));
  EXPECT_THAT(lines, Contains("option name Sharp type check default false"));
  EXPECT_THAT(lines, Contains(StartsWith("option name Table type spin default 64 min 1 max ")));
}

TEST_F(Protocol, LinesAreReadHoweverAProgramWritesThem) {
  for (const std::string& text : as_others_write("isready\nposition start moves 0 a1\ngo sims 1\n")) {
    Talk own({QUARTOZERO_ENGINE, network});
    own.send(text);
    own.close_input();
    for (const std::string& line : own.until("bestmove ")) EXPECT_THAT(line, Not(StartsWith("error")));
  }
}

TEST_F(Protocol, SaysWhatItThinks) {
  engine.say("position board ..../2F.A/E9../.8B3 - moves C");
  engine.say("go sims 40");
  const auto lines = engine.until("bestmove ");
  const Position p = parse_position("..../2F.A/E9../.8B3 C");
  int moves = 0;
  for (const std::string& line : lines) moves += line.starts_with("info move ");
  EXPECT_EQ(moves, std::popcount(p.legal_moves()));
  EXPECT_THAT(lines, Contains(MatchesRegex("info move [a-d][1-4] prior 0\\.[0-9]+ visits [0-9]+ value -?[0-9.]+.*")));
  ASSERT_GE(lines.size(), 2U);
  EXPECT_THAT(lines[lines.size() - 2],
              MatchesRegex("info sims [0-9]+ time [0-9]+ sps [0-9]+ value -?[0-9.]+ wdl [0-9]+ [0-9]+ [0-9]+.* pv .*"));
  EXPECT_THAT(lines.back(), MatchesRegex("bestmove [a-d][1-4]"));
}

TEST_F(Protocol, PlaysWholeGamesFromTheStartOfEach) {
  for (const char* go :
       {"go simulations 8", "go sims 8", "go sims 0", "go movetime 5", "go clock 60", "go clock 60 inc 1", "go"}) {
    engine.say("newgame");
    Position p;
    std::string moves;
    while (!p.is_terminal()) {
      engine.say("position start" + (moves.empty() ? "" : " moves" + moves));
      const std::string text = best_move(go);
      const Move move = parse_move(text, p.phase());
      ASSERT_TRUE(p.is_legal(move)) << to_string(p) << " " << text;
      p.play(move);
      moves += " " + text;
    }
    engine.say("position start moves" + moves);
    EXPECT_EQ(best_move(go), "none");
  }
}

TEST_F(Protocol, ExactValuesAreTheSolvers) {
  Solver solver({.table_bytes = 1 << 20});
  int seen = 0;
  for (const Position& p : unfinished_positions(60, Rules::lines, 4)) {
    if (p.pieces_on_board() < 8) continue;
    const MoveSolution exact = solver.solve_moves(p);
    engine.say("position board " + to_string(p));
    engine.say("go exact");
    const auto lines = engine.until("bestmove ");
    std::istringstream said(lines.at(lines.size() - 2));
    std::string word;
    said >> word >> word >> word;
    EXPECT_EQ(word, to_string(exact.value.value())) << to_string(p);
    while (said >> word && word != "moves") {
    }
    while (said >> word) {
      const auto colon = word.find(':');
      const Move m = parse_move(word.substr(0, colon), p.phase());
      EXPECT_EQ(word.substr(colon + 1), to_string(exact.values[m.index].value())) << to_string(p);
      ++seen;
    }
    const Move best = parse_move(lines.back().substr(9), p.phase());
    EXPECT_EQ(exact.values[best.index], exact.value) << to_string(p);
  }
  EXPECT_GT(seen, 60);
}

TEST_F(Protocol, PlacementsAreTheSolvers) {
  Solver solver({.table_bytes = 1 << 20});
  int seen = 0;
  for (const Position& p : unfinished_positions(60, Rules::lines, 4)) {
    if (p.pieces_on_board() < 8) continue;
    const auto [solution, distances] = solve_with_distances(solver, p);
    std::string expected = "info placements";
    if (distances.best) expected += fmt::format(" best {}", *distances.best);
    expected += " moves";
    for (const Move m : p.moves()) {
      if (distances.placements[m.index])
        expected += fmt::format(" {}:{}", to_string(m), *distances.placements[m.index]);
    }
    engine.say("position board " + to_string(p));
    engine.say("go exact placements");
    EXPECT_THAT(engine.until("bestmove "), Contains(expected)) << to_string(p);
    seen += distances.best.has_value();
  }
  EXPECT_GT(seen, 10);
  EXPECT_THAT(answer_to("go placements"), Contains(HasSubstr("error go: placements goes with exact")));
}

TEST_F(Protocol, SharpPlayIsAnOption) {
  SharedSolver solver({.table_bytes = 1 << 20});
  UniformEvaluator uniform;
  int different = 0;
  engine.say("setoption name ExactSquares value 8");
  for (const Position& p : unfinished_positions(100, Rules::lines, 5)) {
    if (std::popcount(p.empty()) > 8) continue;
    engine.say("position board " + to_string(p));
    engine.say("setoption name Sharp value false");
    const std::string plain = best_move("go");
    engine.say("setoption name Sharp value true");
    const std::string sharp = best_move("go");
    EXPECT_EQ(sharp, to_string(choose(uniform, &solver, p, {.exact_squares = 8, .sharp = true}).move)) << to_string(p);
    different += sharp != plain;
  }
  EXPECT_GT(different, 0);
  EXPECT_THAT(answer_to("setoption name Sharp value yes"), Contains(HasSubstr("'yes' is neither true nor false")));
}

// The first ply after the book of the rules `squares`: a tenth of a second of work at least.
constexpr const char* kSlow = "position board .97./..../1..D/.... F";

TEST_F(Protocol, AnExactAnswerThatTakesTooLongIsReplacedByTheSearchs) {
  engine.say("setoption name Network value none");
  engine.say("setoption name Rules value squares");
  engine.say(kSlow);
  engine.say("go exact movetime 1");
  const auto lines = engine.until("bestmove ");
  EXPECT_THAT(lines, Contains(StartsWith("info exact unknown")));
  EXPECT_THAT(lines, Contains(HasSubstr("not solved within the limits")));
  EXPECT_THAT(lines.back(), MatchesRegex("bestmove [a-d][1-4]"));
}

// The solver goes by the rules that are set.
TEST_F(Protocol, ExactAnswersFollowAChangeOfRules) {
  engine.say("setoption name Network value none");
  for (const auto& [rules, value] : {std::pair("squares", "win"), std::pair("lines", "draw")}) {
    engine.say(fmt::format("setoption name Rules value {}", rules));
    engine.say("position board 01../2.../..../.... 3");  // 3 completes the 2x2 square
    engine.say("go exact movetime 60000");
    EXPECT_THAT(engine.until("bestmove "), Contains(StartsWith(fmt::format("info exact {}", value))));
  }
}

// On a busy machine the search may end before the next command is read. Then it begins anew, with an empty table.
TEST_F(Protocol, AnExactSearchWithoutATimeIsStoppedLikeAnEndlessOne) {
  engine.say("setoption name Network value none");
  engine.say("setoption name Rules value squares");
  std::vector<std::string> lines;
  const auto some = [&](const std::string& text) {
    return std::any_of(lines.begin(), lines.end(), [&](const auto& l) { return l.find(text) != std::string::npos; });
  };
  for (int attempt = 0; attempt < 50 && !some("error 'position' has to wait"); ++attempt) {
    engine.say("newgame");
    engine.say(kSlow);
    engine.send("go exact\nposition start\n");
    lines = answers();
  }
  ASSERT_TRUE(some("error 'position' has to wait"));
  engine.say("stop");
  if (!some("bestmove ")) lines = engine.until("bestmove ");
  EXPECT_THAT(lines, Contains(MatchesRegex("bestmove [a-d][1-4]")));
}

// So that a script may be piped in.
TEST_F(Protocol, WhatComesDuringASearchWithAnEndWaitsForIt) {
  engine.send(
      "position start\ngo sims 30\nposition start moves 3\ngo sims 30\nposition start moves 3 a1\ngo sims 30\n");
  EXPECT_THAT(engine.until("bestmove ").back(), MatchesRegex("bestmove [0-9A-F]"));
  EXPECT_THAT(engine.until("bestmove ").back(), MatchesRegex("bestmove [a-d][1-4]"));
  EXPECT_THAT(engine.until("bestmove ").back(), MatchesRegex("bestmove [0-9A-F]"));
}

TEST_F(Protocol, AnEndlessSearchEndsWhenTold) {
  engine.say("go infinite");
  EXPECT_THAT(answer_to("position start"), Contains(HasSubstr("error 'position' has to wait")));
  EXPECT_THAT(answer_to("go sims 1"), Contains(HasSubstr("error 'go' has to wait")));
  EXPECT_THAT(answer_to("setoption name Table value 3"), Contains(HasSubstr("error 'setoption' has to wait")));
  engine.say("stop");
  EXPECT_THAT(engine.until("bestmove ").back(), MatchesRegex("bestmove [0-9A-F]"));
  for (const char* line : {"position start", "stop"}) EXPECT_THAT(answer_to(line), testing::IsEmpty());
}

TEST_F(Protocol, AnEndlessSearchWaitsToBeToldAlsoWhenAllIsProven) {
  // A win in hand: there is nothing to search.
  engine.say("position board 012./..../..../.... 3");
  engine.say("go infinite");
  for (int i = 0; i < 20; ++i) {
    for (const std::string& line : answers()) EXPECT_THAT(line, testing::Not(StartsWith("bestmove")));
  }
  engine.say("stop");
  EXPECT_EQ(engine.until("bestmove ").back(), "bestmove d1");
}

// The last line needs no end of its own.
TEST_F(Protocol, TheEndOfTheInputFinishesWhatHasAnEnd) {
  engine.send("position start moves 3\ngo sims 20");
  engine.close_input();
  EXPECT_THAT(engine.until("bestmove ").back(), MatchesRegex("bestmove [a-d][1-4]"));
  EXPECT_EQ(engine.line(), std::nullopt);
  EXPECT_EQ(engine.end(), 0);
}

TEST_F(Protocol, ExactPlayMayHaveALimit) {
  engine.say("position board 6CA3/4.58/2B1D/.EF7 9");
  for (const char* go :
       {"go exact", "go exact movetime 60000", "go exact clock 60000", "go clock 5 clock 60000 inc 10 exact"})
    EXPECT_THAT(best_move(go), testing::AnyOf("b2", "a4")) << go;
}

TEST_F(Protocol, TheEndOfTheInputStopsWhatHasNone) {
  engine.say("go infinite");
  engine.close_input();
  EXPECT_THAT(engine.until("bestmove ").back(), StartsWith("bestmove "));
  EXPECT_EQ(engine.end(), 0);
}

TEST_F(Protocol, QuitEndsItEvenInASearch) {
  engine.say("go infinite");
  engine.say("quit");
  EXPECT_EQ(engine.end(), 0);
}

TEST_F(Protocol, WithOneThreadTheSameQuestionGetsTheSameAnswer) {
  engine.say("position start moves 5 c3 9 d4 2 a1");
  const auto think = [&] {
    engine.say("go sims 100");
    auto lines = engine.until("bestmove ");
    std::erase_if(lines, [](const std::string& line) { return line.starts_with("info sims"); });  // has the time in it
    return lines;
  };
  const auto first = think();
  EXPECT_EQ(think(), first);
}

TEST_F(Protocol, OtherRulesNeedAnotherNetwork) {
  EXPECT_THAT(answer_to("setoption name Rules value squares"), Contains(HasSubstr("trained for 'lines'")));
  EXPECT_THAT(answer_to("setoption name Network value none"), testing::IsEmpty());
  EXPECT_THAT(answer_to("setoption name Rules value squares"), testing::IsEmpty());
  EXPECT_THAT(answer_to("show"), Contains(HasSubstr("rules squares")));
  engine.say("position board 01../.2../..../.... 4");
  EXPECT_THAT(best_move("go sims 20"), MatchesRegex("[a-d][1-4]"));
}

TEST_F(Protocol, TheShippedNetworkGivesWayToThatOfOtherRules) {
  Talk shipped{{QUARTOZERO_ENGINE}};
  const auto answer = [&](const std::string& command) {
    shipped.say(command);
    shipped.say("isready");
    return shipped.until("readyok");
  };
  for (const std::string rules : {"squares", "lines", "squares"}) {
    EXPECT_EQ(answer("setoption name Rules value " + rules).size(), 1U) << "readyok alone";
    EXPECT_THAT(answer("show"), Contains(HasSubstr("rules " + rules)));
    shipped.say("uqi");
    EXPECT_THAT(shipped.until("uqiok"),
                Contains(HasSubstr(rules == "squares" ? "squares/model.light" : "zero/model.light")));
    shipped.say("position board 01../.2../..../.... 4");
    shipped.say("go sims 20");
    EXPECT_THAT(shipped.until("bestmove ").back(), MatchesRegex("bestmove [a-d][1-4]"));
  }
}

// As the loader finds it, so does the change of rules, wherever the program was started.
TEST_F(Protocol, TheShippedNetworkMayBeNamedFromAnywhere) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  Talk shipped{{QUARTOZERO_ENGINE, "checkpoints/zero"}};
  std::filesystem::current_path(before);
  shipped.say("setoption name Rules value squares");
  shipped.say("isready");
  EXPECT_EQ(shipped.until("readyok").size(), 1U) << "readyok alone";
}

TEST_F(Protocol, PlaysWithoutABookThatCannotBeRead) {
  const auto copy = dir / "quartozero-engine";
  std::filesystem::copy_file(QUARTOZERO_ENGINE, copy);
  make_directories(dir / "solver" / "books");
  std::filesystem::copy_file(QUARTOZERO_SOURCE_DIR "/solver/books/lines.book", dir / "solver" / "books" / "lines.book");
  write_file_atomic(dir / "solver" / "books" / "squares.book", "not a book");
  Talk other{{copy.string(), network}};
  other.say("isready");
  EXPECT_THAT(other.until("readyok"),
              testing::ElementsAre(testing::AllOf(StartsWith("info string no opening book for 'squares': "),
                                                  HasSubstr("squares.book: not an opening book")),
                                   "readyok"));
  for (const char* go : {"go sims 5", "go exact"}) {
    other.say("position start moves 0 a1");
    other.say(go);
    const auto lines = other.until("bestmove ");
    EXPECT_THAT(lines, testing::Not(Contains(StartsWith("error"))));
    EXPECT_THAT(lines.back(), MatchesRegex("bestmove [0-9A-F]"));
  }
}

TEST_F(Protocol, ANetworkThatIsNamedAgainIsReadAgain) {
  const std::string before = best_move("go sims 0");
  write_file_atomic(network, "not a network");
  EXPECT_THAT(answer_to("setoption name Network value " + network), Contains(StartsWith("error ")));
  EXPECT_EQ(best_move("go sims 0"), before) << "the old one stays";
  write_file_atomic(network, some_network_file());
  EXPECT_THAT(answer_to("setoption name Network value " + network), testing::IsEmpty());
}

TEST_F(Protocol, ShowsThePosition) {
  engine.say("position start moves 0 a1 7");
  EXPECT_THAT(answer_to("show"),
              Contains(HasSubstr("info position 0.../..../..../.... 7 rules lines state open moves b1")));
  engine.say("position board 1357/..../..../.... -");
  EXPECT_THAT(answer_to("show"), Contains(MatchesRegex(".* state won moves")));
  EXPECT_EQ(best_move("go"), "none");
  Rng rng(1);
  Position full;
  do {
    full = Position();
    while (!full.is_terminal()) full.play(random_move(full, rng));
  } while (full.is_won());
  engine.say("position board " + to_string(full));
  EXPECT_THAT(answer_to("show"), Contains(MatchesRegex(".* state drawn moves")));
  EXPECT_EQ(best_move("go"), "none");
}

// It has room for the largest table or it has not: either way it is ready afterwards.
TEST_F(Protocol, ATableWithoutRoomIsRefusedAtOnce) {
  const auto lines = answer_to("setoption name Table value 65536");
  engine.say("uqi");
  const auto options = engine.until("uqiok");
  if (lines.empty()) {
    EXPECT_THAT(options, Contains(StartsWith("option name Table type spin default 65536 ")));
  } else {
    EXPECT_THAT(lines[0], testing::AllOf(StartsWith("error "), HasSubstr("does not fit")));
    EXPECT_THAT(options, Contains(StartsWith("option name Table type spin default 64 ")));
  }
  engine.say("isready");
  EXPECT_EQ(engine.until("readyok").size(), 1U);
  engine.say("position board ..../2F.A/E9../.8B3 -");
  EXPECT_NE(best_move("go exact"), "none");
}

TEST_F(Protocol, OptionsKeepTheirValues) {
  for (const std::string option : {"Simulations 77", "ProofNodes 5", "ExactSquares 9", "Table 3"}) {
    const std::string name = option.substr(0, option.find(' ')), value = option.substr(name.size() + 1);
    EXPECT_THAT(answer_to("setoption name " + name + " value " + value), testing::IsEmpty());
    engine.say("uqi");
    EXPECT_THAT(engine.until("uqiok"),
                Contains(StartsWith("option name " + name + " type spin default " + value + " ")));
  }
  EXPECT_THAT(answer_to("setoption name Network"), testing::IsEmpty()) << "without a value: none";
  engine.say("uqi");
  EXPECT_THAT(engine.until("uqiok"), Contains("option name Network type string default none"));
}

// Each is answered with an error that says what was wrong; and the position and the options are what they were.
TEST_F(Protocol, WhatIsWrongIsSaidAndChangesNothing) {
  engine.say("position start moves 0 a1 7");
  const auto before = answer_to("show");
  for (const auto& [line, says] : std::vector<std::pair<std::string, std::string>>{
           {"hello", "unknown command 'hello'"},
           {"positoin start", "did you mean 'position'"},
           {"position", "expected: position"},
           {"position middle", "not 'middle'"},
           {"position board", "expected the board"},
           {"position board ..../..../....  -", "error"},
           {"position board ..../..../..../.... 10", "error"},
           {"position board 00../..../..../.... -", "error"},
           {"position start move 0", "expected moves"},
           {"position start moves 0 a1 0", "move 3, '0': not legal"},
           {"position start moves a1", "move 1, 'a1': "},
           {"position start moves 0 e5", "move 2, 'e5': "},
           {"position board 0123/..../..../.... - moves 4", "the game is over"},
           {"go sims", "a number is missing"},
           {"go sims -1", "whole number from 0"},
           {"go sims 99999999999", "whole number from 0"},
           {"go sims 1e3", "whole number"},
           {"go movetime 0", "whole number from 1"},
           {"go inc 5", "after clock"},
           {"go clock 0", "whole number from 1"},
           {"go clock", "a number is missing"},
           {"go fast", "not 'fast'"},
           {"go infinite sims 3", "no other limit"},
           {"setoption", "expected: setoption"},
           {"setoption name", "expected: setoption"},
           {"setoption name Simulation value 3", "did you mean 'Simulations'"},
           {"setoption name Simulations value many", "whole number"},
           {"setoption name Simulations", "whole number"},
           {"setoption name Table value 0", "whole number from 1"},
           {"setoption name Rules value circles", "circles"},
           {"setoption name Network value /nowhere/at.all", "/nowhere/at.all"},
           {"setoption name \x1b[31mred value 1", "unknown option '?[31mred'"},
           {"\x01\x02\xff", "unknown command '\?\?\?'"},
           {std::string(5'000'000, 'x'), "error "}}) {
    SCOPED_TRACE(line.substr(0, 80));
    const auto lines = answer_to(line);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_THAT(lines[0], StartsWith("error "));
    EXPECT_THAT(lines[0], HasSubstr(says));
    EXPECT_EQ(answer_to("show"), before);
  }
  EXPECT_THAT(best_move("go sims 3"), MatchesRegex("[a-d][1-4]"));
}

TEST(EngineProgram, WithoutANetworkItSaysSo) {
  Talk engine({QUARTOZERO_ENGINE, "none"});
  EXPECT_THAT(engine.line(), testing::Optional(HasSubstr("no network")));
}

TEST(EngineProgram, ANetworkThatCannotBeReadIsAnError) {
  Talk engine({QUARTOZERO_ENGINE, "/nowhere/at.all"});
  EXPECT_EQ(engine.end(), 1);
  Talk help({QUARTOZERO_ENGINE, "--help"});
  EXPECT_THAT(help.until("usage").back(), HasSubstr("quartozero-engine"));
  EXPECT_EQ(help.end(), 0);
  Talk wrong({QUARTOZERO_ENGINE, "--nonsense"});
  EXPECT_EQ(wrong.end(), 2);
}

// /dev/full takes no byte.
TEST(EngineProgram, OutputThatCannotBeWrittenIsAnError) {
  for (const char* argument : {"--help", "--version", "none < /dev/null"}) {
    const std::string command = std::string("'" QUARTOZERO_ENGINE "' ") + argument + " > /dev/full 2> /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 1 << 8) << argument;
  }
}

}  // namespace
}  // namespace quarto
