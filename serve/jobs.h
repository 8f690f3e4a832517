// Work that takes long: a bounded queue, and the threads that do it.
//
// There are two lanes. In the short one is what a client waits for with its connection open; in the long one what it
// was given a number for, to ask later. Short work goes first, and of several threads one is always left for it, so
// that searches of minutes do not keep short questions waiting; but a long job that has waited for a while has its
// turn. Each lane holds so many jobs and no more: what does not fit is refused at once, which is better for everybody
// than waiting for an answer that comes too late.
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

enum class Lane { wait, later };
enum class JobState { queued, running, done, failed, cancelled };
std::string to_string(JobState state);

// Written by the work while it goes on, for whoever asks.
struct JobProgress {
  std::atomic<bool> stop = false;  // the other way round: the work is to end soon
  std::atomic<int> simulations = 0;
  std::atomic<int> simulations_wanted = 0;
};

// One job as it was at some moment.
struct JobSnapshot {
  std::string id, kind;
  JobState state = JobState::queued;
  int simulations = 0, simulations_wanted = 0;
  double seconds_waited = 0, seconds_worked = 0;
  std::shared_ptr<const std::string> result{};  // of a job that is done: JSON as text, a fraction of a tree's size
  std::shared_ptr<const RequestError> error{};  // of a failed one
};

struct JobQueueOptions {
  int threads = 1;
  std::size_t waiting = 64;  // jobs in each lane that no thread has taken up yet
  std::size_t kept = 256;    // finished jobs of the long lane, for those who ask later: the last so many
  std::chrono::seconds kept_for{600};
  std::chrono::milliseconds patience{30'000};  // run() does not wait longer for a thread
  // A job of the long lane that has waited so long goes before short ones; on a single thread, which that occupies
  // altogether, so long after the one before.
  std::chrono::milliseconds turn{5000};
  // Called after each job that ran or was cancelled, on any thread, without locks held.
  std::function<void(const JobSnapshot&)> on_end{};
};

// Thread-safe.
class JobQueue {
 public:
  // `thread` is the number of the working thread, from 0: whatever it needs, it has for itself. A RequestError is the
  // job's error; any other exception is an internal one.
  using Work = std::function<Json(int thread, JobProgress& progress)>;

  explicit JobQueue(JobQueueOptions options);  // throws std::runtime_error when there are not so many threads
  ~JobQueue();                                 // stops
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // The number of the new job; nullopt when the lane is full, or the queue stopped.
  std::optional<std::string> submit(Lane lane, std::string kind, Work work);
  // nullopt: no such job, or one that has been forgotten.
  std::optional<JobSnapshot> find(const std::string& id);
  // The job is told to stop; one that waits ends at once. What it is then; nullopt as with find().
  std::optional<JobSnapshot> cancel(const std::string& id);
  // Submits to the short lane and waits for the end; nullopt also when no thread took it up in time. `abandoned` is
  // asked now and then: if it says yes, nobody waits for the answer any more, and the job is cancelled. Jobs of this
  // lane are forgotten as they end.
  std::optional<JobSnapshot> run(std::string kind, Work work, const std::function<bool()>& abandoned);

  // Cancels everything and waits for the threads. Nothing is taken up any more.
  void stop();

  std::size_t waiting() const;
  std::size_t running() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    std::string id, kind;
    Lane lane = Lane::wait;
    Work work;
    JobProgress progress{};
    // The rest is protected by mutex_.
    JobState state = JobState::queued;
    Clock::time_point made{}, begun{}, ended{};
    std::shared_ptr<const std::string> result{};
    std::shared_ptr<const RequestError> error{};
  };
  using JobPtr = std::shared_ptr<Job>;

  void serve(int thread);
  JobPtr take();  // null: stopped
  JobPtr add(Lane lane, std::string kind, Work work);
  bool cancel_locked(const JobPtr& job);  // true if that ended it
  void end_locked(const JobPtr& job, JobState state);
  void forget_old_locked();
  JobSnapshot snapshot_locked(const Job& job) const;

  const JobQueueOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable work_waits_, job_ended_;
  std::deque<JobPtr> short_, long_;
  std::map<std::string, JobPtr> jobs_;  // all that can be asked for
  std::list<JobPtr> finished_;          // of those, the ended ones, oldest first
  std::size_t running_ = 0, running_long_ = 0;
  Clock::time_point long_ended_{};  // the last job of the long lane
  bool stopped_ = false;
  std::mutex joining_;
  std::vector<std::thread> threads_;
};

}  // namespace quarto::serve
