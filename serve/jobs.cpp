#include "serve/jobs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random_hex.h"

namespace quarto::serve {
namespace {

constexpr std::chrono::milliseconds kAbandonedInterval{200};  // between two calls of `abandoned`

// 128 random bits. Ids must not be guessable: a client that has an id may read and cancel the job.
std::string new_id() { return random_hex(4); }

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

std::string to_string(JobState state) {
  switch (state) {
    case JobState::queued:
      return "queued";
    case JobState::running:
      return "running";
    case JobState::done:
      return "done";
    case JobState::failed:
      return "failed";
    case JobState::cancelled:
      return "cancelled";
  }
  return "";
}

JobQueue::JobQueue(JobQueueOptions options) : options_(std::move(options)) {
  try {
    for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this, i] { serve(i); });
  } catch (const std::exception& e) {
    stop();  // the threads that were started
    throw std::runtime_error(
        fmt::format("{} of {} threads could be started: {}", threads_.size(), options_.threads, e.what()));
  }
}

JobQueue::~JobQueue() { stop(); }

JobQueue::JobPtr JobQueue::add(Priority priority, std::string kind, Work work) {
  auto job = std::make_shared<Job>();
  job->id = new_id();
  job->kind = std::move(kind);
  job->priority = priority;
  job->work = std::move(work);
  job->made = Clock::now();
  {
    const std::lock_guard lock(mutex_);
    auto& queue = priority == Priority::interactive ? interactive_ : background_;
    if (stopped_ || queue.size() >= options_.waiting) return nullptr;
    queue.push_back(job);
    jobs_[job->id] = job;
  }
  // All, because a single one might be the thread that may not take a background job.
  work_waits_.notify_all();
  return job;
}

std::optional<std::string> JobQueue::submit(Priority priority, std::string kind, Work work) {
  const JobPtr job = add(priority, std::move(kind), std::move(work));
  if (!job) return std::nullopt;
  return job->id;
}

std::optional<JobSnapshot> JobQueue::run(std::string kind, Work work, const std::function<bool()>& abandoned) {
  const JobPtr job = add(Priority::interactive, std::move(kind), std::move(work));
  if (!job) return std::nullopt;
  const auto ended = [&job] { return job->state != JobState::queued && job->state != JobState::running; };
  std::unique_lock lock(mutex_);
  bool told = false;
  while (!job_ended_.wait_for(lock, kAbandonedInterval, ended)) {
    if (told) continue;
    const bool late = job->state == JobState::queued && Clock::now() - job->made > options_.patience;
    lock.unlock();
    if (late || (abandoned && abandoned())) {
      cancel(job->id);
      told = true;
    }
    lock.lock();
    // If a thread took the job before cancel(), the loop goes on until the cancelled job ends.
    if (late && ended()) return std::nullopt;
  }
  return snapshot_locked(*job);
}

JobSnapshot JobQueue::snapshot_locked(const Job& job) const {
  JobSnapshot s{job.id, job.kind, job.state};
  s.simulations = job.progress.simulations;
  s.simulations_wanted = job.progress.simulations_wanted;
  const auto now = Clock::now();
  const bool began = job.begun != Clock::time_point(), ended = job.ended != Clock::time_point();
  s.seconds_waited = seconds_between(job.made, began ? job.begun : ended ? job.ended : now);
  s.seconds_worked = began ? seconds_between(job.begun, ended ? job.ended : now) : 0;
  s.result = job.result;
  s.error = job.error;
  return s;
}

std::optional<JobSnapshot> JobQueue::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  forget_old_locked();
  const auto it = jobs_.find(id);
  if (it == jobs_.end()) return std::nullopt;
  return snapshot_locked(*it->second);
}

std::optional<JobSnapshot> JobQueue::cancel(const std::string& id) {
  std::unique_lock lock(mutex_);
  const auto it = jobs_.find(id);
  if (it == jobs_.end()) return std::nullopt;
  const JobPtr job = it->second;
  const bool over = cancel_locked(job);
  const JobSnapshot snapshot = snapshot_locked(*job);
  lock.unlock();
  if (over && options_.on_end) options_.on_end(snapshot);
  return snapshot;
}

