#include "tests/support/memory_store.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <type_traits>

namespace quarto::store {

struct MemoryServer::State {
  std::mutex mutex;  // guards all below
  bool down = false;
  int lose = 0;
  std::uint64_t full = 0;  // deliveries that were refused for that
  std::uint64_t epochs = 0, troubles = 0;
  bool evicting = false, refusing_ticks = false;
  struct Run {
    RunCard card;
    Pulse pulse;
    Terms terms;
    std::uint64_t epoch = 0;
    std::string stats, weights;
    std::set<Range> free;
    std::map<Range, std::uint64_t> leased, given;  // tick of the last renewal, and of the lease
    std::vector<Entry> results;
    std::map<std::uint64_t, std::string> inputs;
    std::uint64_t entries = 0;                                            // ever
    std::map<std::string, std::pair<std::uint64_t, std::string>> actors;  // tick and status
  };
  std::optional<Run> run;
};

namespace {

using State = MemoryServer::State;

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::string name() const override { return "memory"; }

  std::optional<Found> find() override {
    return ask([&]() -> std::optional<Found> {
      if (!state_->run) return std::nullopt;
      return Found{state_->run->card, state_->run->pulse.phase};
    });
  }

  Opened open(const RunCard& card, std::uint64_t next, bool anew) override {
    return ask([&] {
      Opened opened;
      auto& run = state_->run;
      if (run && run->card.id != card.id && run->pulse.phase != RunPhase::finished) throw foreign_run(run->card.id);
      if (anew || !run || run->card.id != card.id || run->pulse.phase == RunPhase::finished) {
        run = MemoryServer::State::Run{};
        opened.empty = true;
      }
      run->card = card;
      run->pulse.phase = RunPhase::running;
      run->pulse.next = std::max(run->pulse.next, next);
      run->terms.upto = 0;
      opened.epoch = run->epoch = ++state_->epochs;
      if (state_->evicting) {
        run.reset();
        ++state_->troubles;
      }
      return opened;
    });
  }

  void publish(std::uint64_t epoch, const Terms& terms, const std::string& weights) override {
    ask([&] {
      auto& run = of(epoch);
      run.terms = terms;
      if (weights.empty()) return;
      run.weights = weights;
      run.pulse.published = true;
    });
  }

  Pulse tick(std::uint64_t epoch, std::uint64_t patience, const std::string& stats) override {
    return ask([&] {
      if (state_->refusing_ticks) {
        ++state_->troubles;
        throw StoreUnavailable("it refuses");
      }
      auto& run = of(epoch);
      run.stats = stats;
      const std::uint64_t now = ++run.pulse.tick;
      run.pulse.expired = 0;
      for (auto at = run.leased.begin(); at != run.leased.end();) {
        if (at->second + patience > now) {
          ++at;
          continue;
        }
        run.free.insert(at->first);
        run.given.erase(at->first);
        at = run.leased.erase(at);
        ++run.pulse.expired;
      }
      std::erase_if(run.actors, [&](const auto& actor) { return actor.second.first + kForgetTicks <= now; });
      return pulse_of(run);
    });
  }

  std::vector<Entry> read(std::uint64_t epoch, const std::string& after, std::size_t most) override {
    return ask([&] {
      std::vector<Entry> entries;
      for (const Entry& entry : of(epoch).results) {
        if (entries.size() < most && (after.empty() || std::stoull(entry.id) > std::stoull(after)))
          entries.push_back(entry);
      }
      return entries;
    });
  }

  void remove(std::uint64_t epoch, const std::vector<std::string>& ids) override {
    ask([&] {
      std::erase_if(of(epoch).results,
                    [&](const Entry& entry) { return std::find(ids.begin(), ids.end(), entry.id) != ids.end(); });
    });
  }

  void release(std::uint64_t epoch, const std::vector<Range>& ranges) override {
    ask([&] { of(epoch).free.insert(ranges.begin(), ranges.end()); });
  }

  void put_inputs(std::uint64_t epoch, const std::map<std::uint64_t, std::string>& inputs) override {
    ask([&] {
      auto& run = of(epoch);
      for (const auto& [number, input] : inputs) run.inputs[number] = input;
    });
  }

  void remove_inputs(std::uint64_t epoch, const std::vector<std::uint64_t>& numbers) override {
    ask([&] {
      auto& run = of(epoch);
      for (const std::uint64_t number : numbers) run.inputs.erase(number);
    });
  }

