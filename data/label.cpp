#include "data/label.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <unordered_set>

#include "base/atomic_file.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/fnv.h"
#include "data/label_share.h"
#include "data/position_bytes.h"
#include "env/notation.h"
#include "env/random_play.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Candidates labelled between two records, so that one takes about a second.
constexpr std::size_t kLeastPortion = 4, kMostPortion = 1 << 14;
constexpr double kPortionSeconds = 1.0;
// The same where others label: at the end of a portion some of them have nothing to do, so portions are longer.
constexpr std::size_t kMostSharedPortion = 1 << 20;
constexpr double kSharedPortionSeconds = 5.0;
// So many shares of a portion for each worker. In the smallest portion each has one of the smallest shares: early
// positions take seconds each, and what is in no record yet is lost with the coordinator.
constexpr std::size_t kSharesOfAWorker = 8, kLeastInShare = 8;
// A stratum is given up when so many candidates for each position asked for have not been enough; or, where every new
// one would be kept, when of so many in a row for each known position none has been new.
constexpr std::uint64_t kTriesPerPosition = 200, kTriesPerKnown = 20, kLeastTries = 2000;
constexpr std::uint64_t kCandidatesBetweenChecks = 1024;
constexpr std::size_t kRecordsPerBlock = 4096;

// How positions are labelled: all of a portion at once.
struct Labels {
  std::function<std::size_t()> least = [] { return kLeastPortion; };  // in a portion
  std::size_t most = kMostPortion;
  double seconds = kPortionSeconds;
  // `working` is called now and then with the number of positions done. If the job is stopped meanwhile, it may return
  // anything.
  std::function<std::vector<MoveSolution>(const std::vector<Position>&,
                                          const std::function<void(std::size_t)>& working)>
      solve{};
  // Called before the first portion, when the lock is held and the partial file is the job's.
  std::function<void()> begin{};
};

class Labeller {
 public:
  Labeller(const LabelJob& job, const Labels& labels, const std::function<void(std::uint64_t)>& progress)
      : job_(job), labels_(labels), progress_(progress), partial_(job.out) {
    partial_ += ".partial";
    const std::size_t strata = job.strata.empty() ? 1 : job.strata.size();
    report_.strata.resize(strata);
    next_.resize(strata);
    seen_.resize(strata);
    for (std::size_t i = 0; i < job.strata.size(); ++i) report_.strata[i].stratum = job.strata[i];
  }

  LabelReport run() {
    require_writable(job_.out);
    const WorkLock lock(job_.out);
    // Asked only now: another process may have finished the file meanwhile.
    if (fs::exists(job_.out))
      throw LabelError(fmt::format("'{}' is there already; remove it or name another file", job_.out.string()));
    if (!fs::exists(partial_)) write_file_atomic(partial_, label_file_header({job_.rules, fingerprint(job_)}));
    resume();
    try {
      if (labels_.begin) labels_.begin();
      for (std::size_t s = 0; s < report_.strata.size(); ++s) {
        if (!work_on(s)) {
          report_.stopped = true;
          return report_;
        }
      }
    } catch (...) {
      // A job that was refused, by the store for example, leaves no file in the way of another.
      std::error_code ignored;
      if (nothing_done()) fs::remove(partial_, ignored);
      throw;
    }
    finish();
    return report_;
  }

 private:
  bool generated() const { return !job_.strata.empty(); }

  void resume() {
    const LabelFileInfo mine{job_.rules, fingerprint(job_)};
    LabelFileInfo info;
    const auto good = visit_label_blocks(partial_, info, [this](const LabelBlock& block) {
      if (block.stratum >= report_.strata.size()) return;
      next_[block.stratum] = block.next;
      report_.strata[block.stratum].kept += block.records.size();
      report_.resumed += block.records.size();
      if (!generated()) return;
      if (report_.strata[block.stratum].kept >= job_.per_stratum) {
        seen_[block.stratum] = std::unordered_set<CanonicalKey>();
        return;
      }
      for (const LabelRecord& record : block.records) {
        seen_[block.stratum].insert(canonical_key(record.entry(job_.rules).position));
      }
    });
    if (info.rules != mine.rules || info.job != mine.job) {
      throw LabelError(fmt::format("{}: belongs to a job with other options; finish that one or remove the file",
                                   partial_.string()));
    }
    if (const auto size = fs::file_size(partial_); good < size) {
      report_.dropped_bytes = size - good;
      fs::resize_file(partial_, good);
    }
  }

