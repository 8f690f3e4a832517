// Levels, careless players, and hints.
#include "play/levels.h"

#include <gmock/gmock.h>

#include <set>

#include "base/file.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "env/symmetry.h"
#include "light/evaluator.h"
#include "light/load.h"
#include "play/careless.h"
#include "play/hint.h"
#include "play/player.h"
#include "play/shipped_networks.h"
#include "tests/play/some_network.h"

namespace quarto {
namespace {

using testing::ElementsAre;

TEST(Levels, AreNamedOnceAndAreValidPlayers) {
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    std::set<std::string_view> names;
    for (const Level& level : levels(rules)) {
      EXPECT_TRUE(names.insert(level.name).second) << level.name;
      EXPECT_EQ(find_level(level.name, rules), &level);
      EXPECT_NO_THROW(parse_player(player_of(level))) << player_of(level);
    }
    EXPECT_EQ(find_level("nobody", rules), nullptr);
  }
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    EXPECT_THAT(level_names(rules), ElementsAre("beginner", "casual", "careful", "strong", "expert", "unbeatable"));
  }
}

TEST(Levels, AreWordsForPlayersOfTheRulesInForce) {
  EXPECT_EQ(without_level("casual", Rules::lines), "lookahead:2");
  EXPECT_EQ(without_level("strong", Rules::lines), "light:checkpoints/zero/model.light");
  EXPECT_EQ(without_level("strong", Rules::squares), "light:checkpoints/squares/model.light");
  EXPECT_EQ(without_level("endgame:9:careless:5:casual", Rules::lines), "endgame:9:careless:5:lookahead:2");
  for (const std::string other : {"oneply", "net:casual", "engine:casual", "rollout:casual", "engine:run:casual",
                                  "x:strong", "casual:2", "Casual", ""}) {
    EXPECT_EQ(without_level(other, Rules::lines), other);
    EXPECT_FALSE(names_level(other)) << other;
  }
  for (const Rules rules : kAllRules) {
    for (const Level& level : levels(rules)) {
      const std::string name(level.name);
      EXPECT_TRUE(names_level(name));
      EXPECT_EQ(std::filesystem::weakly_canonical(without_level(name, rules)).filename(),
                std::filesystem::path(player_of(level)).filename());
      EXPECT_NO_THROW(parse_player(without_level(name, rules)));
    }
  }
  EXPECT_TRUE(names_level("strong"));
  for (const Rules rules : kAllRules) {
    if (find_level("strong", rules)) continue;
    EXPECT_THAT([&] { (void)without_level("strong", rules); },
                testing::ThrowsMessage<PlayerError>(testing::HasSubstr("beginner, casual, careful")));
  }
}

// The players of docs/experiments/exploitability.md that were proven unbeatable.
TEST(Levels, TheHighestIsTheProvenOne) {
  EXPECT_EQ(player_of(levels(Rules::lines).back()), "endgame:11,sharp:light:checkpoints/zero/model.light");
  EXPECT_EQ(player_of(levels(Rules::squares).back()), "endgame:13,sharp:light:checkpoints/squares/model.light@32");
  EXPECT_EQ(player_of(levels(Rules::lines).front()), "careless:25:lookahead:2");
}

TEST(Levels, PlayByShippedNetworksOfTheirRules) {
  for (const Rules rules : kAllRules) {
    for (const Level& level : levels(rules)) {
      if (level.network.empty() || level.network == kUniformNetwork) continue;
      const auto* network = std::find_if(kShippedNetworks.begin(), kShippedNetworks.end(),
                                         [&](const ShippedNetwork& n) { return n.name == level.network; });
      ASSERT_NE(network, kShippedNetworks.end()) << level.network;
      EXPECT_EQ(network->rules, rules) << level.name;
    }
  }
}

TEST(ShippedNetworks, KnowTheRulesThatTheListSays) {
  for (const auto& [name, rules] : kShippedNetworks) {
    const auto file = shipped_network(name);
    ASSERT_TRUE(file) << name;
    EXPECT_EQ(load_light_network(*file).rules, rules) << name;
  }
  for (const Rules rules : kAllRules) EXPECT_EQ(load_light_network(shipped_network(rules).value()).rules, rules);
}

