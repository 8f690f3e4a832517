#include "store/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>

#include "base/clock.h"
#include "base/printable.h"
#include "base/progress.h"
#include "base/random_hex.h"
#include "base/repeats.h"
#include "store/backoff.h"

namespace quarto::store {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kShowSeconds = 1;
// Seconds between two questions while there is nothing to do, and between two tries to reach the store.
constexpr double kPollFirst = 0.02, kPollMost = 0.5, kFirst = 0.2, kMost = 15;

Clock::time_point in_seconds(double seconds) {
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

// The owner has other weights or settings than the work was begun with.
class Changed : public std::runtime_error {
 public:
  Changed() : std::runtime_error("the settings have changed") {}
};

// The words for what a worker does.
struct Words {
  const char *run, *owner, *numbers, *weights, *other;
};
constexpr Words kOfGames{"run", "a learner (quartozero train CONFIG --store URL)", "games", "the weights",
                         "holds a job of the kind '{}', and actors play games: use quartozero worker --store URL"};
constexpr Words kOfShares{"job", "a job (quartozero label, exploit or rate with --store URL)", "shares",
                          "the job's files",
                          "holds a run of self-play, and workers do shares of jobs: use quartozero actor --store URL"};

class Worker {
 public:
  explicit Worker(const WorkerOptions& options)
      : options_(options),
        words_(options.games ? kOfGames : kOfShares),
        // One of the sessions of a worker with this name.
        session_(options.name.substr(0, kMostName - 9) + "-" + random_hex(1)),
        store_(options.connect()),
        outage_(kFirst, kMost, fingerprint(session_)),
        poll_(kPollFirst, kPollMost, fingerprint(session_, 1)),
        again_(kPollFirst, kMost, fingerprint(session_, 2)) {}

  WorkerResult run() {
    const auto start = Clock::now();
    bool quiet = false;  // it has been said that the worker waits
    while (!stopping()) {
      const std::optional<RunCard> card = find_run(quiet);
      if (!card) break;
      quiet = false;
      try {
        if (!options_.only || *card == *options_.only) {
          work_for(*card);
          if (result_.finished && !options_.keep) break;
          continue;
        }
      } catch (const RunGone&) {
        quiet = say_once(fmt::format("the store does not hold the {} any more: waiting for it", words_.run));
      } catch (const Changed&) {
        if (options_.games) say_once("the learner has another configuration now: taking it over");
      } catch (const WireError& e) {
        refuse_weights(e);
      }
      sleep_unless(*options_.stop, again_.next());
    }
    result_.seconds = seconds_since(start);
    return result_;
  }

 private:
  bool stopping() const { return *options_.stop; }
  // A line that repeats is said less and less often. Whether it was said.
  bool say(const std::string& line) {
    const auto now = repeats_.filter(line, std::chrono::duration<double>(Clock::now().time_since_epoch()).count());
    if (now && options_.say) options_.say(*now);
    return now.has_value();
  }
  // Once until the work comes as far as weights again. Returns whether it was said.
  bool say_once(const std::string& line) {
    if (std::exchange(said_, true)) return false;
    say(line);
    return true;
  }

  void refuse_weights(const WireError& e) {
    say_once(fmt::format("refused {} in the store: {}; waiting for others", words_.weights, printable(e.what(), 400)));
  }

  // Asks the store until it answers; nothing if the worker is to stop. Says once that it waits, and once that it is
  // over.
  template <class Call>
  auto ask(const Call& call) -> std::optional<decltype(call())> {
    while (!stopping()) {
      try {
        const auto begin = Clock::now();
        auto answer = call();
        const double took = seconds_since(begin);
        answer_seconds_ = answer_seconds_ == 0 ? took : 0.9 * answer_seconds_ + 0.1 * took;
        if (lost_since_ && told_lost_ && options_.say)
          options_.say(fmt::format("the store answers again after {}", format_duration(seconds_since(*lost_since_))));
        lost_since_.reset();
        outage_.reset();
        return answer;
      } catch (const StoreUnavailable& e) {
        if (!lost_since_) {
          told_lost_ = say(fmt::format("{}; trying again until it does", e.what()));
          lost_since_ = Clock::now();
        }
        if (work_) work_->waits_for_store(true);
        sleep_unless(*options_.stop, outage_.next());
      }
    }
    return std::nullopt;
  }

  // A run that has not finished; nothing if the worker is to stop, or the run that it worked for has finished
  // meanwhile. One that had finished before is no reason to end: its owner may be about to go on with it, or another to
  // begin.
  std::optional<RunCard> find_run(bool quiet) {
    poll_.reset();
    while (const auto found = ask([&] { return store_->find(); })) {
      const bool finished = *found && (*found)->phase == RunPhase::finished;
      if (*found && !finished) return (*found)->card;
      if (finished && (*found)->card.id == run_ && !options_.keep) {
        finish();
        return std::nullopt;
      }
      if (!quiet) {
        say(fmt::format(
            "{} {}: waiting for {}",
            finished ? fmt::format("the {} has finished in", words_.run) : fmt::format("no {} in", words_.run),
            store_->name(), words_.owner));
      }
      quiet = true;
      sleep_unless(*options_.stop, poll_.next());
    }
    return std::nullopt;
  }

  void work_for(const RunCard& card) {
    if ((card.kind == kGames) != options_.games)
      throw WorkerRefused(store_->name() + " " + fmt::format(fmt::runtime(words_.other), printable(card.kind, 20)));
    if (card.build != store_build(options_.version)) {
      throw WorkerRefused(fmt::format("the {} in {} is of {}, and this program is {}: use the same build", words_.run,
                                      store_->name(), printable(card.build), store_build(options_.version)));
    }
    if (!options_.games && fingerprint_text(fingerprint(card.config)) != card.fingerprint)
      throw WireError("the settings are damaged");
    work_ = options_.make(card);
    struct Leave {
      Worker& worker;
      ~Leave() {
        worker.leave();
        worker.work_.reset();
      }
    } leaving{*this};
    if (card.id != run_) {
      say(fmt::format("working for {} {} ({}) in {}", words_.run, printable(card.id.substr(0, 8)),
                      printable(card.kind, 20), store_->name()));
    }
    run_ = card.id;
    config_ = fingerprint(card.config);
    weights_.reset();
    refused_.reset();
    outbox_.clear();
    result_.finished = full_ = false;
    poll_.reset();
    serve();
  }

  void serve() {
    std::optional<Clock::time_point> last_beat;
    auto next_lease = Clock::now(), last_show = Clock::now();
    std::uint64_t shown = result_.numbers;
    while (!stopping()) {
      for (Work::Done& done : work_->take()) {
        if (done.refused.empty()) {
          outbox_.push_back(std::move(done));
          continue;
        }
        refuse_input(done.range, done.refused);
        leave_to_others({done.range});
        // It may be given out again at once, and here.
        next_lease = in_seconds(kPollMost);
      }
      deliver();
      if (result_.finished) return;
      // A full store takes no results: then there is work enough.
      if (const std::uint32_t wanted = full_ || Clock::now() < next_lease ? 0 : work_->wanted()) {
        work_->waits_for_store(true);
        const auto before = weights_;
        if (lease(wanted)) {
          poll_.reset();
        } else {
          work_->waits_for_store(false);
          // With weights that have just come it is asked for again at once.
          next_lease = in_seconds(weights_ != before ? 0 : poll_.next());
        }
        if (result_.finished) return;
      }
      if (!last_beat || seconds_since(*last_beat) >= options_.beat) {
        last_beat = Clock::now();
        const std::vector<Range> held = all_held(true);
        const auto notice = ask([&] { return store_->beat(run_, session_, status(), held); });
        if (notice) follow(*notice);
        if (result_.finished) return;
      }
      if (options_.show && seconds_since(last_show) >= kShowSeconds) {
        rate_ = static_cast<double>(result_.numbers - shown) / seconds_since(last_show);
        shown = result_.numbers;
        last_show = Clock::now();
        const std::string version = !options_.games ? ""
                                    : weights_      ? fmt::format("weights version {}, ", weights_->version)
                                                    : "weights not there yet, ";
        options_.show(fmt::format("{}: {}{} {} ({:.1f}/s){}", options_.name, version,
                                  format_count(static_cast<double>(result_.numbers)), words_.numbers, rate_,
                                  full_                     ? ", waiting: the store holds as many results as it may"
                                  : all_held(false).empty() ? fmt::format(", waiting for {}", words_.numbers)
                                                            : ""));
      }
      work_->wait(full_ || !outbox_.empty() ? poll_.next() : 0.05, !full_ && Clock::now() >= next_lease);
    }
  }

  // Whether there was something to do.
  bool lease(std::uint32_t wanted) {
    const auto lease = ask(
        [&] { return store_->lease(run_, weights_.value_or(WeightsId{~std::uint64_t{0}}), wanted, work_->longest()); });
    if (!lease) return false;
    follow(lease->notice);
    if (options_.games) {
      bool any = false;
      for (const Range& range : lease->ranges) any = work_->add(range, "") || any;
      return any;
    }
    std::vector<std::uint64_t> numbers;
    const std::vector<Range> held = all_held(false);
    for (const Range& range : lease->ranges) {
      // One that it has already was given out a second time, since nothing else is left.
      if (range.count == 1 && std::find(held.begin(), held.end(), range) == held.end()) numbers.push_back(range.first);
    }
    if (numbers.empty()) return false;
    const auto inputs = ask([&] { return store_->inputs(run_, numbers); });
    if (!inputs) return false;
    std::vector<Range> lacking;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const Range range{numbers[i], 1};
      try {
        if (!(*inputs)[i]) throw WireError("it is not in the store");
        InputMessage message = decode_input(*(*inputs)[i]);
        if (message.number != numbers[i]) throw WireError("it is of another share");
        work_->add(range, std::move(message.input));
      } catch (const WireError& e) {
        if ((*inputs)[i]) refuse_input(range, e.what());
        lacking.push_back(range);
      }
    }
    // The coordinator puts there what is missing.
    if (!lacking.empty()) leave_to_others(lacking);
    return lacking.size() < numbers.size();
  }

  void refuse_input(const Range& share, const std::string& why) {
    if (!std::exchange(bad_input_, true))
      say(fmt::format("refused the input of share {}: {} (said once)", share.first, printable(why, 200)));
  }

  void leave_to_others(const std::vector<Range>& ranges) {
    // Without the session: this worker stays.
    ask([&] { return store_->leave(run_, "", ranges), true; });
  }

  // All that is done, unless the store is full or does not answer before the worker is stopped.
  void deliver() {
    while (!outbox_.empty() && !result_.finished) {
      const Work::Done& done = outbox_.front();
      const auto delivery = ask([&] { return store_->deliver(run_, session_, done.range, done.message); });
      if (!delivery) return;
      if (*delivery == Delivery::full) {
        if (!full_) poll_.reset();
        full_ = true;
        return work_->waits_for_store(false);
      }
      full_ = false;
      if (*delivery == Delivery::finished) return finish();
      result_.numbers += done.range.count;
      result_.samples += done.samples;
      result_.bytes += done.message.size();
      result_.working += done.seconds;
      outbox_.pop_front();
    }
  }

  void finish() {
    if (!std::exchange(result_.finished, true)) say(fmt::format("the {} has finished", words_.run));
  }

  // Fetches newer weights.
  void follow(const Notice& notice) {
    if (notice.phase == RunPhase::finished) return finish();
    if (!notice.published || weights_ == notice.weights) return;
    // What was refused may be sent again, but that takes a while.
    if (refused_ == notice.weights && Clock::now() < look_again_) return;
    const auto bytes = ask([&] { return store_->weights(run_); });
    if (!bytes || !*bytes) return;
    try {
      const WeightsMessage message = decode_weights(**bytes);
      if (message.fingerprint != config_ || !work_->set_weights(message)) throw Changed();
      weights_ = {message.version, message.checksum};
      refused_.reset();
      again_.reset();
      said_ = false;
    } catch (const WireError& e) {
      refuse_weights(e);
      refused_ = notice.weights;
      look_again_ = in_seconds(again_.next());
    }
  }

  // Others may have what it holds at once. If the store does not answer just now, they get it a little later.
  void leave() {
    if (result_.finished) return;
    try {
      store_->leave(run_, session_, all_held(false));
    } catch (const std::runtime_error&) {
    }
  }

  std::vector<Range> all_held(bool alive) {
    std::vector<Range> ranges = work_->held(alive);
    for (const Work::Done& done : outbox_) ranges.push_back(done.range);
    return ranges;
  }

  std::string status() const {
    nlohmann::json json = work_->status();
    json["name"] = options_.name;
    json["device"] = options_.device;
    json["threads"] = options_.threads;
    json[words_.numbers] = result_.numbers;
    json[fmt::format("{}_per_s", words_.numbers)] = rate_;
    json["answer_ms"] = 1000 * answer_seconds_;
    if (weights_ && options_.games) json["version"] = weights_->version;
    return json_text(json);
  }

  const WorkerOptions& options_;
  const Words& words_;
  const std::string session_;
  const std::unique_ptr<Store> store_;
  Backoff outage_;  // between tries to reach the store
  Backoff poll_;    // between questions for work, while there is none
  Backoff again_;   // between beginnings, while none comes as far as weights
  Repeats repeats_;
  std::optional<Clock::time_point> lost_since_;
  bool told_lost_ = false;     // that it was said
  double answer_seconds_ = 0;  // of one question to the store, lately
  std::unique_ptr<Work> work_;
  std::string run_;
  std::uint64_t config_ = 0;  // fingerprint
  std::optional<WeightsId> weights_;
  std::optional<WeightsId> refused_;  // the last that were no weights, and when to fetch them again
  Clock::time_point look_again_;
  std::deque<Work::Done> outbox_;
  bool full_ = false, said_ = false, bad_input_ = false;
  double rate_ = 0;
  WorkerResult result_;
};

}  // namespace

std::string store_build(const std::string& version) {
  return fmt::format("quartozero {}, store format {}", version, kStoreFormat);
}

WorkerResult work_for_store(const WorkerOptions& options) {
  static const std::atomic<bool> never = false;
  WorkerOptions mine = options;
  if (!mine.stop) mine.stop = &never;
  return Worker(mine).run();
}

}  // namespace quarto::store
