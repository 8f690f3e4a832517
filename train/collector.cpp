#include "train/collector.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <set>

#include "store/owner.h"

namespace quarto {
namespace {

using store::Range;

}  // namespace

nlohmann::json to_json(const CollectorState& state) {
  nlohmann::json weights = nlohmann::json::array();
  for (const auto& [version, checksum] : state.weights) weights.push_back({version, checksum});
  return {{"run", state.run}, {"taken", state.taken.intervals()}, {"weights", weights}, {"upto", state.upto}};
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
  json.at("upto").get_to(state.upto);
  return state;
}

struct Collector::Impl final : store::Owner {
  Impl(const Collector::Options& of, CollectorState state)
      : Owner({of.connect, of.card, of.patience, of.tick, of.say}),
        options(of),
        received(state.taken),
        taken(state.taken),
        committed(state.taken),
        weights(std::move(state.weights)),
        highest_upto(state.upto) {
    start();
  }
  ~Impl() override { end(); }

  const Collector::Options options;

  // The mutex guards these, and the base's.
  using Owner::changed_, Owner::failure_, Owner::figures_, Owner::mutex_, Owner::removals_, Owner::send_terms,
      Owner::terms_, Owner::weights_message_;
  store::RangeSet received, taken;
  store::RangeSet committed;  // those taken whose results leave the store
  struct Kept {
    GameRecord game;
    std::string entry;
  };
  std::deque<Kept> queue;                          // received, not taken
  std::map<std::string, std::uint32_t> in_store;   // results with games of ours: how many of them are not taken
  std::set<std::string> drained;                   // results all of whose games are taken, since the last commit()
  std::map<std::uint64_t, std::uint32_t> weights;  // that games may be of
  std::uint64_t highest_upto;                      // that was ever published; a resumed run may publish a lower one
  SelfPlayCounts counts;                           // of games since the last take()
  std::uint64_t games_received = 0, old = 0;
  double waited_for_store = 0;

  void take_in(const store::Entry& entry) override {
    store::GamesMessage message;
    try {
      message = store::decode_games(entry.bytes, options.rules);
    } catch (const store::WireError& e) {
      return refuse(entry, "", e.what());
    }
    if (store::text_of(message.range) != entry.member)
      return refuse(entry, message.actor, "its games are not those that were leased");
    std::unique_lock lock(mutex_);
    figures_.bytes += entry.bytes.size();
    const auto known = weights.find(message.version);
    const bool current = message.version == terms_.weights.version;
    if (known == weights.end() || known->second != message.weights || (options.by_number && !current)) {
      std::uint64_t fresh = 0;
      for (const GameRecord& game : message.games) fresh += received.contains(game.number) ? 0 : 1;
      old += fresh;
      figures_.duplicates += message.games.size() - fresh;
      lock.unlock();
      return drop(entry);
    }
    if (message.range.end() > highest_upto) {
      lock.unlock();
      return refuse(entry, message.actor, "its games were not to be played yet");
    }
    // Leased when more was allowed. They are for later weights now.
    if (options.by_number && message.range.end() > terms_.upto) {
      old += message.games.size();
      lock.unlock();
      return drop(entry);
    }
    std::uint32_t kept = 0;
    for (GameRecord& game : message.games) {
      if (!received.add(game.number)) {
        figures_.duplicates += 1;
        continue;
      }
      queue.push_back({std::move(game), entry.id});
      ++kept;
    }
    games_received += kept;
    if (kept == 0) {
      removals_.push_back(entry.id);
      return;
    }
    in_store[entry.id] = kept;
    counts += SelfPlayCounts::of_figures(message.figures);
    if (message.figures.size() > SelfPlayCounts().figures().size())
      waited_for_store += message.figures[SelfPlayCounts().figures().size()];
    changed_.notify_all();
  }

