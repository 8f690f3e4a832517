#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <thread>

#include "env/notation.h"
#include "light/evaluator.h"
#include "selfplay/local_games.h"
#include "selfplay/playing_evaluator.h"
#include "solver/prover.h"
#include "tests/support/sanitized.h"

namespace quarto {
namespace {

std::unique_ptr<Evaluator> some_network(std::uint64_t seed) {
  const light::PairsShape shape{16, 1, 32};
  light::Floats weights(static_cast<std::size_t>(light::PairsLayout(shape).size));
  Rng rng(seed);
  for (float& w : weights) w = 0.2F * static_cast<float>(rng.normal());
  return std::make_unique<PairsEvaluator>(light::PairsKernel::make(shape, weights));
}

SelfPlaySettings settings(std::uint64_t seed = 1) {
  SelfPlaySettings s;
  s.aids.prover = &solver_prover();
  s.search.proof_nodes = 30;
  s.seed = seed;
  s.play.simulations = 24;
  s.play.games_in_flight = 8;
  return s;
}

std::vector<GameRecord> games_of(const SelfPlaySettings& s, int count, int threads, std::uint64_t first = 0) {
  UniformEvaluator uniform;
  return play_games(s, uniform, first, count, threads);
}

// Answers only when the whole batch is computed, as a network does.
class QueuedUniform final : public Evaluator {
 public:
  std::atomic<std::size_t> largest = 0, evaluated = 0;
  std::atomic<int> in_flight = 0, most_in_flight = 0;  // batches submitted and not computed
  std::unique_ptr<EvaluationBatch> new_batch() override { return std::make_unique<Batch>(*this); }

 private:
  class Batch final : public EvaluationBatch {
   public:
    explicit Batch(QueuedUniform& owner) : owner_(owner) {}
    Status add(const Position& p, Evaluation& out) override {
      queue_.emplace_back(p, &out);
      return Status::queued;
    }
    std::size_t size() const override { return queue_.size(); }
    void submit() override { owner_.most_in_flight = std::max(owner_.most_in_flight.load(), ++owner_.in_flight); }
    void compute() override {
      --owner_.in_flight;
      owner_.largest = std::max(owner_.largest.load(), queue_.size());
      owner_.evaluated += queue_.size();
      UniformEvaluator uniform;
      for (auto& [p, out] : queue_) evaluate(uniform, std::span(&p, 1), std::span(out, 1));
      queue_.clear();
    }

   private:
    QueuedUniform& owner_;
    std::vector<std::pair<Position, Evaluation*>> queue_;
  };
};

TEST(SelfPlay, GamesAreLegalAndFinished) {
  for (const GameRecord& game : games_of(settings(), 60, 1)) {
    Position p;
    ASSERT_EQ(game.samples.size(), game.moves.size());
    for (std::size_t i = 0; i < game.moves.size(); ++i) {
      ASSERT_EQ(game.samples[i].position(), p);
      ASSERT_TRUE(p.is_legal(game.moves[i]));
      p.play(game.moves[i]);
    }
    ASSERT_TRUE(p.is_terminal());
    EXPECT_EQ(game.result, p.terminal_value());
  }
}

// The sign of a value changes across a give and never across a place, so a sample's outcome is the result seen from
// whoever was to act there, unless the search had proved something better for them by then.
TEST(SelfPlay, OutcomesAreForThePlayerToAct) {
  // By phase, and by whether the winner is to act: how often the sample says what the result says.
  std::array<std::array<int, 2>, 2> agree{}, all{};
  SelfPlaySettings s = settings(2);
  s.play.explore = 0;  // else the result may not be what the position was worth
  for (const GameRecord& game : games_of(s, 100, 1)) {
    Position p;
    std::vector<Position> seen;
    for (const Move m : game.moves) {
      seen.push_back(p);
      p.play(m);
    }
    if (!p.is_won()) continue;
    EXPECT_EQ(game.samples.back().outcome, 1) << "the very last placement was a win in hand, and known to be one";
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const bool winner_acts = seen[i].player_to_act() == p.player_to_act();
      const auto phase = static_cast<std::size_t>(seen[i].phase());
      all[phase][winner_acts] += 1;
      agree[phase][winner_acts] += game.samples[i].outcome == (winner_acts ? 1 : -1);
    }
  }
  for (const std::size_t phase : {0U, 1U}) {
    for (const std::size_t winner_acts : {0U, 1U}) {
      ASSERT_GT(all[phase][winner_acts], 100);
      EXPECT_GT(agree[phase][winner_acts], 0.8 * all[phase][winner_acts])
          << "phase " << phase << ", winner acts " << winner_acts;
    }
  }
}

TEST(SelfPlay, PolicyTargetsAreSharesOfLegalMoves) {
  for (const GameRecord& game : games_of(settings(3), 20, 1)) {
    for (const Sample& s : game.samples) {
      float sum = 0;
      const auto shares = s.policy_shares();
      for (int m = 0; m < kMoves; ++m) {
        sum += shares[static_cast<std::size_t>(m)];
        const bool legal = (s.position().legal_moves() >> m) & 1;
        ASSERT_TRUE(legal || shares[static_cast<std::size_t>(m)] == 0) << m;
      }
      ASSERT_NEAR(sum, 1, 1e-4);
    }
  }
}

TEST(SelfPlay, AGameDependsOnItsSeedAndNumberAlone) {
  const auto one = games_of(settings(4), 40, 1);
  const auto two = games_of(settings(4), 40, 2);
  const auto later = games_of(settings(4), 15, 1, 25);
  ASSERT_EQ(two.size(), one.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].number, i);
    EXPECT_EQ(one[i].moves, two[i].moves) << "threads";
    EXPECT_EQ(one[i].samples, two[i].samples);
    EXPECT_TRUE(i < 25 || one[i].moves == later[i - 25].moves) << "neighbours";
  }
  EXPECT_NE(one[0].moves, games_of(settings(5), 1, 1)[0].moves) << "another seed, another game";
  EXPECT_NE(one[0].moves, one[1].moves);
}

