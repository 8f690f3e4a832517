#include "store/owner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "base/printable.h"
#include "base/progress.h"
#include "store/backoff.h"
#include "store/wire.h"

namespace quarto::store {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadAtOnce = 64;
constexpr std::size_t kActorsNamed = 100;
constexpr double kCloseSeconds = 10;
// Between losses of the store: the first pause before a repair, and the longest.
constexpr double kFirstRepair = 0.1, kLongestRepair = 30;

double seconds_now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

// Whether the call could be made, or was of no use any more: an outage is waited for, but not for long.
bool said_at_the_end(const std::function<void()>& call) {
  const auto begin = Clock::now();
  Backoff backoff(0.1, 1, 1);
  while (seconds_since(begin) < kCloseSeconds) {
    try {
      call();
      return true;
    } catch (const StoreUnavailable&) {
      std::this_thread::sleep_for(std::chrono::duration<double>(backoff.next()));
    } catch (const RunGone&) {
      return true;
    } catch (const Superseded&) {
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }
  return false;
}

}  // namespace

bool tell_finished(const Connect& connect, const std::string& run) {
  return said_at_the_end([&] {
    const auto store = connect();
    const auto found = store->find();
    if (!found || found->card.id != run || found->phase == RunPhase::finished) return;
    store->close(store->open(found->card, 0).epoch, RunPhase::finished);
  });
}

Owner::Owner(Options options, RangeSet received, std::uint64_t highest, bool anew)
    : options_(std::move(options)),
      longest_(options_.card.kind == kGames ? kMostInRange : 1),
      received_(std::move(received)),
      highest_(highest),
      anew_(anew),
      losses_(kFirstRepair, kLongestRepair, fingerprint(options_.card.id)),
      lost_at_(seconds_now()) {}

bool Owner::say(const std::string& line, Often often) {
  std::optional<std::string> now = line;
  if (often == Often::less) {
    const std::lock_guard lock(mutex_);
    now = repeats_.filter(line, seconds_now());
  }
  if (now && options_.say) options_.say(*now);
  return now.has_value();
}

void Owner::tell_lost(const std::string& what, const char* then, bool only_if_known) {
  std::string why;
  try {
    why = store_->eviction();
  } catch (const std::runtime_error&) {  // it is not there just now, or does not let this user ask
  }
  if (why.empty() && only_if_known) return;
  say(fmt::format("the store has lost {}{}: {}", what, why.empty() ? "" : fmt::format(" ({})", why), then));
}

double Owner::after_loss() {
  const double now = seconds_now();
  if (now > lost_at_ + 2 * kLongestRepair) losses_.reset();
  lost_at_ = now;
  return losses_.next();
}

void Owner::start(Results& results) {
  results_ = &results;
  thread_ = std::thread([this] { run(); });
}

void Owner::end() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool Owner::close(RunPhase phase) {
  end();
  if (failure_) return false;
  // One that ended soon may have left it to an earlier process.
  if (!opened_) return phase == RunPhase::finished && tell_finished(options_.connect, options_.card.id);
  return said_at_the_end([&] {
    // The last removals, too: results that a finished run left would be read by nobody.
    push();
    store_->tick(epoch_, options_.patience, stats());
    store_->close(epoch_, phase);
  });
}

void Owner::set_terms(const Terms& terms, std::string weights) {
  const std::lock_guard lock(mutex_);
  terms_ = terms;
  highest_ = std::max(highest_, terms.upto);
  if (!weights.empty()) {
    weights_message_ = std::move(weights);
    ++weights_wanted_;
  }
  ++wanted_;
  wake_.notify_all();
}

bool Owner::receive(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const bool fresh = received_.add(number);
  if (!fresh) figures_.duplicates += 1;
  return fresh;
}

bool Owner::has(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  return received_.contains(number);
}

std::uint64_t Owner::highest() const {
  const std::lock_guard lock(mutex_);
  return highest_;
}

void Owner::remove(const std::vector<std::string>& ids) {
  const std::lock_guard lock(mutex_);
  removals_.insert(removals_.end(), ids.begin(), ids.end());
}

void Owner::refuse(const Entry& entry, const std::string& name, const std::string& why) {
  const std::string who = printable(name.empty() ? (entry.actor.empty() ? "unknown" : entry.actor) : name, kMostName);
  std::uint64_t times = 0;
  {
    const std::lock_guard lock(mutex_);
    figures_.refused += 1;
    if (figures_.refused_by.contains(who) || figures_.refused_by.size() < kActorsNamed)
      times = ++figures_.refused_by[who];
    let_go(entry);
  }
  if (times == 1) {
    say(fmt::format("refused a result of {} {}: {} (said once for each {})", kind(), who, printable(why, 200), kind()),
        Often::always);
  }
}

void Owner::drop(const Entry& entry) {
  const std::lock_guard lock(mutex_);
  const auto range = parse_range(entry.member);
  const std::uint64_t missing = let_go(entry);
  figures_.old += missing;
  if (range) figures_.duplicates += range->count - missing;
}

std::uint64_t Owner::let_go(const Entry& entry) {
  removals_.push_back(entry.id);
  const auto range = parse_range(entry.member);
  if (!range) return 0;
  std::uint64_t missing = 0;
  const bool leased = range->end() <= highest_;
  for (std::uint64_t n = range->first; n < range->end(); ++n) {
    if (received_.contains(n)) continue;
    ++missing;
    if (!leased) continue;
    if (n > range->first && !releases_.empty() && releases_.back().end() == n && releases_.back().count < longest_)
      ++releases_.back().count;
    else
      releases_.push_back({n, 1});
  }
  return missing;
}

OwnerFigures Owner::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

void Owner::rethrow() const {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

std::string Owner::stats() {
  nlohmann::json json = results_->stats();
  const OwnerFigures f = figures();
  json["duplicates"] = f.duplicates;
  json["old"] = f.old;
  json["refused"] = f.refused;
  json["expired"] = f.expired;
  json["outages"] = f.outages;
  for (const auto& [actor, times] : f.refused_by) json["refused_by"][actor] = times;
  return json_text(json);
}

void Owner::open() {
  std::uint64_t from = 0;
  {
    const std::lock_guard lock(mutex_);
    from = received_.end();
  }
  const Store::Opened now = store_->open(options_.card, from, anew_);
  anew_ = false;
  epoch_ = now.epoch;
  opened_ = true;
  cursor_.clear();
  published_ = weights_sent_ = 0;
  if (!now.empty) return;
  // What this process holds is not in the store any more, and need not be: it is here, or will be done again.
  results_->lost(true);
  seen_.clear();
  const std::lock_guard lock(mutex_);
  removals_.clear();
  releases_ = received_.missing(from, 100'000, longest_);
}

void Owner::push() {
  Terms new_terms;
  std::string message;
  std::vector<std::string> out;
  std::vector<Range> again;
  std::uint64_t number = 0, with_weights = 0;
  {
    const std::lock_guard lock(mutex_);
    new_terms = terms_;
    number = wanted_;
    with_weights = weights_wanted_;
    if (with_weights != weights_sent_) message = weights_message_;
    out = removals_;
    again = releases_;
  }
  results_->send(*store_, epoch_);
  if (number != published_) {
    store_->publish(epoch_, new_terms, message);
    published_ = number;
    weights_sent_ = with_weights;
  }
  if (!again.empty()) {
    store_->release(epoch_, again);
    const std::lock_guard lock(mutex_);
    releases_.erase(releases_.begin(), releases_.begin() + static_cast<std::ptrdiff_t>(again.size()));
    for (const Range& range : again) figures_.replayed += range.count;
  }
  if (!out.empty()) {
    store_->remove(epoch_, out);
    const std::lock_guard lock(mutex_);
    removals_.erase(removals_.begin(), removals_.begin() + static_cast<std::ptrdiff_t>(out.size()));
    for (const std::string& id : out) seen_.erase(id);
  }
}

// Returns whether something came.
bool Owner::pull() {
  if (published_ == 0) return false;  // it is not known yet which numbers are wanted
  const std::vector<Entry> entries = store_->read(epoch_, cursor_, kReadAtOnce);
  for (const Entry& entry : entries) {
    if (seen_.insert(entry.id).second) {
      {
        const std::lock_guard lock(mutex_);
        figures_.bytes += entry.bytes.size();
      }
      results_->take_in(entry);
    }
    cursor_ = entry.id;
  }
  if (!entries.empty()) return true;
  if (starving_ > 0) {
    // Everything that was delivered before the tick has been read: what is missing now nobody has.
    bool missing = false;
    {
      const std::lock_guard lock(mutex_);
      if (releases_.empty()) releases_ = received_.missing(starving_, 10'000, longest_);
      missing = !releases_.empty();
      starving_ = 0;
    }
    // Actors that died are a reason, too.
    if (missing) tell_lost("results", "they are asked for again", true);
  }
  return false;
}

void Owner::tick() {
  const auto begin = Clock::now();
  const Pulse pulse = store_->tick(epoch_, options_.patience, stats());
  const double took = seconds_since(begin);
  results_->ticked(pulse);
  const bool lost_weights = !pulse.published && published_ != 0 && weights_sent_ != 0;
  const bool repair = seconds_now() >= publish_at_;
  if (lost_weights && repair) {
    publish_at_ = seconds_now() + after_loss();
    tell_lost("what was published there", "it is sent again");
  }
  const std::lock_guard lock(mutex_);
  figures_.answer_seconds = figures_.answer_seconds == 0 ? took : 0.9 * figures_.answer_seconds + 0.1 * took;
  figures_.actors = pulse.actors;
  figures_.queue = pulse.results;
  figures_.leased = pulse.leased;
  figures_.expired += pulse.expired;
  figures_.connected = true;
  // A store that was restarted may have forgotten the last second.
  if (published_ == wanted_ && wanted_ > 0 &&
      (pulse.version != terms_.weights.version || pulse.upto != terms_.upto || !pulse.published ||
       pulse.phase != RunPhase::running) &&
      (!lost_weights || repair))
    published_ = weights_sent_ = 0;
  // There is work and somebody who could do it, and nobody takes it: perhaps nobody can read what was published.
  const bool ignored = published_ != 0 && pulse.actors > 0 && pulse.leased == 0 && pulse.results < terms_.results &&
                       (pulse.free > 0 || pulse.next < pulse.upto);
  ignored_ = ignored ? ignored_ + 1 : 0;
  if (ignored_ >= options_.patience) published_ = weights_sent_ = ignored_ = 0;
  const bool nobody = pulse.leased == 0 && pulse.free == 0 && pulse.next >= pulse.upto;
  starving_ = nobody && published_ != 0 ? std::min(pulse.upto, terms_.upto) : 0;
}

void Owner::run() {
  Backoff backoff(0.1, 5, fingerprint(options_.card.id));
  auto last_tick = Clock::time_point{};
  bool away = false, told = false;
  Clock::time_point away_since;
  double idle = 0.002;
  while (true) {
    bool busy = false;
    double pause = 0;
    try {
      if (!store_) store_ = options_.connect();
      if (!opened_) open();
      push();
      busy = pull();
      if (seconds_since(last_tick) >= options_.tick) {
        last_tick = Clock::now();
        tick();
      }
      if (away && told) {
        say(fmt::format("the store answers again after {}", format_duration(seconds_since(away_since))), Often::always);
      }
      away = false;
      backoff.reset();
      idle = busy ? 0.002 : std::min(0.05, 1.5 * idle);
      pause = busy ? 0 : idle;
    } catch (const StoreUnavailable& e) {
      // A server that comes back may have lost its last second: everything in the stream is read again.
      cursor_.clear();
      starving_ = 0;
      last_tick = {};  // the store answers again when all is done of which a pass consists
      if (!away) {
        away = true;
        away_since = Clock::now();
        told = say(fmt::format("{}; trying again until it does", e.what()));
        results_->lost(false);
        const std::lock_guard lock(mutex_);
        figures_.outages += 1;
        figures_.connected = false;
      }
      pause = backoff.next();
    } catch (const RunGone&) {
      tell_lost(options_.card.kind == kGames ? "the run" : "the job", "putting it there again");
      opened_ = false;
      pause = after_loss();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
      figures_.failed = true;
      return;
    }
    std::unique_lock lock(mutex_);
    const std::uint64_t before = wanted_;
    if (pause > 0)
      wake_.wait_for(lock, std::chrono::duration<double>(pause), [&] { return stop_ || (!away && wanted_ != before); });
    if (stop_) return;
  }
}

}  // namespace quarto::store
