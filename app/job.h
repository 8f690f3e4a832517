// The kinds of jobs whose shares workers do (`quartozero worker`), by name, and what a command needs to give one to
// them. Each kind has a file: label_job.cpp, ...
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/json_library.h"
#include "eval/exploit_share.h"
#include "store/coordinator.h"
#include "store/share_work.h"

namespace quarto::app {

// A job as its command describes it.
struct Job {
  std::string kind;
  nlohmann::json settings;  // all that its shares depend on, besides the kit
  // What tells it from other jobs that write the same; null: the settings.
  nlohmann::json identity{};
  store::Kit kit{};
  // Of shares that every build must do alike (fingerprint_text()).
  std::string probe{};
  // What is wrong with a result is thrown.
  std::function<void(const std::string& input, const std::string& result)> check{};
};

// What a worker has of its own.
struct WorkerSettings {
  int threads = 1;
  std::size_t table_bytes = std::size_t{512} << 20;
};

// Does the shares of a job of one kind, and knows the answer to the job's probe.
class JobWorker : public store::ShareWorker {
 public:
  virtual std::string probe() = 0;
};

// What does the shares of this job here. Throws store::WorkerRefused when this program does not know such jobs, does
// not understand this one, or gives another answer to its probe.
std::unique_ptr<store::ShareWorker> make_job_worker(const store::RunCard& card, const store::Kit& kit,
                                                    const WorkerSettings& settings);

// The kinds.
inline constexpr const char* kLabelJob = "label";
inline constexpr const char* kExploitJob = "exploit";
inline constexpr const char* kRateJob = "rate";
std::unique_ptr<JobWorker> make_label_worker(const nlohmann::json& settings, const WorkerSettings& own);
std::unique_ptr<JobWorker> make_exploit_worker(const nlohmann::json& settings, const store::Kit& kit,
                                               const WorkerSettings& own);
std::unique_ptr<JobWorker> make_rate_worker(const nlohmann::json& settings, const store::Kit& kit,
                                            const WorkerSettings& own);
// The coordinator's threads, for players whose moves depend on them.
int players_threads(const nlohmann::json& settings);
// What `check` throws says why the input is none of this job: thrown as WireError.
void require_input(const std::function<void()>& check);
WalkSettings walk_settings(const nlohmann::json& settings);  // of an exploit job

}  // namespace quarto::app
