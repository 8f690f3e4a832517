#include "play/player.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "data/suites.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "env/one_ply.h"
#include "play/perfect.h"
#include "play/rollout.h"
#include "solver/solver.h"
#include "solver/tree_size.h"
#include "tests/support/random_positions.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using testing::HasSubstr;

std::string error_of(const std::string& name) {
  try {
    parse_player(name);
  } catch (const PlayerError& e) {
    return e.what();
  }
  return "";
}

TEST(PlayerNames, AreTakenApart) {
  using Kind = PlayerSpec::Kind;
  EXPECT_EQ(parse_player("random").kind, Kind::random);
  EXPECT_EQ(parse_player("perfect").kind, Kind::perfect);
  EXPECT_EQ(parse_player("perfect:any").kind, Kind::perfect_any);
  EXPECT_EQ(parse_player("rollout:250").number, 250);
  EXPECT_EQ(parse_player("uniform@64").number, 64);
  EXPECT_EQ(parse_player("net:runs/a").path, "runs/a");
  EXPECT_EQ(parse_player("net:runs/a").number, 0);
  EXPECT_EQ(parse_player("net:runs/a@128").path, "runs/a");
  EXPECT_EQ(parse_player("net:runs/a@128").number, 128);
  EXPECT_EQ(parse_player("net:nowhere@home/a").path, "nowhere@home/a");
  EXPECT_EQ(parse_player("net:runs/a@128").proof_nodes, std::nullopt);
  EXPECT_EQ(parse_player("net:runs/a@128:0").proof_nodes, 0);
  EXPECT_EQ(parse_player("light:a@b.light@64:1000").path, "a@b.light");
  EXPECT_EQ(parse_player("light:a@b.light@64:1000").number, 64);
  EXPECT_EQ(parse_player("light:a@b.light@64:1000").proof_nodes, 1000);
  EXPECT_EQ(parse_player("uniform@64:30").proof_nodes, 30);
  EXPECT_EQ(checkpoint_of("endgame:9:net:runs/a@64:30"), "runs/a");
  EXPECT_EQ(parse_player("lookahead:4").kind, Kind::lookahead);
  EXPECT_EQ(parse_player("lookahead:4").number, 4);
  EXPECT_EQ(parse_player("solver:50").kind, Kind::solver);
  EXPECT_EQ(parse_player("solver:50").number, 50);
  EXPECT_EQ(parse_player("careless:25:lookahead:2").kind, Kind::careless);
  EXPECT_EQ(parse_player("careless:25:lookahead:2").number, 25);
  EXPECT_EQ(parse_player("careless:25:lookahead:2").path, "lookahead:2");
  EXPECT_EQ(checkpoint_of("careless:5:endgame:9:net:runs/a@64"), "runs/a");
  EXPECT_THAT(error_of("careless:101:oneply"), HasSubstr("from 1 to 100"));
  EXPECT_THAT(error_of("careless:20"), HasSubstr("expected another player after the number"));
}

TEST(PlayerNames, ASearchIsKnownByItsProofs) {
  SearchConfig search;
  search.proof_nodes = 200;
  search.proof_squares = 10;
  search.proof_growth = 3;
  EXPECT_EQ(proofs_of("uniform@8", search), "proof_nodes 200 proof_squares 10 proof_growth 3");
  EXPECT_EQ(proofs_of("endgame:9:net:a@8:50", search), "proof_nodes 50 proof_squares 10 proof_growth 3");
  EXPECT_EQ(proofs_of("careless:5:light:a@8:0", search), "proof_nodes 0");
  for (const char* name : {"net:a", "light:a", "rollout:8", "engine@8:cat", "perfect"})
    EXPECT_EQ(proofs_of(name, search), "") << name;
}

