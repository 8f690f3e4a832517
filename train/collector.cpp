#include "train/collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include "base/progress.h"
#include "store/backoff.h"

namespace quarto {
namespace {

using Clock = std::chrono::steady_clock;
using store::Range;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr std::size_t kReadAtOnce = 64;
constexpr std::size_t kActorsNamed = 100;
constexpr double kCloseSeconds = 10;

// Whether the call could be made: an outage is waited for, but not for long.
bool said_at_the_end(const std::function<void()>& call) {
  const auto begin = Clock::now();
  store::Backoff backoff(0.1, 1, 1);
  while (seconds_since(begin) < kCloseSeconds) {
    try {
      call();
      return true;
    } catch (const store::StoreUnavailable&) {
      std::this_thread::sleep_for(std::chrono::duration<double>(backoff.next()));
    } catch (const std::exception&) {
      return false;
    }
  }
  return false;
}

}  // namespace

nlohmann::json to_json(const CollectorState& state) {
  nlohmann::json weights = nlohmann::json::array();
  for (const auto& [version, checksum] : state.weights) weights.push_back({version, checksum});
  return {{"run", state.run}, {"taken", state.taken.intervals()}, {"weights", weights}};
}

CollectorState collector_state(const nlohmann::json& json) {
  CollectorState state;
  json.at("run").get_to(state.run);
  for (const auto& [begin, end] : json.at("taken").get<std::vector<std::pair<std::uint64_t, std::uint64_t>>>()) {
    if (begin >= end || end > store::kMostGames || (state.taken.size() > 0 && begin <= state.taken.end()))
      throw std::runtime_error("the numbers of the games taken from the store are not in order");
    state.taken.add(begin, end);
  }
  for (const auto& [version, checksum] : json.at("weights").get<std::vector<std::pair<std::uint64_t, std::uint32_t>>>())
    state.weights[version] = checksum;
  return state;
}

struct Collector::Impl {
  // Of the constructor, not changed.
  Options options;

  mutable std::mutex mutex;  // guards all members up to `thread`
  std::condition_variable changed, wake;
  bool stop = false;
  store::RangeSet received, taken;
  store::RangeSet committed;  // those taken whose results leave the store
  struct Kept {
    GameRecord game;
    std::string entry;
  };
  std::deque<Kept> queue;                          // received, not taken
  std::map<std::string, std::uint32_t> in_store;   // results with games of ours: how many of them are not taken
  std::set<std::string> drained;                   // results all of whose games are taken, since the last commit()
  std::vector<std::string> removals;               // results that are to leave the store
  std::vector<Range> releases;                     // games that are to be leased again
  std::map<std::uint64_t, std::uint32_t> weights;  // that games may be of
  store::Terms terms;
  std::string weights_message;
  std::uint64_t wanted = 0, weights_wanted = 0;  // count publications
  SelfPlayCounts counts;                         // of games since the last take()
  CollectorFigures figures;
  std::exception_ptr failure;

  // The thread's own.
  std::unique_ptr<store::Store> store;
  std::uint64_t epoch = 0, published = 0, weights_sent = 0;
  bool opened = false;
  std::string cursor;
  std::set<std::string> seen;  // results that were read and are not known to have left the store
  // At the last tick nothing was leased or free, and everything below this number had been leased; 0: not so.
  std::uint64_t starving = 0;
  std::thread thread;

  void say(const std::string& line) const {
    if (options.say) options.say(line);
  }

  // --- what comes

  void refuse(const store::Entry& entry, const std::string& name, const std::string& why) {
    const std::string who = name.empty() ? (entry.actor.empty() ? "unknown" : entry.actor) : name;
    std::uint64_t times = 0;
    {
      const std::lock_guard lock(mutex);
      figures.refused += 1;
      if (figures.refused_by.contains(who) || figures.refused_by.size() < kActorsNamed)
        times = ++figures.refused_by[who];
    }
    if (times == 1) say(fmt::format("refused a result of actor {}: {} (said once for each actor)", who, why));
    drop(entry);
  }

