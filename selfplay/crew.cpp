#include "selfplay/crew.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/memory.h"

namespace quarto {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

struct Crew::Shared {
  struct Item {
    PlayedRange played;
    std::uint64_t generation = 0;  // of the weights; 0: not begun
    std::uint32_t handed_out = 0;
  };

  SelfPlaySettings settings;
  mutable std::mutex mutex;  // guards all members below
  std::condition_variable work, changed;
  bool stop = false;
  CrewWeights weights;
  std::uint64_t generation = 0;         // of `weights`; counts up, since versions may come again
  std::map<std::uint64_t, Item> items;  // by first number; not taken
  std::deque<Item*> open;               // those with games that are not handed out, in order of arrival
  std::uint64_t waiting = 0;            // games that are not handed out
  std::deque<std::uint64_t> finished;   // first numbers
  Idle idle = Idle::waited;
  Figures figures;
  std::exception_ptr failure;
  std::vector<std::thread> threads;

  // With the lock: a range with a game for a worker with these weights. Ranges that have begun come before the others.
  Item* open_for(std::uint64_t with) {
    for (Item* item : open) {
      if (item->generation == with || (item->generation == 0 && with == generation)) return item;
      if (item->generation == 0) break;
    }
    return nullptr;
  }

  std::optional<std::uint64_t> next(std::uint64_t with) {
    const std::lock_guard lock(mutex);
    if (stop || waiting == 0) return std::nullopt;
    Item* item = open_for(with);
    if (!item) return std::nullopt;
    if (item->generation == 0) {
      item->generation = with;
      item->played.version = weights.version;
      item->played.checksum = weights.checksum;
    }
    const std::uint64_t number = item->played.range.first + item->handed_out++;
    --waiting;
    if (item->handed_out == item->played.range.count) open.erase(std::find(open.begin(), open.end(), item));
    return number;
  }

  // With the lock.
  void over(GameRecord record) {
    PlayedRange& played = std::prev(items.upper_bound(record.number))->second.played;
    played.games.push_back(std::move(record));
    if (played.games.size() < played.range.count) return;
    std::sort(played.games.begin(), played.games.end(),
              [](const GameRecord& a, const GameRecord& b) { return a.number < b.number; });
    finished.push_back(played.range.first);
    changed.notify_all();
  }

  void rethrow() const {
    if (failure) std::rethrow_exception(failure);
  }

  struct Group {
    std::uint64_t generation;
    std::shared_ptr<Evaluator> evaluator;
    WorkerGroup workers;
    SelfPlayCounts reported{};
    Group(Shared& shared, std::uint64_t with, std::shared_ptr<Evaluator> by, std::vector<GameRecord>& ended)
        : generation(with),
          evaluator(std::move(by)),
          workers(
              shared.settings, *evaluator, [&shared, with] { return shared.next(with); },
              [&ended](GameRecord record) { ended.push_back(std::move(record)); }) {}
  };