TEST(PlayerNames, TheStranglerTakesSettings) {
  const StranglerOptions defaults;
  EXPECT_EQ(parse_player("strangler").kind, PlayerSpec::Kind::strangler);
  EXPECT_EQ(parse_player("strangler").strangler.nodes, defaults.nodes);
  EXPECT_EQ(parse_player("strangler").strangler.exact, 9);
  EXPECT_EQ(parse_player("strangler").strangler.safe, 2.21);
  EXPECT_EQ(parse_player("strangler").strangler.traps, 0.37);
  EXPECT_EQ(parse_player("strangler:700").strangler.nodes, 700);
  const StranglerOptions some = parse_player("strangler:700,traps=-0.5,exact=0").strangler;
  EXPECT_EQ(some.nodes, 700);
  EXPECT_EQ(some.safe, defaults.safe);
  EXPECT_EQ(some.traps, -0.5);
  EXPECT_EQ(some.exact, 0);
  const StranglerOptions named = parse_player("strangler:depth=3,nodes=9,safe=1").strangler;
  EXPECT_EQ(named.depth, 3);
  EXPECT_EQ(named.nodes, 9);
  EXPECT_EQ(named.safe, 1);
}

TEST(PlayerNames, WhatIsNoNumberAfterAPathThatExistsIsNamed) {
  const TemporaryDirectory dir;
  const std::string path = dir.path().string();
  EXPECT_THAT(error_of("net:" + path + "@x1"), HasSubstr("'x1' after '@' is no number of simulations"));
  std::filesystem::create_directory(path + "@x1");
  EXPECT_EQ(parse_player("net:" + path + "@x1").path, path + "@x1");
  std::filesystem::remove(path + "@x1");
}

TEST(PlayerNames, ALightPlayerIsAFileAndSimulations) {
  const PlayerSpec bare = parse_player("light:a@b.light");
  EXPECT_EQ(bare.kind, PlayerSpec::Kind::light);
  EXPECT_EQ(bare.path, "a@b.light");
  EXPECT_EQ(bare.number, 0);
  EXPECT_EQ(parse_player("light:a.light@64").number, 64);
  EXPECT_EQ(checkpoint_of("endgame:9:light:a.light@64"), "a.light");
  EXPECT_THAT(error_of("light:"), HasSubstr("a path is missing"));
  EXPECT_THAT(error_of("zero@128:3000"), HasSubstr("did you mean 'net:checkpoints/zero@128:3000'"));
  EXPECT_THAT(error_of("ligth:x"), HasSubstr("did you mean 'light:PATH'"));
}

TEST(PlayerNames, WrongOnesAreExplained) {
  EXPECT_THAT(error_of("onepyl"), HasSubstr("did you mean 'oneply'"));
  EXPECT_THAT(error_of("perfcet"), HasSubstr("did you mean 'perfect'"));
  EXPECT_THAT(error_of("net:a@64:"), HasSubstr("in place of ''"));
  EXPECT_THAT(error_of("net:a@64:9999999"), HasSubstr("in place of '9999999'"));
  EXPECT_THAT(error_of("something"),
              HasSubstr("random, oneply, lookahead:N, rollout:N, uniform@N[:K], strangler[:NODES], net:PATH[@N[:K]], "
                        "light:PATH[@N[:K]], solver:MS, perfect"));
  EXPECT_THAT(error_of("strangeler:100"), HasSubstr("did you mean 'strangler'"));
  EXPECT_THAT(error_of("lookahed:2"), HasSubstr("did you mean 'lookahead:N'"));
  EXPECT_THAT(error_of("lookahead"), HasSubstr("did you mean 'lookahead:N'"));
  EXPECT_THAT(error_of("sover:9"), HasSubstr("did you mean 'solver:MS'"));
  EXPECT_THAT(error_of("lookahead:33"), HasSubstr("from 1 to 32"));
  EXPECT_THAT(error_of("solver:0"), HasSubstr("from 1"));
  EXPECT_THAT(error_of("strangler:"), HasSubstr("whole number"));
  EXPECT_THAT(error_of("strangler:0"), HasSubstr("from 1"));
  EXPECT_THAT(error_of("strangler:100,trap=1"),
              testing::StrEq("player 'strangler:100,trap=1': unknown key 'trap' (did you mean 'traps'?)"));
  EXPECT_THAT(error_of("strangler:traps=much"), HasSubstr("expected a number"));
  EXPECT_THAT(error_of("strangler:exact=17"), HasSubstr("from 0 to 16"));
  EXPECT_THAT(error_of("strangler:100,200"), HasSubstr("player 'strangler:100,200'"));
  EXPECT_THAT(error_of("strangler:100,nodes=200"), HasSubstr("nodes is set twice"));
  EXPECT_THAT(error_of("strangler:safe=0,traps=0"), HasSubstr("both 0"));
  EXPECT_THAT(error_of("rollout:"), HasSubstr("whole number"));
  EXPECT_THAT(error_of("rollout:0"), HasSubstr("from 1"));
  EXPECT_THAT(error_of("uniform@x"), HasSubstr("'x'"));
  EXPECT_THAT(error_of("uniform@1000001"), HasSubstr("from 1 to 1000000"));
  EXPECT_THAT(error_of("net:"), HasSubstr("path is missing"));
}

