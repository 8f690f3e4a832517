// The prover of the kernels, as plain C++, against the solver's: the same answers with the same numbers of nodes.
#include "gpu/prove.h"

#include <gtest/gtest.h>

#include <bit>
#include <memory>

#include "env/notation.h"
#include "gpu/arguments.h"
#include "solver/prover.h"
#include "tests/support/random_positions.h"
#include "tests/support/sanitized.h"

namespace quarto::gpu {
namespace {

struct Alone {
  template <class F>
  void each(int count, const F& f) {
    for (int i = 0; i < count; ++i) f(i);
  }
};

constexpr Byte byte_of(Value v) { return static_cast<Byte>(static_cast<int>(v) + 1); }

template <Rules kRules>
void compare(int positions) {
  constexpr int kLines = rule_set(kRules).size();
  const Network network = network_of(kRules);
  ProofTables<kLines> tables;
  Alone alone;
  tables.fill(network, alone);
  const auto proof = std::make_unique<quarto::gpu::Proof<kLines>>(tables, network);
  Rng rng(9);
  int proven = 0, exhausted = 0;
  for (int i = 0; i < positions; ++i) {
    const Position p = random_position_at(static_cast<int>(4 + rng.below(28)), rng, kRules);
    if (p.is_terminal()) continue;
    constexpr std::array<unsigned, 6> kNodes = {0, 1, 17, 100, 300, 1000};
    constexpr std::array<ValueBounds, 4> kKnown = {
        {{}, {Value::draw, Value::win}, {Value::loss, Value::draw}, {Value::draw, Value::draw}}};
    const unsigned nodes = kNodes[rng.below(kNodes.size())];
    const ValueBounds known = rng.below(2) == 0 ? ValueBounds{} : kKnown[rng.below(kKnown.size())];
    const quarto::Proof wanted = prove(p, nodes, known);
    const ProofAnswer found = proof->answer({board_of(p), nodes, byte_of(known.low), byte_of(known.high)});
    ASSERT_EQ(found.low, byte_of(wanted.bounds.low)) << to_string(p) << " with " << nodes;
    ASSERT_EQ(found.high, byte_of(wanted.bounds.high)) << to_string(p) << " with " << nodes;
    ASSERT_EQ(found.nodes, wanted.nodes) << to_string(p) << " with " << nodes;
    proven += wanted.bounds.exact();
    exhausted += wanted.nodes >= nodes;
  }
  EXPECT_GT(proven, positions / 4);
  EXPECT_GT(exhausted, positions / 20);
}

constexpr int kPositions = repeated(20'000);

TEST(Prove, AnswersAsTheSolver) { compare<Rules::lines>(kPositions); }
TEST(Prove, AnswersAsTheSolverWithSquares) { compare<Rules::squares>(kPositions); }

}  // namespace
}  // namespace quarto::gpu