  void work_on() {
    try {
      std::vector<GameRecord> ended;  // in this step: they are handed over with what was counted in it
      std::list<Group> groups;        // the newest weights last
      while (true) {
        std::shared_ptr<Evaluator> fresh;
        std::uint64_t newest = 0;
        {
          const std::lock_guard lock(mutex);
          if (stop) return;
          newest = generation;
          if (newest > 0 && (groups.empty() || groups.back().generation != newest)) fresh = weights.evaluator;
        }
        if (fresh) {
          fresh->begin_thread();
          groups.emplace_back(*this, newest, std::move(fresh), ended);
        }
        bool any = false;
        SelfPlayCounts more;
        for (auto group = groups.begin(); group != groups.end();) {
          const bool busy = group->workers.step();
          const SelfPlayCounts now = group->workers.counts();
          more += now - group->reported;
          group->reported = now;
          any = any || busy;
          // What is left of its ranges it would have taken just now.
          group = busy || group->generation == newest ? std::next(group) : groups.erase(group);
        }
        std::unique_lock lock(mutex);
        figures.counts += more;
        figures.steps += 1;
        for (GameRecord& record : ended) over(std::move(record));
        ended.clear();
        if (any || stop) continue;
        const auto begin = Clock::now();
        changed.notify_all();
        work.wait(lock, [&] { return stop || generation != newest || (newest > 0 && open_for(newest)); });
        const double seconds = seconds_since(begin);
        if (idle == Idle::paused) {
          figures.counts.paused += seconds;
          figures.counts.working += seconds;
        } else {
          figures.waited += seconds;
        }
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      changed.notify_all();
    }
  }

  void end() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    work.notify_all();
    for (std::thread& thread : threads) thread.join();
  }
};

Crew::Crew(const SelfPlaySettings& settings, int threads) : shared_(std::make_shared<Shared>()) {
  shared_->settings = settings;
  keep_freed_memory();
  try {
    for (int i = 0; i < threads; ++i) shared_->threads.emplace_back([s = shared_.get()] { s->work_on(); });
  } catch (const std::system_error& e) {
    shared_->end();
    throw ThreadError(shared_->threads.size(), threads, e);
  }
}

Crew::~Crew() { shared_->end(); }

void Crew::set_weights(CrewWeights weights) {
  const std::lock_guard lock(shared_->mutex);
  shared_->weights = std::move(weights);
  ++shared_->generation;
  shared_->work.notify_all();
}

std::size_t Crew::add(const std::vector<store::Range>& ranges) {
  const std::lock_guard lock(shared_->mutex);
  std::size_t added = 0;
  for (const store::Range& range : ranges) {
    const auto after = shared_->items.lower_bound(range.end());
    if (after != shared_->items.begin() && std::prev(after)->second.played.range.end() > range.first) continue;
    Shared::Item& item = shared_->items[range.first];
    item.played.range = range;
    shared_->open.push_back(&item);
    shared_->waiting += range.count;
    ++added;
  }
  shared_->work.notify_all();
  return added;
}

std::size_t Crew::wait(double seconds, std::size_t finished, std::uint64_t low) {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
    return shared_->failure || shared_->finished.size() >= finished || shared_->waiting < low;
  });
  shared_->rethrow();
  return shared_->finished.size();
}

std::vector<PlayedRange> Crew::take(std::size_t most) {
  const std::lock_guard lock(shared_->mutex);
  shared_->rethrow();
  std::vector<PlayedRange> taken;
  while (!shared_->finished.empty() && taken.size() < most) {
    const auto at = shared_->items.find(shared_->finished.front());
    taken.push_back(std::move(at->second.played));
    shared_->items.erase(at);
    shared_->finished.pop_front();
  }
  return taken;
}

std::uint64_t Crew::waiting() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->waiting;
}

std::vector<store::Range> Crew::held(bool playing) const {
  const std::lock_guard lock(shared_->mutex);
  std::vector<store::Range> ranges;
  for (const auto& [first, item] : shared_->items) {
    if (playing || item.played.games.size() == item.played.range.count) ranges.push_back(item.played.range);
  }
  return ranges;
}

void Crew::count_idle(Idle as) {
  const std::lock_guard lock(shared_->mutex);
  shared_->idle = as;
}

Crew::Figures Crew::figures() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->figures;
}

ThreadError::ThreadError(std::size_t started, int wanted, const std::system_error& why)
    : std::runtime_error(
          fmt::format("self-play: {} of {} threads could be started ({}); set selfplay.threads lower, or "
                      "raise the limit on threads (ulimit -u)",
                      started, wanted, why.code().message())) {}

std::vector<GameRecord> play_games(const SelfPlaySettings& settings, Evaluator& evaluator, std::uint64_t first,
                                   int count, int threads, SelfPlayCounts* counts) {
  if (count <= 0) return {};
  evaluator.begin_thread();
  Crew crew(settings, threads);
  crew.set_weights({0, 0, std::shared_ptr<Evaluator>(std::shared_ptr<Evaluator>(), &evaluator)});
  crew.add({{first, static_cast<std::uint32_t>(count)}});
  while (crew.wait(1, 1) == 0) continue;
  if (counts) *counts = crew.figures().counts;
  return std::move(crew.take()[0].games);
}

}  // namespace quarto
