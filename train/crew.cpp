#include "train/crew.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "model/runtime.h"

namespace quarto {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

struct GameCrew::Shared {
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
  std::map<std::uint64_t, Item> items;  // by first number; not finished
  std::deque<Item*> open;               // those with games that are not handed out, in order of arrival
  std::uint64_t waiting = 0;            // games that are not handed out
  std::vector<PlayedRange> finished;
  Missing missing = Missing::store;
  Figures figures;
  std::exception_ptr failure;
  std::vector<std::thread> threads;

  // With the lock: a game for a worker with these weights.
  Item* open_for(std::uint64_t with) {
    for (Item* item : open) {
      if (item->generation == with || (item->generation == 0 && with == generation)) return item;
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

  void over(GameRecord record) {
    const std::lock_guard lock(mutex);
    const auto at = std::prev(items.upper_bound(record.number));
    PlayedRange& played = at->second.played;
    played.games.push_back(std::move(record));
    if (played.games.size() < played.range.count) return;
    std::sort(played.games.begin(), played.games.end(),
              [](const GameRecord& a, const GameRecord& b) { return a.number < b.number; });
    finished.push_back(std::move(played));
    items.erase(at);
    changed.notify_all();
  }

  struct Group {
    std::uint64_t generation;
    std::shared_ptr<Evaluator> evaluator;
    WorkerGroup workers;
    SelfPlayCounts reported{};
    Group(Shared& shared, std::uint64_t with, std::shared_ptr<Evaluator> by)
        : generation(with),
          evaluator(std::move(by)),
          workers(
              shared.settings, [&shared, with] { return shared.next(with); },
              [&shared](GameRecord record) { shared.over(std::move(record)); }) {}
  };

  void work_on() {
    try {
      std::list<Group> groups;  // the newest weights last
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
          groups.emplace_back(*this, newest, std::move(fresh));
        }
        bool any = false;
        SelfPlayCounts more;
        for (auto group = groups.begin(); group != groups.end();) {
          const bool busy = group->workers.step(group->evaluator);
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
        if (any || stop) continue;
        const auto begin = Clock::now();
        changed.notify_all();
        work.wait(lock, [&] { return stop || generation != newest || (newest > 0 && open_for(newest)); });
        const double idle = std::chrono::duration<double>(Clock::now() - begin).count();
        if (missing == Missing::learner) {
          figures.counts.paused += idle;
          figures.counts.working += idle;
        } else {
          figures.waited_for_store += idle;
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

GameCrew::GameCrew(const SelfPlaySettings& settings, int threads) : shared_(std::make_shared<Shared>()) {
  shared_->settings = settings;
  keep_freed_memory();
  try {
    for (int i = 0; i < threads; ++i) shared_->threads.emplace_back([s = shared_.get()] { s->work_on(); });
  } catch (const std::system_error& e) {
    shared_->end();
    throw ThreadError(shared_->threads.size(), threads, e);
  }
}

GameCrew::~GameCrew() { shared_->end(); }

void GameCrew::set_weights(CrewWeights weights) {
  const std::lock_guard lock(shared_->mutex);
  shared_->weights = std::move(weights);
  ++shared_->generation;
  shared_->work.notify_all();
}

bool GameCrew::add(const store::Range& range) {
  const std::lock_guard lock(shared_->mutex);
  const auto overlaps = [&](const store::Range& other) {
    return range.first < other.end() && other.first < range.end();
  };
  for (const PlayedRange& played : shared_->finished) {
    if (overlaps(played.range)) return false;
  }
  const auto after = shared_->items.lower_bound(range.end());
  if (after != shared_->items.begin() && overlaps(std::prev(after)->second.played.range)) return false;
  Shared::Item& item = shared_->items[range.first];
  item.played.range = range;
  shared_->open.push_back(&item);
  shared_->waiting += range.count;
  shared_->work.notify_all();
  return true;
}

void GameCrew::wait(double seconds, std::uint64_t low) {
  std::unique_lock lock(shared_->mutex);
  shared_->changed.wait_for(lock, std::chrono::duration<double>(seconds),
                            [&] { return shared_->failure || !shared_->finished.empty() || shared_->waiting < low; });
  if (shared_->failure) std::rethrow_exception(shared_->failure);
}

std::vector<PlayedRange> GameCrew::take() {
  const std::lock_guard lock(shared_->mutex);
  if (shared_->failure) std::rethrow_exception(shared_->failure);
  return std::exchange(shared_->finished, {});
}

std::uint64_t GameCrew::waiting() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->waiting;
}

std::vector<store::Range> GameCrew::held(bool playing) const {
  const std::lock_guard lock(shared_->mutex);
  std::vector<store::Range> ranges;
  if (playing) {
    for (const auto& [first, item] : shared_->items) ranges.push_back(item.played.range);
  }
  for (const PlayedRange& played : shared_->finished) ranges.push_back(played.range);
  return ranges;
}

void GameCrew::missing(Missing what) {
  const std::lock_guard lock(shared_->mutex);
  shared_->missing = what;
}

GameCrew::Figures GameCrew::figures() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->figures;
}

}  // namespace quarto