TEST(PlayerNames, AreNotNestedWithoutEnd) {
  std::string around;
  for (int i = 0; i < 8; ++i) around += "endgame:9:";
  EXPECT_EQ(parse_inner_player(around + "oneply").kind, PlayerSpec::Kind::oneply);
  EXPECT_THAT(error_of(around + "careless:5:oneply"), HasSubstr("more than 8 players"));
}

TEST(PlayerNames, APathThatNoFileCanHaveIsAPath) {
  const std::string path(100'000, 'a');  // longer than the system allows
  EXPECT_EQ(parse_player("net:" + path + "@x").path, path + "@x");
  EXPECT_THAT(error_of(path), HasSubstr("unknown player"));
}

TEST(Players, ChooseLegalMovesOnly) {
  Rng rng(1);
  std::vector<Position> positions;
  for (int i = 0; i < 60; ++i) positions.push_back(random_position_at(10 + static_cast<int>(rng.below(18)), rng));
  PlayerOptions options;
  options.table_bytes = std::size_t{16} << 20;
  options.threads = 2;
  for (const char* name :
       {"random", "oneply", "lookahead:3", "rollout:20", "uniform@20", "strangler:100", "solver:1"}) {
    const auto moves = make_player(name, options)->choose(positions);
    ASSERT_EQ(moves.size(), positions.size());
    for (std::size_t i = 0; i < moves.size(); ++i) EXPECT_TRUE(positions[i].is_legal(moves[i])) << name;
  }
}

TEST(Players, TheSameSeedChoosesTheSameMovesOnAnyNumberOfThreads) {
  Rng rng(2);
  std::vector<Position> positions;
  for (int i = 0; i < 40; ++i) positions.push_back(random_position(rng));
  for (const char* name : {"random", "oneply", "lookahead:3", "rollout:30", "uniform@30", "strangler:200"}) {
    PlayerOptions options;
    options.seed = 5;
    options.table_bytes = std::size_t{16} << 20;
    const auto first = make_player(name, options)->choose(positions);
    options.threads = 3;
    EXPECT_EQ(make_player(name, options)->choose(positions), first) << name;
  }
}

TEST(Players, ThoseThatLookAtOnePositionAtATimeChooseTheSameHoweverPositionsAreCut) {
  Rng rng(2);
  std::vector<Position> positions;
  for (int i = 0; i < 30; ++i) positions.push_back(random_position(rng));
  for (const char* name : {"random", "oneply", "lookahead:3", "rollout:30", "strangler:200"}) {
    PlayerOptions options;
    options.seed = 5;
    options.table_bytes = std::size_t{16} << 20;
    const auto together = make_player(name, options)->choose(positions);
    const auto player = make_player(name, options);
    std::vector<Move> cut;
    for (std::size_t i = 0; i < positions.size(); i += 7) {
      const auto some = std::span(positions).subspan(i, std::min<std::size_t>(7, positions.size() - i));
      for (const Move m : player->choose(some)) cut.push_back(m);
    }
    EXPECT_EQ(cut, together) << name;
  }
}

TEST(Players, AllWinAtOnceAndGiveNoLoserIfTheyNeedNot) {
  Rng rng(3);
  std::vector<Position> positions;
  for (int i = 0; i < 80; ++i) positions.push_back(random_position_at(8 + static_cast<int>(rng.below(20)), rng));
  PlayerOptions options;
  options.table_bytes = std::size_t{16} << 20;
  for (const char* name : {"oneply", "lookahead:3", "strangler:100", "strangler:100,exact=0", "solver:2"}) {
    const auto moves = make_player(name, options)->choose(positions);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      EXPECT_TRUE((one_ply_moves(positions[i]) >> moves[i].index) & 1U)
          << name << ": " << to_string(positions[i]) << " " << to_string(moves[i]);
    }
  }
}

