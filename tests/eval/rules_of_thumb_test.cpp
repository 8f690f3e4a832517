#include "eval/rules_of_thumb.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "data/suites.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "env/one_ply.h"
#include "tests/support/random_positions.h"

namespace quarto {
namespace {

// Three pieces in a row that are square and hollow: a round and solid piece (C, D, E, F) is safe, and no other.
constexpr const char* kOneThreat = "012./..../..../.... -";

Mask moves_of(const std::string& rule, const Position& p) {
  for (const MoveRule& r : move_rules()) {
    if (r.name == rule) return r.moves(p);
  }
  throw std::logic_error(rule);
}

TEST(Counts, OfABoardWithOneThreat) {
  const Counts giving = counts_of(parse_position(kOneThreat));
  EXPECT_EQ(giving.empty, 13);
  EXPECT_EQ(giving.safe_pieces, 4);
  EXPECT_EQ(giving.unsafe_pieces, 9);
  EXPECT_EQ(giving.safe_placements, 4 * 13);
  EXPECT_EQ(giving.live_lines, 10);
  const Counts placing = counts_of(parse_position("012./..../..../.... C"));
  EXPECT_EQ(placing.safe_pieces, 3);  // the piece in hand is not one to give
  EXPECT_EQ(placing.unsafe_pieces, 9);
  EXPECT_EQ(placing.safe_placements, 13);
}

TEST(Counts, ALineOfPiecesThatShareNothingIsDead) {
  const Counts c = counts_of(parse_position("0F../..../..../.... -"));
  EXPECT_EQ(c.live_lines, 9);
  EXPECT_EQ(c.safe_pieces, 14);
  EXPECT_EQ(c.safe_placements, 14 * 14);
  // Column b holds 1 and E, each other's opposites.
  EXPECT_EQ(counts_of(parse_position("012./DEF./..../.... -")).live_lines, 9);
  // Where the nine small squares win they are counted: one of them holds both pieces.
  EXPECT_EQ(counts_of(parse_position("0F../..../..../.... -", Rules::squares)).live_lines, 9 + 9 - 1);
}

// The slow definition, from the rules.
TEST(Counts, AgreeWithTheirDefinitionEverywhere) {
  Rng rng(5);
  for (int n = 0; n < 500; ++n) {
    const Position p = random_position(rng, n % 2 ? Rules::lines : Rules::squares);
    if (p.is_terminal()) continue;
    const auto loses = [](const Position& given) { return given.winning_squares(given.hand()) != 0; };
    const auto safe_squares = [&](const Position& placing) {
      int safe = 0;
      for (const int s : BitsOf(placing.empty())) {
        const Position after = placing.after(Move::place(square(s)));
        bool any = after.is_terminal();
        for (const int g : BitsOf(after.available())) any = any || !loses(after.after(Move::give(piece(g))));
        safe += any ? 1 : 0;
      }
      return safe;
    };
    const Counts c = counts_of(p);
    int safe = 0, placements = 0;
    for (const int g : BitsOf(p.available())) {
      if (p.losing_gives() & bit(piece(g))) continue;
      ++safe;
      if (!p.has_hand()) placements += safe_squares(p.after(Move::give(piece(g))));
    }
    if (p.has_hand()) placements = safe_squares(p);
    EXPECT_EQ(c.safe_pieces, safe) << to_string(p);
    EXPECT_EQ(c.safe_pieces + c.unsafe_pieces, std::popcount(p.available())) << to_string(p);
    EXPECT_EQ(c.safe_placements, placements) << to_string(p);
  }
}

TEST(SeenAtOnce, ByHand) {
  EXPECT_EQ(seen_at_once(parse_position(kOneThreat)), std::nullopt);
  EXPECT_EQ(seen_at_once(parse_position("012./..../..../.... 4")), Value::win);
  // Square or hollow loses on d1, round or solid on d2.
  EXPECT_EQ(seen_at_once(parse_position("012./DEF./..../.... -")), Value::loss);
}

TEST(SeenAtOnce, IsNeverWrong) {
  for (const Suite& suite : read_suites(default_suites_and_all())) {
    std::size_t seen = 0;
    std::array<int, 3> values{};
    for (const SuiteEntry& e : suite.entries) {
      const auto value = seen_at_once(e.position);
      if (!value) continue;
      ++seen;
      ++values[static_cast<std::size_t>(static_cast<int>(*value) + 1)];
      ASSERT_EQ(*value, e.value) << to_string(e.position);
    }
    if (suite.name != "all") continue;
    EXPECT_GT(seen, suite.entries.size() / 10);
    EXPECT_GT(*std::min_element(values.begin(), values.end()), 0);
  }
}

TEST(PureParity, CountsTheSafePieces) {
  const auto& parity = value_rules()[value_rule("pure parity")].direct;
  EXPECT_EQ(parity(parse_position(kOneThreat)), Value::loss);               // four safe pieces
  EXPECT_EQ(parity(parse_position("012./..../..../.... C")), Value::win);   // three
  EXPECT_EQ(parity(parse_position("0F../..../..../.... -")), Value::draw);  // nothing loses
}

TEST(CountedRule, SaysTheMostFrequentValueAndFallsBackToTheCoarserClass) {
  CountedRule rule([](const Position& p) {
    return std::vector<int>{static_cast<int>(p.phase()), p.pieces_on_board()};
  });
  const Position two = parse_position("0F../..../..../.... -"), one = parse_position("0.../..../..../.... -");
  EXPECT_EQ(rule.predict(two), Value::draw);
  EXPECT_EQ(rule.mean(two), 0);
  for (int i = 0; i < CountedRule::kFewest; ++i) rule.count(two, Value::loss);
  for (int i = 0; i < CountedRule::kFewest - 1; ++i) rule.count(one, Value::win);
  EXPECT_EQ(rule.predict(two), Value::loss);
  EXPECT_EQ(rule.mean(two), -1);
  // One short of a say of its own: among all gives four were lost and three won.
  EXPECT_EQ(rule.predict(one), Value::loss);
  rule.count(one, Value::win);
  EXPECT_EQ(rule.predict(one), Value::win);
  EXPECT_EQ(rule.mean(one), 1);
}

struct Sample {
  std::vector<Position> positions;
  std::vector<Value> values;
};
Sample sample() {
  Sample s;
  for (const SuiteEntry& e : read_suite(default_suites()[0]).entries) {
    if (s.positions.size() == 600) break;
    s.positions.push_back(e.position);
    s.values.push_back(e.value);
  }
  return s;
}

TEST(Halves, AllImagesOfAPositionAreInOne) {
  Rng rng(2);
  int even = 0;
  for (int n = 0; n < 200; ++n) {
    const Position p = random_position(rng);
    EXPECT_EQ(in_even_half(p), in_even_half(canonical_form(p).position));
    even += in_even_half(p) ? 1 : 0;
  }
  EXPECT_GT(even, 60);
  EXPECT_LT(even, 140);
}

TEST(Halves, NoPredictionDependsOnValuesOfItsOwnHalf) {
  Sample s = sample();
  const auto before = predict_across_halves(value_rules(), s.positions, s.values);
  for (std::size_t i = 0; i < s.values.size(); ++i) {
    if (in_even_half(s.positions[i])) s.values[i] = Value::loss;
  }
  const auto after = predict_across_halves(value_rules(), s.positions, s.values);
  std::size_t changed = 0;
  for (std::size_t r = 0; r < before.size(); ++r) {
    for (std::size_t i = 0; i < s.values.size(); ++i) {
      if (in_even_half(s.positions[i])) {
        EXPECT_EQ(before[r][i], after[r][i]);
      } else {
        changed += before[r][i] != after[r][i] ? 1 : 0;
      }
    }
  }
  EXPECT_GT(changed, s.values.size());  // while those of the other half depend on them
}

TEST(Halves, WhatIsMerelyRememberedIsWorthNothing) {
  // A class for each position: a rule that could see its own half would be perfect.
  Sample s = sample();
  std::vector<ValueRule> rules(1);
  rules[0].classify = [](const Position& p) {
    const std::uint64_t h = canonical_key(p).hash();
    return std::vector<int>{static_cast<int>(h), static_cast<int>(h >> 32)};
  };
  for (int copies = 0; copies < CountedRule::kFewest; ++copies) {
    const Sample more = sample();
    s.positions.insert(s.positions.end(), more.positions.begin(), more.positions.end());
    s.values.insert(s.values.end(), more.values.begin(), more.values.end());
  }
  const auto said = predict_across_halves(rules, s.positions, s.values).front();
  EXPECT_EQ(std::count(said.begin(), said.end(), said.front()), static_cast<std::ptrdiff_t>(said.size()));
}

TEST(MoveRules, ByHand) {
  const Position p = parse_position("012./..../..../.... C");
  const Mask d1 = bit(square(3)), rest = static_cast<Mask>(p.empty() & ~d1);
  // On d1 C blocks the row and all twelve pieces are safe; elsewhere D, E and F are.
  EXPECT_EQ(moves_of("one ply", p), p.empty());
  EXPECT_EQ(moves_of("odd", p), rest);
  EXPECT_EQ(moves_of("even", p), d1);
  EXPECT_EQ(moves_of("fewest safe", p), rest);
  EXPECT_EQ(moves_of("most safe", p), d1);
  EXPECT_EQ(moves_of("most placements", p), d1);
  EXPECT_EQ(moves_of("fewest placements", p) & d1, 0);
  // A win is taken whatever is counted.
  EXPECT_EQ(moves_of("even", parse_position("012./..../..../.... 4")), d1);
}

TEST(MoveRules, PickAmongWhatOnePlyLeaves) {
  Rng rng(9);
  CountedRule counted(value_rules()[value_rule("all counts")].classify);
  for (const SuiteEntry& e : read_suite(default_suites()[0]).entries) counted.count(e.position, e.value);
  std::vector<MoveRule> rules = move_rules();
  rules.push_back(counted_move_rule("counted", counted));
  std::vector<int> narrowed(rules.size());
  for (int n = 0; n < 400; ++n) {
    const Position p = random_position(rng);
    if (p.is_terminal()) continue;
    const Mask base = one_ply_moves(p);
    for (std::size_t r = 0; r < rules.size(); ++r) {
      const Mask moves = rules[r].moves(p);
      EXPECT_NE(moves, 0) << rules[r].name;
      EXPECT_EQ(moves & ~base, 0) << rules[r].name;
      narrowed[r] += moves != base ? 1 : 0;
    }
  }
  EXPECT_EQ(narrowed[0], 0);
  for (std::size_t r = 1; r < rules.size(); ++r) EXPECT_GT(narrowed[r], 20) << rules[r].name;
}

}  // namespace
}  // namespace quarto