  void close(std::uint64_t epoch, RunPhase phase) override {
    ask([&] {
      auto& run = of(epoch);
      if (phase == RunPhase::finished) {
        State::Run left;
        left.card = run.card;
        left.epoch = run.epoch;
        left.stats = run.stats;
        left.terms = run.terms;
        left.pulse.tick = run.pulse.tick;
        left.pulse.next = run.pulse.next;
        run = std::move(left);
      }
      run.pulse.phase = phase;
    });
  }

  std::optional<std::string> weights(const std::string& id) override {
    return ask([&]() -> std::optional<std::string> {
      const auto& run = of(id);
      if (!run.pulse.published) return std::nullopt;
      return run.weights;
    });
  }

  Lease lease(const std::string& id, const WeightsId& weights, std::uint32_t games, std::uint32_t longest) override {
    return ask([&] {
      auto& run = of(id);
      Lease lease{notice_of(run), {}};
      if (lease.notice.phase != RunPhase::running || !lease.notice.published || !(weights == lease.notice.weights))
        return lease;
      std::uint64_t got = 0;
      while (got < games && !run.free.empty() && run.free.begin()->first < run.terms.upto) {
        Range range = *run.free.begin();
        run.free.erase(run.free.begin());
        const auto n = static_cast<std::uint32_t>(
            std::min<std::uint64_t>({range.count, std::max<std::uint32_t>(1, longest), run.terms.upto - range.first}));
        if (n < range.count) {
          run.free.insert({range.first + n, range.count - n});
          range.count = n;
        }
        lease.ranges.push_back(range);
        got += range.count;
      }
      while (got < games && run.pulse.next < run.terms.upto) {
        const auto n = std::min<std::uint64_t>({games - got, longest, kMostInRange, run.terms.upto - run.pulse.next});
        lease.ranges.push_back({run.pulse.next, static_cast<std::uint32_t>(n)});
        run.pulse.next += n;
        got += n;
      }
      if (got == 0) {
        const auto oldest = std::min_element(run.given.begin(), run.given.end(),
                                             [](const auto& a, const auto& b) { return a.second < b.second; });
        if (oldest != run.given.end() && oldest->second + kSpareTicks <= run.pulse.tick)
          lease.ranges.push_back(oldest->first);
      }
      for (const Range& range : lease.ranges) run.leased[range] = run.given[range] = run.pulse.tick;
      return lease;
    });
  }

  std::vector<std::optional<std::string>> inputs(const std::string& id,
                                                 const std::vector<std::uint64_t>& numbers) override {
    return ask([&] {
      const auto& run = of(id);
      std::vector<std::optional<std::string>> found;
      for (const std::uint64_t number : numbers) {
        const auto at = run.inputs.find(number);
        found.push_back(at == run.inputs.end() ? std::nullopt : std::optional(at->second));
      }
      return found;
    });
  }

  Delivery deliver(const std::string& id, const std::string& session, const Range& range,
                   const std::string& bytes) override {
    return ask([&] {
      auto& run = of(id);
      if (run.pulse.phase == RunPhase::finished) return Delivery::finished;
      if (run.results.size() >= run.terms.results) {
        ++state_->full;
        return Delivery::full;
      }
      run.free.erase(range);
      run.leased.erase(range);
      run.given.erase(range);
      run.results.push_back({std::to_string(++run.entries), text_of(range), session, bytes});
      return Delivery::taken;
    });
  }

  Notice beat(const std::string& id, const std::string& session, const std::string& status,
              const std::vector<Range>& held) override {
    return ask([&] {
      auto& run = of(id);
      if (run.pulse.phase == RunPhase::finished) return notice_of(run);
      if (run.actors.size() < kMostActors || run.actors.contains(session))
        run.actors[session] = {run.pulse.tick, status};
      for (const Range& range : held) {
        if (const auto at = run.leased.find(range); at != run.leased.end()) at->second = run.pulse.tick;
      }
      return notice_of(run);
    });
  }

  void leave(const std::string& id, const std::string& session, const std::vector<Range>& held) override {
    ask([&] {
      auto& run = of(id);
      run.actors.erase(session);
      for (const Range& range : held) {
        run.given.erase(range);
        if (run.leased.erase(range) > 0) run.free.insert(range);
      }
    });
  }

