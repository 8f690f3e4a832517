#include "store/coordinator.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
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

class Coordinator::Impl final : public Results {
 public:
  explicit Impl(const Coordinator::Options& of)
      : of_(of),
        // Anew, since shares of one that was killed may have been cut elsewhere.
        owner_({of.connect, of.card, of.patience, of.tick, of.say}, {}, 0, true) {
    std::string weights =
        encode_weights({.version = 1, .fingerprint = fingerprint(of.card.config), .file = encode_kit(of.kit)});
    weights_ = {1, decode_weights(weights).checksum};
    set_terms(std::move(weights));
    owner_.start(*this);
  }
  ~Impl() override { owner_.end(); }

  std::uint64_t ask(std::string input) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t number = asked_++;
    open_[number].input = std::move(input);
    set_terms();
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
      if (failed_) std::rethrow_exception(failed_);
      lock.unlock();
      owner_.rethrow();
      const bool enough = give_up();
      lock.lock();
      if (enough) return std::nullopt;
      changed_.wait_for(lock, std::chrono::milliseconds(100), [&] { return failed_ || there(); });
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
    CoordinatorFigures all;
    static_cast<OwnerFigures&>(all) = owner_.figures();
    const std::lock_guard lock(mutex_);
    all.asked = asked_;
    all.done = done_;
    return all;
  }

  bool close(RunPhase phase) { return owner_.close(phase); }

 private:
  struct Open {
    std::string input;
    std::optional<std::string> result{};
  };

  // With the mutex.
  void set_terms(std::string weights = {}) {
    // Results, twice: a share may be delivered twice.
    owner_.set_terms({weights_, asked_, std::max<std::uint64_t>(1000, 2 * open_.size())}, std::move(weights));
  }

  void take_in(const Entry& entry) override {
    ShareMessage message;
    try {
      message = decode_share(entry.bytes);
    } catch (const WireError& e) {
      return owner_.refuse(entry, "", e.what());
    }
    const std::uint64_t number = message.number;
    if (entry.member != text_of({number, 1}))
      return owner_.refuse(entry, message.worker, "it is not of the share that was leased");
    if (owner_.has(number)) return done(entry, number);
    std::string input;
    {
      const std::lock_guard lock(mutex_);
      const auto at = open_.find(number);
      const bool ours = at != open_.end() && message.weights == weights_.checksum;
      // Else of a coordinator that was killed: it had asked for more, or its shares of the same numbers were others.
      if (!ours || message.input != fingerprint(at->second.input)) {
        // By our own kit, of another input than was sent: the store's is not ours.
        if (ours) changed_inputs_.insert(number);
        return owner_.drop(entry);
      }
      input = at->second.input;
    }
    try {
      of_.check(input, message.result);
    } catch (const std::exception& e) {
      return owner_.refuse(entry, message.worker, e.what());
    }
    done(entry, number);
    const std::lock_guard lock(mutex_);
    open_[number].result = std::move(message.result);
    ready_.insert(number);
    ++done_;
    changed_.notify_all();
  }

  void done(const Entry& entry, std::uint64_t number) {
    owner_.receive(number);
    owner_.remove({entry.id});
    finished_.push_back(number);
  }

  void lost(bool all) override {
    if (all) there_.clear();
    again_ = true;
  }
  void ticked(const Pulse& pulse) override {
    // It has lost some.
    if (pulse.inputs < there_.size()) again_ = true;
    const std::lock_guard lock(mutex_);
    // Workers refuse an input that is damaged, and may say no more.
    idle_ = open_.empty() || done_ != done_before_ ? 0 : idle_ + 1;
    done_before_ = done_;
    if (idle_ > 0 && idle_ % std::max<std::uint64_t>(1, of_.patience) == 0) again_ = true;
    alone_ = pulse.actors == 0 ? alone_ + 1 : 0;
    if (alone_ == kAlone && !open_.empty() && !of_.workers_command.empty()) {
      said_alone_ = owner_.say("no worker is there: start some with " + of_.workers_command);
    }
    if (alone_ == 0 && std::exchange(said_alone_, false)) owner_.say("workers are there", Owner::Often::always);
  }

  void send(Store& store, std::uint64_t epoch) override {
    std::map<std::uint64_t, std::string> inputs;
    {
      const std::lock_guard lock(mutex_);
      const auto add = [&](std::uint64_t number, const Open& share) {
        if (!share.result) inputs[number] = encode_input({number, share.input});
      };
      for (auto at = again_ ? open_.begin() : open_.lower_bound(unsent_); at != open_.end(); ++at)
        add(at->first, at->second);
      for (const std::uint64_t number : changed_inputs_) {
        if (const auto at = open_.find(number); at != open_.end()) add(number, at->second);
      }
      changed_inputs_.clear();
      unsent_ = asked_;
    }
    again_ = true;  // until all is sent
    if (!inputs.empty()) store.put_inputs(epoch, inputs);
    if (!finished_.empty()) store.remove_inputs(epoch, finished_);
    again_ = false;
    for (const auto& [number, input] : inputs) there_.insert(number);
    for (const std::uint64_t number : finished_) there_.erase(number);
    finished_.clear();
  }

  nlohmann::json stats() override {
    const std::lock_guard lock(mutex_);
    return {{"asked", asked_}, {"done", done_}};
  }

  const Coordinator::Options of_;
  WeightsId weights_;  // the kit

  mutable std::mutex mutex_;  // guards these
  std::condition_variable changed_;
  std::map<std::uint64_t, Open> open_;  // asked for, not taken
  std::set<std::uint64_t> ready_;       // of these with a result
  std::exception_ptr failed_;           // of fail()
  std::uint64_t asked_ = 0, done_ = 0;

  // The owner's thread's own.
  std::set<std::uint64_t> there_;           // whose inputs the store should hold
  std::set<std::uint64_t> changed_inputs_;  // these are to be sent again
  std::vector<std::uint64_t> finished_;     // whose inputs are to be removed
  std::uint64_t unsent_ = 0;                // inputs of this one and later ones were never sent
  bool again_ = false;                      // all inputs are to be sent
  int alone_ = 0;
  std::uint64_t idle_ = 0, done_before_ = 0;  // ticks without a new result, though some are missing; done_ at the last
  bool said_alone_ = false;
  Owner owner_;  // after what its thread uses
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
