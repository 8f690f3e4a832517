// Labelling: exact values of all moves for many positions, given or generated, as a suite, as training shards
// (label_file.h) or as JSON lines.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/names.h"
#include "base/shares.h"
#include "data/label_file.h"
#include "env/canonical.h"
#include "solver/solver.h"

namespace quarto {

// How positions are come by: random play that
//   careful  neither ends the game nor lets the opponent end it while that can be avoided
//   quiet    has never done so, and ends with nothing that could be won at once
//   any      makes any legal move
enum class Sampling { careful, quiet, any };
constexpr auto names_of(Sampling) {
  return std::to_array<Name<Sampling>>(
      {{Sampling::careful, "careful"}, {Sampling::quiet, "quiet"}, {Sampling::any, "any"}});
}

// What the result is written as.
//   suite   text, a line for each position (suite.h)
//   shards  a label file (label_file.h)
//   jsonl   JSON lines, for other programs (to_json() in suite.h)
enum class LabelFormat { shards = 0, suite = 1, jsonl = 2 };  // the numbers are in partial files
constexpr auto names_of(LabelFormat) {
  return std::to_array<Name<LabelFormat>>(
      {{LabelFormat::suite, "suite"}, {LabelFormat::shards, "shards"}, {LabelFormat::jsonl, "jsonl"}});
}
// By the end of a file's name: .labels, .jsonl; else a suite.
LabelFormat label_format_of(const std::string& file);

// Which positions are kept.
enum class Keep {
  all,
  decisive,  // at least two different values among the moves
  deep       // decisive after the one-ply rule (suite.h)
};
constexpr auto names_of(Keep) {
  return std::to_array<Name<Keep>>({{Keep::all, "all"}, {Keep::decisive, "decisive"}, {Keep::deep, "deep"}});
}

// Positions of one phase with so many pieces on the board.
struct Stratum {
  Phase phase = Phase::give;
  int pieces = 0;  // 0..15
  int plies() const { return 2 * pieces + (phase == Phase::place ? 1 : 0); }
};

struct LabelJob {
  Rules rules = Rules::lines;
  // Generated: `per_stratum` different positions (no two images of each other) for each stratum. Candidate n of a
  // stratum depends on the seed, the stratum and n alone.
  std::vector<Stratum> strata;
  std::uint64_t per_stratum = 0;
  Sampling sampling = Sampling::careful;
  std::uint64_t seed = 0;
  // Or given, in this order; duplicates are kept.
  std::vector<Position> positions;

  Keep keep = Keep::all;
  // Positions not to be labelled, in none of their images.
  std::set<CanonicalKey> excluded;

  std::filesystem::path out;
  LabelFormat format = LabelFormat::suite;
  const std::atomic<bool>* stop = nullptr;
};

bool keeps(Keep keep, const SuiteEntry& entry);

// The strata of these phases, and of all from `least` to `most` pieces.
std::vector<Stratum> strata_of(std::span<const Phase> phases, int least, int most);

// Candidate n of a stratum.
Position label_candidate(Rules rules, const Stratum& stratum, Sampling sampling, std::uint64_t seed, std::uint64_t n);

// What makes two jobs the same, as far as their results are concerned.
std::uint64_t fingerprint(const LabelJob& job);

struct StratumReport {
  std::optional<Stratum> stratum;              // nullopt: given positions
  std::uint64_t candidates = 0, labelled = 0;  // looked at and solved in this run
  std::uint64_t kept = 0;                      // in all
  double seconds = 0;                          // of this run, spent on labelling
  bool exhausted = false;  // too few different positions came up: `kept` is below what was asked for
};

struct LabelReport {
  std::vector<StratumReport> strata;
  std::uint64_t resumed = 0;        // positions kept by earlier runs
  std::uint64_t dropped_bytes = 0;  // of the partial file, damaged or cut short by a crash
  bool stopped = false;             // before the end: the same job continues there
};

// Works through the job, all of the solver's threads busy, and writes job.out when all is done: the same bytes whatever
// the threads and the interruptions. What is found on the way goes to "OUT.partial", from which the same job continues,
// and which is removed in the end. `progress` is called about once a second with the number of positions kept.
// Throws LabelError if job.out is there already; FileError, also when another process is at work on the same file;
// std::filesystem::filesystem_error; and LabelError when the partial file belongs to another job.
LabelReport label(const LabelJob& job, Solver& solver, const std::function<void(std::uint64_t kept)>& progress);
// The same, and the same bytes, with the positions solved elsewhere, in shares of label_share.h. `shares` is called
// once, when this process alone works on the job and the partial file is the job's; what it gives is used until the
// end. Throws what `shares` and the shares throw.
LabelReport label(const LabelJob& job, const std::function<Shares&()>& shares,
                  const std::function<void(std::uint64_t kept)>& progress);

}  // namespace quarto
