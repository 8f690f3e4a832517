#include "data/label_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "data/label_file.h"
#include "data/position_bytes.h"

namespace quarto {

std::vector<Position> positions_of_label_share(std::string_view input, Rules rules) {
  std::vector<Position> positions = positions_of_bytes(input, rules);
  if (positions.empty() || positions.size() > kMostInLabelShare)
    throw std::runtime_error(fmt::format("{} positions in a share", positions.size()));
  return positions;
}

std::string label_share(std::string_view input, Rules rules, Solver& solver, const SolveLimits& limits) {
  const std::vector<Position> positions = positions_of_label_share(input, rules);
  const std::vector<MoveSolution> solutions = solver.solve_moves_of_all(positions, limits);
  std::string result;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    SuiteEntry entry;
    entry.position = positions[i];
    entry.moves = solutions[i].values;
    const std::uint32_t moves = LabelRecord::of(entry).moves;
    result.append(reinterpret_cast<const char*>(&moves), sizeof moves);
  }
  return result;
}

std::vector<MoveSolution> labels_of_share(std::string_view input, Rules rules, std::string_view result) {
  const std::vector<Position> positions = positions_of_label_share(input, rules);
  if (result.size() != positions.size() * sizeof(std::uint32_t))
    throw std::runtime_error(fmt::format("{} bytes for {} positions", result.size(), positions.size()));
  std::vector<MoveSolution> solutions;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    SuiteEntry entry;
    entry.position = positions[i];
    LabelRecord record = LabelRecord::of(entry);
    std::memcpy(&record.moves, result.data() + i * sizeof record.moves, sizeof record.moves);
    record.value = 0;
    for (int m = 0; m < kMoves; ++m)
      record.value = std::max(record.value, static_cast<std::uint8_t>(record.moves >> (2 * m) & 3U));
    if (const char* fault = record.fault(rules)) throw std::runtime_error(fmt::format("position {}: {}", i + 1, fault));
    const SuiteEntry labelled = record.entry(rules);
    MoveSolution solution;
    solution.values = labelled.moves;
    solution.value = labelled.value;
    solutions.push_back(std::move(solution));
  }
  return solutions;
}

}  // namespace quarto
