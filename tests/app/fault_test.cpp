// Something goes wrong at a change to a file (tests/support/faults.cpp says what can). Then a command either ends with
// an error that says so or has done its work all the same; what was there before is there, whole; and the same command,
// or the one that resumes, ends with the bytes of a run in which nothing went wrong.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <functional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/json_library.h"
#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr const char* kFaults[] = {"kill", "torn", "power", "power-data", "full", "io"};

// The changes to try: one for each fault, spread over the whole run; QUARTOZERO_FAULTS=N: N of them for each fault,
// 0: all.
std::vector<int> places_to_try(int all, int fault) {
  const char* wanted = ::getenv("QUARTOZERO_FAULTS");
  const int n = wanted ? std::atoi(wanted) : 1;
  std::vector<int> places;
  if (n < 1 || n >= all) {
    for (int i = 1; i <= all; ++i) places.push_back(i);
  } else {
    const int faults = static_cast<int>(std::size(kFaults));
    for (int i = 0; i < n; ++i) places.push_back(1 + (i * faults + fault) * (all - 1) / (n * faults - 1));
  }
  return places;
}

// Whether to try it: QUARTOZERO_FAULT names one, else all are.
bool is_wanted(const std::string& fault) {
  const char* wanted = ::getenv("QUARTOZERO_FAULT");
  return !wanted || fault == wanted;
}

// A wrong name would try nothing, and pass.
TEST(Faults, TheOneThatIsNamedExists) {
  const char* wanted = ::getenv("QUARTOZERO_FAULT");
  if (wanted) {
    EXPECT_THAT(kFaults, testing::Contains(std::string(wanted)));
  }
}

// What a shell says of a program that was ended by SIGKILL, and run() if the shell itself became the program.
const auto kKilled = AnyOf(137, 128);

std::string preload(const std::string& what) {
  // The address sanitizer otherwise refuses to be loaded second.
  return "ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=" QUARTOZERO_FAULTS_LIBRARY " " + what;
}

const std::string kSmall = QUARTOZERO_CHECKPOINTS "/small";

// One command that writes. IN and OUT in its arguments are a directory with what it reads, and where it writes.
struct Work {
  const char* name;
  std::string start, resume;       // `resume` empty: the same command again
  std::vector<std::string> files;  // whose bytes do not depend on what went wrong; after OUT
  std::string before = {};  // of a file OUT that may be there before, and is replaced as a whole: its content then
  bool final_once = false;  // OUT is there when, and only when, the work is done; the command refuses to do it again
  std::vector<std::string> json_files = {};  // the same, and they are JSON and state times
};
void PrintTo(const Work& work, std::ostream* out) { *out << work.name; }

const std::string kRate = "rate random oneply lookahead:2 --games 4 --seed 1 --threads 1 --out OUT";

const Work kWorks[] = {
    {"train",
     "train IN/train.yaml --out OUT --quiet",
     "train IN/train.yaml --out OUT --quiet --resume",
     {"/checkpoint/model.safetensors", "/checkpoint/learner.safetensors", "/best/model.safetensors",
      "/archive/iteration-000004/model.safetensors"}},
    {"distill",
     "distill IN/distill.yaml --labels IN/some.labels --out OUT --quiet --save-every 0",
     "distill IN/distill.yaml --labels IN/some.labels --out OUT --quiet --save-every 0 --resume",
     {"/checkpoint/model.safetensors", "/checkpoint/learner.safetensors", "/best/model.safetensors"}},
    {"label", "label --out OUT --pieces 12-13 --per-stratum 30 --seed 1 --threads 1 --table-mb 16", "", {""}, "", true},
    {"labels",
     "label --out OUT --format shards --keep deep --pieces 11 --per-stratum 10 --seed 1 --threads 1 --table-mb 16",
     "",
     {""},
     "",
     true},
    {"exploit", "exploit endgame:13:uniform@2 --threads 1 --out OUT", "", {"/state.json"}},
    {"rate", kRate, kRate + " --resume", {}, "", false, {""}},
    {"match", "match random oneply --games 4 --seed 1 --threads 1 --out-games OUT", "", {""}, "# A = as before\n"},
    {"export_light", "export " + kSmall + " --light OUT --no-measure --no-check", "", {""}, "QuartoLN as before\n"},
    {"export_c",
     "export " + kSmall + " --c OUT --no-measure --no-check",
     "",
     {""},
     "/* A Quarto player in one header, as before */\n"},
    {"export_folder",
     "export " + kSmall + " --folder OUT --no-measure --no-check",
     "",
     {"/model.safetensors", "/model.light", "/checksums.txt"}},
    {"eval", "eval " + kSmall + " --limit 1 --sims 0 --json OUT", "", {}, "{}\n", false, {""}},
    {"study", "study " + kSmall + " --limit 1 --random 5 --threads 1 --json OUT", "", {}, "{}\n", false, {""}},
    {"analyse", "analyse IN/games.txt --threads 1 --html OUT", "", {""}, "<!doctype html>as before\n"},
    {"manual", "manual --out OUT", "", {"/quartozero.1", "/quartozero-train.1"}},
};

