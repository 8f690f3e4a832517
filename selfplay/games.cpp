#include "selfplay/games.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "base/random.h"
#include "env/one_ply.h"
#include "env/random_play.h"
#include "mcts/search.h"
#include "selfplay/piece_weights.h"

namespace quarto {

namespace {

// Calls `each` with every count of `a` and the same count of `b`. The only list of the counts.
template <class Each>
void for_each_count(SelfPlayCounts& a, const SelfPlayCounts& b, const Each& each) {
  each(a.games, b.games);
  each(a.moves, b.moves);
  each(a.simulations, b.simulations);
  each(a.evaluations, b.evaluations);
  each(a.known, b.known);
  each(a.shared, b.shared);
  each(a.batches, b.batches);
  each(a.places, b.places);
  each(a.working, b.working);
  each(a.network, b.network);
  each(a.asking, b.asking);
  each(a.paused, b.paused);
}

}  // namespace

SelfPlayCounts& SelfPlayCounts::operator+=(const SelfPlayCounts& other) {
  for_each_count(*this, other, [](auto& mine, auto theirs) { mine += theirs; });
  return *this;
}

SelfPlayCounts SelfPlayCounts::operator-(const SelfPlayCounts& earlier) const {
  SelfPlayCounts d = *this;
  for_each_count(d, earlier, [](auto& mine, auto theirs) { mine -= theirs; });
  return d;
}

std::vector<double> SelfPlayCounts::figures() const {
  std::vector<double> all;
  SelfPlayCounts copy = *this;
  for_each_count(copy, *this, [&](auto&, auto mine) { all.push_back(static_cast<double>(mine)); });
  return all;
}

SelfPlayCounts SelfPlayCounts::of_figures(const std::vector<double>& figures) {
  SelfPlayCounts counts;
  std::size_t i = 0;
  for_each_count(counts, SelfPlayCounts(), [&](auto& mine, auto) {
    if (i < figures.size()) mine = static_cast<std::remove_reference_t<decltype(mine)>>(figures[i]);
    ++i;
  });
  return counts;
}

// One game in progress. The object is reused for the next game.
class SelfPlayWorker::Game {
 public:
  Game(const SelfPlaySettings& settings, SelfPlayCounts& counts)
      : settings_(settings),
        counts_(counts),
        start_(starts_of(settings.play)),
        surprise_(PieceWeights::parse(settings.play.surprise_weights, "selfplay.surprise_weights")),
        search_(settings.search, 0, settings.aids.oracle),
        rng_(0) {}

  Answer answer;  // to be filled before take_answer()

  bool running() const { return running_; }

  void start(std::uint64_t number) {
    const std::uint64_t seed = mix_seed(settings_.seed, number);
    rng_ = Rng(seed);
    search_ = Search(settings_.search, mix_seed(seed, 1), settings_.aids.oracle);
    record_ = GameRecord{number, starting_position(), {}, {}, Value::draw};
    players_.clear();
    regrets_.clear();
    settled_ = 0;
    running_ = true;
    search_.set_root(record_.start);
    begin_move();
  }

  // Plays moves as their searches end, until there is a question (returns it) or the game is over (returns null).
  const Question* next_question() {
    while (true) {
      if (const Question* q = search_.select(full_ ? settings_.play.simulations : settings_.play.fast_simulations)) {
        return q;
      }
      if (play_move()) return nullptr;
    }
  }
  void take_answer() { search_.take(answer); }

  GameRecord take_record() {
    running_ = false;
    return std::move(record_);
  }