  std::uint64_t next() const override { return received.end(); }
  std::uint64_t highest() const override { return highest_upto; }
  bool lacks(std::uint64_t number) const override { return !received.contains(number); }
  std::vector<Range> missing(std::uint64_t end, std::size_t most) const override { return received.missing(end, most); }
  void emptied() override {
    in_store.clear();
    drained.clear();
  }

  std::string stats() const override {
    const std::lock_guard lock(mutex_);
    nlohmann::json json =
        options.stats.empty() ? nlohmann::json::object() : nlohmann::json::parse(options.stats, nullptr, false);
    if (!json.is_object()) json = nlohmann::json::object();
    json["taken"] = taken.size();
    json["received"] = received.size();
    json["duplicates"] = figures_.duplicates;
    json["old"] = old;
    json["refused"] = figures_.refused;
    json["expired"] = figures_.expired;
    json["outages"] = figures_.outages;
    for (const auto& [actor, times] : figures_.refused_by) json["refused_by"][actor] = times;
    return json.dump();
  }
};

Collector::Collector(Options options, CollectorState state)
    : impl_(std::make_unique<Impl>(options, std::move(state))) {}

Collector::~Collector() = default;

void Collector::publish(std::uint64_t version, std::uint64_t step, const std::string& file, std::uint64_t upto) {
  const std::string message = store::encode_weights(
      {.version = version, .step = step, .fingerprint = store::fingerprint(impl_->options.card.config), .file = file});
  const std::uint32_t checksum = store::decode_weights(message).checksum;
  const std::lock_guard lock(impl_->mutex_);
  impl_->weights_message_ = message;
  impl_->weights[version] = checksum;
  // Versions that are ahead were made by a learner that died before its checkpoint: this run does not have them.
  impl_->weights.erase(impl_->weights.upper_bound(version), impl_->weights.end());
  const std::uint64_t oldest = version - std::min(version, impl_->options.max_lag);
  impl_->weights.erase(impl_->weights.begin(), impl_->weights.lower_bound(oldest));
  impl_->terms_.weights = {version, checksum};
  impl_->terms_.upto = upto;
  impl_->highest_upto = std::max(impl_->highest_upto, upto);
  // Results of games that were taken stay in the stream until commit(). Twice: a range may be delivered twice.
  impl_->terms_.results = std::max<std::uint64_t>(1000, 2 * impl_->committed.absent(upto));
  impl_->send_terms(true);
}

std::optional<SelfPlayResult> Collector::take(int count, const std::atomic<bool>& stop,
                                              const std::function<void(int)>& on_progress) {
  const auto wanted = static_cast<std::size_t>(count);
  std::unique_lock lock(impl_->mutex_);
  while (!stop && !impl_->failure_ && impl_->queue.size() < wanted) {
    impl_->changed_.wait_for(lock, std::chrono::milliseconds(200));
    const int now = static_cast<int>(std::min(impl_->queue.size(), wanted));
    if (!on_progress) continue;
    lock.unlock();
    on_progress(now);
    lock.lock();
  }
  if (impl_->failure_) std::rethrow_exception(impl_->failure_);
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
  const std::lock_guard lock(impl_->mutex_);
  impl_->removals_.insert(impl_->removals_.end(), impl_->drained.begin(), impl_->drained.end());
  impl_->drained.clear();
  impl_->committed = impl_->taken;
}

CollectorState Collector::state() const {
  const std::lock_guard lock(impl_->mutex_);
  return {impl_->options.card.id, impl_->taken, impl_->weights, impl_->highest_upto};
}

CollectorFigures Collector::figures() const {
  const std::lock_guard lock(impl_->mutex_);
  CollectorFigures figures;
  static_cast<store::OwnerFigures&>(figures) = impl_->figures_;
  figures.received = impl_->games_received;
  figures.old = impl_->old;
  figures.waited_for_store = impl_->waited_for_store;
  return figures;
}

bool Collector::close(store::RunPhase phase) { return impl_->close(phase); }

}  // namespace quarto
