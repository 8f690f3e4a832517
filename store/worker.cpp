#include "store/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/json_library.h"
#include "base/printable.h"
#include "base/progress.h"
#include "store/backoff.h"
#include "store/caller.h"

namespace quarto::store {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kShowSeconds = 1;
// So many seconds of work wait here, so that the working thread does not wait for the store.
constexpr double kAhead = 0.5, kLong = 5;
constexpr std::uint32_t kMostAhead = 64;

struct Task {
  std::uint64_t number = 0;
  std::string input;
};
struct Done {
  std::uint64_t number = 0, input = 0;
  double seconds = 0;
  std::string result;
  std::string refused{};  // why the input was
};

// The thread that works. It ends with this object; what it has begun is given up.
class Bench {
 public:
  explicit Bench(std::unique_ptr<ShareWorker> worker) : worker_(std::move(worker)) {
    thread_ = std::thread([this] { run(); });
  }
  ~Bench() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void add(Task task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    wake_.notify_all();
  }
  std::uint32_t waiting() const {
    const std::lock_guard lock(mutex_);
    return static_cast<std::uint32_t>(tasks_.size());
  }
  bool idle() const {
    const std::lock_guard lock(mutex_);
    return tasks_.empty() && !busy_;
  }
  // What has been done. Throws what the worker threw.
  std::vector<Done> take() {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    return std::exchange(done_, {});
  }
  // Waits until something is done, or so long.
  void wait(double seconds) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return failure_ || !done_.empty(); });
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return stop_ || !tasks_.empty(); });
      if (stop_) return;
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      busy_ = true;
      lock.unlock();
      const auto begin = Clock::now();
      Done done{task.number, fingerprint(task.input), 0, {}};
      std::exception_ptr failure;
      try {
        done.result = worker_->work(task.input, stop_);
      } catch (const WireError& e) {
        done.refused = e.what();
        if (done.refused.empty()) done.refused = "refused";
      } catch (...) {
        failure = std::current_exception();
      }
      done.seconds = seconds_since(begin);
      lock.lock();
      busy_ = false;
      if (stop_) return;
      failure_ = failure;
      if (!failure) done_.push_back(std::move(done));
      changed_.notify_all();
      if (failure) return;
    }
  }

  const std::unique_ptr<ShareWorker> worker_;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable wake_, changed_;
  std::deque<Task> tasks_;
  std::vector<Done> done_;
  std::exception_ptr failure_;
  bool busy_ = false;
  std::thread thread_;
};

// The coordinator has another kit or other settings now.
class OtherJob : public std::runtime_error {
 public:
  OtherJob() : std::runtime_error("the coordinator has begun again") {}
};

class Worker {
 public:
  explicit Worker(const WorkerOptions& options)
      : options_(options),
        session_(new_session(options.name)),
        caller_(options.connect(),
                {.stop = options.stop,
                 .keep = options.keep,
                 .what = "job",
                 .waits_for = "a job (quartozero label, exploit or rate with --store URL)",
                 .say = options.say,
                 .lost = {}},
                fingerprint(session_)),
        poll_(Caller::kPollFirst, Caller::kPollMost, fingerprint(session_, 1)),
        again_(Caller::kPollFirst, Caller::kMost, fingerprint(session_, 2)) {}

  WorkerResult run() {
    const auto start = Clock::now();
    bool waited = false, said = false;
    while (!caller_.stopping()) {
      const std::optional<RunCard> card = caller_.find_run(run_, waited);
      if (caller_.has_finished()) result_.finished = true;
      if (!card) break;
      waited = false;
      if (options_.only && *card != *options_.only) {
        sleep_unless(*options_.stop, again_.next());
        continue;
      }
      try {
        work_for(*card);
      } catch (const RunGone&) {
        if (!said) say("the store does not hold the job any more: waiting for it");
        said = waited = true;
        sleep_unless(*options_.stop, again_.next());
        continue;
      } catch (const OtherJob& e) {
        sleep_unless(*options_.stop, again_.next());
        continue;
      } catch (const WireError& e) {
        if (!said) say(fmt::format("refused the job's files in the store: {}; waiting for others", e.what()));
        said = true;
        sleep_unless(*options_.stop, again_.next());
        continue;
      }
      said = false;
      if (result_.finished && !options_.keep) break;
    }
    result_.seconds = seconds_since(start);
    return result_;
  }