  std::uint64_t kept() const {
    std::uint64_t all = 0;
    for (const StratumReport& r : report_.strata) all += r.kept;
    return all;
  }

  bool nothing_done() const {
    return std::all_of(next_.begin(), next_.end(), [](std::uint64_t next) { return next == 0; });
  }

  bool stopped() const { return job_.stop != nullptr && job_.stop->load(); }

  // The candidates from `next` on, at most `count`, that are to be labelled; moves `next` behind them. Ends early when
  // told to stop, or when nothing new comes up any more.
  std::vector<Position> candidates(std::size_t s, std::size_t count, std::uint64_t most, std::uint64_t& next) {
    std::vector<Position> chosen;
    std::uint64_t in_vain = 0;
    while (chosen.size() < count && next < most) {
      if (next % kCandidatesBetweenChecks == 0 && stopped()) break;
      const std::uint64_t n = next++;
      ++report_.strata[s].candidates;
      const Position p = generated() ? label_candidate(job_.rules, job_.strata[s], job_.sampling, job_.seed, n)
                                     : job_.positions[static_cast<std::size_t>(n)];
      if (p.is_terminal()) continue;
      const CanonicalKey key = canonical_key(p);
      if (job_.excluded.contains(key)) continue;
      if (generated() && !seen_[s].insert(key).second) {
        // Only if all that was seen was kept is this the same after an interruption.
        if (job_.keep == Keep::all && ++in_vain > std::max(kLeastTries, kTriesPerKnown * seen_[s].size())) next = most;
        continue;
      }
      in_vain = 0;
      chosen.push_back(p);
    }
    return chosen;
  }

  // False: stopped.
  bool work_on(std::size_t s) {
    StratumReport& report = report_.strata[s];
    const std::uint64_t wanted = generated() ? job_.per_stratum : job_.positions.size();
    const std::uint64_t most =
        generated() ? std::max(kLeastTries, kTriesPerPosition * job_.per_stratum) : job_.positions.size();
    std::size_t portion = 0;
    while (report.kept < wanted && next_[s] < most) {
      portion = std::max(portion, labels_.least());
      const Clock::time_point start = Clock::now();
      LabelBlock block;
      block.stratum = static_cast<std::uint32_t>(s);
      block.next = next_[s];
      // Asking for no more than are missing makes the end of a stratum independent of the portions.
      const auto missing = static_cast<std::size_t>(std::min<std::uint64_t>(wanted - report.kept, portion));
      const auto positions = candidates(s, job_.keep == Keep::all ? missing : portion, most, block.next);
      if (stopped()) return false;
      const auto solutions = labels_.solve(positions, [&](std::size_t done) {
        progress_(kept() + (job_.keep == Keep::all ? std::min<std::uint64_t>(done, missing) : 0));
      });
      if (stopped()) return false;
      for (std::size_t i = 0; i < positions.size() && report.kept + block.records.size() < wanted; ++i) {
        SuiteEntry entry;
        entry.position = positions[i];
        entry.value = solutions[i].value.value();
        entry.moves = solutions[i].values;
        if (keeps(job_.keep, entry)) block.records.push_back(LabelRecord::of(entry));
      }
      append_file(partial_, label_block_bytes(block));
      report.labelled += positions.size();
      report.kept += block.records.size();
      next_[s] = block.next;
      const double seconds = seconds_since(start);
      report.seconds += seconds;
      progress_(kept());
      if (seconds < labels_.seconds / 2) portion = std::min(2 * portion, labels_.most);
      if (seconds > labels_.seconds * 2) portion /= 2;
    }
    report.exhausted = generated() && report.kept < wanted;
    seen_[s] = std::unordered_set<CanonicalKey>();  // memory that no other stratum needs: its positions have other
                                                    // numbers of pieces
    return true;
  }

  // The finished file, from the partial one, which may be larger than memory.
  void finish() {
    AtomicFile out(job_.out);
    LabelFileInfo info;
    LabelBlock full;
    if (job_.format == LabelFormat::shards) out.append(label_file_header({job_.rules, 0}));
    const std::uint64_t good = visit_label_blocks(partial_, info, [&](const LabelBlock& block) {
      for (const LabelRecord& record : block.records) {
        if (job_.format != LabelFormat::shards) {
          const SuiteEntry entry = record.entry(job_.rules);
          out.append((job_.format == LabelFormat::jsonl ? to_json(entry) : to_string(entry)) + '\n');
          continue;
        }
        full.records.push_back(record);
        if (full.records.size() < kRecordsPerBlock) continue;
        out.append(label_block_bytes(full));
        full.records.clear();
      }
    });
    if (const auto size = fs::file_size(partial_); good != size) {
      throw LabelError(fmt::format("{}: damaged after {} of {} bytes; the same command labels again what follows",
                                   partial_.string(), good, size));
    }
    if (!full.records.empty()) out.append(label_block_bytes(full));
    out.commit();
    fs::remove(partial_);
  }

