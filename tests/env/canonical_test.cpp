#include "env/canonical.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <unordered_map>
#include <vector>

#include "env/notation.h"
#include "tests/support/random_positions.h"

namespace quarto {
namespace {

TEST(Canonical, AllImagesShareOneKeyAndOneForm) {
  Rng rng(1);
  for (int i = 0; i < 12; ++i) {
    const Position p = random_position_at(2 * i + static_cast<int>(rng.below(2)), rng);
    const CanonicalKey key = canonical_key(p);
    const Position form = canonical_form(p).position;
    for (int g = 0; g < kSymmetriesLines; ++g) {
      const Position image = apply(symmetry(g), p);
      ASSERT_EQ(canonical_key(image), key) << to_string(p) << " and " << to_string(image);
      ASSERT_EQ(canonical_form(image).position, form);
    }
  }
}

TEST(Canonical, TheFormIsTheImageUnderItsSymmetryAndItsOwnForm) {
  Rng rng(2);
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    for (int i = 0; i < 2000; ++i) {
      const Position p = random_position(rng, rules);
      const CanonicalForm form = canonical_form(p);
      ASSERT_EQ(apply(form.symmetry, p), form.position);
      ASSERT_EQ(canonical_form(form.position).position, form.position);
    }
  }
}

// Equal keys mean equal orbits: the exact key is checked against the smallest of all images, found the slow way.
TEST(Canonical, DifferentOrbitsHaveDifferentKeys) {
  Rng rng(3);
  std::unordered_map<CanonicalKey, std::string> smallest_of;
  for (int i = 0; i < 60; ++i) {
    const Position p = random_position_at(5 + static_cast<int>(rng.below(4)), rng);
    std::string smallest = to_string(p);
    for (int g = 1; g < kSymmetriesLines; ++g) smallest = std::min(smallest, to_string(apply(symmetry(g), p)));
    const auto [at, fresh] = smallest_of.emplace(canonical_key(p), smallest);
    ASSERT_EQ(at->second, smallest);
  }
  std::set<std::string> orbits;
  for (const auto& [key, text] : smallest_of) ASSERT_TRUE(orbits.insert(text).second);
}

TEST(Canonical, KeysTellRulesAndPhasesApart) {
  EXPECT_NE(canonical_key(Position(Rules::lines)), canonical_key(Position(Rules::squares)));
  EXPECT_NE(canonical_key(Position()), canonical_key(Position().after(Move::give(piece(0)))));
}

// Neither needs a destructor.
Position asked;
CanonicalKey answered;

// A thread of a player or of a server may ask while static objects are destroyed. The address sanitizer sees that a
// table is gone; elsewhere its memory may still be as it was.
TEST(CanonicalForm, IsKnownUntilTheProgramHasEnded) {
#ifdef QUARTOZERO_EMULATED  // such a program cannot start itself; ctest runs every test in a process of its own
  GTEST_FLAG_SET(death_test_style, "fast");
#else
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process in which nobody has asked before
#endif
  Rng rng(1);
  asked = random_position_at(12, rng);
  EXPECT_EXIT(
      {
        std::atexit([] { std::_Exit(canonical_key(asked) == answered ? 0 : 1); });
        answered = canonical_key(asked);
        std::exit(2);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace quarto