 private:
  // Draws every number of pieces from one to the maximum by its weight, and both phases with equal probability.
  Position starting_position() {
    if (settings_.play.random_starts == 0 || rng_.uniform() >= settings_.play.random_starts)
      return Position(settings_.rules);
    return random_position_at(static_cast<int>(2 + start_(rng_)), rng_, settings_.rules);
  }
  // By ply, from the second on: one piece on the board and none in hand.
  static WeightedDraw starts_of(const SelfPlayConfig& play) {
    const PieceWeights by_pieces = PieceWeights::parse(play.random_start_weights, "selfplay.random_start_weights");
    std::vector<double> weights;
    for (int n = 1; n <= play.random_start_pieces; ++n) weights.insert(weights.end(), 2, by_pieces.of(n));
    WeightedDraw draw(weights);
    if (draw.empty() && play.random_starts > 0)
      throw std::invalid_argument("self-play: random_start_weights leaves nothing to start from");
    return draw;
  }

  // Playout-cap randomisation (Wu 2019, section 3.1): a few moves are searched fully and make samples. The others only
  // advance the game: they are searched with few simulations, and without noise so that the moves are as strong as
  // these allow.
  void begin_move() {
    full_ = settings_.play.full_share == 1 || rng_.uniform() < settings_.play.full_share;
    if (full_) search_.add_noise();
    simulations_before_ = search_.simulations();
  }

  // Returns true when the game is over.
  bool play_move() {
    const Position position = search_.root();
    counts_.moves += 1;
    counts_.simulations += static_cast<std::uint64_t>(std::max(0, search_.simulations() - simulations_before_));
    const auto proven = search_.root_proven_value();
    if (full_) {
      record_.samples.push_back(Sample::of(position, search_.policy_target(), search_.root_value()));
      players_.push_back(position.player_to_act());
      if (settings_.play.surprise > 0)
        regrets_.push_back(search_.prior_regret() * surprise_.of(position.pieces_on_board()));
    }
    if (proven) settle(position, *proven);
    if (proven && settings_.play.stop_when_proven) {
      finish(position, *proven);
      return true;
    }

    const Move move = proven && settings_.play.explore > 0 && rng_.uniform() < settings_.play.explore
                          ? explored_move(position)
                          : search_.sample_move(settings_.search.temperature_at(position.ply()), rng_);
    record_.moves.push_back(move);
    const Position next = position.after(move);
    if (next.is_terminal()) {
      finish(next, next.terminal_value());
      return true;
    }
    search_.advance(move);
    begin_move();
    return false;
  }

  // The samples so far that have no outcome yet get this one: `value` is proven or the game's result, for the player to
  // act in `position`.
  void settle(const Position& position, Value value) {
    for (; settled_ < record_.samples.size(); ++settled_) {
      const Value outcome = players_[settled_] == position.player_to_act() ? value : -value;
      record_.samples[settled_].outcome = static_cast<std::int8_t>(outcome);
    }
  }

  // Any move that does not lose at once, or any legal move if all do.
  Move explored_move(const Position& position) {
    const Mask safe = safe_moves(position);
    return {position.phase(), static_cast<std::uint8_t>(random_bit(safe ? safe : position.legal_moves(), rng_))};
  }

  // `result` is for the player to act in the last position.
  void finish(const Position& last, Value result) {
    record_.result = result;
    settle(last, result);
    if (settings_.play.surprise > 0) repeat_surprising();
    counts_.games += 1;
  }

  // The mean number of policy samples per game does not change; each position gives one outcome sample.
  void repeat_surprising() {
    const double sum = std::accumulate(regrets_.begin(), regrets_.end(), 0.0);
    if (sum <= 0) return;
    std::vector<Sample> repeated;
    for (std::size_t i = 0; i < record_.samples.size(); ++i) {
      const double share = static_cast<double>(regrets_.size()) * regrets_[i] / sum;
      double copies = 1 - settings_.play.surprise + settings_.play.surprise * share;
      Sample sample = record_.samples[i];
      copies += rng_.uniform();
      if (copies < 1) sample.skip = Sample::kSkipPolicy;
      repeated.push_back(sample);
      sample.skip = Sample::kSkipOutcome;
      for (copies -= 1; copies >= 1; copies -= 1) repeated.push_back(sample);
    }
    record_.samples = std::move(repeated);
  }