 private:
  void say(const std::string& line) const { caller_.say(line); }
  Store& store() { return caller_.store(); }

  void work_for(const RunCard& card) {
    if (card.kind == kGames) {
      throw WorkerRefused(
          fmt::format("{} holds a run of self-play, and workers do shares of jobs: use quartozero actor --store URL",
                      store().name()));
    }
    if (card.build != store_build(options_.version)) {
      throw WorkerRefused(fmt::format("the job in {} is of {}, and this program is {}: use the same build",
                                      store().name(), printable(card.build), store_build(options_.version)));
    }
    if (fingerprint_text(fingerprint(card.config)) != card.fingerprint) throw WireError("its settings are damaged");
    const auto bytes = caller_.ask([&] { return store().weights(card.id); });
    if (!bytes) return;
    if (!*bytes) throw OtherJob();  // not there yet
    const WeightsMessage kit = decode_weights(**bytes);
    if (kit.fingerprint != fingerprint(card.config)) throw OtherJob();
    weights_ = {kit.version, kit.checksum};
    Bench bench(options_.make(card, decode_kit(kit.file)));
    if (card.id != run_)
      say(fmt::format("working for job {} ({}) in {}", printable(card.id.substr(0, 8)), printable(card.kind, 20),
                      store().name()));
    run_ = card.id;
    result_.finished = false;
    again_.reset();
    held_.clear();
    outbox_.clear();
    struct Leave {
      Worker& worker;
      ~Leave() { worker.leave(); }
    } leaving{*this};
    serve(bench);
  }

