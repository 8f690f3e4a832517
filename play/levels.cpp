#include "play/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace quarto {
namespace {

constexpr auto kLineLevels = std::to_array<Level>({
    {.name = "beginner", .network = "", .lookahead = 2, .careless = 25},
    {.name = "casual", .network = "", .lookahead = 2},
    {.name = "careful", .network = ""},
    {.name = "strong", .network = "zero"},
    {.name = "expert", .network = "zero", .simulations = 32},
    {.name = "unbeatable", .network = "zero", .exact_squares = 11},
});

constexpr auto kSquareLevels = std::to_array<Level>({
    {.name = "beginner", .network = "", .lookahead = 2, .careless = 25},
    {.name = "casual", .network = "", .lookahead = 2},
    {.name = "careful", .network = ""},
    {.name = "strong", .network = "squares"},
    {.name = "expert", .network = "squares", .simulations = 32, .exact_squares = 11},
    {.name = "unbeatable", .network = "squares", .simulations = 32, .exact_squares = 13},
});

}  // namespace

std::span<const Level> levels(Rules rules) {
  if (rules == Rules::lines) return kLineLevels;
  if (rules == Rules::squares) return kSquareLevels;
  return std::span(kSquareLevels).first(3);  // those without a network
}

const Level* find_level(std::string_view name, Rules rules) {
  const auto all = levels(rules);
  const auto it = std::find_if(all.begin(), all.end(), [&](const Level& level) { return level.name == name; });
  return it == all.end() ? nullptr : &*it;
}

std::vector<std::string> level_names(Rules rules) {
  std::vector<std::string> names;
  for (const Level& level : levels(rules)) names.emplace_back(level.name);
  return names;
}

std::string player_of(const Level& level, std::string_view checkpoints) {
  std::string name =
      level.network.empty()              ? level.lookahead > 0 ? fmt::format("lookahead:{}", level.lookahead) : "oneply"
      : level.network == kUniformNetwork ? std::string(kUniformNetwork)
                                         : fmt::format("light:{}/{}/model.light", checkpoints, level.network);
  if (level.simulations > 0) name += fmt::format("@{}", level.simulations);
  if (level.exact_squares > 0)
    name = fmt::format("endgame:{}{}:{}", level.exact_squares, level.sharp() ? ",sharp" : "", name);
  if (level.careless > 0) name = fmt::format("careless:{}:{}", level.careless, name);
  return name;
}

}  // namespace quarto