  const SelfPlaySettings& settings_;
  SelfPlayCounts& counts_;
  WeightedDraw start_;
  PieceWeights surprise_;
  Search search_;
  Rng rng_;
  GameRecord record_;
  std::vector<int> players_;
  std::size_t settled_ = 0;      // samples that have their outcome
  std::vector<double> regrets_;  // of each sample, if play.surprise is above zero
  int simulations_before_ = 0;
  bool full_ = true;  // the present move is searched with all simulations and makes a sample
  bool running_ = false;
};

SelfPlayWorker::SelfPlayWorker(const SelfPlaySettings& settings, NextGame next, GameOver over)
    : settings_(settings), next_(std::move(next)), over_(std::move(over)) {}

SelfPlayWorker::~SelfPlayWorker() = default;

bool SelfPlayWorker::gather(EvaluationBatch& batch) {
  waiting_.clear();
  bool more = true;  // who is told that there is no game does not ask again in this step
  const auto next = [&] {
    const auto number = more ? next_() : std::nullopt;
    more = number.has_value();
    return number;
  };
  for (std::size_t i = 0; i < static_cast<std::size_t>(settings_.play.games_a_group()); ++i) {
    if (i == games_.size()) {
      const auto number = next();
      if (!number) break;
      games_.push_back(std::make_unique<Game>(settings_, counts_));
      games_.back()->start(*number);
    }
    Game& game = *games_[i];
    while (true) {
      if (!game.running()) {
        const auto number = next();
        if (!number) break;
        game.start(*number);
      }
      const Question* question = game.next_question();
      if (!question) {
        over_(game.take_record());
        continue;
      }
      if (timed(counts_.asking, [&] { return batch.ask(*question, game.answer); }) == EvaluationBatch::Status::known) {
        counts_.known += question->evaluate && !game.answer.bounds.exact();
        game.take_answer();
        continue;
      }
      waiting_.push_back(&game);
      break;
    }
  }
  // Their trees are memory that games with newer weights may need.
  if (!more) std::erase_if(games_, [](const auto& game) { return !game->running(); });
  if (waiting_.empty()) return false;
  counts_.evaluations += batch.size();
  counts_.shared += waiting_.size() - batch.size();
  counts_.batches += 1;
  counts_.places += static_cast<std::uint64_t>(settings_.play.games_a_group());
  timed(counts_.network, [&] { batch.submit(); });
  return true;
}

void SelfPlayWorker::scatter(EvaluationBatch& batch) {
  timed(counts_.network, [&] { batch.compute(); });
  for (Game* game : waiting_) game->take_answer();
}

WorkerGroup::WorkerGroup(const SelfPlaySettings& settings, Evaluator& evaluator, const SelfPlayWorker::NextGame& next,
                         const SelfPlayWorker::GameOver& over) {
  Evaluator* asked = &evaluator;
  if (settings.search.proof_nodes > 0 && !settings.aids.prover)
    throw std::invalid_argument("self-play with proof_nodes above zero needs a prover");
  if (settings.aids.prover)
    asked = &proving_.emplace(evaluator, *settings.aids.prover,
                              settings.play.device_proofs && settings.search.proof_nodes > 0);
  for (int i = 0; i < settings.play.groups_a_thread(); ++i)
    members_.push_back({std::make_unique<SelfPlayWorker>(settings, next, over), asked->new_batch()});
}

bool WorkerGroup::step() {
  return timed(working_, [&] {
    Member& m = members_[turn_];
    if (m.submitted) m.worker->scatter(*m.batch);
    m.submitted = false;
    m.submitted = m.worker->gather(*m.batch);
    turn_ = (turn_ + 1) % members_.size();
    return std::any_of(members_.begin(), members_.end(), [](const Member& other) { return other.submitted; });
  });
}

SelfPlayCounts WorkerGroup::counts() const {
  SelfPlayCounts sum;
  for (const Member& m : members_) sum += m.worker->counts();
  sum.working = working_;
  return sum;
}

}  // namespace quarto