  // Takes a result out, and lets what it should have held be played again.
  void drop(const store::Entry& entry) {
    const std::lock_guard lock(mutex);
    removals.push_back(entry.id);
    const auto range = store::parse_range(entry.member);
    if (!range || range->end() > terms.upto) return;
    std::vector<Range> missing;
    for (std::uint64_t n = range->first; n < range->end(); ++n) {
      if (received.contains(n)) continue;
      if (!missing.empty() && missing.back().end() == n)
        ++missing.back().count;
      else
        missing.push_back({n, 1});
    }
    releases.insert(releases.end(), missing.begin(), missing.end());
  }

  void take_in(const store::Entry& entry) {
    if (!seen.insert(entry.id).second) return;
    store::GamesMessage message;
    try {
      message = store::decode_games(entry.bytes, options.rules);
    } catch (const store::WireError& e) {
      return refuse(entry, "", e.what());
    }
    if (store::text_of(message.range) != entry.member)
      return refuse(entry, message.actor, "its games are not those that were leased");
    std::unique_lock lock(mutex);
    figures.bytes += entry.bytes.size();
    const auto known = weights.find(message.version);
    const bool current = message.version == terms.weights.version;
    if (known == weights.end() || known->second != message.weights || (options.by_number && !current)) {
      std::uint64_t fresh = 0;
      for (const GameRecord& game : message.games) fresh += received.contains(game.number) ? 0 : 1;
      figures.old += fresh;
      figures.duplicates += message.games.size() - fresh;
      lock.unlock();
      return drop(entry);
    }
    if (message.range.end() > terms.upto) {
      lock.unlock();
      return refuse(entry, message.actor, "its games were not to be played yet");
    }
    std::uint32_t kept = 0;
    for (GameRecord& game : message.games) {
      if (!received.add(game.number)) {
        figures.duplicates += 1;
        continue;
      }
      queue.push_back({std::move(game), entry.id});
      ++kept;
    }
    figures.received += kept;
    if (kept == 0) {
      removals.push_back(entry.id);
      return;
    }
    in_store[entry.id] = kept;
    counts += SelfPlayCounts::of_figures(message.figures);
    if (message.figures.size() > SelfPlayCounts().figures().size())
      figures.waited_for_store += message.figures[SelfPlayCounts().figures().size()];
    changed.notify_all();
  }

  // --- the thread

