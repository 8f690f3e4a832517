// The kinds of jobs whose shares workers elsewhere do: labels, walks, round robins. Only in builds with the store.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/json_library.h"
#include "data/label.h"
#include "eval/exploit.h"
#include "eval/round_robin.h"
#include "store/coordinator.h"
#include "store/share_work.h"

namespace quarto {

struct Job {
  std::string kind;
  nlohmann::json settings;  // all that its shares depend on, besides the kit
  // What tells it from other jobs that write the same; null: the settings.
  nlohmann::json identity{};
  store::Kit kit{};
  // The answer to shares that every build must do alike; "": a worker's (JobWorker::probe()).
  std::string probe{};
  // What is wrong with a result is thrown.
  std::function<void(const std::string& input, const std::string& result)> check{};
};

Job label_job(const LabelJob& job);
// The walk of this player, with these changes of its search. Of one whose moves depend on what is computed together,
// workers have as many threads.
Job exploit_job(const std::string& player, const std::vector<std::string>& search, std::uint64_t seed,
                bool depends_on_batch, const ExploitOptions& options);
// What has been played is not part of it. With `kept` the round robin may go on with more players, other networks in
// their files, and other threads. Throws PlayerError for a player that cannot travel (player_kit.h).
Job rate_job(const RoundRobin& round_robin, int threads, bool kept);

// What a worker has of its own.
struct WorkerSettings {
  int threads = 1;
  std::size_t table_bytes = PlayerOptions{}.table_bytes;
  NetworkLoader load{};
};

// Does the shares of a job of one kind, and knows the answer to the job's probe.
class JobWorker : public store::ShareWorker {
 public:
  virtual std::string probe() = 0;
};
// Throws store::WorkerRefused for a kind that this program does not know, and what is wrong with the settings.
std::unique_ptr<JobWorker> make_worker(const std::string& kind, const nlohmann::json& settings, const store::Kit& kit,
                                       const WorkerSettings& own);
// What does the shares of a job from elsewhere. Throws store::WorkerRefused when this program does not know such jobs,
// does not understand this one, or gives another answer to its probe.
std::unique_ptr<store::ShareWorker> make_job_worker(const store::RunCard& card, const store::Kit& kit,
                                                    const WorkerSettings& own);

}  // namespace quarto