// The network that self-play uses by default, behind its cache and under its symmetries: what a question is answered
// with does not depend on who asked first, or what else is in the batch.
TEST(SelfPlay, WithTheKernelAndTheCacheGamesAreTheSameBitByBitOnAnyThreads) {
  SelfPlayConfig config;
  config.cache = 4096;
  const auto play = [&](int threads, int in_flight) {
    PlayingEvaluator evaluator(some_network(8), config, threads, 1);
    SelfPlaySettings s = settings(6);
    s.play.games_in_flight = in_flight;
    return play_games(s, evaluator, 0, repeated(60), threads);
  };
  const auto one = play(1, 8), three = play(3, 5);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].moves, three[i].moves) << i;
    EXPECT_EQ(one[i].samples, three[i].samples) << i;
  }
}

SelfPlaySettings with_everything(std::uint64_t seed) {
  SelfPlaySettings s = settings(seed);
  s.play.full_share = 0.3;
  s.play.fast_simulations = 6;
  s.play.random_starts = 0.5;
  s.play.stop_when_proven = true;
  s.search.forced_playouts = 2;
  s.search.target = PolicyTarget::pruned;
  return s;
}

TEST(SelfPlay, AGameDependsOnItsSeedAndNumberAloneWithEveryOption) {
  for (const RootSelection root : {RootSelection::puct, RootSelection::gumbel}) {
    SelfPlaySettings s = with_everything(4);
    s.search.root = root;
    const auto one = games_of(s, 40, 1), two = games_of(s, 40, 2), later = games_of(s, 15, 1, 25);
    for (std::size_t i = 0; i < one.size(); ++i) {
      ASSERT_EQ(one[i].start, two[i].start);
      ASSERT_EQ(one[i].moves, two[i].moves);
      ASSERT_EQ(one[i].samples, two[i].samples);
      ASSERT_TRUE(i < 25 || one[i].samples == later[i - 25].samples);
    }
  }
}

TEST(SelfPlay, RandomStartsAreTheShareAskedForAndReachEveryStage) {
  SelfPlaySettings s = settings(7);
  s.play.simulations = 2;
  s.play.random_starts = 0.75;
  s.play.random_start_pieces = 9;
  std::array<std::array<int, 2>, kSquares + 1> starts{};
  int empty = 0;
  const int games = 2000;
  for (const GameRecord& game : games_of(s, games, 1)) {
    ASSERT_FALSE(game.start.is_terminal());
    if (game.start == Position()) {
      ++empty;
      continue;
    }
    ++starts[static_cast<std::size_t>(game.start.pieces_on_board())][game.start.has_hand()];
    ASSERT_EQ(game.samples.front().position(), game.start);
    Position p = game.start;
    for (const Move m : game.moves) {
      ASSERT_TRUE(p.is_legal(m));
      p.play(m);
    }
    ASSERT_TRUE(p.is_terminal());
    ASSERT_EQ(game.result, p.terminal_value());
  }
  EXPECT_NEAR(empty, 0.25 * games, 80);
  for (std::size_t pieces = 0; pieces <= kSquares; ++pieces) {
    for (const int n : starts[pieces]) {
      if (pieces >= 1 && pieces <= 9) {
        EXPECT_NEAR(n, 0.75 * games / 18, 40) << pieces << " pieces";
      } else {
        EXPECT_EQ(n, 0);
      }
    }
  }
}

