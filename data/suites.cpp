#include "data/suites.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <utility>

#include "base/shipped.h"
#include "env/notation.h"
#include "solver/solver.h"

namespace quarto {
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> names_of_default_suites(Rules rules) {
  fs::path folder = "eval/suites";
  if (rules != Rules::lines) folder /= to_string(rules);
  return {folder / "decisive.tsv", folder / "deep.tsv"};
}

}  // namespace

bool has_default_suites(Rules rules) {
  const auto names = names_of_default_suites(rules);
  return rules == Rules::lines ||
         std::any_of(names.begin(), names.end(), [](const fs::path& name) { return find_shipped(name).has_value(); });
}

std::vector<fs::path> default_suites(Rules rules) {
  std::vector<fs::path> files;
  for (const fs::path& name : names_of_default_suites(rules)) {
    const auto found = find_shipped(name);
    if (!found) {
      throw SuiteError(
          fmt::format("the default suite {} is neither in the program's folder nor in the two above it, nor in "
                      "share/quartozero there (folders in which anyone may write are passed over): name suite files "
                      "with --suite, or make them (docs/extending.md)",
                      name.string()));
    }
    files.push_back(*found);
  }
  return files;
}

std::vector<fs::path> default_suites_and_all(Rules rules) {
  std::vector<fs::path> files = default_suites(rules);
  std::error_code ignored;
  if (const fs::path all = files.front().parent_path() / "all.tsv"; fs::exists(all, ignored)) files.push_back(all);
  return files;
}

namespace {

// The first of the entries that has another value by these rules, or in which the game is over by them.
const SuiteEntry* first_wrong(std::span<const SuiteEntry* const> entries, Rules rules) {
  Solver solver({.table_bytes = std::size_t{1} << 20, .threads = 1});
  for (const SuiteEntry* entry : entries) {
    Position p;
    try {
      p = parse_position(to_string(entry->position), rules);
    } catch (const NotationError&) {
      return entry;
    }
    if (p.is_terminal()) return entry;
    const MoveSolution exact = solver.solve_moves(p);
    for (const Move m : p.moves()) {
      if (exact.values[m.index] != entry->moves[m.index]) return entry;
    }
  }
  return nullptr;
}

}  // namespace

void require_values(const Suite& suite, const std::string& origin, Rules rules) {
  constexpr int kMostEmpty = 7;  // each is solved in microseconds
  constexpr std::size_t kEnough = 64;
  constexpr int kMostEmptyOfFew = 9;  // each takes milliseconds
  constexpr std::size_t kFew = 4;
  const auto with_at_most = [&](int empty) {
    std::vector<const SuiteEntry*> found;
    for (const SuiteEntry& e : suite.entries) {
      if (kSquares - e.position.pieces_on_board() <= empty) found.push_back(&e);
    }
    return found;
  };
  std::vector<const SuiteEntry*> late = with_at_most(kMostEmpty), some;
  std::size_t n = std::min(late.size(), kEnough);
  for (int empty = kMostEmpty + 1; late.empty() && empty <= kMostEmptyOfFew; ++empty) {
    late = with_at_most(empty);
    n = std::min(late.size(), kFew);
  }
  for (std::size_t i = 0; i < n; ++i) some.push_back(late[i * late.size() / n]);
  const SuiteEntry* wrong = first_wrong(some, rules);
  if (!wrong) return;
  std::string whose = "the file is damaged, or was made for other rules";
  for (const Rules other : kAllRules) {
    if (other != rules && !first_wrong(some, other))
      whose = fmt::format("they are those by '{0}': measure by these rules, or name another suite", to_string(other));
  }
  throw SuiteError(fmt::format("{}:{}: these are not the position's values by the rules '{}'; {}", origin, wrong->line,
                               to_string(rules), whose));
}

std::vector<Suite> read_suites(std::span<const fs::path> files, Rules rules) {
  std::vector<Suite> suites;
  for (const fs::path& file : files) {
    suites.push_back(read_suite(file, rules));
    require_values(suites.back(), file.string(), rules);
  }
  for (std::size_t i = 0; i < suites.size(); ++i) {
    const auto shared =
        std::count_if(files.begin(), files.end(), [&](const fs::path& f) { return f.stem() == files[i].stem(); });
    suites[i].name = shared > 1 ? files[i].string() : files[i].stem().string();
  }
  return suites;
}

std::vector<const SuiteEntry*> draw_entries(const std::vector<const SuiteEntry*>& entries, int limit, Rng& rng) {
  if (limit <= 0) return entries;
  std::map<std::pair<Phase, int>, std::vector<std::size_t>> strata;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Position& p = entries[i]->position;
    strata[{p.phase(), p.pieces_on_board()}].push_back(i);
  }
  std::vector<std::size_t> kept;
  for (auto& [stratum, members] : strata) {
    const std::size_t n = std::min(members.size(), static_cast<std::size_t>(limit));
    for (std::size_t i = 0; i < n; ++i) std::swap(members[i], members[i + rng.below(members.size() - i)]);
    kept.insert(kept.end(), members.begin(), members.begin() + static_cast<std::ptrdiff_t>(n));
  }
  std::sort(kept.begin(), kept.end());
  std::vector<const SuiteEntry*> result;
  for (const std::size_t i : kept) result.push_back(entries[i]);
  return result;
}

}  // namespace quarto
