// prove, book, label and bench, as a user runs them.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/json_library.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr const char* kBook = QUARTOZERO_SOURCE_DIR "/solver/books/lines.book";

class Prove : public CommandTest {};

TEST_F(Prove, SaysSoWhenTimeIsUp) {
  const Ran ran = run("prove --time-limit 0.1 --table-mb 16");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("not proved within 0.1 s"));
  EXPECT_EQ(ran.out, "");
}

class BookCommand : public CommandTest {};

TEST_F(BookCommand, TheShippedOneIsCompleteAndAgreesWithTheSolver) {
  const Ran info = run(std::string("book info --json ") + kBook);
  ASSERT_EQ(info.status, 0) << info.err;
  const auto json = nlohmann::json::parse(info.out);
  ASSERT_EQ(json["plies"].size(), 11U);
  EXPECT_EQ(json["plies"][0]["draws"], 1) << "the game is a draw";
  EXPECT_EQ(json["plies"][9]["positions"], 91558);
  const Ran check = run(std::string("book check --sample 3 --table-mb 128 ") + kBook);
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("3 random ones of ply 10 solved, 0 wrong"));
}

TEST_F(BookCommand, TheShippedOneOfTheRulesSquaresToo) {
  const std::string book = QUARTOZERO_SOURCE_DIR "/solver/books/squares.book";
  const auto json = nlohmann::json::parse(run("book info --json " + book).out);
  ASSERT_EQ(json["plies"].size(), 9U);
  EXPECT_EQ(json["plies"][8]["losses"], 3952);
  const Ran check = run("book check --sample 3 --table-mb 128 " + book);
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_THAT(check.out, HasSubstr("3 random ones of ply 8 solved, 0 wrong"));
}

TEST_F(BookCommand, AnswersTheEmptyBoardWithoutASearch) {
  for (const std::string rules : {"lines", "squares"}) {
    const Ran ran = run("solve '..../..../..../.... -' --moves --json --rules " + rules);
    ASSERT_EQ(ran.status, 0) << ran.err;
    const auto json = nlohmann::json::parse(ran.out);
    EXPECT_EQ(json["nodes"], 0);
    EXPECT_EQ(json["moves"].size(), 16U);
    for (const auto& [move, value] : json["moves"].items()) EXPECT_EQ(value, 0) << move;
  }
}

TEST_F(BookCommand, DamagedOrForeignOnesAreNamed) {
  std::string bytes = read_file(kBook);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  write_file_atomic(path("bad.book"), bytes);
  for (const std::string& command :
       {"book info " + path("bad.book"), "solve '..../..../..../.... -' --book " + path("bad.book")}) {
    fails(1, command, HasSubstr("bad.book: the checksum is wrong"));
  }
  EXPECT_THAT(run("book info " QUARTOZERO_SOURCE_DIR "/eval/suites/all.tsv").err, HasSubstr("not an opening book"));
  const Ran other = run(std::string("solve '..../..../..../.... -' --rules squares --book ") + kBook);
  EXPECT_THAT(other.err, HasSubstr("a book for the rules 'lines', not 'squares'"));
}

class Label : public CommandTest {
 protected:
  std::string job(const std::string& out) const {
    return "label --pieces 10-12 --per-stratum 50 --keep deep --seed 4 --table-mb 16 --out " + path(out);
  }
};

TEST_F(Label, MakesSuitesThatTheSolverConfirms) {
  says(job("a.tsv"), ContainsRegex("give 11 +[0-9]+ +[0-9]+ +50 "));
  EXPECT_THAT(run("solve --suite " + path("a.tsv")).out, HasSubstr("300 positions, "));
  EXPECT_EQ(run("solve --suite " + path("a.tsv")).status, 0);
}

TEST_F(Label, TheSameSeedGivesTheSameBytes) {
  ASSERT_EQ(run(job("a.labels") + " --threads 1").status, 0);
  ASSERT_EQ(run(job("b.labels") + " --threads 2").status, 0);
  EXPECT_EQ(read_file(path("a.labels")), read_file(path("b.labels")));
  ASSERT_EQ(run(job("c.labels") + " --exclude " + path("a.labels")).status, 0);
  EXPECT_NE(read_file(path("c.labels")), read_file(path("a.labels")));
}

TEST_F(Label, TakesPositionsFromStandardInput) {
  const Ran ran =
      run("label --from - --out " + path("a.tsv"), "..../2F.A/E9../.8B3 -\n..../2F.A/E9../.8B3 6\tignored\n");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(read_file(path("a.tsv")), ContainsRegex("^\\.\\.\\.\\./2F\\.A/E9\\.\\./\\.8B3 -\t.*\n.* 6\t.*\n$"));
  const Ran bad = run("label --from - --out " + path("b.tsv"), "..../2F.A/E9../.8B3 -\n..../2F.A/E9../.8B3 F\n");
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.err, HasSubstr("standard input:2: column 21"));
  EXPECT_FALSE(fs::exists(path("b.tsv")));
}