TEST(TimedSolver, KeepsTheValueWhenItHasTheTime) {
  const Suite suite = read_suite(default_suites().at(0));
  PlayerOptions options;
  options.table_bytes = std::size_t{32} << 20;
  const auto player = make_player("solver:60000", options);
  int seen = 0;
  for (std::size_t i = 0; i < suite.entries.size(); i += 13) {
    const SuiteEntry& entry = suite.entries[i];
    if (entry.position.pieces_on_board() < 7) continue;
    ++seen;
    const Move m = player->choose({&entry.position, 1}).at(0);
    EXPECT_EQ(entry.moves[m.index], entry.value) << to_string(entry.position) << " " << to_string(m);
  }
  EXPECT_GT(seen, 100);
}

TEST(TimedSolver, FallsBackOnTheRuleWhenItHasNot) {
  PlayerOptions options;
  options.table_bytes = std::size_t{1} << 20;
  options.rules = Rules::squares;
  // The last ply of the book. Its moves are not in it and take a hundred times what they are given; a player's table
  // would add up.
  const Position first = parse_position("01../..../..7./...C -", Rules::squares);
  Mask given = 0;
  for (options.seed = 0; options.seed < 200; ++options.seed)
    given |= static_cast<Mask>(1U << make_player("solver:1", options)->choose({&first, 1}).at(0).index);
  EXPECT_EQ(given, first.available()) << "the rule has nothing to say, so any piece is given";
}

TEST(Rollouts, FindTheMovesThatASmallSearchCanSee) {
  Rng rng(4);
  int right = 0, seen = 0;
  while (seen < 60) {
    const Position p = random_position_at(26, rng);
    Solver oracle({.table_bytes = std::size_t{1} << 20});
    const MoveSolution exact = oracle.solve_moves(p);
    const Move m = rollout_move(p, 600, rng);
    ++seen;
    right += exact.values[m.index] == exact.value ? 1 : 0;
  }
  EXPECT_GE(right, 59);
}

TEST(Perfect, KeepsTheValueOfEveryPosition) {
  Rng rng(5);
  PlayerOptions options;
  options.table_bytes = std::size_t{32} << 20;
  PerfectPlayer perfect(options);
  Solver solver({.table_bytes = options.table_bytes});
  for (int i = 0; i < 60; ++i) {
    const Position p = random_position_at(14 + static_cast<int>(rng.below(14)), rng);
    const Move m = perfect.choose({&p, 1}).at(0);
    const MoveSolution exact = solver.solve_moves(p);
    EXPECT_EQ(exact.values[m.index], exact.value) << to_string(p) << " " << to_string(m);
  }
}

TEST(Perfect, AnyChoosesAmongAllKeepingMoves) {
  Rng rng(6);
  PlayerOptions options;
  options.table_bytes = std::size_t{8} << 20;
  PerfectPlayer perfect(options, PerfectStyle::any);
  Solver solver({.table_bytes = options.table_bytes});
  const Position p = parse_position("..../2F.A/E9../.8B3 -");
  const MoveSolution exact = solver.solve_moves(p);
  Mask keeping = 0, chosen = 0;
  for (const int m : BitsOf(p.legal_moves())) {
    if (exact.values[static_cast<std::size_t>(m)] == exact.value) keeping |= static_cast<Mask>(1U << m);
  }
  for (int i = 0; i < 300; ++i) chosen |= static_cast<Mask>(1U << perfect.choose({&p, 1}).at(0).index);
  EXPECT_EQ(chosen, keeping);
}

