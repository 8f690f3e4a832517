#include "store/share_work.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "base/clock.h"

namespace quarto::store {
namespace {

// So many seconds of work wait here, so that the working thread does not wait for the store.
constexpr double kAhead = 0.5, kLong = 5;
constexpr std::uint32_t kMostAhead = 64;

class ShareWork final : public Work {
 public:
  ShareWork(std::string name, std::function<std::unique_ptr<ShareWorker>(const Kit&)> make)
      : name_(std::move(name)), make_(std::move(make)) {}
  // What has been begun is given up.
  ~ShareWork() override {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

  bool set_weights(const WeightsMessage& weights) override {
    if (worker_) return false;
    const Kit kit = decode_kit(weights.file);
    worker_ = make_(kit);
    weights_ = weights.checksum;
    thread_ = std::thread([this] { run(); });
    return true;
  }

  // How many wait here goes by how long the last ones took. Those that take long, or nobody knows how long, wait in the
  // store, where others may have them.
  std::uint32_t wanted() override {
    const std::lock_guard lock(mutex_);
    const auto waiting = static_cast<std::uint32_t>(tasks_.size());
    if (seconds_ <= 0 || seconds_ > kLong) return waiting == 0 && !busy_ ? 1 : 0;
    const auto ahead = static_cast<std::uint32_t>(std::clamp(kAhead / seconds_, 1.0, double{kMostAhead}));
    return ahead - std::min(ahead, waiting);
  }
  std::uint32_t longest() const override { return 1; }

  bool add(const Range& range, std::string input) override {
    const std::lock_guard lock(mutex_);
    if (!held_.emplace(range.first, range).second) return false;
    tasks_.push_back({range, std::move(input)});
    wake_.notify_all();
    return true;
  }

  std::vector<Done> take() override {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    for (const Done& done : done_) held_.erase(done.range.first);
    return std::exchange(done_, {});
  }
  std::vector<Range> held(bool /*alive*/) override {
    const std::lock_guard lock(mutex_);
    std::vector<Range> ranges;
    for (const auto& [number, range] : held_) ranges.push_back(range);
    return ranges;
  }
  void wait(double seconds, bool /*lease*/) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return failure_ || !done_.empty(); });
  }
  nlohmann::json status() const override {
    const std::lock_guard lock(mutex_);
    return {{"seconds_of_a_share", seconds_}};
  }

 private:
  struct Task {
    Range range;
    std::string input;
  };

  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return stop_ || !tasks_.empty(); });
      if (stop_) return;
      const Task task = std::move(tasks_.front());
      tasks_.pop_front();
      busy_ = true;
      lock.unlock();
      Done done{.range = task.range};
      std::exception_ptr failure;
      const auto begin = std::chrono::steady_clock::now();
      try {
        ShareMessage message{.number = task.range.first, .input = fingerprint(task.input), .weights = weights_};
        message.worker = name_;
        message.result = worker_->work(task.input, stop_);
        done.seconds = message.seconds = seconds_since(begin);
        if (!stop_) done.message = encode_share(message);
      } catch (const WireError& e) {
        done.refused = *e.what() ? e.what() : "refused";
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      busy_ = false;
      if (stop_) return;
      if (done.refused.empty()) seconds_ = seconds_ == 0 ? done.seconds : 0.7 * seconds_ + 0.3 * done.seconds;
      failure_ = failure;
      if (!failure) done_.push_back(std::move(done));
      changed_.notify_all();
      if (failure) return;
    }
  }

  const std::string name_;
  const std::function<std::unique_ptr<ShareWorker>(const Kit&)> make_;
  std::unique_ptr<ShareWorker> worker_;  // the thread's, once it runs
  std::uint32_t weights_ = 0;            // WeightsMessage::checksum
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable wake_, changed_;
  std::map<std::uint64_t, Range> held_;  // added, not taken
  std::deque<Task> tasks_;
  std::vector<Done> done_;
  std::exception_ptr failure_;
  bool busy_ = false;
  double seconds_ = 0;  // of a share, lately
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Work> make_share_work(std::string name,
                                      std::function<std::unique_ptr<ShareWorker>(const Kit& kit)> make) {
  return std::make_unique<ShareWork>(std::move(name), std::move(make));
}

}  // namespace quarto::store