TEST(SelfPlay, RandomStartsFollowTheirWeights) {
  SelfPlaySettings s = settings(7);
  s.play.simulations = 2;
  s.play.random_starts = 1;
  s.play.random_start_pieces = 9;
  s.play.random_start_weights = "1-7:0 9:3";
  std::array<int, kSquares + 1> starts{};
  for (const GameRecord& game : games_of(s, 800, 1)) ++starts[static_cast<std::size_t>(game.start.pieces_on_board())];
  EXPECT_NEAR(starts[8], 200, 60);
  EXPECT_NEAR(starts[9], 600, 60);
}

TEST(SelfPlay, MovesPlayedQuicklyLeaveNoSample) {
  SelfPlaySettings s = settings(8);
  s.play.full_share = 0.25;
  s.play.fast_simulations = 4;
  std::size_t moves = 0, samples = 0;
  for (const GameRecord& game : games_of(s, 200, 1)) {
    Position p;
    std::vector<Position> seen;
    for (const Move m : game.moves) {
      seen.push_back(p);
      p.play(m);
    }
    auto next = seen.begin();
    for (const Sample& sample : game.samples) {
      next = std::find(next, seen.end(), sample.position());
      ASSERT_NE(next, seen.end()) << "samples are of the game's positions, in order";
      ++next;
    }
    moves += game.moves.size();
    samples += game.samples.size();
  }
  EXPECT_NEAR(static_cast<double>(samples) / static_cast<double>(moves), 0.25, 0.03);
}

TEST(SelfPlay, SurpriseIsWeightedByPieces) {
  SelfPlaySettings s = settings(3);
  s.play.surprise = 1;
  s.play.surprise_weights = "0-8:0";
  std::size_t repeated = 0;
  for (const GameRecord& game : games_of(s, 40, 1)) {
    // A game without a surprise keeps its samples as they are.
    const auto repeats = [](const Sample& sample) { return (sample.skip & Sample::kSkipOutcome) != 0; };
    if (std::none_of(game.samples.begin(), game.samples.end(), repeats)) continue;
    for (const Sample& sample : game.samples) {
      const bool weighted_out = sample.position().pieces_on_board() <= 8;
      EXPECT_TRUE(!weighted_out || (sample.skip & Sample::kSkipPolicy)) << to_string(sample.position());
      repeated += repeats(sample);
    }
  }
  EXPECT_GT(repeated, 40U);
}

TEST(SelfPlay, SurprisingPositionsTeachThePolicyMoreOften) {
  SelfPlaySettings s = settings(3);
  const auto plain = games_of(s, 40, 1);
  s.play.surprise = 1;
  const auto weighted = games_of(s, 40, 1);
  std::size_t before = 0, policies = 0, absent = 0, repeated = 0;
  for (std::size_t g = 0; g < plain.size(); ++g) {
    EXPECT_EQ(plain[g].moves, weighted[g].moves);
    before += plain[g].samples.size();
    auto next = weighted[g].samples.begin();
    for (const Sample& sample : plain[g].samples) {
      // Each once with its outcome, in the same order, and then what is repeated of it.
      std::size_t times = 0, outcomes = 0;
      for (; next != weighted[g].samples.end(); ++next) {
        Sample bare = *next;
        bare.skip = 0;
        if (bare != sample) break;
        times += !(next->skip & Sample::kSkipPolicy);
        outcomes += !(next->skip & Sample::kSkipOutcome);
      }
      EXPECT_EQ(outcomes, 1U);
      policies += times;
      absent += times == 0;
      repeated += times > 1;
      if (std::popcount(sample.position().legal_moves()) == 1) {
        EXPECT_EQ(times, 0U) << "there is nothing to choose";
      }
    }
    EXPECT_EQ(next, weighted[g].samples.end());
  }
  EXPECT_GT(absent, before / 4);
  EXPECT_GT(repeated, before / 20);
  EXPECT_NEAR(static_cast<double>(policies) / static_cast<double>(before), 1, 0.1);
}

