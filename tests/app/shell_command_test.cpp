#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

bool installed(const char* program) {
  return std::system(fmt::format("command -v {} > /dev/null", program).c_str()) == 0;
}

class Completions : public CommandTest {
 protected:
  // What bash offers when the last of these words is being typed.
  std::vector<std::string> offered(const std::string& words) {
    write_file_atomic(path("script"), run("completions bash").out);
    write_file_atomic(path("ask"), "source '" + path("script") + "'\nCOMP_WORDS=(" + words +
                                       ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\ncd '" + dir_.string() +
                                       "'\n_quartozero\nprintf '%s\\n' \"${COMPREPLY[@]}\" | sort > answer\n");
    EXPECT_EQ(std::system(("bash --norc --noprofile '" + path("ask") + "'").c_str()), 0);
    std::vector<std::string> lines;
    std::istringstream answer(read_file(path("answer")));
    for (std::string line; std::getline(answer, line);) {
      if (!line.empty()) lines.push_back(line);
    }
    return lines;
  }
};

TEST_F(Completions, OfBashKnowSubcommandsOptionsAndChoices) {
  EXPECT_THAT(offered("quartozero tr"), ElementsAre("train"));
  EXPECT_THAT(offered("quartozero book b"), ElementsAre("build"));
  EXPECT_THAT(offered("quartozero label --ph"), ElementsAre("--phase"));
  EXPECT_THAT(offered("quartozero label --phase ''"), UnorderedElementsAre("place", "give", "both"));
  EXPECT_THAT(offered("quartozero label --phase place --ke"), ElementsAre("--keep"));
  EXPECT_THAT(offered("quartozero completions ''"), AllOf(Contains("bash"), Contains("zsh"), Contains("fish")));
  EXPECT_THAT(offered("quartozero facts --only ga"), ElementsAre("game"));
  EXPECT_THAT(offered("quartozero facts --only game,bo"), ElementsAre("game,boards"));
  EXPECT_THAT(offered("quartozero facts --only game,rows,"),
              AllOf(Contains("game,rows,early"), Contains("game,rows,five")));
  EXPECT_THAT(offered("quartozero frobnicate"), IsEmpty());
}

TEST_F(Completions, OfBashOfferFilesWhereAFileBelongs) {
  write_file_atomic(path("my run.yaml"), "");
  EXPECT_THAT(offered("quartozero train my"), ElementsAre("my run.yaml"));
  EXPECT_THAT(offered("quartozero label --out my"), ElementsAre("my run.yaml"));
  EXPECT_THAT(offered("quartozero label --per-stratum my"), IsEmpty());
}

TEST_F(Completions, OfZshAndFishAreScripts) {
  for (const std::string shell : {"zsh", "fish"}) {
    const Ran ran = run("completions " + shell);
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("exploit"), HasSubstr("careful quiet any"), HasSubstr("quartozero")));
    write_file_atomic(path(shell), ran.out);
    if (installed(shell.c_str())) {
      EXPECT_EQ(std::system((shell + " -n '" + path(shell) + "'").c_str()), 0) << shell;
    }
  }
  EXPECT_EQ(run("completions tcsh").status, 2);
}

class Output : public CommandTest {};

// /dev/full takes no byte.
TEST_F(Output, ThatCannotBeWrittenIsAnError) {
  for (const char* arguments :
       {"--help", "--version", "rate --help", "completions bash", "solve '0123/..../..../.... -'"}) {
    fails(1, std::string(arguments) + " > /dev/full", HasSubstr("error: "));
    EXPECT_EQ(run(arguments).status, 0) << arguments;
  }
}

// A terminal that is gone, a full disk: what is said beside the result is lost, and the command does its work.
TEST_F(Output, OfErrorsThatCannotBeWrittenIsLost) {
  EXPECT_EQ(run("solve x 2> /dev/full; exit $?").status, 1);
  EXPECT_EQ(run("hepl 2>&-; exit $?").status, 2);
  EXPECT_EQ(run("--foo 2> /dev/full; exit $?").status, 2);
  const std::string match = "match random oneply --games 1 --seed 1";
  EXPECT_THAT(run(match).err, HasSubstr("2 games are played"));
  for (const char* nowhere : {" 2> /dev/full; exit $?", " 2>&-; exit $?"}) {
    says(match + " --json " + path("m.json") + nowhere, HasSubstr("2 games"));
    EXPECT_EQ(read_file(path("m.json")).substr(0, 1), "{");
  }
}