  void open() {
    std::uint64_t next = 0;
    {
      const std::lock_guard lock(mutex);
      next = received.end();
    }
    const store::Store::Opened now = store->open(options.card, next);
    epoch = now.epoch;
    opened = true;
    cursor.clear();
    published = weights_sent = 0;
    if (!now.empty) return;
    // What this process holds is not in the store any more, and need not be: it is here, or will be played again.
    const std::lock_guard lock(mutex);
    seen.clear();
    in_store.clear();
    drained.clear();
    removals.clear();
    releases = received.missing(next, 100'000);
  }

  void push() {
    store::Terms new_terms;
    std::string message;
    std::vector<std::string> out;
    std::vector<Range> again;
    std::uint64_t number = 0, with_weights = 0;
    {
      const std::lock_guard lock(mutex);
      new_terms = terms;
      number = wanted;
      with_weights = weights_wanted;
      if (with_weights != weights_sent) message = weights_message;
      out = removals;
      again = releases;
    }
    if (number != published) {
      store->publish(epoch, new_terms, message);
      published = number;
      weights_sent = with_weights;
    }
    if (!again.empty()) {
      store->release(epoch, again);
      const std::lock_guard lock(mutex);
      releases.erase(releases.begin(), releases.begin() + static_cast<std::ptrdiff_t>(again.size()));
      for (const Range& range : again) figures.replayed += range.count;
    }
    if (!out.empty()) {
      store->remove(epoch, out);
      const std::lock_guard lock(mutex);
      removals.erase(removals.begin(), removals.begin() + static_cast<std::ptrdiff_t>(out.size()));
      for (const std::string& id : out) seen.erase(id);
    }
  }

  // Returns whether something came.
  bool pull() {
    if (published == 0) return false;  // it is not known yet which games are wanted
    const std::vector<store::Entry> entries = store->read(epoch, cursor, kReadAtOnce);
    for (const store::Entry& entry : entries) {
      take_in(entry);
      cursor = entry.id;
    }
    if (!entries.empty()) return true;
    if (starving > 0) {
      // Everything that was delivered before the tick has been read: what is missing now nobody has.
      const std::lock_guard lock(mutex);
      if (releases.empty()) releases = received.missing(starving, 10'000);
      starving = 0;
    }
    return false;
  }

  nlohmann::json stats() const {
    const std::lock_guard lock(mutex);
    nlohmann::json json =
        options.stats.empty() ? nlohmann::json::object() : nlohmann::json::parse(options.stats, nullptr, false);
    if (!json.is_object()) json = nlohmann::json::object();
    json["taken"] = taken.size();
    json["received"] = received.size();
    json["duplicates"] = figures.duplicates;
    json["old"] = figures.old;
    json["refused"] = figures.refused;
    json["expired"] = figures.expired;
    json["outages"] = figures.outages;
    for (const auto& [actor, times] : figures.refused_by) json["refused_by"][actor] = times;
    return json;
  }

  void tick() {
    const auto begin = Clock::now();
    const store::Pulse pulse = store->tick(epoch, options.patience, stats().dump());
    const double took = seconds_since(begin);
    const std::lock_guard lock(mutex);
    figures.answer_seconds = figures.answer_seconds == 0 ? took : 0.9 * figures.answer_seconds + 0.1 * took;
    figures.actors = pulse.actors;
    figures.queue = pulse.results;
    figures.leased = pulse.leased;
    figures.expired += pulse.expired;
    figures.connected = true;
    // A store that was restarted may have forgotten the last second.
    if (published == wanted && wanted > 0 &&
        (pulse.version != terms.weights.version || pulse.upto != terms.upto || !pulse.published ||
         pulse.phase != store::RunPhase::running))
      published = weights_sent = 0;
    const bool nobody = pulse.leased == 0 && pulse.free == 0 && pulse.next >= pulse.upto;
    starving = nobody && published != 0 ? std::min(pulse.upto, terms.upto) : 0;
  }

  void run() {
    store::Backoff backoff(0.1, 5, fingerprint_of_card());
    auto last_tick = Clock::time_point{};
    bool lost = false;
    Clock::time_point lost_since;
    double idle = 0.002;
    while (true) {
      bool busy = false;
      double pause = 0;
      try {
        if (!store) store = options.connect();
        if (!opened) open();
        push();
        busy = pull();
        if (seconds_since(last_tick) >= options.tick) {
          last_tick = Clock::now();
          tick();
        }
        if (lost) say(fmt::format("the store answers again after {}", format_duration(seconds_since(lost_since))));
        lost = false;
        backoff.reset();
        idle = busy ? 0.002 : std::min(0.05, 1.5 * idle);
        pause = busy ? 0 : idle;
      } catch (const store::StoreUnavailable& e) {
        // A server that comes back may have lost its last second: everything in the stream is read again.
        cursor.clear();
        starving = 0;
        if (!lost) {
          lost = true;
          lost_since = Clock::now();
          say(fmt::format("{}; trying again until it does", e.what()));
          const std::lock_guard lock(mutex);
          figures.outages += 1;
          figures.connected = false;
        }
        pause = backoff.next();
      } catch (const store::RunGone&) {
        say("the store has lost the run: putting it there again");
        opened = false;
        pause = 0.1;
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        changed.notify_all();
        return;
      }
      std::unique_lock lock(mutex);
      const std::uint64_t before = wanted;
      if (pause > 0)
        wake.wait_for(lock, std::chrono::duration<double>(pause), [&] { return stop || (!lost && wanted != before); });
      if (stop) return;
    }
  }

  std::uint64_t fingerprint_of_card() const { return store::fingerprint(options.card.id); }

  void end() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    wake.notify_all();
    if (thread.joinable()) thread.join();
  }
};

Collector::Collector(Options options, CollectorState state) : impl_(std::make_unique<Impl>()) {
  impl_->options = std::move(options);
  impl_->received = impl_->taken = impl_->committed = state.taken;
  impl_->weights = std::move(state.weights);
  impl_->thread = std::thread([impl = impl_.get()] { impl->run(); });
}

Collector::~Collector() { impl_->end(); }

void Collector::publish(std::uint64_t version, std::uint64_t step, const std::string& file, std::uint64_t upto) {
  const std::string message = store::encode_weights(
      {.version = version, .step = step, .fingerprint = store::fingerprint(impl_->options.card.config), .file = file});
  const std::uint32_t checksum = store::decode_weights(message).checksum;
  const std::lock_guard lock(impl_->mutex);
  impl_->weights_message = message;
  impl_->weights[version] = checksum;
  // Versions that are ahead were made by a learner that died before its checkpoint: this run does not have them.
  impl_->weights.erase(impl_->weights.upper_bound(version), impl_->weights.end());
  const std::uint64_t oldest = version - std::min(version, impl_->options.max_lag);
  impl_->weights.erase(impl_->weights.begin(), impl_->weights.lower_bound(oldest));
  impl_->terms.weights = {version, checksum};
  impl_->terms.upto = upto;
  // Results of games that were taken stay in the stream until commit(). Twice: a range may be delivered twice.
  impl_->terms.results = std::max<std::uint64_t>(1000, 2 * impl_->committed.absent(upto));
  ++impl_->weights_wanted;
  ++impl_->wanted;
  impl_->wake.notify_all();
}

std::optional<SelfPlayResult> Collector::take(int count, const std::atomic<bool>& stop,
                                              const std::function<void(int)>& on_progress) {
  const auto wanted = static_cast<std::size_t>(count);
  std::unique_lock lock(impl_->mutex);
  while (!stop && !impl_->failure && impl_->queue.size() < wanted) {
    impl_->changed.wait_for(lock, std::chrono::milliseconds(200));
    const int now = static_cast<int>(std::min(impl_->queue.size(), wanted));
    if (!on_progress) continue;
    lock.unlock();
    on_progress(now);
    lock.lock();
  }
  if (impl_->failure) std::rethrow_exception(impl_->failure);
  if (stop) return std::nullopt;
  if (impl_->options.by_number) {
    std::sort(impl_->queue.begin(), impl_->queue.end(),
              [](const Impl::Kept& a, const Impl::Kept& b) { return a.game.number < b.game.number; });
  }
  SelfPlayResult result;
  for (std::size_t i = 0; i < wanted; ++i) {
    Impl::Kept& kept = impl_->queue.front();
    impl_->taken.add(kept.game.number);
    if (const auto at = impl_->in_store.find(kept.entry); at != impl_->in_store.end() && --at->second == 0) {
      impl_->in_store.erase(at);
      impl_->drained.insert(kept.entry);
    }
    result.games.push_back(std::move(kept.game));
    impl_->queue.pop_front();
  }
  result.counts = std::exchange(impl_->counts, {});
  return result;
}

void Collector::commit() {
  const std::lock_guard lock(impl_->mutex);
  impl_->removals.insert(impl_->removals.end(), impl_->drained.begin(), impl_->drained.end());
  impl_->drained.clear();
  impl_->committed = impl_->taken;
}

CollectorState Collector::state() const {
  const std::lock_guard lock(impl_->mutex);
  return {impl_->options.card.id, impl_->taken, impl_->weights};
}

CollectorFigures Collector::figures() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->figures;
}

bool Collector::close(store::RunPhase phase) {
  impl_->end();
  if (impl_->failure || !impl_->opened) return false;
  return said_at_the_end([&] {
    // The last removals, too: results that a finished run left would be read by nobody.
    impl_->push();
    impl_->store->tick(impl_->epoch, impl_->options.patience, impl_->stats().dump());
    impl_->store->close(impl_->epoch, phase);
  });
}

bool tell_finished(const std::function<std::unique_ptr<store::Store>()>& connect, const std::string& run) {
  return said_at_the_end([&] {
    const auto store = connect();
    const auto found = store->find();
    if (!found || found->card.id != run || found->phase == store::RunPhase::finished) return;
    store->close(store->open(found->card, 0).epoch, store::RunPhase::finished);
  });
}

}  // namespace quarto