bool JobQueue::cancel_locked(const JobPtr& job) {
  job->progress.stop = true;
  if (job->state != JobState::queued) return false;
  auto& queue = job->priority == Priority::interactive ? interactive_ : background_;
  std::erase(queue, job);
  end_locked(job, JobState::cancelled);
  return true;
}

void JobQueue::end_locked(const JobPtr& job, JobState state) {
  job->state = state;
  job->ended = Clock::now();
  job->work = nullptr;
  if (job->priority == Priority::interactive) {
    jobs_.erase(job->id);
  } else {
    finished_.push_back(job);
    forget_old_locked();
  }
  job_ended_.notify_all();
}

void JobQueue::forget_old_locked() {
  const auto now = Clock::now();
  while (!finished_.empty() &&
         (finished_.size() > options_.kept || now - finished_.front()->ended > options_.kept_for)) {
    jobs_.erase(finished_.front()->id);
    finished_.pop_front();
  }
}

JobQueue::JobPtr JobQueue::take() {
  // Of several threads one is kept free of background jobs.
  const std::size_t most_background = options_.threads > 1 ? static_cast<std::size_t>(options_.threads) - 1 : 1;
  const auto background_allowed = [&] { return !background_.empty() && running_background_ < most_background; };
  std::unique_lock lock(mutex_);
  work_waits_.wait(lock, [&] { return stopped_ || !interactive_.empty() || background_allowed(); });
  if (stopped_) return nullptr;
  const auto background_due = [&] {
    const Clock::time_point since =
        options_.threads > 1 ? background_.front()->made : std::max(background_.front()->made, background_ended_);
    return Clock::now() - since >= options_.turn;
  };
  auto& queue = interactive_.empty() || (background_allowed() && background_due()) ? background_ : interactive_;
  JobPtr job = queue.front();
  queue.pop_front();
  job->state = JobState::running;
  job->begun = Clock::now();
  ++running_;
  running_background_ += job->priority == Priority::background;
  return job;
}

void JobQueue::serve(int thread) {
  while (const JobPtr job = take()) {
    std::shared_ptr<const std::string> result;
    std::shared_ptr<const RequestError> error;
    try {
      result = std::make_shared<const std::string>(to_text(job->work(thread, job->progress)));
    } catch (const RequestError& e) {
      error = std::make_shared<const RequestError>(e);
    } catch (const std::bad_alloc&) {
      error = std::make_shared<const RequestError>(503, "overloaded", "there is not enough memory; try again later");
    } catch (const std::exception& e) {
      error = std::make_shared<const RequestError>(500, "internal", e.what());
    }
    const bool cancelled = job->progress.stop;
    std::unique_lock lock(mutex_);
    if (cancelled) result = nullptr;
    const JobState state = cancelled ? JobState::cancelled : error ? JobState::failed : JobState::done;
    if (options_.on_end) {
      // Before run() returns, so that the metrics include this job when its client has the reply.
      JobSnapshot snapshot = snapshot_locked(*job);
      snapshot.state = state;
      snapshot.result = result;
      snapshot.error = error;
      lock.unlock();
      options_.on_end(snapshot);
      lock.lock();
    }
    --running_;
    if (job->priority == Priority::background) {
      --running_background_;
      background_ended_ = Clock::now();
    }
    job->result = result;
    job->error = error;
    end_locked(job, state);
    lock.unlock();
    work_waits_.notify_all();  // one background job less: another thread may take the next
  }
}

void JobQueue::stop() {
  std::vector<JobSnapshot> cancelled;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (const JobPtr& job : std::vector<JobPtr>(interactive_.begin(), interactive_.end())) {
      cancel_locked(job);
      cancelled.push_back(snapshot_locked(*job));
    }
    for (const JobPtr& job : std::vector<JobPtr>(background_.begin(), background_.end())) {
      cancel_locked(job);
      cancelled.push_back(snapshot_locked(*job));
    }
    for (const auto& [id, job] : jobs_) job->progress.stop = true;
  }
  work_waits_.notify_all();
  if (options_.on_end) {
    for (const JobSnapshot& s : cancelled) options_.on_end(s);
  }
  const std::lock_guard lock(joining_);
  for (std::thread& t : threads_) {
    if (t.joinable()) t.join();
  }
}

std::size_t JobQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return interactive_.size() + background_.size();
}
std::size_t JobQueue::running() const {
  const std::lock_guard lock(mutex_);
  return running_;
}

}  // namespace quarto::serve
