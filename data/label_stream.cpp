#include "data/label_stream.h"

#include <fmt/format.h>

#include <optional>

#include "base/random.h"
#include "env/notation.h"

namespace quarto {
namespace {

// Candidates for each thread at least, so that all have something to do when few labels are missing.
constexpr std::size_t kLeastForAThread = 8;
// Of a label, before its stratum is given up.
constexpr std::uint64_t kMostCandidates = 2000;

}  // namespace

std::vector<SuiteEntry> LabelStream::next(std::size_t count, Solver& solver, const SolveLimits& limits) {
  const auto stratum_of = [&](std::size_t i) -> const Stratum& {
    return options_.strata[static_cast<std::size_t>((next_ + i) % options_.strata.size())];
  };
  const std::size_t least = options_.threads == 1 ? 1 : kLeastForAThread * static_cast<std::size_t>(options_.threads);
  std::vector<std::optional<SuiteEntry>> found(count);
  std::vector<std::uint64_t> tried(count, 0);
  while (true) {
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < count; ++i) {
      if (!found[i]) missing.push_back(i);
    }
    if (missing.empty()) break;
    std::vector<Position> candidates;
    std::vector<std::size_t> wanted_by;
    const std::size_t each = (least + missing.size() - 1) / missing.size();
    for (const std::size_t i : missing) {
      const std::uint64_t seed = mix_seed(options_.seed, next_ + i);
      std::size_t chosen = 0;
      while (chosen < each && tried[i] < kMostCandidates) {
        const Position p = label_candidate(options_.rules, stratum_of(i), options_.sampling, seed, tried[i]++);
        if (p.is_terminal() || options_.excluded.contains(canonical_key(p))) continue;
        candidates.push_back(p);
        wanted_by.push_back(i);
        ++chosen;
      }
      if (chosen > 0) continue;
      const Stratum& s = stratum_of(i);
      throw LabelError(
          fmt::format("of {} candidates with {} pieces on the board and one to {}, none is to be kept: "
                      "leave that number of pieces out, or keep others too",
                      kMostCandidates, s.pieces, to_string(s.phase)));
    }
    const std::vector<MoveSolution> solutions = solver.solve_moves_of_all(candidates, limits);
    if (limits.stop && limits.stop->load()) return {};
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      std::optional<SuiteEntry>& place = found[wanted_by[c]];
      if (place) continue;
      SuiteEntry entry;
      entry.position = candidates[c];
      entry.value = solutions[c].value.value();
      entry.moves = solutions[c].values;
      if (keeps(options_.keep, entry)) place = entry;
    }
  }
  next_ += count;
  std::vector<SuiteEntry> labels;
  labels.reserve(count);
  for (const auto& entry : found) labels.push_back(*entry);
  return labels;
}

}  // namespace quarto