TEST_F(Output, OfHelpIsThatOfTheOption) {
  EXPECT_EQ(run("help").out, run("--help").out);
  EXPECT_EQ(run("help book build").out, run("book build --help").out);
  EXPECT_THAT(run("help match").out, HasSubstr("--games"));
  EXPECT_EQ(run("help help").out, run("--help").out);
  EXPECT_THAT(run("hepl").err, HasSubstr("unknown subcommand 'hepl'; did you mean 'help'?"));
  for (const char* arguments : {"help mach", "mach --help"}) {
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.err, HasSubstr("unknown subcommand 'mach'; did you mean 'match'?"));
  }
  for (const char* arguments : {"help book bild", "book bild --help"}) {
    fails(2, arguments, HasSubstr("unknown subcommand 'bild'; did you mean 'build'?"));
  }
}

class Shipped : public CommandTest {
 protected:
  Ran run_here(const std::string& arguments) { return run(arguments, "", "cd '" + dir_.string() + "' &&"); }
};

TEST_F(Shipped, ConfigurationsAndCheckpointsAreFoundFromAnyFolder) {
  for (const char* player :
       {"light:checkpoints/small/model.light", "net:checkpoints/small", "net:checkpoints/small@2"}) {
    const Ran ran = run_here(std::string("match random ") + player + " --games 2 --threads 1");
    EXPECT_EQ(ran.status, 0) << player << ran.err;
  }
  EXPECT_THAT(run_here("train configs/demo.yaml --set sed=1 --out x").err, HasSubstr("sed"));
  EXPECT_THAT(run_here("train configs/dem.yaml --out x").err, HasSubstr("configs/dem.yaml"));
  EXPECT_THAT(run_here("train configs/../configs/demo.yaml --out x").err, HasSubstr("cannot open"));
}

TEST_F(Shipped, WhatLiesInTheFolderComesFirst) {
  std::filesystem::create_directory(dir_ / "configs");
  write_file_atomic(dir_ / "configs" / "demo.yaml", "sed: 1\n");
  EXPECT_THAT(run_here("train configs/demo.yaml --out x").err, HasSubstr("configs/demo.yaml:1: unknown key 'sed'"));
}

class Manual : public CommandTest {};

TEST_F(Manual, HasAPageForEachCommand) {
  const Ran ran = run("manual --out " + path("man1"));
  ASSERT_EQ(ran.status, 0) << ran.err;
  for (const char* page : {"quartozero.1", "quartozero-train.1", "quartozero-book-build.1", "quartozero-serve.1"}) {
    ASSERT_TRUE(std::filesystem::exists(dir_ / "man1" / page)) << page;
  }
  const std::string page = read_file(path("man1/quartozero-label.1"));
  EXPECT_THAT(page, AllOf(HasSubstr(".TH QUARTOZERO\\-LABEL 1"), HasSubstr("\\fB\\-\\-per\\-stratum\\fR"),
                          HasSubstr(".BR quartozero (1)"), Not(HasSubstr(" --"))));
  if (!installed("groff")) GTEST_SKIP() << "groff is not installed";
  for (const auto& file : std::filesystem::directory_iterator(dir_ / "man1")) {
    const std::string command = "groff -man -ww -z -Tutf8 '" + file.path().string() + "' 2>'" + path("warnings") + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << file.path();
    EXPECT_EQ(read_file(path("warnings")), "") << file.path();
  }
}

// `man quartozero-serve` is about the program of that name: its options, and apart from them what `quartozero serve`
// has more.
TEST_F(Manual, ThePagesOfTheOtherProgramsAreTheirOwn) {
  ASSERT_EQ(run("manual --out " + path("man1")).status, 0);
  const auto options_in = [](std::string text) {
    for (std::size_t at = 0; (at = text.find("\\-", at)) != std::string::npos;) text.erase(at, 1);
    std::set<std::string> found;
    const std::regex option("--[a-z][a-z-]*");
    for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at) found.insert(at->str());
    return found;
  };
  for (const auto& [program, more] : {std::pair{"serve", "--runs"}, std::pair{"engine", "--device"}}) {
    const std::string page = read_file(path(std::string("man1/quartozero-") + program + ".1"));
    const std::size_t begin = page.find(".SH OPTIONS"), apart = page.find(".SH THE SUBCOMMAND"),
                      end = page.find(".SH NOTES");
    ASSERT_LT(begin, apart);
    ASSERT_LT(apart, end);
    const std::string command = std::string("'" QUARTOZERO_BINARY "-") + program + "' --help > '" + path("help") + "'";
    ASSERT_EQ(std::system(command.c_str()), 0);
    EXPECT_EQ(options_in(page.substr(begin, apart - begin)), options_in(read_file(path("help")))) << program;
    EXPECT_THAT(options_in(page.substr(begin, apart - begin)), Not(Contains(more)));
    EXPECT_THAT(options_in(page.substr(apart, end - apart)), Contains(more));
  }
}

TEST_F(Manual, AFolderThatCannotBeMadeIsAnError) {
  write_file_atomic(path("taken"), "");
  fails(1, "manual --out " + path("taken") + "/man1", AllOf(HasSubstr("taken"), Not(HasSubstr("terminate"))));
}

}  // namespace
}  // namespace quarto