TEST(SelfPlay, QuickMovesCostFewerSimulations) {
  SelfPlaySettings s = settings(9);
  UniformEvaluator uniform;
  const auto per_move = [&] {
    SelfPlayCounts counts;
    play_games(s, uniform, 0, 50, 1, &counts);
    return static_cast<double>(counts.simulations) / static_cast<double>(counts.moves);
  };
  const double slow = per_move();
  s.play.full_share = 0.25;
  s.play.fast_simulations = 4;
  EXPECT_LT(per_move(), 0.7 * slow);
}

// By trying everything.
Value exact(const Position& p) {
  if (p.is_terminal()) return p.terminal_value();
  Value best = Value::loss;
  for (const int m : BitsOf(p.legal_moves())) {
    const Value v = exact(p.after({p.phase(), static_cast<std::uint8_t>(m)}));
    best = std::max(best, p.has_hand() ? v : -v);
  }
  return best;
}

TEST(SelfPlay, AGameStoppedWhenItIsProvenEndsWithItsExactResult) {
  SelfPlaySettings s = settings(10);
  std::size_t played_out = 0, stopped = 0;
  for (const GameRecord& game : games_of(s, 100, 1)) played_out += game.moves.size();
  s.play.stop_when_proven = true;
  s.search.proof_squares = 4;  // so that the ends are small enough to try everything
  int checked = 0;
  for (const GameRecord& game : games_of(s, 100, 1)) {
    stopped += game.moves.size();
    Position p;
    for (const Move m : game.moves) p.play(m);
    ASSERT_EQ(game.samples.back().outcome, static_cast<int>(game.result)) << "for the player to act at the end";
    if (p.is_terminal() || std::popcount(p.empty()) > 5) continue;
    ++checked;
    ASSERT_EQ(game.result, exact(p)) << to_string(p);
  }
  EXPECT_LT(stopped, played_out);
  EXPECT_GT(checked, 20);
}

TEST(SelfPlay, ExploringDoesNotChangeWhatAPositionIsWorth) {
  SelfPlaySettings s = settings(12);
  s.play.explore = 0.5;
  int checked = 0, thrown_away = 0;
  for (const GameRecord& game : games_of(s, 100, 1)) {
    Position end;
    for (const Move m : game.moves) end.play(m);
    for (const Sample& sample : game.samples) {
      const Position p = sample.position();
      if (std::popcount(p.empty()) > 4) continue;
      ++checked;
      const Value value = exact(p);
      ASSERT_EQ(sample.outcome, static_cast<int>(value)) << to_string(p);
      thrown_away += (p.player_to_act() == end.player_to_act() ? game.result : -game.result) != value;
    }
  }
  EXPECT_GT(checked, 200);
  EXPECT_GT(thrown_away, 20) << "random moves lose some of what was proven";
}

class CountingDraws final : public Oracle {
 public:
  std::optional<Value> value(const Position&) override {
    ++asked;
    return Value::draw;
  }
  std::atomic<int> asked = 0;
};

TEST(SelfPlay, AsksTheOracleItIsGivenAndOnlyIfToldTo) {
  SelfPlaySettings s = settings(11);
  CountingDraws oracle;
  s.aids.oracle = &oracle;
  games_of(s, 5, 1);
  EXPECT_EQ(oracle.asked, 0);
  s.search.oracle_squares = 6;
  games_of(s, 5, 1);
  EXPECT_GT(oracle.asked, 0);
}

TEST(SelfPlay, EveryGameInFlightFillsTheBatch) {
  QueuedUniform queued;
  SelfPlaySettings s = settings();
  s.play.games_in_flight = 16;
  SelfPlayCounts counts;
  const auto games = play_games(s, queued, 0, 32, 1, &counts);
  EXPECT_EQ(queued.largest, 16U);
  EXPECT_EQ(counts.evaluations, queued.evaluated);
  EXPECT_EQ(counts.games, 32U);
  std::size_t moves = 0;
  for (const GameRecord& g : games) moves += g.moves.size();
  EXPECT_EQ(counts.moves, moves);
}

TEST(SelfPlay, BatchingDoesNotChangeTheGames) {
  QueuedUniform queued;
  const auto batched = play_games(settings(6), queued, 0, 20);
  const auto plain = games_of(settings(6), 20, 1);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(batched[i].moves, plain[i].moves);
}