// As from <(...) of a shell: what has been read is gone.
TEST_F(Label, TakesPositionsAndSuitesFromAPipe) {
  const std::string pipe = "/dev/fd/3";
  const auto piped = [&](const std::string& text, const std::string& arguments) {
    write_file_atomic(path("sent"), text);
    return run("label --threads 1 " + arguments, "", "cat " + path("sent") + " | 3<&0");
  };
  const std::string positions = "..../2F.A/E9../.8B3 -\n..../2F.A/E9../.8B3 6\n";
  const Ran from = piped(positions, "--from " + pipe + " --out " + path("a.tsv"));
  EXPECT_EQ(from.status, 0) << from.err;
  const std::string suite = read_file(path("a.tsv"));
  EXPECT_EQ(std::count(suite.begin(), suite.end(), '\n'), 2);
  write_file_atomic(path("positions.txt"), positions);
  const Ran excluded = piped(suite.substr(0, suite.find('\n') + 1),
                             "--from " + path("positions.txt") + " --exclude " + pipe + " --out " + path("b.tsv"));
  EXPECT_EQ(excluded.status, 0) << excluded.err;
  EXPECT_EQ(read_file(path("b.tsv")), suite.substr(suite.find('\n') + 1));
  for (const char* binary : {"QuartoLb", "QRSHARD"}) {
    const Ran refused = piped(binary, "--from " + pipe + " --out " + path("c.tsv"));
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.err, HasSubstr("must be named as a file"));
  }
}

TEST_F(Label, TakesPositionsAsSelfPlayReachedThem) {
  ASSERT_EQ(run("train " QUARTOZERO_SOURCE_DIR "/configs/demo.yaml --out " + path("run") +
                " --quiet --seed 1 --set limits.iterations=1 --set limits.games=8 --set selfplay.simulations=4"
                " --set evaluation.every=0 --set network.width=16 --set network.blocks=1 --set selfplay.threads=1")
                .status,
            0);
  const std::string shard = path("run/replay/00000001.qrs");
  const Ran all = run("label --threads 1 --from " + shard + " --out " + path("all.tsv"));
  EXPECT_EQ(all.status, 0) << all.err;
  const std::string text = read_file(path("all.tsv"));
  const auto first = std::count(text.begin(), text.end(), '\n');
  EXPECT_GT(first, 8 * 8) << "eight games";
  EXPECT_THAT(text, HasSubstr("..../..../..../.... -\t0\t")) << "every game begins there";
  for (const char* file : {"some.tsv", "same.tsv"}) {
    const Ran some = run("label --threads 1 --sample 20 --seed 5 --from " + shard + " --out " + path(file));
    EXPECT_EQ(some.status, 0) << some.err;
  }
  const std::string some = read_file(path("some.tsv"));
  EXPECT_EQ(std::count(some.begin(), some.end(), '\n'), 20);
  EXPECT_EQ(read_file(path("same.tsv")), some);
  EXPECT_THAT(run("label --rules squares --from " + shard + " --out " + path("x.tsv")).err,
              HasSubstr("positions under the rules 'lines', not 'squares': --rules lines"));
  EXPECT_EQ(run("label --sample 20 --pieces 9 --out " + path("y.tsv")).status, 2) << "--sample is of --from";
}

TEST_F(Label, MistakesAreNamed) {
  EXPECT_THAT(run("label --out x --pieces 5-").err, HasSubstr("expected a number from 0 to 15, or a range"));
  EXPECT_THAT(run("label --out /nonexistent/x.tsv").err, HasSubstr("/nonexistent"));
  write_file_atomic(path("there.tsv"), "precious");
  EXPECT_THAT(run(job("there.tsv")).err, HasSubstr("there.tsv' is there already"));
  EXPECT_EQ(read_file(path("there.tsv")), "precious");
  write_file_atomic(path("a.tsv.partial"), "something");
  EXPECT_THAT(run(job("a.tsv")).err, HasSubstr("a.tsv.partial: not a label file"));
  EXPECT_EQ(read_file(path("a.tsv.partial")), "something") << "nothing on disk is lost";
}

class Bench : public CommandTest {};

TEST_F(Bench, PrintsARowForEachNumberOfEmptySquares) {
  says("bench solver --empty 8 9 --count 3 --table-mb 16", ContainsRegex("\n +8 +3 .*\n +9 +3 "));
  EXPECT_THAT(run("bench solver --ablation --empty 8 --count 3 --table-mb 16").out, HasSubstr("without ordering"));
  EXPECT_THAT(run("bench solver --rules squares --empty 8 --count 3 --table-mb 16").out, ContainsRegex("\n +8 +3 "));
  EXPECT_EQ(run("bench solver --rules circles").status, 2);
  EXPECT_EQ(run("bench").status, 2);
}

TEST_F(Bench, AWrongArgumentIsAnErrorBeforeTheFirstLine) {
  const std::string small = QUARTOZERO_CHECKPOINTS "/small";
  for (const std::string& arguments : {std::string("model residual paris"), std::string("model residual pairs:16by3"),
                                       "light " + small + " " + path("absent"),
                                       std::string("mcts --search prof_nodes=3"), "prover " + path("absent")}) {
    const Ran ran = run("bench " + arguments);
    EXPECT_EQ(ran.status, 1) << arguments;
    EXPECT_EQ(ran.out, "") << arguments;
    EXPECT_THAT(ran.err, HasSubstr("error")) << arguments;
  }
}

}  // namespace
}  // namespace quarto
