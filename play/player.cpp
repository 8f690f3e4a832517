#include "play/player.h"

#include <algorithm>
#include <functional>

#include "base/parallel.h"
#include "base/random.h"
#include "env/random_play.h"
#include "play/choose.h"
#include "play/lookahead.h"
#include "play/makers.h"
#include "play/rollout.h"
#include "play/strangler.h"

namespace quarto {
namespace {

class ChancePlayer final : public Player {
 public:
  ChancePlayer(std::string name, Mask (*candidates)(const Position&), std::uint64_t seed)
      : name_(std::move(name)), candidates_(candidates), rng_(seed) {}
  std::string name() const override { return name_; }
  std::vector<Move> choose(std::span<const Position> positions) override {
    std::vector<Move> moves;
    for (const Position& p : positions) {
      moves.push_back({p.phase(), static_cast<std::uint8_t>(random_bit(candidates_(p), rng_))});
    }
    return moves;
  }

 private:
  std::string name_;
  Mask (*candidates_)(const Position&);
  Rng rng_;
};

// Looks at one position at a time, each worker thread with a function of its own.
class OneByOnePlayer final : public Player {
 public:
  using Choose = std::function<Move(const Position&, Rng&)>;
  // `per_second`: positions that one thread gets through in about a second.
  OneByOnePlayer(std::string name, std::vector<Choose> workers, std::uint64_t seed, int per_second)
      : name_(std::move(name)), workers_(std::move(workers)), seed_(seed), per_second_(std::max(1, per_second)) {}
  std::string name() const override { return name_; }
  std::vector<Move> choose(std::span<const Position> positions) override {
    std::vector<Move> moves(positions.size());
    parallel_chunks(
        positions.size(), 1, static_cast<int>(workers_.size()),
        [&](std::size_t begin, std::size_t, std::size_t worker) {
          Rng rng(mix_seed(seed_, asked_ + begin));  // however the positions are cut into calls
          moves[begin] = workers_[worker](positions[begin], rng);
        },
        [](std::size_t) {});
    asked_ += positions.size();
    return moves;
  }
  std::size_t preferred_batch() const override { return static_cast<std::size_t>(per_second_) * workers_.size(); }

 private:
  std::string name_;
  std::vector<Choose> workers_;
  std::uint64_t seed_, asked_ = 0;  // positions
  int per_second_;
};

class NetworkPlayer final : public Player {
 public:
  NetworkPlayer(std::string name, std::shared_ptr<Evaluator> evaluator, int simulations, const PlayerOptions& options)
      : name_(std::move(name)),
        evaluator_(std::move(evaluator)),
        limits_{
            .simulations = simulations, .threads = options.threads, .batch = options.batch, .search = options.search},
        solver_(options.clock_solver ? options.clock_solver
                                     : std::make_shared<SharedSolver>(SolverOptions{.table_bytes = options.table_bytes,
                                                                                    .threads = options.threads})),
        seed_(options.seed) {}
  std::string name() const override { return name_; }
  std::vector<Move> choose(std::span<const Position> positions) override {
    limits_.seed = mix_seed(seed_, calls_++);
    return choose_all(*evaluator_, nullptr, positions, limits_);
  }
  Move choose_by_clock(const Position& position, const GameClock& clock) override {
    ChoiceLimits limits;
    limits.simulations = limits_.simulations > 0 ? limits_.simulations : kMostSimulations;
    limits.clock = clock;
    limits.search = limits_.search;
    return quarto::choose(*evaluator_, solver_.get(), position, limits).move;
  }
  void prepare() override { solver_->prepare(); }
  // Without noise nothing in a search is drawn.
  bool deterministic() const override { return limits_.simulations == 0 || limits_.search.canonical; }
  bool depends_on_batch() const override { return !evaluator_->traits().batch_invariant; }
  // Each simulation goes to a root move that is neither proven lost nor tried, or to one that is proven not to lose,
  // until there is one of these. (A Gumbel root chooses among the moves that it has drawn.)
  Proofs proofs() const override {
    const SearchConfig& search = limits_.search;
    const bool tries_every_move = search.root == RootSelection::puct && search.tactics && limits_.simulations > kMoves;
    if (!tries_every_move || search.proof_nodes == 0) return {};
    return {static_cast<std::uint64_t>(std::min(search.proof_nodes, kMostProofNodes)),
            std::min(search.proof_squares, kFullProofSquares)};
  }
  // A batch for each thread.
  std::size_t preferred_batch() const override { return static_cast<std::size_t>(limits_.batch * limits_.threads); }

 private:
  std::string name_;
  std::shared_ptr<Evaluator> evaluator_;
  BatchChoiceLimits limits_;
  std::shared_ptr<SharedSolver> solver_;  // by the clock only
  std::uint64_t seed_, calls_ = 0;
};

}  // namespace

std::unique_ptr<Player> make_chance_player(std::string name, Mask (*candidates)(const Position&), std::uint64_t seed) {
  return std::make_unique<ChancePlayer>(std::move(name), candidates, seed);
}

std::unique_ptr<Player> make_rollout(std::string name, int playouts, const PlayerOptions& options) {
  const OneByOnePlayer::Choose choose = [playouts](const Position& p, Rng& rng) {
    return rollout_move(p, playouts, rng);
  };
  return std::make_unique<OneByOnePlayer>(std::move(name),
                                          std::vector(static_cast<std::size_t>(options.threads), choose), options.seed,
                                          500'000 / playouts);
}

std::unique_ptr<Player> make_lookahead(std::string name, int plies, const PlayerOptions& options) {
  const OneByOnePlayer::Choose choose = [plies](const Position& p, Rng& rng) { return lookahead_move(p, plies, rng); };
  // A ply multiplies the work by about seven.
  const int per_second = plies <= 6 ? 1024 >> plies : 1;
  return std::make_unique<OneByOnePlayer>(
      std::move(name), std::vector(static_cast<std::size_t>(options.threads), choose), options.seed, per_second);
}

std::unique_ptr<Player> make_strangler(std::string name, const StranglerOptions& strangler,
                                       const PlayerOptions& options) {
  std::vector<OneByOnePlayer::Choose> workers;
  for (int i = 0; i < options.threads; ++i) {
    // Functions can be copied, stranglers cannot.
    const auto own =
        std::make_shared<Strangler>(strangler, options.table_bytes / static_cast<unsigned>(options.threads));
    workers.emplace_back([own](const Position& p, Rng& rng) { return own->choose(p, rng); });
  }
  return std::make_unique<OneByOnePlayer>(std::move(name), std::move(workers), options.seed, 500'000 / strangler.nodes);
}

std::unique_ptr<Player> make_network_player(std::string name, std::shared_ptr<Evaluator> evaluator, int simulations,
                                            const PlayerOptions& options) {
  return std::make_unique<NetworkPlayer>(std::move(name), std::move(evaluator), simulations, options);
}

std::unique_ptr<Player> make_search_player(std::string name, Evaluator& evaluator, int simulations,
                                           const PlayerOptions& options) {
  const std::shared_ptr<Evaluator> borrowed(&evaluator, [](Evaluator*) {});
  return make_network_player(std::move(name), borrowed, simulations, options);
}

}  // namespace quarto