TEST(SelfPlay, BatchesInFlightOverlapAndDoNotChangeTheGames) {
  const auto plain = games_of(settings(6), 40, 1);
  for (const int batches : {1, 2, 3}) {
    QueuedUniform queued;
    SelfPlaySettings s = settings(6);
    s.play.batches_in_flight = batches;
    SelfPlayCounts counts;
    const auto played = play_games(s, queued, 0, 40, 1, &counts);
    ASSERT_EQ(played.size(), plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(played[i].moves, plain[i].moves);
    EXPECT_EQ(queued.most_in_flight, batches);
    EXPECT_EQ(queued.in_flight, 0);
    EXPECT_EQ(counts.games, 40U);
    EXPECT_EQ(counts.evaluations, queued.evaluated);
  }
}

class Failing final : public Evaluator {
 public:
  std::unique_ptr<EvaluationBatch> new_batch() override { throw std::runtime_error("the device is gone"); }
};

// Weights whose games are played with this evaluator.
NewWeights weights_of(std::shared_ptr<Evaluator> evaluator, std::uint64_t games, std::uint64_t version = 0) {
  return {.version = version, .games = games, .evaluator = [evaluator] { return evaluator; }};
}
const GameSource::GoOn kPatient = [](int, const StoreFigures*) { return true; };

TEST(LocalGames, InTurnAreThoseThatWereAllowedByNumber) {
  const SelfPlaySettings s = settings();
  GamesState before;
  before.taken.add(3, 5);  // as a run has that was played elsewhere for a while
  LocalGames source(s, 2, true, before);
  source.publish(weights_of(std::make_shared<UniformEvaluator>(), 10));
  const auto played = source.take(10, kPatient);
  ASSERT_TRUE(played);
  const auto expected = games_of(s, 12, 1);
  for (std::size_t i = 0; i < 10; ++i) {
    const std::uint64_t number = i < 3 ? i : i + 2;
    EXPECT_EQ(played->games[i].number, number);
    EXPECT_EQ(played->games[i].moves, expected[number].moves);
  }
  EXPECT_EQ(played->counts.games, 10U);
  EXPECT_EQ(source.state().taken.intervals(), (std::vector<store::RangeSet::Interval>{{0, 12}}));
}

TEST(LocalGames, WhoeverTakesThemMayGiveUpAndWhatHadEndedIsAbandoned) {
  LocalGames source(settings(), 2, true, {});
  source.publish(weights_of(std::make_shared<UniformEvaluator>(), 10));
  int seen = 0;
  EXPECT_FALSE(source.take(1'000'000, [&](int games, const StoreFigures*) { return (seen = games) < 10; }));
  EXPECT_EQ(source.close(false).abandoned, 10U);
  EXPECT_TRUE(source.state().taken.intervals().empty());
}

TEST(LocalGames, AnEvaluatorsFailureReachesTheCaller) {
  for (const bool in_turn : {false, true}) {
    LocalGames source(settings(), 2, in_turn, {});
    source.publish(weights_of(std::make_shared<Failing>(), 8));
    EXPECT_THROW(source.take(1, kPatient), std::runtime_error);
  }
}

TEST(LocalGames, BesideTheLearnerNoMoreAreBegunThanAreAllowed) {
  auto queued = std::make_shared<QueuedUniform>();
  LocalGames source(settings(), 2, false, {});
  source.publish(weights_of(queued, 12));
  ASSERT_TRUE(source.take(12, kPatient));
  const std::size_t before = queued->evaluated;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(queued->evaluated, before);
}

// A game is a function of its number and the weights that were the newest when it began.
TEST(LocalGames, ThatHaveBegunKeepTheirWeights) {
  constexpr int kBegun = repeated(20), kTaken = repeated(10), kLater = repeated(50);
  SelfPlaySettings s = settings();
  s.play.batches_in_flight = 2;
  s.play.simulations = 8;
  std::vector<std::shared_ptr<Evaluator>> by;
  std::vector<std::vector<GameRecord>> expected;
  for (const std::uint64_t seed : {1, 2}) {
    by.push_back(some_network(seed));
    expected.push_back(play_games(s, *by.back(), 0, kTaken + kLater));
  }
  LocalGames source(s, 2, false, {});
  source.publish(weights_of(by[0], kBegun));
  std::array<int, 2> of{};
  const auto check = [&](const PlayedGames& played) {
    for (const GameRecord& game : played.games) {
      const bool old = game.moves == expected[0][game.number].moves,
                 fresh = game.moves == expected[1][game.number].moves;
      EXPECT_TRUE(old || fresh) << game.number;
      of[0] += old;
      of[1] += fresh && !old;
    }
  };
  check(*source.take(kTaken, kPatient));
  source.publish(weights_of(by[1], kLater, 1));
  check(*source.take(kLater, kPatient));
  EXPECT_GT(of[0], 0);
  EXPECT_GT(of[1], 0);
}

}  // namespace
}  // namespace quarto
