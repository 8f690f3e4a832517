// Killed just before a change to a file (tests/support/kill_at.cpp says which), and resumed, a run ends with the bytes
// of one that was not killed.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/run_quartozero.h"

namespace quarto {
namespace {

// QUARTOZERO_KILLS=N, from 2 on, tries N places instead of the few that a busy machine has time for; 0: all of them.
std::vector<int> places_to_try(int all) {
  const char* wanted = ::getenv("QUARTOZERO_KILLS");
  const int n = wanted ? std::atoi(wanted) : 6;
  std::vector<int> places;
  if (n <= 1 || n >= all) {
    for (int i = 1; i <= all; ++i) places.push_back(i);
  } else {
    for (int i = 0; i < n; ++i) places.push_back(1 + i * (all - 1) / (n - 1));
  }
  return places;
}

// What a shell says of a program that was ended by SIGKILL, and run() if the shell itself became the program.
const auto kKilled = testing::AnyOf(137, 128);

class Kill : public CommandTest {
 protected:
  static std::string preload(const std::string& what) {
    // The address sanitizer otherwise refuses to be loaded second.
    return "ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=" QUARTOZERO_KILL_AT " " + what;
  }

  // What metrics.jsonl says, without what depends on the clock.
  nlohmann::json figures(const std::string& out) const {
    nlohmann::json all = nlohmann::json::array();
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

  // `command(out)` starts a run, and with " --resume" goes on with it.
  template <class Command>
  void every_end_is_the_same(const Command& command, const std::vector<std::string>& files) {
    ASSERT_EQ(run(command("straight"), "", preload("KILL_COUNT=" + path("count"))).status, 0);
    const int all = std::stoi(read_file(path("count")));
    ASSERT_GT(all, 40) << "the library counts nothing";
    for (const int at : places_to_try(all)) {
      const std::string out = "killed-" + std::to_string(at);
      const Ran killed = run(command(out), "", preload("KILL_AT=" + std::to_string(at)));
      ASSERT_THAT(killed.status, kKilled) << "place " << at << " of " << all << ": " << killed.err;
      const Ran again = run(command(out) + " --resume");
      ASSERT_EQ(again.status, 0) << "place " << at << " of " << all << ": " << again.err;
      for (const std::string& file : files) {
        ASSERT_EQ(read_file(path(out) + file), read_file(path("straight") + file))
            << file << ", killed at place " << at << " of " << all;
      }
      ASSERT_EQ(figures(out), figures("straight")) << "killed at place " << at << " of " << all;
      std::filesystem::remove_all(path(out));
    }
  }
};

TEST_F(Kill, OfDistill) {
  ASSERT_EQ(run("label --out " + path("some.labels") + " --pieces 12-13 --per-stratum 100 --seed 1 --threads 1").status,
            0);
  write_file_atomic(path("distill.yaml"),
                    "track: distilled\n"
                    "device: cpu\n"
                    "network: {width: 16, blocks: 1}\n"
                    "learner: {threads: 1, batch: 16, policy_loss: any}\n"
                    "limits: {iterations: 3}\n"
                    "evaluation: {every: 0}\n");
  every_end_is_the_same(
      [&](const std::string& out) {
        return "distill " + path("distill.yaml") + " --labels " + path("some.labels") + " --out " + path(out) +
               " --quiet --save-every 0";
      },
      {"/checkpoint/model.safetensors", "/checkpoint/learner.safetensors", "/best/model.safetensors"});
}

TEST_F(Kill, OfTrain) {
  write_file_atomic(path("tiny.yaml"),
                    "device: cpu\n"
                    "network: {width: 16, blocks: 1}\n"
                    "selfplay: {simulations: 4, threads: 1, games_in_flight: 16}\n"
                    "learner: {threads: 1, batch: 64, reuse: 0.5}\n"
                    "replay: {window: 300}\n"
                    "limits: {iterations: 5, games: 8, archive_every: 2}\n"
                    "evaluation: {every: 2, positions: 1, match_games: 4, match_simulations: 4}\n");
  every_end_is_the_same(
      [&](const std::string& out) { return "train " + path("tiny.yaml") + " --out " + path(out) + " --quiet"; },
      {"/checkpoint/model.safetensors", "/checkpoint/learner.safetensors", "/best/model.safetensors",
       "/archive/iteration-000004/model.safetensors"});
}

}  // namespace
}  // namespace quarto