  std::string eviction() override {
    return ask([&] { return std::string(state_->evicting ? "it throws keys out" : ""); });
  }
  std::optional<Overview> overview() override {
    return ask([&]() -> std::optional<Overview> {
      if (!state_->run) return std::nullopt;
      auto& run = *state_->run;
      Overview all;
      all.card = run.card;
      all.pulse = pulse_of(run);
      all.stats = run.stats;
      all.weights_bytes = run.weights.size();
      all.server = "memory";
      for (const auto& [session, seen] : run.actors)
        all.actors.push_back({session, seen.second, static_cast<std::int64_t>(run.pulse.tick - seen.first), 0});
      return all;
    });
  }

  void clear() override {
    ask([&] { state_->run.reset(); });
  }

 private:
  template <class Call>
  std::invoke_result_t<const Call&> ask(const Call& call) {
    const std::lock_guard lock(state_->mutex);
    if (state_->down) throw StoreUnavailable("the store in memory is down");
    const bool lost = state_->lose > 0 && state_->lose-- > 0;
    if constexpr (std::is_void_v<std::invoke_result_t<const Call&>>) {
      call();
      if (lost) throw StoreUnavailable("the answer was lost");
    } else {
      auto answer = call();
      if (lost) throw StoreUnavailable("the answer was lost");
      return answer;
    }
  }
  State::Run& of(const std::string& id) {
    if (!state_->run || state_->run->card.id != id) throw RunGone();
    return *state_->run;
  }
  State::Run& of(std::uint64_t epoch) {
    if (!state_->run) throw RunGone();
    if (state_->run->epoch > epoch) throw Superseded();
    if (state_->run->epoch < epoch) throw RunGone();  // as after forget_takeover()
    return *state_->run;
  }
  static Notice notice_of(const State::Run& run) { return {run.pulse.phase, run.terms.weights, run.pulse.published}; }
  static Pulse pulse_of(State::Run& run) {
    run.pulse.version = run.terms.weights.version;
    run.pulse.upto = run.terms.upto;
    run.pulse.leased = run.leased.size();
    run.pulse.free = static_cast<std::uint64_t>(
        std::count_if(run.free.begin(), run.free.end(), [&](const Range& r) { return r.first < run.terms.upto; }));
    run.pulse.results = run.results.size();
    run.pulse.inputs = run.inputs.size();
    run.pulse.actors = run.actors.size();
    return run.pulse;
  }

  std::shared_ptr<State> state_;
};

}  // namespace

MemoryServer::MemoryServer() : state_(std::make_shared<State>()) {}
MemoryServer::~MemoryServer() = default;

std::unique_ptr<Store> MemoryServer::connect() { return std::make_unique<MemoryStore>(state_); }

void MemoryServer::set_down(bool down) {
  const std::lock_guard lock(state_->mutex);
  state_->down = down;
}

void MemoryServer::empty() {
  const std::lock_guard lock(state_->mutex);
  state_->run.reset();
}

void MemoryServer::forget_leases() {
  const std::lock_guard lock(state_->mutex);
  if (!state_->run) return;
  state_->run->free.clear();
  state_->run->leased.clear();
  state_->run->given.clear();
}

void MemoryServer::forget_takeover() {
  const std::lock_guard lock(state_->mutex);
  if (state_->run) state_->run->epoch = 0;
}

void MemoryServer::set_evicting(bool evicting) {
  const std::lock_guard lock(state_->mutex);
  state_->evicting = evicting;
}
void MemoryServer::set_refusing_ticks(bool refusing) {
  const std::lock_guard lock(state_->mutex);
  state_->refusing_ticks = refusing;
}
std::uint64_t MemoryServer::troubles() const {
  const std::lock_guard lock(state_->mutex);
  return state_->troubles;
}

void MemoryServer::damage_weights() {
  const std::lock_guard lock(state_->mutex);
  if (state_->run) state_->run->weights = "damaged";
}

void MemoryServer::forget_inputs() {
  const std::lock_guard lock(state_->mutex);
  if (state_->run) state_->run->inputs.clear();
}

void MemoryServer::change_inputs(const std::function<void(std::string& input)>& change) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->run) return;
  for (auto& [number, input] : state_->run->inputs) change(input);
}

void MemoryServer::lose_answers(int n) {
  const std::lock_guard lock(state_->mutex);
  state_->lose = n;
}

std::uint64_t MemoryServer::full() const {
  const std::lock_guard lock(state_->mutex);
  return state_->full;
}

void MemoryServer::inject(const std::string& member, const std::string& bytes) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->run) return;
  auto& run = *state_->run;
  run.results.push_back({std::to_string(++run.entries), member, "stranger", bytes});
}

}  // namespace quarto::store
