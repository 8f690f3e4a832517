#include "store/coordinator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/json_library.h"

namespace quarto::store {
namespace {

// Ticks without any worker before that is said.
constexpr int kAlone = 5;
// Who gives work prepares some for each worker: with more workers than these, it does not keep more in memory.
constexpr std::uint64_t kMostWorkers = 10'000;

}  // namespace

class Coordinator::Impl final : public Owner {
 public:
  explicit Impl(const Coordinator::Options& of)
      : Owner({of.connect, of.card, of.patience, of.tick, of.say}, true), of_(of) {
    // Anew, since shares of one that was killed may have been cut elsewhere.
    weights_message_ =
        encode_weights({.version = 1, .fingerprint = fingerprint(of.card.config), .file = encode_kit(of.kit)});
    terms_.weights = {1, decode_weights(weights_message_).checksum};
    set_terms(true);
    start();
  }
  ~Impl() override { end(); }

  std::uint64_t ask(std::string input) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t number = asked_++;
    open_[number].input = std::move(input);
    set_terms(false);
    return number;
  }

  // The first of the shares from `first` to before `end` that is ready.
  std::optional<std::pair<std::uint64_t, std::string>> take(std::uint64_t first, std::uint64_t end,
                                                            const std::function<bool()>& give_up) {
    std::unique_lock lock(mutex_);
    const auto there = [&] {
      const auto at = ready_.lower_bound(first);
      return at != ready_.end() && *at < end;
    };
    while (!there()) {
      if (failure_) std::rethrow_exception(failure_);
      if (failed_) std::rethrow_exception(failed_);
      lock.unlock();
      const bool enough = give_up();
      lock.lock();
      if (enough) return std::nullopt;
      changed_.wait_for(lock, std::chrono::milliseconds(100), [&] { return failure_ || failed_ || there(); });
    }
    const std::uint64_t number = *ready_.lower_bound(first);
    ready_.erase(number);
    std::pair<std::uint64_t, std::string> taken{number, std::move(*open_[number].result)};
    open_.erase(number);
    return taken;
  }

  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failed_) failed_ = std::move(failure);
    changed_.notify_all();
  }

  CoordinatorFigures figures() const {
    const std::lock_guard lock(mutex_);
    CoordinatorFigures all;
    static_cast<OwnerFigures&>(all) = figures_;
    all.asked = asked_;
    all.done = done_;
    all.old = old_;
    all.done_by = done_by_;
    return all;
  }

 private:
  struct Open {
    std::string input;
    std::optional<std::string> result{};
  };

  // With the mutex.
  void set_terms(bool weights) {
    terms_.upto = asked_;
    // Twice: a share may be delivered twice.
    terms_.results = std::max<std::uint64_t>(1000, 2 * open_.size());
    send_terms(weights);
  }

  void take_in(const Entry& entry) override {
    ShareMessage message;
    try {
      message = decode_share(entry.bytes);
    } catch (const WireError& e) {
      return refuse(entry, "", e.what());
    }
    if (entry.member != text_of({message.number, 1}))
      return refuse(entry, message.worker, "it is not of the share that was leased");
    std::string input;
    bool stale = false;
    {
      const std::lock_guard lock(mutex_);
      figures_.bytes += entry.bytes.size();
      const auto at = open_.find(message.number);
      if (message.number < asked_ && (at == open_.end() || at->second.result)) {
        figures_.duplicates += 1;
        removals_.push_back(entry.id);
        finished_.push_back(message.number);
        return;
      }
      // Of a coordinator that was killed: it had asked for more, or its shares of the same numbers were others.
      stale = at == open_.end() || message.weights != terms_.weights.checksum ||
              message.input != fingerprint(at->second.input);
      old_ += stale;
      // By our own kit, of another input than was sent: the store's is not ours.
      if (stale && at != open_.end() && message.weights == terms_.weights.checksum)
        changed_inputs_.insert(message.number);
      if (!stale) input = at->second.input;
    }
    if (stale) return drop(entry);
    try {
      of_.check(input, message.result);
    } catch (const std::exception& e) {
      return refuse(entry, message.worker, e.what());
    }
    const std::lock_guard lock(mutex_);
    open_[message.number].result = std::move(message.result);
    ready_.insert(message.number);
    removals_.push_back(entry.id);
    finished_.push_back(message.number);
    ++done_;
    if (done_by_.contains(message.worker) || done_by_.size() < kNamed) ++done_by_[message.worker];
    changed_.notify_all();
  }

  std::uint64_t next() const override { return asked_; }
  bool lacks(std::uint64_t number) const override {
    const auto at = open_.find(number);
    return at != open_.end() && !at->second.result;
  }
  std::vector<Range> missing(std::uint64_t end, std::size_t most) const override {
    std::vector<Range> ranges;
    for (const auto& [number, share] : open_) {
      if (number >= end || ranges.size() >= most) break;
      if (!share.result) ranges.push_back({number, 1});
    }
    return ranges;
  }

  void emptied() override {
    there_.clear();
    again_ = true;
  }
  void lost() override { again_ = true; }
  void ticked(const Pulse& pulse) override {
    // It has lost some.
    if (pulse.inputs < there_.size()) again_ = true;
    // Workers refuse an input that is damaged, and may say no more.
    idle_ = open_.empty() || done_ != done_before_ ? 0 : idle_ + 1;
    done_before_ = done_;
    if (idle_ > 0 && idle_ % std::max<std::uint64_t>(1, of_.patience) == 0) again_ = true;
    alone_ = pulse.actors == 0 ? alone_ + 1 : 0;
    if (alone_ == kAlone && !open_.empty() && !of_.workers_command.empty()) {
      say("no worker is there: start some with " + of_.workers_command);
      said_alone_ = true;
    }
    if (alone_ == 0 && std::exchange(said_alone_, false)) say("workers are there");
  }

  void push_more(Store& store, std::uint64_t epoch) override {
    std::map<std::uint64_t, std::string> inputs;
    std::vector<std::uint64_t> gone;
    bool all = false;
    {
      const std::lock_guard lock(mutex_);
      all = again_;
      again_ = false;
      for (auto at = all ? open_.begin() : open_.lower_bound(unsent_); at != open_.end(); ++at) {
        if (!at->second.result) inputs[at->first] = encode_input({at->first, at->second.input});
      }
      for (const std::uint64_t number : std::exchange(changed_inputs_, {})) {
        const auto at = open_.find(number);
        if (at != open_.end() && !at->second.result) inputs[number] = encode_input({number, at->second.input});
      }
      unsent_ = asked_;
      gone = finished_;
    }
    try {
      if (!inputs.empty()) store.put_inputs(epoch, inputs);
      if (!gone.empty()) store.remove_inputs(epoch, gone);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      again_ = true;
      throw;
    }
    const std::lock_guard lock(mutex_);
    for (const auto& [number, input] : inputs) there_.insert(number);
    for (const std::uint64_t number : gone) there_.erase(number);
    finished_.erase(finished_.begin(), finished_.begin() + static_cast<std::ptrdiff_t>(gone.size()));
  }

  std::string stats() const override {
    const std::lock_guard lock(mutex_);
    nlohmann::json json = {{"asked", asked_},
                           {"done", done_},
                           {"duplicates", figures_.duplicates},
                           {"old", old_},
                           {"refused", figures_.refused},
                           {"expired", figures_.expired},
                           {"outages", figures_.outages}};
    for (const auto& [worker, times] : figures_.refused_by) json["refused_by"][worker] = times;
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  static constexpr std::size_t kNamed = 1000;
  const Coordinator::Options of_;
  // The mutex guards these.
  std::map<std::uint64_t, Open> open_;      // asked for, not taken
  std::set<std::uint64_t> ready_;           // of these with a result
  std::set<std::uint64_t> there_;           // whose inputs the store should hold
  std::uint64_t unsent_ = 0;                // inputs of this one and later ones were never sent
  std::vector<std::uint64_t> finished_;     // whose inputs are to be removed
  std::exception_ptr failed_;               // of fail()
  bool again_ = false;                      // all inputs are to be sent
  std::set<std::uint64_t> changed_inputs_;  // these are to be sent again
  std::uint64_t asked_ = 0, done_ = 0, old_ = 0;
  std::map<std::string, std::uint64_t> done_by_;
  // The thread's own.
  int alone_ = 0;
  std::uint64_t idle_ = 0, done_before_ = 0;  // ticks without a new result, though some are missing; done_ at the last
  bool said_alone_ = false;
};

Coordinator::Coordinator(const Options& options) : impl_(std::make_unique<Impl>(options)) {}
Coordinator::~Coordinator() = default;

std::uint64_t Coordinator::ask(std::string input) { return impl_->ask(std::move(input)); }

std::optional<std::string> Coordinator::take(std::uint64_t number, const std::function<bool()>& give_up) {
  auto taken = impl_->take(number, number + 1, give_up);
  if (!taken) return std::nullopt;
  return std::move(taken->second);
}

std::optional<std::pair<std::uint64_t, std::string>> Coordinator::take_any(const std::function<bool()>& give_up) {
  return impl_->take(0, kMostGames, give_up);
}

std::uint64_t Coordinator::workers() const { return std::clamp<std::uint64_t>(figures().actors, 1, kMostWorkers); }
void Coordinator::fail(std::exception_ptr failure) { impl_->fail(std::move(failure)); }
CoordinatorFigures Coordinator::figures() const { return impl_->figures(); }
bool Coordinator::close(RunPhase phase) { return impl_->close(phase); }

}  // namespace quarto::store
