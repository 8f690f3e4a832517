// What the light player answers, as lines of text, so that builds for two processors can be compared (same_answers.py).
//
//     answers play NETWORK.light...      moves, searches and exact values of fixed positions
//     answers positions RULES N          positions, one a line
//     answers header NETWORK.light       the network as a C player
//     answers digest NETWORK.light...    digests of evaluations and choices of each, and of weights at their limits
//
// A line is: what it tells, the network or the rules, the position, the answers. Networks play in integers, so all lines are
// the same on every machine.
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/fnv.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "light/evaluator.h"
#include "light/integer_pairs.h"
#include "light/network_file.h"
#include "model/c_player.h"
#include "play/choose.h"
#include "solver/prover.h"
#include "solver/solver.h"
#include "tests/light/some_weights.h"

namespace quarto {
namespace {

// "a1 b2 -" without the blanks, so that a position is one word.
std::string word_of(const Position& position) {
  std::string text = to_string(position);
  for (char& c : text) c = c == ' ' ? ':' : c;
  return text;
}

void say_what_the_network_says(const std::string& name, const light::LightNetwork& network) {
  constexpr int kPositions = 500;
  PairsEvaluator evaluator(network.kernel);
  for (const Position& position : unfinished_positions(kPositions, network.info.rules, 11)) {
    const Choice choice = choose(evaluator, nullptr, position, {});
    fmt::print("network {} {} {}\n", name, word_of(position), static_cast<int>(choice.move.index));
  }
}

void say_what_searches_find(const std::string& name, Rules rules, Evaluator& evaluator) {
  constexpr int kPositions = 60;
  ChoiceLimits limits;
  limits.simulations = 64;
  Rng rng(12);
  for (int i = 0; i < kPositions; ++i) {
    const Position position = random_quiet_position_at(4 + i % 22, rng, rules);
    const Choice choice = choose(evaluator, nullptr, position, limits);
    fmt::print("search {} {} {}", name, word_of(position), static_cast<int>(choice.move.index));
    for (const RootMove& move : choice.thought->moves) {
      fmt::print(" {}:{}", static_cast<int>(move.move.index), move.visits);
    }
    fmt::print("\n");
  }
}

void say_what_is_exact(Rules rules) {
  Solver solver({.table_bytes = std::size_t{4} << 20});
  Rng rng(13);
  for (int i = 0; i < 40; ++i) {
    const Position position = random_quiet_position_at(14 + i % 12, rng, rules);
    const MoveSolution found = solver.solve_moves(position);
    fmt::print("exact {} {} {}", to_string(rules), word_of(position), found.stats.nodes);
    for (const auto& value : found.values) fmt::print(" {}", value ? to_string(*value) : "-");
    const ValueBounds bounds = solver_prover().bounds(position, 300);
    fmt::print(" {} {}\n", to_string(bounds.low), to_string(bounds.high));
  }
}

// Of what is added, in order.
class Digest {
 public:
  void add(const void* bytes, std::size_t size) { value_ = fnv1a({static_cast<const char*>(bytes), size}, value_); }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = kFnvBasis;
};

void say_evaluations(const std::string& name, const light::PairsKernel& kernel, Rules rules) {
  constexpr int kPositions = 10'000;
  const auto workspace = kernel.new_workspace();
  Digest digest;
  for (const Position& position : unfinished_positions(kPositions, rules, 15)) {
    const light::PairsOutput out = kernel.forward(position, *workspace);
    digest.add(out.policy.data(), sizeof out.policy);
    digest.add(out.outcome.data(), sizeof out.outcome);
  }
  fmt::print("evaluations {} {} {:016x}\n", name, kPositions, digest.value());
}

void say_choices(const std::string& name, const light::LightNetwork& network) {
  constexpr int kPositions = 1'000;
  ChoiceLimits limits;
  limits.simulations = 128;
  limits.search.proof_nodes = 1'000;
  PairsEvaluator evaluator(network.kernel);
  Digest digest;
  for (const Position& position : unfinished_positions(kPositions, network.info.rules, 16)) {
    const Choice choice = choose(evaluator, nullptr, position, limits);
    digest.add(&choice.move.index, 1);
    for (const RootMove& move : choice.thought->moves) digest.add(&move.visits, sizeof move.visits);
  }
  fmt::print("choices@{}:{} {} {} {:016x}\n", limits.simulations, limits.search.proof_nodes, name, kPositions,
             digest.value());
}

void say_digests(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const light::LightNetwork network = light::load_network_file(file);
    const std::string name = std::filesystem::path(file).parent_path().filename().string();
    say_evaluations(name, *network.kernel, network.info.rules);
    say_choices(name, network);
  }
  for (const int width : {16, 32, 48, 64}) {
    const auto kernel = light::make_integer_kernel(light::integers_at_limits({width, 2, light::kHeadWidth}, 0));
    for (const Rules rules : kAllRules)
      say_evaluations(fmt::format("limits-{}-{}", width, to_string(rules)), *kernel, rules);
  }
}

int run(const std::vector<std::string>& words) {
  if (words.size() >= 2 && words[0] == "play") {
    for (const Rules rules : kAllRules) {
      say_what_is_exact(rules);
      UniformEvaluator uniform;
      say_what_searches_find("none:" + to_string(rules), rules, uniform);
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
      const light::LightNetwork network = light::load_network_file(words[i]);
      const std::string name = std::filesystem::path(words[i]).parent_path().filename().string();
      say_what_the_network_says(name, network);
      PairsEvaluator evaluator(network.kernel);
      say_what_searches_find(name, network.info.rules, evaluator);
    }
    return 0;
  }
  if (words.size() == 3 && words[0] == "positions") {
    for (const Position& p : unfinished_positions(std::stoi(words[2]), parse_rules(words[1]), 14))
      fmt::print("{}\n", to_string(p));
    return 0;
  }
  if (words.size() == 2 && words[0] == "header") {
    fmt::print("{}", c_player(light::load_network_file(words[1]), "test"));
    return 0;
  }
  if (words.size() >= 2 && words[0] == "digest") {
    say_digests({words.begin() + 1, words.end()});
    return 0;
  }
  fmt::print(stderr, "usage: answers play NETWORK... | positions RULES N | header NETWORK | digest NETWORK...\n");
  return 2;
}

}  // namespace
}  // namespace quarto

int main(int argc, char** argv) {
  try {
    return quarto::run({argv + 1, argv + argc});
  } catch (const std::exception& e) {
    fmt::print(stderr, "answers: {}\n", e.what());
    return 1;
  }
}
