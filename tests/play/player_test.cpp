#include "play/player.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <sstream>
#include <variant>

#include "base/config.h"
#include "base/file.h"
#include "base/shipped.h"
#include "data/suites.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "env/one_ply.h"
#include "light/load.h"
#include "play/perfect.h"
#include "play/rollout.h"
#include "play/timed_solver.h"
#include "solver/proof_bound.h"
#include "solver/solver.h"
#include "tests/support/message_of.h"
#include "tests/support/random_positions.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::string error_of(const std::string& name) {
  return message_of<PlayerError>([&] { parse_player(name); });
}

// What a name is taken apart to, as text.
struct Shown {
  static std::string of(const spec::Search& s) {
    return std::to_string(s.simulations) + (s.proof_nodes ? ":" + std::to_string(*s.proof_nodes) : "");
  }
  std::string operator()(const spec::Random&) const { return "random"; }
  std::string operator()(const spec::OnePly&) const { return "oneply"; }
  std::string operator()(const spec::Lookahead& s) const { return fmt::format("lookahead {}", s.plies); }
  std::string operator()(const spec::Rollout& s) const { return fmt::format("rollout {}", s.playouts); }
  std::string operator()(const spec::Uniform& s) const { return "uniform " + of(s.search); }
  std::string operator()(const spec::Strangler& s) const {
    return fmt::format("strangler {} {} {} {} {}", s.options.nodes, s.options.depth, s.options.safe, s.options.traps,
                       s.options.exact);
  }
  std::string operator()(const spec::Network& s) const {
    return fmt::format("{} '{}' {}", s.light ? "light" : "net", s.path, of(s.search));
  }
  std::string operator()(const spec::TimedSolver& s) const { return fmt::format("solver {}", s.milliseconds); }
  std::string operator()(const spec::Perfect& s) const { return s.any ? "any" : "perfect"; }
  std::string operator()(const spec::Endgame& s) const {
    return fmt::format("endgame {}{} '{}'", s.squares, s.sharp ? " sharp" : "", s.player);
  }
  std::string operator()(const spec::Careless& s) const { return fmt::format("careless {} '{}'", s.percent, s.player); }
  std::string operator()(const spec::Engine& s) const {
    return fmt::format("engine {} '{}'", s.simulations.value_or(-1), s.command);
  }
};
std::string parts_of(const std::string& name) { return std::visit(Shown{}, parse_player(name)); }

TEST(PlayerNames, AreTakenApart) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"random", "random"},
      {"oneply", "oneply"},
      {"perfect", "perfect"},
      {"perfect:any", "any"},
      {"lookahead:4", "lookahead 4"},
      {"rollout:250", "rollout 250"},
      {"solver:50", "solver 50"},
      {"uniform@64", "uniform 64"},
      {"uniform@64:30", "uniform 64:30"},
      {"net:runs/a", "net 'runs/a' 0"},
      {"net:runs/a@128", "net 'runs/a' 128"},
      {"net:runs/a@128:0", "net 'runs/a' 128:0"},
      {"net:nowhere@home/a", "net 'nowhere@home/a' 0"},
      {"light:a@b.light", "light 'a@b.light' 0"},
      {"light:a@b.light@64:1000", "light 'a@b.light' 64:1000"},
      {"torchscript:a@b.pt", "net 'torchscript:a@b.pt' 0"},
      {"torchscript:a.pt@64:1000", "net 'torchscript:a.pt' 64:1000"},
      {"endgame:9:net:a@64:30", "endgame 9 'net:a@64:30'"},
      {"endgame:9,sharp:net:a@64:30", "endgame 9 sharp 'net:a@64:30'"},
      {"careless:25:lookahead:2", "careless 25 'lookahead:2'"},
      {"engine:./a --b", "engine -1 './a --b'"},
      {"engine@200:./a", "engine 200 './a'"},
      {"engine@0:./a:b", "engine 0 './a:b'"},
      {"strangler", "strangler 50000 32 2.21 0.37 9"},
      {"strangler:700", "strangler 700 32 2.21 0.37 9"},
      {"strangler:700,traps=-0.5,exact=0", "strangler 700 32 2.21 -0.5 0"},
      {"strangler:depth=3,nodes=9,safe=1", "strangler 9 3 1 0.37 9"},
  };
  for (const auto& [name, parts] : table) EXPECT_EQ(parts_of(name), parts) << name;
  EXPECT_EQ(network_of("careless:5:endgame:9:light:runs/a@64")->path, "runs/a");
  EXPECT_EQ(network_of("endgame:9:oneply"), std::nullopt);
  EXPECT_TRUE(is_player<spec::Engine>("endgame:7:engine:./a"));
}