  void serve(Bench& bench) {
    std::optional<Clock::time_point> last_beat;
    auto last_show = Clock::now(), next_lease = Clock::now();
    std::uint64_t shown = result_.shares;
    poll_.reset();
    while (!caller_.stopping()) {
      for (Done& done : bench.take()) {
        if (done.refused.empty()) {
          outbox_.push_back(std::move(done));
          continue;
        }
        held_.erase(done.number);
        refuse_input(done.number, done.refused);
        leave_to_others({{done.number, 1}});
        // It may be given out again at once, and here.
        next_lease = Clock::now() +
                     std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(Caller::kPollMost));
      }
      const bool full = !deliver();
      if (result_.finished) return;
      // A full store takes no results: then there are shares enough.
      const std::uint32_t ahead = wanted_ahead(bench);
      if (!full && bench.waiting() < ahead && Clock::now() >= next_lease) {
        if (lease(bench, ahead - bench.waiting()))
          poll_.reset();
        else
          next_lease =
              Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(poll_.next()));
      }
      if (result_.finished) return;
      if (!last_beat || seconds_since(*last_beat) >= options_.beat) {
        last_beat = Clock::now();
        const std::vector<Range> held = all_held();
        const auto notice = caller_.ask([&] { return store().beat(run_, session_, status(), held); });
        if (notice) follow(*notice);
      }
      if (options_.show && seconds_since(last_show) >= kShowSeconds) {
        rate_ = static_cast<double>(result_.shares - shown) / seconds_since(last_show);
        shown = result_.shares;
        last_show = Clock::now();
        options_.show(fmt::format("{}: {} shares ({:.1f}/s){}", options_.name,
                                  format_count(static_cast<double>(result_.shares)), rate_,
                                  full           ? ", waiting: the store holds as many results as it may"
                                  : bench.idle() ? ", waiting for shares"
                                                 : ""));
      }
      if (result_.finished) return;
      bench.wait(full ? poll_.next() : 0.05);
    }
  }

  // How many shares are to wait here, by how long the last ones took. Those that take long, or nobody knows how long,
  // wait in the store, where others may have them.
  std::uint32_t wanted_ahead(const Bench& bench) const {
    if (share_seconds_ <= 0 || share_seconds_ > kLong) return bench.idle() ? 1 : 0;
    return std::clamp<std::uint32_t>(static_cast<std::uint32_t>(std::min(1e6, kAhead / share_seconds_)), 1, kMostAhead);
  }

  // Whether there was something to do.
  bool lease(Bench& bench, std::uint32_t shares) {
    const auto lease = caller_.ask([&] { return store().lease(run_, weights_, shares, 1); });
    if (!lease) return false;
    follow(lease->notice);
    std::vector<std::uint64_t> numbers;
    for (const Range& range : lease->ranges) {
      // One that it has already, given out a second time since nothing else is left.
      if (range.count == 1 && !held_.contains(range.first)) numbers.push_back(range.first);
    }
    if (numbers.empty()) return false;
    const auto inputs = caller_.ask([&] { return store().inputs(run_, numbers); });
    if (!inputs) return false;
    std::vector<Range> lacking;
    bool any = false;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      try {
        if (!(*inputs)[i]) throw WireError("it is not in the store");
        InputMessage message = decode_input(*(*inputs)[i]);
        if (message.number != numbers[i]) throw WireError("it is of another share");
        held_.insert(numbers[i]);
        bench.add({numbers[i], std::move(message.input)});
        any = true;
      } catch (const WireError& e) {
        if ((*inputs)[i]) refuse_input(numbers[i], e.what());
        lacking.push_back({numbers[i], 1});
      }
    }
    // The coordinator puts there what is missing.
    if (!lacking.empty()) leave_to_others(lacking);
    return any;
  }

  void refuse_input(std::uint64_t number, const std::string& why) {
    if (!bad_input_) say(fmt::format("refused the input of share {}: {} (said once)", number, printable(why, 200)));
    bad_input_ = true;
  }

  void leave_to_others(const std::vector<Range>& shares) {
    // Without the session: this worker stays.
    caller_.ask([&] { return store().leave(run_, "", shares), true; });
  }

  // Returns false if the store is full or does not answer before the worker is stopped.
  bool deliver() {
    while (!outbox_.empty()) {
      const Done& done = outbox_.front();
      const std::string bytes = encode_share({.number = done.number,
                                              .input = done.input,
                                              .weights = weights_.checksum,
                                              .worker = options_.name,
                                              .seconds = done.seconds,
                                              .result = done.result});
      const auto delivery = caller_.ask([&] { return store().deliver(run_, session_, {done.number, 1}, bytes); });
      if (!delivery || *delivery == Delivery::full) return false;
      if (*delivery == Delivery::finished) return finish();
      ++result_.shares;
      result_.bytes += bytes.size();
      result_.working += done.seconds;
      share_seconds_ = share_seconds_ == 0 ? done.seconds : 0.7 * share_seconds_ + 0.3 * done.seconds;
      held_.erase(done.number);
      outbox_.pop_front();
    }
    return true;
  }

  bool finish() {
    if (!result_.finished) say("the job has finished");
    return result_.finished = true;
  }

  void follow(const Notice& notice) {
    if (notice.phase == RunPhase::finished)
      finish();
    else if (notice.published && notice.weights != weights_)
      throw OtherJob();
  }

  // Others may have what it holds at once. If the store does not answer just now, they get it a little later.
  void leave() {
    if (result_.finished) return;
    try {
      store().leave(run_, session_, all_held());
    } catch (const std::runtime_error&) {
    }
  }

  std::vector<Range> all_held() const {
    std::vector<Range> ranges;
    for (const std::uint64_t number : held_) ranges.push_back({number, 1});
    return ranges;
  }

  std::string status() const {
    const nlohmann::json json = {{"name", options_.name},
                                 {"device", "cpu"},
                                 {"threads", options_.threads},
                                 {"shares", result_.shares},
                                 {"shares_per_s", rate_},
                                 {"seconds_of_a_share", share_seconds_},
                                 {"answer_ms", 1000 * caller_.answer_seconds()}};
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  const WorkerOptions& options_;
  const std::string session_;
  Caller caller_;
  Backoff poll_;   // between questions for shares, while there are none
  Backoff again_;  // between beginnings, while none comes as far as a share
  std::string run_;
  WeightsId weights_;
  std::set<std::uint64_t> held_;  // numbers
  std::deque<Done> outbox_;
  bool bad_input_ = false;
  double share_seconds_ = 0, rate_ = 0;
  WorkerResult result_;
};

}  // namespace

WorkerResult do_shares(const WorkerOptions& options) {
  static const std::atomic<bool> never = false;
  WorkerOptions mine = options;
  if (!mine.stop) mine.stop = &never;
  return Worker(mine).run();
}

}  // namespace quarto::store