// The share of the squares on which the piece in hand throws the position's value away.
double failing_share(Solver& solver, const Position& p) {
  const MoveSolution exact = solver.solve_moves(p);
  int failing = 0;
  for (const int m : BitsOf(p.legal_moves())) failing += exact.values[static_cast<std::size_t>(m)] != exact.value;
  return static_cast<double>(failing) / std::popcount(p.legal_moves());
}

TEST(Perfect, SetsTheTrapThatMostSquaresFallInto) {
  Rng rng(8);
  PlayerOptions options;
  options.table_bytes = std::size_t{8} << 20;
  PerfectPlayer perfect(options);
  Solver solver({.table_bytes = options.table_bytes});
  int telling = 0;
  for (int i = 0; i < 80; ++i) {
    const Position p = random_position_at(16 + i % 10, rng);
    if (p.has_hand() && p.winning_squares(p.hand())) continue;
    const MoveSolution exact = solver.solve_moves(p);
    std::array<double, kMoves> share{};
    double best = 0, worst = 1;
    for (const int m : BitsOf(p.legal_moves())) {
      if (exact.values[static_cast<std::size_t>(m)] != exact.value) continue;
      const Position next = p.after({p.phase(), static_cast<std::uint8_t>(m)});
      double& here = share[static_cast<std::size_t>(m)];
      if (next.has_hand()) {
        here = failing_share(solver, next);
      } else if (!next.is_terminal()) {
        const MoveSolution gives = solver.solve_moves(next);
        for (const int g : BitsOf(next.legal_moves())) {
          if (gives.values[static_cast<std::size_t>(g)] != gives.value) continue;
          here = std::max(here, failing_share(solver, next.after(Move::give(piece(g)))));
        }
      }
      best = std::max(best, here);
      worst = std::min(worst, here);
    }
    telling += worst < best;
    const Move chosen = perfect.choose({&p, 1}).at(0);
    EXPECT_EQ(exact.values[chosen.index], exact.value) << to_string(p);
    EXPECT_EQ(share[chosen.index], best) << to_string(p);
  }
  EXPECT_GT(telling, 30);
}

// Likes moves by a hash of the position as it stands: nothing about it is symmetric.
class Moody final : public Evaluator {
 public:
  std::unique_ptr<EvaluationBatch> new_batch() override { return std::make_unique<Batch>(); }

 private:
  class Batch final : public EvaluationBatch {
   public:
    Status add(const Position& p, Evaluation& out) override {
      UniformEvaluator uniform;
      evaluate(uniform, std::span(&p, 1), std::span(&out, 1));
      for (const int m : BitsOf(p.legal_moves())) {
        out.prior[static_cast<std::size_t>(m)] =
            static_cast<float>(mix_seed(p.key(), static_cast<std::uint64_t>(m)) % 1000 + 1) / 16000;
      }
      return Status::known;
    }
    std::size_t size() const override { return 0; }
    void compute() override {}
  };
};

// What a proof of unbeatability rests on (eval/exploit.h).
TEST(Player, AnswersImagesOfAPositionWithImagesOfTheMove) {
  Moody moody;
  PlayerOptions options;
  options.table_bytes = 1 << 20;
  Rng rng(8);
  std::vector<std::unique_ptr<Player>> players;
  for (const int simulations : {0, 12}) players.push_back(make_search_player("moody", moody, simulations, options));
  players.push_back(make_player("endgame:9:uniform@4", options));
  for (const auto& player : players) {
    ASSERT_TRUE(player->deterministic());
    for (int i = 0; i < 60; ++i) {
      const Position p = random_position_at(static_cast<int>(rng.below(31)), rng);
      const Symmetry g = symmetry(static_cast<int>(rng.below(static_cast<std::uint64_t>(symmetry_count(p.rules())))));
      const Position image = apply(g, p);
      // Where the position has symmetries of its own, another image of the move may be taken: the result is the same.
      EXPECT_EQ(canonical_key(p.after(player->choose({&p, 1}).front())),
                canonical_key(image.after(player->choose({&image, 1}).front())))
          << player->name() << " " << to_string(p);
    }
  }
}