TEST(PlayerNames, ASearchIsKnownByItsProofs) {
  SearchConfig search;
  search.proof_nodes = 200;
  search.proof_squares = 10;
  search.proof_growth = 3;
  EXPECT_EQ(proofs_of("uniform@8", search), "proof_nodes 200 proof_squares 10 proof_growth 3 prover 1");
  EXPECT_EQ(proofs_of("endgame:9:net:a@8:50", search), "proof_nodes 50 proof_squares 10 proof_growth 3 prover 1");
  EXPECT_EQ(proofs_of("careless:5:light:a@8:0", search), "proof_nodes 0");
  for (const char* name : {"net:a", "light:a", "rollout:8", "engine@8:cat", "perfect"})
    EXPECT_EQ(proofs_of(name, search), "") << name;
}

TEST(PlayerNames, WhatIsNoNumberAfterAPathThatExistsIsNamed) {
  const TemporaryDirectory dir;
  const std::string path = dir.path().string();
  EXPECT_THAT(error_of("net:" + path + "@x1"), HasSubstr("'x1' after '@' is no number of simulations"));
  std::filesystem::create_directory(path + "@x1");
  EXPECT_EQ(network_of("net:" + path + "@x1")->path, path + "@x1");
  std::filesystem::remove(path + "@x1");
}

TEST(PlayerNames, WrongOnesAreExplained) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"something",
       "random, oneply, lookahead:N, rollout:N, uniform@N[:K], strangler[:NODES], net:PATH[@N[:K]], "
       "light:PATH[@N[:K]], torchscript:FILE[@N[:K]], solver:MS, perfect"},
      {"onepyl", "did you mean 'oneply'"},
      {"ligth:x", "did you mean 'light:PATH'"},
      {"strangeler:100", "did you mean 'strangler'"},
      {"lookahed:2", "did you mean 'lookahead:N'"},
      {"lookahead", "did you mean 'lookahead:N'"},
      {"uniform:8", "did you mean 'uniform@N'"},
      {"enginee:./a", "did you mean 'engine:COMMAND'"},
      {"zero@128:3000", "did you mean 'net:checkpoints/zero@128:3000'"},
      {"stron", "did you mean 'strong'"},
      {"strong", "'strong' is a level"},
      {"endgame:9:casual", "'casual' is a level"},
      {"perfect:most", "expected 'any'"},
      {"lookahead:33", "from 1 to 32"},
      {"solver:0", "from 1"},
      {"rollout:", "whole number"},
      {"uniform@x", "'x'"},
      {"uniform@1000001", "from 1 to 1000000"},
      {"net:", "path is missing"},
      {"net:a@64:", "in place of ''"},
      {"net:a@64:9999999", "in place of '9999999'"},
      {"careless:101:oneply", "from 1 to 100"},
      {"careless:20", "expected another player after the number"},
      {"engine:  ", "expected the command"},
      {"engine@5", "expected the command"},
      {"engine@x:./a", "in place of 'x'"},
      {"engine:a\nb", "one line"},
      {"strangler:", "whole number"},
      {"strangler:0", "from 1"},
      {"strangler:100,trap=1", "player 'strangler:100,trap=1': unknown key 'trap' (did you mean 'traps'?)"},
      {"strangler:traps=much", "expected a number"},
      {"strangler:exact=17", "from 0 to 16"},
      {"strangler:100,200", "player 'strangler:100,200'"},
      {"strangler:100,nodes=200", "nodes is set twice"},
      {"strangler:safe=0,traps=0", "both 0"},
  };
  for (const auto& [name, what] : table) EXPECT_THAT(error_of(name), HasSubstr(what)) << name;
}