  const LabelJob& job_;
  const Labels& labels_;
  const std::function<void(std::uint64_t)>& progress_;
  fs::path partial_;
  LabelReport report_;
  std::vector<std::uint64_t> next_;  // candidate, by stratum
  std::vector<std::unordered_set<CanonicalKey>> seen_;
};

}  // namespace

LabelFormat label_format_of(const std::string& file) {
  if (file.ends_with(".labels")) return LabelFormat::shards;
  return file.ends_with(".jsonl") ? LabelFormat::jsonl : LabelFormat::suite;
}

bool keeps(Keep keep, const SuiteEntry& entry) {
  return keep == Keep::all || (keep == Keep::decisive ? entry.decisive() : deep(entry));
}

Position label_candidate(Rules rules, const Stratum& stratum, Sampling sampling, std::uint64_t seed, std::uint64_t n) {
  Rng rng(mix_seed(mix_seed(seed, static_cast<std::uint64_t>(stratum.plies())), n));
  switch (sampling) {
    case Sampling::quiet:
      return random_quiet_position_at(stratum.plies(), rng, rules);
    case Sampling::any:
      return random_careless_position_at(stratum.plies(), rng, rules);
    default:
      return random_position_at(stratum.plies(), rng, rules);
  }
}

std::vector<Stratum> strata_of(std::span<const Phase> phases, int least, int most) {
  std::vector<Stratum> strata;
  for (int n = least; n <= most; ++n) {
    for (const Phase phase : phases) strata.push_back({phase, n});
  }
  return strata;
}

std::uint64_t fingerprint(const LabelJob& job) {
  std::string text =
      fmt::format("{} {} {} {} {} {}", to_string(job.rules), job.per_stratum, static_cast<int>(job.sampling), job.seed,
                  static_cast<int>(job.keep), static_cast<int>(job.format));
  for (const Stratum& s : job.strata) text += fmt::format(" {}", s.plies());
  for (const Position& p : job.positions) text += fmt::format(" {}", to_string(p));
  text += " excluding";
  for (const CanonicalKey& key : job.excluded) text += fmt::format(" {:x}.{:x}", key.attributes, key.rest);
  return fnv1a(text);
}

LabelReport label(const LabelJob& job, Solver& solver, const std::function<void(std::uint64_t)>& progress) {
  Labels labels;
  labels.solve = [&](const std::vector<Position>& positions, const std::function<void(std::size_t)>&) {
    SolveLimits limits;
    limits.stop = job.stop;
    return solver.solve_moves_of_all(positions, limits);
  };
  return Labeller(job, labels, progress).run();
}

LabelReport label(const LabelJob& job, const std::function<Shares&()>& get_shares,
                  const std::function<void(std::uint64_t)>& progress) {
  Shares* used = nullptr;
  Labels labels{.least = [&] { return kLeastInShare * static_cast<std::size_t>(used->workers()); },
                .most = kMostSharedPortion,
                .seconds = kSharedPortionSeconds};
  labels.begin = [&] { used = &get_shares(); };
  labels.solve = [&](const std::vector<Position>& positions, const std::function<void(std::size_t)>& working) {
    Shares& shares = *used;
    const std::size_t each = std::clamp<std::size_t>(positions.size() / (kSharesOfAWorker * shares.workers()),
                                                     kLeastInShare, kMostInLabelShare);
    std::vector<std::pair<std::uint64_t, std::string>> asked;
    for (std::size_t begin = 0; begin < positions.size(); begin += each) {
      const auto share = std::span(positions).subspan(begin, std::min(each, positions.size() - begin));
      std::string input = position_bytes(share);
      const std::uint64_t number = shares.ask(input);
      asked.emplace_back(number, std::move(input));
    }
    std::vector<MoveSolution> solutions;
    for (const auto& [number, input] : asked) {
      const auto result = shares.take(number, [&] {
        working(solutions.size());
        return job.stop && job.stop->load();
      });
      if (!result) return solutions;
      const auto some = labels_of_share(input, job.rules, *result);
      solutions.insert(solutions.end(), some.begin(), some.end());
    }
    return solutions;
  };
  return Labeller(job, labels, progress).run();
}

}  // namespace quarto