class Fault : public CommandTest, public testing::WithParamInterface<Work> {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    make_directories(dir_ / "in");
    write_file_atomic(path("in/train.yaml"),
                      "device: cpu\n"
                      "network: {width: 16, blocks: 1}\n"
                      "selfplay: {simulations: 4, threads: 1, games_in_flight: 16}\n"
                      "learner: {threads: 1, batch: 64, reuse: 0.5}\n"
                      "replay: {window: 300}\n"
                      "limits: {iterations: 5, games: 8, archive_every: 2}\n"
                      "evaluation: {every: 2, positions: 1, match_games: 4, match_simulations: 4}\n");
    write_file_atomic(path("in/distill.yaml"),
                      "track: distilled\n"
                      "device: cpu\n"
                      "network: {width: 16, blocks: 1}\n"
                      "learner: {threads: 1, batch: 16, policy_loss: any}\n"
                      "limits: {iterations: 3}\n"
                      "evaluation: {every: 0}\n");
    write_file_atomic(path("in/games.txt"), "0 a1 7 b1 1 c2 2 d3 3 a4 F c3 6 b4 5 d1 4 a2\n");
    if (std::string(GetParam().name) == "distill") {
      ASSERT_EQ(run("label --out " + path("in/some.labels") + " --pieces 12-13 --per-stratum 100 --seed 1 --threads 1")
                    .status,
                0);
    }
  }

  std::string command(std::string arguments, const std::string& out) const {
    const auto put = [&arguments](const std::string& word, const std::string& value) {
      for (std::size_t at = 0; (at = arguments.find(word, at)) != std::string::npos; at += value.size()) {
        arguments.replace(at, word.size(), value);
      }
    };
    put("IN/", path("in/"));
    put("OUT", path(out));
    return arguments;
  }

  // What metrics.jsonl says, without what depends on the clock.
  nlohmann::json figures(const std::string& out) const {
    nlohmann::json all = nlohmann::json::array();
    if (!std::filesystem::exists(path(out) + "/metrics.jsonl")) return all;
    std::istringstream lines(read_file(path(out) + "/metrics.jsonl"));
    for (std::string text; std::getline(lines, text);) {
      const nlohmann::json line = nlohmann::json::parse(text);
      nlohmann::json kept;
      for (const char* key : {"iteration", "games", "positions", "step", "loss", "agreement", "match_score"}) {
        if (line.contains(key)) kept[key] = line[key];
      }
      all.push_back(kept);
    }
    return all;
  }

  // The JSON in a file without its times.
  static nlohmann::json timeless(const std::string& file) {
    return nlohmann::json::parse(read_file(file), [](int, nlohmann::json::parse_event_t event, nlohmann::json& value) {
      return event != nlohmann::json::parse_event_t::key || value != "seconds";
    });
  }

  void expect_whole(const std::string& out) const {
    for (const std::string& file : GetParam().files) {
      ASSERT_TRUE(std::filesystem::exists(path(out) + file)) << file;
      EXPECT_EQ(read_file(path(out) + file), read_file(path("straight") + file)) << file;
    }
    for (const std::string& file : GetParam().json_files) {
      ASSERT_TRUE(std::filesystem::exists(path(out) + file)) << file;
      EXPECT_EQ(timeless(path(out) + file), timeless(path("straight") + file)) << file;
    }
    EXPECT_EQ(figures(out), figures("straight"));
  }

  void fails_at(const std::string& fault, int at, int all) {
    const Work& work = GetParam();
    const std::string out = fault + "-" + std::to_string(at);
    make_directories(dir_ / "kept");
    if (!work.before.empty()) write_file_atomic(path(out), work.before);
    const Ran ran = run(command(work.start, out), "",
                        preload("FAULT=" + fault + " FAULT_AT=" + std::to_string(at) + " FAULT_KEEP=" + path("kept")));
    std::filesystem::remove_all(dir_ / "kept");
    // In the last third something has been flushed.
    if (!work.resume.empty() && 3 * at > 2 * all) {
      EXPECT_TRUE(std::filesystem::exists(path(out))) << "all is lost";
    }
    const bool goes_on = fault == "full" || fault == "io";
    if (!goes_on) {
      ASSERT_THAT(ran.status, kKilled) << ran.err;
    } else if (ran.status == 0) {
      expect_whole(out);
    } else {
      EXPECT_THAT(ran.status, 1) << ran.err;
      EXPECT_THAT(ran.err, HasSubstr("quartozero: error: "));
      EXPECT_THAT(ran.err, HasSubstr(fault == "full" ? "No space left on device" : "Input/output error"));
    }
    if (!work.before.empty()) {
      ASSERT_TRUE(std::filesystem::exists(path(out))) << "what was there before is gone";
      if (read_file(path(out)) != work.before) expect_whole(out);
    }
    const bool done = work.final_once && std::filesystem::exists(path(out));
    if (!done) {
      const Ran again = run(command(work.resume.empty() ? work.start : work.resume, out));
      ASSERT_EQ(again.status, 0) << again.err;
    }
    expect_whole(out);
    std::filesystem::remove_all(path(out));
    if (work.before.empty() && !done) {
      for (const auto& entry : std::filesystem::directory_iterator(dir_)) {
        EXPECT_FALSE(entry.path().filename().string().starts_with(out + ".")) << "left behind: " << entry.path();
      }
    }
  }
};

TEST_P(Fault, LosesNothing) {
  if (!GetParam().before.empty()) write_file_atomic(path("straight"), GetParam().before);
  const Ran straight = run(command(GetParam().start, "straight"), "", preload("FAULT_COUNT=" + path("count")));
  ASSERT_EQ(straight.status, 0) << straight.err;
  const int all = std::stoi(read_file(path("count")));
  ASSERT_GE(all, 4) << "the library counts nothing";
  RecordProperty("changes", all);
  for (int f = 0; f < static_cast<int>(std::size(kFaults)); ++f) {
    if (!is_wanted(kFaults[f])) continue;
    for (const int at : places_to_try(all, f)) {
      SCOPED_TRACE(testing::Message() << kFaults[f] << " at change " << at << " of " << all);
      fails_at(kFaults[f], at, all);
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Fault, testing::ValuesIn(kWorks), [](const auto& about) { return about.param.name; });

}  // namespace
}  // namespace quarto