TEST(PlayerNames, AFileMayBeMeant) {
  const TemporaryDirectory dir;
  write_file_atomic(dir / "mine.light", "");
  const std::string path = (dir / "mine.light").string();
  EXPECT_THAT(error_of(path), HasSubstr("did you mean 'net:" + path + "'?"));
}

TEST(PlayerNames, EachHasALineOfHelp) {
  std::istringstream lines(player_help());
  std::size_t seen = 0;
  for (std::string line; std::getline(lines, line); ++seen) {
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    EXPECT_TRUE(name == "LEVEL" || player_names().find(name) != std::string::npos) << line;
    EXPECT_GT(line.size(), 24U) << line;
  }
  EXPECT_GE(seen, std::variant_size_v<PlayerSpec>);
}

TEST(PlayerSearch, ChangesAreThoseOfTheConfiguration) {
  EXPECT_EQ(search_with({}).proof_nodes, SearchConfig{}.proof_nodes);
  EXPECT_EQ(search_with({"proof_nodes=7", "c_puct=2.5"}).proof_nodes, 7);
  EXPECT_EQ(search_with({"proof_nodes=7", "c_puct=2.5"}).c_puct, 2.5F);
  EXPECT_THROW(search_with({"proof_node=7"}), ConfigError);
  EXPECT_THROW(search_with({"proof_nodes=-1"}), ConfigError);
}

TEST(PlayerNames, SayWhatAPlayerNeeds) {
  EXPECT_TRUE(uses_exact_memory(parse_player("perfect")));
  EXPECT_TRUE(uses_exact_memory(parse_player("endgame:9:oneply")));
  EXPECT_FALSE(uses_exact_memory(parse_player("oneply")));
  EXPECT_TRUE(names_engine("engine:cat"));
  EXPECT_TRUE(names_engine("engine@5:cat"));
  EXPECT_FALSE(names_engine("oneply"));
}

// A light file is read by the light player, whatever else could load it.
TEST(PlayerNames, CheckpointsAreLoadedByTheProgramAndLightFilesAreNot) {
  std::vector<std::string> loaded;
  PlayerOptions options;
  options.load = [&](const std::filesystem::path& path) {
    loaded.push_back(path.string());
    return load_light_network(path);
  };
  const std::string small = (*find_shipped("checkpoints/small")).string();
  EXPECT_NE(make_player("light:" + small + "/model.light", options), nullptr);
  EXPECT_TRUE(loaded.empty());
  EXPECT_NE(make_player("net:" + small, options), nullptr);
  EXPECT_EQ(loaded, std::vector<std::string>{small});
}

TEST(PlayerNames, AreNotNestedWithoutEnd) {
  std::string around;
  for (int i = 0; i < 8; ++i) around += "endgame:9:";
  EXPECT_TRUE(is_player<spec::OnePly>(around + "oneply"));
  EXPECT_THAT(error_of(around + "careless:5:oneply"), HasSubstr("more than 8 players"));
}

