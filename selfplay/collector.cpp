#include "selfplay/collector.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

namespace quarto {

struct Collector::Impl final : store::Results {
  Impl(Options of, GamesState state)
      : options(std::move(of)),
        taken(state.taken),
        committed(state.taken),
        weights(std::move(state.weights)),
        owner({options.connect, options.card, options.patience, options.tick, options.say}, state.taken, state.upto) {
    owner.start(*this);
  }
  ~Impl() override { owner.end(); }

  const Options options;

  mutable std::mutex mutex;  // guards these
  std::condition_variable changed;
  store::RangeSet taken, committed;  // committed: those taken whose results leave the store
  struct Kept {
    GameRecord game;
    std::string entry;
  };
  std::deque<Kept> queue;                          // received, not taken
  std::map<std::string, std::uint32_t> in_store;   // results with games of ours: how many of them are not taken
  std::vector<std::string> drained;                // results all of whose games are taken, since the last commit()
  std::map<std::uint64_t, std::uint32_t> weights;  // that games may be of
  store::Terms terms;
  SelfPlayCounts counts;  // of games since the last take()
  std::uint64_t received = 0;
  double waited_for_store = 0;

  store::Owner owner;  // after what its thread uses

  void take_in(const store::Entry& entry) override {
    store::GamesMessage message;
    try {
      message = store::decode_games(entry.bytes, options.rules);
    } catch (const store::WireError& e) {
      return owner.refuse(entry, "", e.what());
    }
    if (store::text_of(message.range) != entry.member)
      return owner.refuse(entry, message.actor, "its games are not those that were leased");
    std::unique_lock lock(mutex);
    const auto known = weights.find(message.version);
    const bool current = message.version == terms.weights.version;
    const bool old = known == weights.end() || known->second != message.weights || (options.in_turn && !current);
    const bool early = message.range.end() > owner.highest();
    // Leased when more was allowed. They are for later weights now.
    if (old || (options.in_turn && !early && message.range.end() > terms.upto)) {
      lock.unlock();
      return owner.drop(entry);
    }
    if (early) {
      lock.unlock();
      return owner.refuse(entry, message.actor, "its games were not to be played yet");
    }
    std::uint32_t kept = 0;
    for (GameRecord& game : message.games) {
      if (!owner.receive(game.number)) continue;
      queue.push_back({std::move(game), entry.id});
      ++kept;
    }
    if (kept == 0) return owner.remove({entry.id});
    received += kept;
    in_store[entry.id] = kept;
    counts += SelfPlayCounts::of_figures(message.figures);
    // What the games' own counts leave over.
    if (const std::size_t own = SelfPlayCounts().figures().size(); message.figures.size() > own)
      waited_for_store += message.figures[own];
    changed.notify_all();
  }

  void lost(bool all) override {
    const std::lock_guard lock(mutex);
    if (!all) return;
    in_store.clear();
    drained.clear();
  }

  nlohmann::json stats() override {
    const std::lock_guard lock(mutex);
    nlohmann::json json = options.stats;
    json["taken"] = taken.size();
    json["received"] = taken.size() + queue.size();
    return json;
  }
};

Collector::Collector(Options options, GamesState state)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(state))) {}

Collector::~Collector() = default;

void Collector::publish(const NewWeights& news) {
  std::string message = store::encode_weights({.version = news.version,
                                               .step = news.step,
                                               .fingerprint = store::fingerprint(impl_->options.card.config),
                                               .file = news.file()});
  const std::uint32_t checksum = store::decode_weights(message).checksum;
  const std::lock_guard lock(impl_->mutex);
  auto& weights = impl_->weights;
  weights[news.version] = checksum;
  // Versions that are ahead were made by a learner that died before its checkpoint: this run does not have them.
  weights.erase(weights.upper_bound(news.version), weights.end());
  weights.erase(weights.begin(), weights.lower_bound(news.version - std::min(news.version, impl_->options.max_lag)));
  store::Terms& terms = impl_->terms;
  terms.weights = {news.version, checksum};
  // The lowest numbers that the run does not have: there may be others above them.
  terms.upto = impl_->taken.end_with_absent(news.games);
  // Results of games that were taken stay in the stream until commit(). Twice: a range may be delivered twice.
  terms.results = std::max<std::uint64_t>(1000, 2 * impl_->committed.absent(terms.upto));
  impl_->owner.set_terms(terms, std::move(message));
}

std::optional<PlayedGames> Collector::take(int count, const GoOn& go_on) {
  const auto wanted = static_cast<std::size_t>(count);
  std::unique_lock lock(impl_->mutex);
  while (true) {
    const int now = static_cast<int>(std::min(impl_->queue.size(), wanted));
    lock.unlock();
    impl_->owner.rethrow();
    const StoreFigures all = figures();
    if (!go_on(now, &all)) return std::nullopt;
    lock.lock();
    if (impl_->queue.size() >= wanted) break;
    impl_->changed.wait_for(lock, std::chrono::milliseconds(200));
  }
  if (impl_->options.in_turn) {
    std::sort(impl_->queue.begin(), impl_->queue.end(),
              [](const Impl::Kept& a, const Impl::Kept& b) { return a.game.number < b.game.number; });
  }
  PlayedGames played;
  for (std::size_t i = 0; i < wanted; ++i) {
    Impl::Kept& kept = impl_->queue.front();
    impl_->taken.add(kept.game.number);
    if (const auto at = impl_->in_store.find(kept.entry); at != impl_->in_store.end() && --at->second == 0) {
      impl_->in_store.erase(at);
      impl_->drained.push_back(kept.entry);
    }
    played.games.push_back(std::move(kept.game));
    impl_->queue.pop_front();
  }
  played.counts = std::exchange(impl_->counts, {});
  lock.unlock();
  played.store = figures();
  return played;
}

void Collector::commit() {
  const std::lock_guard lock(impl_->mutex);
  impl_->owner.remove(std::exchange(impl_->drained, {}));
  impl_->committed = impl_->taken;
}

GamesState Collector::state() const {
  const std::lock_guard lock(impl_->mutex);
  return {impl_->taken, impl_->options.card.id, impl_->weights, impl_->owner.highest()};
}

StoreFigures Collector::figures() const {
  StoreFigures figures;
  static_cast<store::OwnerFigures&>(figures) = impl_->owner.figures();
  const std::lock_guard lock(impl_->mutex);
  figures.received = impl_->received;
  figures.waited_for_store = impl_->waited_for_store;
  return figures;
}

GameSource::Closed Collector::close(bool finished) {
  // What is not taken is in the store, too.
  return {0, impl_->owner.close(finished ? store::RunPhase::finished : store::RunPhase::stopped)};
}

}  // namespace quarto
