// watch: training runs in the browser, as they go
// Uses: base, env, train, serve.
// Promises: Only reads what runs write, takes no lock, and shows a run that is damaged as damaged. No request reaches a
// file outside the folder: symbolic links below it are not followed.
//
//     runs.h          the runs of a folder: what is there, how far each has come, its metrics
//     run_networks.h  their best weights, to be played against
//     dashboard.h     both as paths of the server, and the page (web/dashboard/)
//     watching.h      a server of that kind beside one run
//
// This header: the runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json_library.h"
#include "base/names.h"

namespace quarto::watch {

enum class RunState {
  running,   // a process of this machine holds the run's lock
  stopped,   // nobody works on it
  finished,  // its checkpoint says that a limit was reached
  damaged,   // a file of it cannot be read: Run::problem
};
constexpr auto names_of(RunState) {
  return std::to_array<Name<RunState>>({{RunState::running, "running"},
                                        {RunState::stopped, "stopped"},
                                        {RunState::finished, "finished"},
                                        {RunState::damaged, "damaged"}});
}

struct Run {
  std::string name;  // its folder, below the watched one: "night", "sweep/batch-64"
  RunState state = RunState::stopped;
  std::string problem{};                        // "" unless damaged
  std::uint64_t metrics_bytes = 0;              // length of metrics.jsonl
  std::int64_t updated = 0;                     // when it was written last, in seconds since 1970; 0: never
  nlohmann::json last{};                        // its last whole line, or null
  bool playable = false;                        // it has best weights
  nlohmann::json agreement{};                   // the newest in the last 64 KiB of the metrics, or null
  std::map<std::string, std::string> config{};  // "learner.batch": "256", every key; empty if it cannot be read
  friend bool operator==(const Run&, const Run&) = default;
};

// A piece of metrics.jsonl.
struct MetricsPiece {
  std::uint64_t from = 0, next = 0;  // in bytes
  std::vector<std::string> lines;    // whole lines that are JSON objects, as they stand in the file
  std::uint64_t damaged = 0;         // lines that are not
  bool more = false;                 // there is more from `next` on
};

// The file of a run's best weights; nullopt: there is none, or its folder is a symbolic link or has something else than
// ordinary files in it.
std::optional<std::filesystem::path> best_weights(const std::filesystem::path& run);

using RunList = std::shared_ptr<const std::vector<Run>>;

// Thread-safe.
class Runs {
 public:
  // A folder with runs in it, at most kMostDepth folders deep, or one run. It may be empty, and need not exist yet.
  explicit Runs(std::filesystem::path folder);
  ~Runs();

  // By name. Looks at the files again if the last look is older than half a second. The same pointer as before, if
  // nothing has changed. Of more than kMostRuns those that were written last.
  RunList list();
  // Lines from byte `from` on. From the start if no line begins there, as in a file that a resumed run has cut since.
  // nullopt: there is no such run.
  std::optional<MetricsPiece> metrics(const std::string& name, std::uint64_t from);
  // nullopt: there is no such run.
  std::optional<std::filesystem::path> folder_of(const std::string& name);

  static constexpr int kMostDepth = 3;
  static constexpr std::size_t kMostRuns = 200, kMostPieceBytes = std::size_t{256} << 10,
                               kMostPassedBytes = std::size_t{16} << 20;

 private:
  struct Known;
  using Clock = std::chrono::steady_clock;
  void look();
  void find_runs();

  const std::filesystem::path folder_;
  std::mutex mutex_;
  std::map<std::string, Known> runs_;
  RunList list_ = std::make_shared<const std::vector<Run>>();
  std::optional<Clock::time_point> looked_, searched_;
};

}  // namespace quarto::watch