TEST(PlayerNames, APathThatNoFileCanHaveIsAPath) {
  const std::string path(100'000, 'a');  // longer than the system allows
  EXPECT_EQ(network_of("net:" + path + "@x")->path, path + "@x");
  EXPECT_THAT(error_of(path), HasSubstr("unknown player"));
}

TEST(PlayerNames, LeadToTheFilesOfNetworks) {
  const TemporaryDirectory dir;
  const auto zero = find_shipped("checkpoints/zero").value();
  EXPECT_TRUE(std::filesystem::equivalent(weights_of("net:zero@8")->file, zero / kWeightsFile));
  EXPECT_TRUE(std::filesystem::equivalent(weights_of("endgame:9:light:zero")->file, zero / kLightFile));
  EXPECT_EQ(weights_of("net:" + (zero / kLightFile).string())->kind, Weights::Kind::light);
  EXPECT_EQ(weights_of("perfect"), std::nullopt);
  write_file_atomic(dir / "a.pt", "PK\3\4and more than sixteen bytes");
  const std::string script = (dir / "a.pt").string();
  EXPECT_EQ(weights_of("endgame:9:torchscript:" + script + "@8")->file, script);
  EXPECT_EQ(weights_of("torchscript:" + script)->kind, Weights::Kind::torchscript);
  EXPECT_THAT([&] { weights_of("net:" + script); },
              ThrowsMessage<CheckpointError>(HasSubstr("play as torchscript:" + script)));
  EXPECT_THROW(weights_of("torchscript:/nowhere"), CheckpointError);
  EXPECT_EQ(network_player("torchscript:a.pt", 32), "torchscript:a.pt@32");
  EXPECT_THAT([&] { make_player("torchscript:" + script, {}); },
              ThrowsMessage<CheckpointError>(HasSubstr("the program quartozero plays torchscript:FILE")));
  EXPECT_THROW(weights_of("net:" + dir.path().string()), CheckpointError);
  std::filesystem::create_directories(dir / "best");
  std::filesystem::copy_file(zero / kWeightsFile, dir / "best" / kWeightsFile);
  EXPECT_EQ(weights_of("net:" + dir.path().string())->file, dir / "best" / kWeightsFile);
  EXPECT_THROW(weights_of("light:" + dir.path().string()), FileError);
}

TEST(Players, ChooseTheSameLegalMovesOnAnyNumberOfThreadsAndHoweverPositionsAreCut) {
  Rng rng(2);
  std::vector<Position> positions;
  for (int i = 0; i < 40; ++i) positions.push_back(random_position(rng));
  for (const std::string name :
       {"random", "oneply", "lookahead:3", "rollout:30", "uniform@30", "strangler:200", "solver:1"}) {
    PlayerOptions options;
    options.seed = 5;
    options.table_bytes = std::size_t{16} << 20;
    const auto first = make_player(name, options)->choose(positions);
    ASSERT_EQ(first.size(), positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) EXPECT_TRUE(positions[i].is_legal(first[i])) << name;
    if (name == "solver:1") continue;  // by the clock
    options.threads = 3;
    EXPECT_EQ(make_player(name, options)->choose(positions), first) << name;
    if (name == "uniform@30") continue;  // its searches draw numbers call by call
    const auto player = make_player(name, options);
    std::vector<Move> cut;
    for (std::size_t i = 0; i < positions.size(); i += 7) {
      const auto some = std::span(positions).subspan(i, std::min<std::size_t>(7, positions.size() - i));
      for (const Move m : player->choose(some)) cut.push_back(m);
    }
    EXPECT_EQ(cut, first) << name;
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
  // Without any time; with some a fast machine would rule moves out.
  const Position first = parse_position("01../..../..7./...C -", Rules::squares);
  Mask given = 0;
  for (options.seed = 0; options.seed < 200; ++options.seed)
    given |= static_cast<Mask>(1U << TimedSolverPlayer(0, options).choose({&first, 1}).at(0).index);
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

// Places and then gives in positions that are not lost, where proofs of `nodes` nodes suffice or not.
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
    const Position p = random_position_at(15 + 2 * static_cast<int>(rng.below(6)), rng, rules);
    if (p.is_terminal() || std::popcount(p.empty()) > player->proofs().squares) continue;
    if (p.winning_squares(p.hand()) || proofs_suffice(p, nodes) != within || solver.solve(p).value == Value::loss)
      continue;
    positions.push_back(p);
    for (const Move move : p.moves()) {
      const Position placed = p.after(move);
      if (!placed.is_terminal() && solver.solve(placed).value != Value::loss) positions.push_back(placed);
    }
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
  const Position p = random_position_at(12, rng);  // ten empty squares: only the player within solves it
  player->choose_by_clock(p, {std::chrono::seconds(1000), {}});
  const auto use = options.exact_memory->solver.ask({}, [](Solver& s, const SolveLimits&) { return s.table_use(); });
  EXPECT_GT(use.value().fill, 0);
}

// What a walk of exploit.h ends lines by. `uniform` looks at moves in any order.
TEST(Players, ProofsThatAlwaysEndKeepOutOfLoss) {
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    for (const auto& [name, nodes] : {std::pair{"uniform@17:20", 20U}, {"uniform@40:200", 200U}}) {
      const auto player = make_player(name, {.rules = rules});
      EXPECT_EQ(player->proofs(), (Player::Proofs{nodes, kFullProofSquares}));
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
