// What the light engine answers, as lines of text, so that builds for two processors can be compared (same_answers.py).
//
//     answers play NETWORK.light...      logits, moves, searches and exact values of fixed positions
//     answers positions RULES N          positions, one a line
//     answers header NETWORK.light       the network as a C player
//     answers round NETWORK.light FILE   the network in integers, as a light file
//     answers digest FILE...             of such files, a digest of 10,000 outputs: the same everywhere
//
// A line is: what it tells, the network or the rules, the position, the answers. Floating-point numbers have a point,
// all others are integers, and words.
#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/fnv.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "light/evaluator.h"
#include "light/network_file.h"
#include "model/c_player.h"
#include "play/choose.h"
#include "solver/prover.h"
#include "solver/solver.h"

namespace quarto {
namespace {

// "a1 b2 -" without the blanks, so that a position is one word.
std::string word_of(const Position& position) {
  std::string text = to_string(position);
  for (char& c : text) c = c == ' ' ? ':' : c;
  return text;
}

// The first of the moves that are equal to this one by symmetry: which of them is chosen may hang on the last bit.
int first_like(const Position& position, Move move) {
  const CanonicalKey wanted = canonical_key(position.after(move));
  for (const Move other : position.moves()) {
    if (canonical_key(position.after(other)) == wanted) return other.index;
  }
  return -1;
}

void say_what_the_network_says(const std::string& name, const light::LightNetwork& network) {
  constexpr int kPositions = 500;
  const auto workspace = network.kernel->new_workspace();
  PairsEvaluator evaluator(network.kernel);
  for (const Position& position : unfinished_positions(kPositions, network.info.rules, 11)) {
    const light::PairsOutput out = network.kernel->forward(position, *workspace);
    const Move move = choose(evaluator, nullptr, position, {}).move;
    fmt::print("network {} {} {}", name, word_of(position), first_like(position, move));
    for (const int m : BitsOf(position.legal_moves()))
      fmt::print(" {} {:#.9g}", m, out.policy[static_cast<std::size_t>(m)]);
    for (const float x : out.outcome) fmt::print(" {:#.9g}", x);
    fmt::print("\n");
  }
}

// `visits`: also how often each move was tried, where that does not hang on the last bit.
void say_what_searches_find(const std::string& name, const Rules rules, Evaluator& evaluator, bool visits) {
  constexpr int kPositions = 60;
  ChoiceLimits limits;
  limits.simulations = 64;
  Rng rng(12);
  for (int i = 0; i < kPositions; ++i) {
    const Position position = random_quiet_position_at(4 + i % 22, rng, rules);
    const Choice choice = choose(evaluator, nullptr, position, limits);
    fmt::print("search {} {} {}", name, word_of(position), first_like(position, choice.move));
    for (const RootMove& move : choice.thought->moves) {
      if (visits) fmt::print(" {}:{}", static_cast<int>(move.move.index), move.visits);
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

void write_integers(const std::string& from, const std::string& to) {
  light::LightNetwork network = light::load_network_file(from);
  network.info.precision = light::Precision::int8;
  write_file_atomic(to, light::network_file_bytes(network.info, *network.weights));
}

void say_digest(const std::string& file) {
  constexpr int kPositions = 10'000;
  const light::LightNetwork network = light::load_network_file(file);
  const auto workspace = network.kernel->new_workspace();
  std::uint64_t digest = kFnvBasis;
  const auto add = [&digest](float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    digest = fnv1a({reinterpret_cast<const char*>(&bits), sizeof bits}, digest);
  };
  for (const Position& position : unfinished_positions(kPositions, network.info.rules, 15)) {
    const light::PairsOutput out = network.kernel->forward(position, *workspace);
    for (const float x : out.policy) add(x);
    for (const float x : out.outcome) add(x);
  }
  fmt::print("digest {} {} {:016x}\n", std::filesystem::path(file).filename().string(), kPositions, digest);
}

int run(const std::vector<std::string>& words) {
  if (words.size() >= 2 && words[0] == "play") {
    for (const Rules rules : kAllRules) {
      say_what_is_exact(rules);
      UniformEvaluator uniform;
      say_what_searches_find("none:" + to_string(rules), rules, uniform, true);
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
      const light::LightNetwork network = light::load_network_file(words[i]);
      const std::string name = std::filesystem::path(words[i]).parent_path().filename().string();
      say_what_the_network_says(name, network);
      PairsEvaluator evaluator(network.kernel);
      say_what_searches_find(name, network.info.rules, evaluator, false);
    }
    return 0;
  }
  if (words.size() == 3 && words[0] == "positions") {
    for (const Position& p : unfinished_positions(std::stoi(words[2]), parse_rules(words[1]), 14))
      fmt::print("{}\n", to_string(p));
    return 0;
  }
  if (words.size() == 2 && words[0] == "header") {
    fmt::print("{}", c_player(read_file(words[1]), "test"));
    return 0;
  }
  if (words.size() == 3 && words[0] == "round") {
    write_integers(words[1], words[2]);
    return 0;
  }
  if (words.size() >= 2 && words[0] == "digest") {
    for (std::size_t i = 1; i < words.size(); ++i) say_digest(words[i]);
    return 0;
  }
  fmt::print(
      stderr,
      "usage: answers play NETWORK... | positions RULES N | header NETWORK | round NETWORK FILE | digest FILE...\n");
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