TEST(ShippedNetworks, AreThoseOfThePage) {
  std::string list;
  for (const auto& [name, rules] : kShippedNetworks) list += (list.empty() ? "'" : ", '") + std::string(name) + "'";
  EXPECT_THAT(read_file(QUARTOZERO_SOURCE_DIR "/web/page/files.js"),
              testing::HasSubstr("export const kNetworks = [" + list + "];"));
}

TEST(ShippedBooks, ArePartOfThePage) {
  std::string list;
  for (const Rules rules : kAllRules) list += (list.empty() ? "'" : ", '") + to_string(rules) + "'";
  EXPECT_THAT(read_file(QUARTOZERO_SOURCE_DIR "/web/page/files.js"),
              testing::HasSubstr("export const kBooks = [" + list + "];"));
}

TEST(Careless, AlwaysIsAtRandomAndNeverIsTheOther) {
  Rng rng(1);
  const std::vector<Position> positions = unfinished_positions(300, Rules::lines, 3);
  for (const Position& p : positions) {
    EXPECT_EQ(careless_move(p, 0, rng), std::nullopt);
    EXPECT_TRUE(p.is_legal(careless_move(p, 100, rng).value()));
  }
}

TEST(Careless, SomeOfItsMovesAreTheOthers) {
  const std::vector<Position> positions(4000, parse_position("..../2F.A/E9../.8B3 -"));
  const Move own = make_player("uniform@4", {})->choose({positions.data(), 1}).front();
  const auto player = make_player("careless:50:uniform@4", {});
  EXPECT_FALSE(player->deterministic());
  const std::vector<Move> moves = player->choose(positions);
  // Half of the moves, and an eighth of the others: five standard deviations either way.
  EXPECT_NEAR(static_cast<double>(std::count(moves.begin(), moves.end(), own)), 2250, 160);
  EXPECT_EQ(make_player("careless:50:uniform@4", {})->choose(positions), moves);
}

class Hints : public testing::Test {
 protected:
  PairsEvaluator evaluator_{some_kernel()};
  SharedSolver solver_{{.table_bytes = 1 << 20}};
};

TEST_F(Hints, AmongMovesOfEqualExactValueTheNetworkDecides) {
  int several = 0;
  for (const Position& p : unfinished_positions(200, Rules::lines, 21)) {
    if (std::popcount(p.empty()) > 8) continue;
    const Hint found = hint(evaluator_, &solver_, p, {.exact_squares = 8});
    const MoveSolution exact = solver_.solve_moves(p);
    ASSERT_EQ(found.choice.by, ChosenBy::exact);
    EXPECT_EQ(exact.values[found.choice.move.index], exact.value) << to_string(p);
    Evaluation opinion;
    evaluate(evaluator_, {&p, 1}, {&opinion, 1});
    const Mask winning = p.has_hand() ? p.winning_squares(p.hand()) : Mask{0};
    int alike = 0;
    for (const Move m : p.moves()) {
      if (exact.values[m.index] != exact.value) continue;
      ++alike;
      if ((winning >> found.choice.move.index) & 1U) continue;
      EXPECT_EQ(winning, 0);
      EXPECT_LE(opinion.prior[m.index], opinion.prior[found.choice.move.index] + 1e-5F) << to_string(p);
    }
    EXPECT_EQ(found.alike, alike);
    several += alike > 1;
  }
  EXPECT_GT(several, 20);
}

TEST_F(Hints, ImagesOfAPositionGetImagesOfTheHint) {
  Rng rng(5);
  for (const Position& p : unfinished_positions(40, Rules::lines, 22)) {
    if (std::popcount(p.empty()) > 7) continue;
    const CanonicalForm form = canonical_form(p);
    const Move own = hint(evaluator_, &solver_, p, {.exact_squares = 8}).choice.move;
    EXPECT_EQ(hint(evaluator_, &solver_, form.position, {.exact_squares = 8}).choice.move,
              apply(form.symmetry, own, p.rules()))
        << to_string(p);
  }
}

TEST_F(Hints, WithoutExactValuesTheyAreChoices) {
  const Position start;
  const Hint found = hint(evaluator_, nullptr, start, {.simulations = 8});
  EXPECT_EQ(found.choice.move, choose(evaluator_, nullptr, start, {.simulations = 8}).move);
  EXPECT_EQ(found.alike, 0);
}

}  // namespace
}  // namespace quarto
