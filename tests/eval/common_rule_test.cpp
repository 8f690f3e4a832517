// Matches and the exploitability walk play by the rule of play/choose.h, as every program does (tests/python).
#include <gmock/gmock.h>

#include <utility>

#include "env/notation.h"
#include "eval/exploit.h"
#include "eval/match.h"
#include "light/load.h"
#include "play/choose.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

constexpr int kExactSquares = 8;
const std::string kNetwork = QUARTOZERO_SOURCE_DIR "/checkpoints/small/model.light";

std::string player_name(int simulations) {
  return "endgame:" + std::to_string(kExactSquares) + ":light:" + kNetwork + "@" + std::to_string(simulations);
}

// Remembers what a player was asked and what it chose.
class Recorded final : public Player {
 public:
  explicit Recorded(const std::string& name) : player_(make_player(name, options())) {}
  std::string name() const override { return player_->name(); }
  bool deterministic() const override { return player_->deterministic(); }
  bool depends_on_batch() const override { return player_->depends_on_batch(); }
  int exact_squares() const override { return player_->exact_squares(); }
  std::size_t preferred_batch() const override { return player_->preferred_batch(); }
  std::vector<Move> choose(std::span<const Position> positions) override {
    const std::vector<Move> moves = player_->choose(positions);
    for (std::size_t i = 0; i < positions.size(); ++i) decisions_.emplace_back(positions[i], moves[i]);
    return moves;
  }
  const std::vector<std::pair<Position, Move>>& decisions() const { return decisions_; }

 private:
  static PlayerOptions options() {
    PlayerOptions o;
    o.table_bytes = std::size_t{16} << 20;
    return o;
  }
  std::unique_ptr<Player> player_;
  std::vector<std::pair<Position, Move>> decisions_;
};

void expect_common_rule(const Recorded& player, int simulations) {
  const LoadedNetwork network = load_light_network(kNetwork);
  SharedSolver solver({.table_bytes = std::size_t{16} << 20});
  int exact = 0, others = 0;
  for (const auto& [position, move] : player.decisions()) {
    const Choice choice =
        choose(*network.evaluator, &solver, position, {.simulations = simulations, .exact_squares = kExactSquares});
    EXPECT_EQ(choice.move, move) << to_string(position);
    ++(choice.by == ChosenBy::exact ? exact : others);
    if (exact + others == 400) break;
  }
  EXPECT_GT(exact, 10);
  EXPECT_GT(others, 10);
}

TEST(CommonRule, IsThatOfMatches) {
  for (const int simulations : {0, 12}) {
    Recorded player(player_name(simulations));
    const auto other = make_player("oneply", {});
    MatchOptions options;
    options.games = 20;
    play_match(player, *other, options);
    expect_common_rule(player, simulations);
  }
}

TEST(CommonRule, IsThatOfTheExploitabilityWalk) {
  const TemporaryDirectory dir;
  Recorded player(player_name(4));
  Solver solver({.table_bytes = std::size_t{16} << 20});
  ExploitOptions options;
  options.start = parse_position("..../2F.A/.0../.8B. -");
  options.solve_squares = 7;
  options.directory = dir.path();
  options.identity = "recorded";
  exploit(player, solver, options);
  expect_common_rule(player, 4);
}

}  // namespace
}  // namespace quarto
