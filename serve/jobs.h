// A bounded queue of computations, and the threads that run them.
//
// A job has one of two priorities. A client waits for an interactive job with its connection open; a background job is
// submitted, gets an id, and is asked for later. Scheduling:
//
//   - Interactive jobs go first, except that a background job that has waited for `turn` goes before them.
//   - Of several threads at least one runs no background job, so that long searches do not delay interactive jobs.
//   - Each priority has its own bound on the number of waiting jobs. A job beyond the bound is refused at once.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "serve/request.h"

namespace quarto::serve {

enum class Priority { interactive, background };
enum class JobState { queued, running, done, failed, cancelled };
std::string to_string(JobState state);

// Shared by the running work and other threads.
struct JobProgress {
  std::atomic<bool> stop = false;           // set by others: the work must end soon
  std::atomic<int> simulations = 0;         // set by the work: done so far
  std::atomic<int> simulations_wanted = 0;  // set by the work
};

// The state of a job at one moment.
struct JobSnapshot {
  std::string id, kind;
  JobState state = JobState::queued;
  int simulations = 0, simulations_wanted = 0;
  double seconds_waited = 0, seconds_worked = 0;
  std::shared_ptr<const std::string> result{};  // if done; JSON text, which is smaller than the tree of values
  std::shared_ptr<const RequestError> error{};  // if failed
};

struct JobQueueOptions {
  int threads = 1;
  std::size_t waiting = 64;                    // jobs of each priority that wait for a thread
  std::size_t kept = 256;                      // ended background jobs that find() still knows: the last ones
  std::chrono::seconds kept_for{600};          // and for how long
  std::chrono::milliseconds patience{30'000};  // run() gives up after waiting so long for a thread
  // A background job that has waited so long goes before interactive ones. With a single thread this much time must
  // also have passed since the last background job ended, so that background jobs do not occupy the thread all
  // the time.
  std::chrono::milliseconds turn{5000};
  // Called after each job that ran or was cancelled, on any thread, without locks held.
  std::function<void(const JobSnapshot&)> on_end{};
};

// Thread-safe.
class JobQueue {
 public:
  // `thread` is the index of the thread that runs the work. A RequestError becomes the job's error, std::bad_alloc a
  // 503, any other exception a 500.
  using Work = std::function<Json(int thread, JobProgress& progress)>;

  explicit JobQueue(JobQueueOptions options);  // throws std::runtime_error if a thread cannot be started
  ~JobQueue();                                 // stops
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // Returns the new job's id; nullopt if too many jobs of this priority wait or the queue has been stopped.
  std::optional<std::string> submit(Priority priority, std::string kind, Work work);
  // nullopt: the id is unknown, or its job ended too long ago.
  std::optional<JobSnapshot> find(const std::string& id);
  // Ends a waiting job at once and tells a running one to stop. Returns its state afterwards; nullopt as in find().
  std::optional<JobSnapshot> cancel(const std::string& id);
  // Submits an interactive job and waits until it ends; nullopt also if no thread took it within `patience`.
  // `abandoned` is called several times a second; when it returns true the job is cancelled. find() does not know
  // interactive jobs that have ended.
  std::optional<JobSnapshot> run(std::string kind, Work work, const std::function<bool()>& abandoned);

  // Cancels all jobs and waits for the threads. Later jobs are refused.
  void stop();

  std::size_t waiting() const;
  std::size_t running() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    std::string id, kind;
    Priority priority = Priority::interactive;
    Work work;
    JobProgress progress{};
    // Protected by mutex_:
    JobState state = JobState::queued;
    Clock::time_point made{}, begun{}, ended{};
    std::shared_ptr<const std::string> result{};
    std::shared_ptr<const RequestError> error{};
  };
  using JobPtr = std::shared_ptr<Job>;

  void serve(int thread);
  JobPtr take();  // waits for a job; null: stopped
  JobPtr add(Priority priority, std::string kind, Work work);
  bool cancel_locked(const JobPtr& job);  // true: the job was waiting and has ended
  void end_locked(const JobPtr& job, JobState state);
  void forget_old_locked();
  JobSnapshot snapshot_locked(const Job& job) const;

  const JobQueueOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable work_waits_, job_ended_;
  std::deque<JobPtr> interactive_, background_;  // by priority; oldest first
  std::map<std::string, JobPtr> jobs_;           // by id: all that find() knows
  std::list<JobPtr> finished_;                   // of those, the ended ones; oldest first
  std::size_t running_ = 0, running_background_ = 0;
  Clock::time_point background_ended_{};  // when the last background job ended
  bool stopped_ = false;
  std::mutex joining_;
  std::vector<std::thread> threads_;
};

}  // namespace quarto::serve