struct Kept {
  int decisions = 0, losing = 0;
};

// Moves in positions that are not lost, with the tree's size within `nodes` or above.
Kept keeps_out_of_loss(const std::string& name, std::uint64_t nodes, bool within, Rules rules,
                       const SearchConfig& search = {}) {
  PlayerOptions options;
  options.rules = rules;
  options.search = search;
  const auto player = make_player(name, options);
  Solver solver({.table_bytes = 1 << 20});
  Rng rng(3);
  std::vector<Position> positions;
  const auto wanted = static_cast<std::size_t>(repeated(600));
  while (positions.size() < wanted) {
    const Position p = random_position_at(14 + static_cast<int>(rng.below(12)), rng, rules);
    if (p.is_terminal() || std::popcount(p.empty()) > 9) continue;
    if ((tree_size(p, nodes) <= nodes) == within && solver.solve(p).value != Value::loss) positions.push_back(p);
  }
  const std::vector<Move> moves = player->choose(positions);
  Kept kept;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    ++kept.decisions;
    kept.losing += solver.solve_moves(positions[i]).values[moves[i].index] == Value::loss;
  }
  return kept;
}

TEST(Endgame, ByTheClockBothItsPlayersRememberTogether) {
  PlayerOptions options;
  options.table_bytes = std::size_t{1} << 20;
  options.exact_memory = std::make_shared<ExactMemory>(options);
  const auto player = make_player("endgame:1:uniform@8", options);
  Rng rng(1);
  const Position p = random_position_at(16, rng);  // eight empty squares: only the player within solves it
  player->choose_by_clock(p, {std::chrono::seconds(1000), {}});
  const auto use = options.exact_memory->solver.ask({}, [](Solver& s, const SolveLimits&) { return s.table_use(); });
  EXPECT_GT(use.value().fill, 0);
}

// What a walk of exploit.h ends lines by. `uniform` looks at moves in any order.
TEST(Players, ProofsThatAlwaysEndKeepOutOfLoss) {
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    for (const auto& [name, nodes] : {std::pair{"uniform@17:20", 20U}, {"uniform@40:200", 200U}}) {
      const auto player = make_player(name, {.rules = rules});
      EXPECT_EQ(player->proofs(), (Player::Proofs{nodes, SearchConfig{}.proof_squares}));
      EXPECT_EQ(keeps_out_of_loss(name, nodes, true, rules).losing, 0) << name << " " << to_string(rules);
    }
    EXPECT_GT(keeps_out_of_loss("uniform@17:20", 20, false, rules).losing, 0) << "the bound is never needed";
    SearchConfig other;
    other.reply_tactics = false;
    other.c_puct = 0;
    other.proof_growth = 0;
    EXPECT_EQ(keeps_out_of_loss("uniform@17:50", 50, true, rules, other).losing, 0) << to_string(rules);
  }
}

TEST(Players, OnlySearchesThatTryEveryMoveHaveSuchProofs) {
  const Player::Proofs none;
  PlayerOptions options;
  for (const char* name : {"uniform@16:200", "uniform@40:0", "perfect", "oneply", "endgame:5:uniform@16:200"})
    EXPECT_EQ(make_player(name, options)->proofs(), none) << name;
  EXPECT_EQ(make_player("endgame:5:uniform@17:200", options)->proofs().nodes, 200U);
  options.search.proof_nodes = 2 * kMostProofNodes;
  EXPECT_EQ(make_player("uniform@17", options)->proofs().nodes, static_cast<std::uint64_t>(kMostProofNodes));
  options.search.root = RootSelection::gumbel;
  EXPECT_EQ(make_player("uniform@17:200", options)->proofs(), none);
  options.search.root = RootSelection::puct;
  options.search.tactics = options.search.reply_tactics = false;
  EXPECT_EQ(make_player("uniform@17:200", options)->proofs(), none);
}

}  // namespace
}  // namespace quarto
