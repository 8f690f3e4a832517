#include "eval/player.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/random.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "env/one_ply.h"
#include "env/random_play.h"
#include "eval/choose.h"
#include "eval/endgame.h"
#include "eval/lookahead.h"
#include "eval/parallel.h"
#include "eval/perfect.h"
#include "eval/rollout.h"
#include "eval/strangler.h"
#include "eval/timed_solver.h"
#include "light/evaluator.h"
#include "light/network_file.h"
#include "model/checkpoint.h"
#include "model/evaluators.h"
#include "model/runtime.h"

namespace quarto {
namespace {

class ChoosesAmong : public Player {
 public:
  explicit ChoosesAmong(std::uint64_t seed) : rng_(seed) {}
  std::vector<Move> choose(std::span<const Position> positions) final {
    std::vector<Move> moves;
    for (const Position& p : positions) {
      moves.push_back({p.phase(), static_cast<std::uint8_t>(random_bit(candidates(p), rng_))});
    }
    return moves;
  }

 private:
  virtual Mask candidates(const Position& p) const = 0;
  Rng rng_;
};

class RandomPlayer final : public ChoosesAmong {
 public:
  using ChoosesAmong::ChoosesAmong;
  std::string name() const override { return "random"; }

 private:
  Mask candidates(const Position& p) const override { return p.legal_moves(); }
};

class OnePlyPlayer final : public ChoosesAmong {
 public:
  using ChoosesAmong::ChoosesAmong;
  std::string name() const override { return "oneply"; }

 private:
  Mask candidates(const Position& p) const override { return one_ply_moves(p); }
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
    const std::uint64_t seed = mix_seed(seed_, calls_++);
    parallel_chunks(
        positions.size(), 1, static_cast<int>(workers_.size()),
        [&](std::size_t begin, std::size_t, std::size_t worker) {
          Rng rng(mix_seed(seed, begin));
          moves[begin] = workers_[worker](positions[begin], rng);
        },
        [](std::size_t) {});
    return moves;
  }
  std::size_t preferred_batch() const override { return static_cast<std::size_t>(per_second_) * workers_.size(); }

 private:
  std::string name_;
  std::vector<Choose> workers_;
  std::uint64_t seed_, calls_ = 0;
  int per_second_;
};

std::unique_ptr<Player> make_rollout(int playouts, const PlayerOptions& options) {
  const OneByOnePlayer::Choose choose = [playouts](const Position& p, Rng& rng) {
    return rollout_move(p, playouts, rng);
  };
  return std::make_unique<OneByOnePlayer>(fmt::format("rollout:{}", playouts),
                                          std::vector(static_cast<std::size_t>(options.threads), choose), options.seed,
                                          500'000 / playouts);
}

std::unique_ptr<Player> make_lookahead(int plies, const PlayerOptions& options) {
  const OneByOnePlayer::Choose choose = [plies](const Position& p, Rng& rng) { return lookahead_move(p, plies, rng); };
  // A ply multiplies the work by about seven.
  const int per_second = plies <= 6 ? 1024 >> plies : 1;
  return std::make_unique<OneByOnePlayer>(fmt::format("lookahead:{}", plies),
                                          std::vector(static_cast<std::size_t>(options.threads), choose), options.seed,
                                          per_second);
}

std::unique_ptr<Player> make_strangler(const std::string& name, const StranglerOptions& strangler,
                                       const PlayerOptions& options) {
  std::vector<OneByOnePlayer::Choose> workers;
  for (int i = 0; i < options.threads; ++i) {
    // Functions can be copied, stranglers cannot.
    const auto own =
        std::make_shared<Strangler>(strangler, options.table_bytes / static_cast<unsigned>(options.threads));
    workers.emplace_back([own](const Position& p, Rng& rng) { return own->choose(p, rng); });
  }
  return std::make_unique<OneByOnePlayer>(name, std::move(workers), options.seed, 500'000 / strangler.nodes);
}

class SearchPlayer final : public Player {
 public:
  SearchPlayer(std::string name, std::unique_ptr<Evaluator> owned, Evaluator& evaluator, int simulations,
               const PlayerOptions& options)
      : name_(std::move(name)),
        owned_(std::move(owned)),
        evaluator_(evaluator),
        choice_{simulations, options.threads, options.batch, 0, options.search, {}},
        seed_(options.seed) {}
  std::string name() const override { return name_; }
  std::vector<Move> choose(std::span<const Position> positions) override {
    choice_.seed = mix_seed(seed_, calls_++);
    // A search looks at the representative by itself (SearchConfig::canonical).
    if (choice_.simulations > 0) return choose_moves(evaluator_, positions, choice_);
    std::vector<CanonicalForm> forms;
    std::vector<Position> representatives;
    for (const Position& p : positions) {
      forms.push_back(canonical_form(p));
      representatives.push_back(forms.back().position);
    }
    std::vector<Move> moves = choose_moves(evaluator_, representatives, choice_);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      moves[i] = apply(inverse(forms[i].symmetry, representatives[i].rules()), moves[i], representatives[i].rules());
    }
    return moves;
  }
  // Without noise nothing in a search is drawn.
  bool deterministic() const override { return choice_.simulations == 0 || choice_.search.canonical; }
  bool depends_on_batch() const override {
    return !dynamic_cast<const PairsEvaluator*>(&evaluator_) && !dynamic_cast<const UniformEvaluator*>(&evaluator_);
  }
  // A batch for each thread.
  std::size_t preferred_batch() const override { return static_cast<std::size_t>(choice_.batch * choice_.threads); }

 private:
  std::string name_;
  std::unique_ptr<Evaluator> owned_;
  Evaluator& evaluator_;
  ChoiceOptions choice_;
  std::uint64_t seed_, calls_ = 0;
};

}  // namespace

std::unique_ptr<Evaluator> load_evaluator_for(Rules rules, const std::filesystem::path& checkpoint,
                                              const std::string& device) {
  const bool light_file = std::filesystem::exists(checkpoint) && light::is_network_file(checkpoint);
  light::LightNetwork light;
  if (light_file) light = light::load_network_file(checkpoint);
  const Rules trained = light_file ? light.info.rules : read_weights_info(checkpoint).rules;
  if (trained != rules) {
    throw PlayerError(fmt::format(
        "{}: this network was trained for the rules '{}', not '{}': use --rules {} and, for measuring, suites "
        "whose values were computed under those rules",
        checkpoint.string(), to_string(trained), to_string(rules), to_string(trained)));
  }
  if (light_file) {
    if (device != "auto" && resolve_device(device) != "cpu")
      throw PlayerError(
          fmt::format("{}: the light engine's files play on the CPU, not on '{}'", checkpoint.string(), device));
    return std::make_unique<PairsEvaluator>(std::move(light.kernel));
  }
  // One thread inside the network: parallelism is over positions.
  return load_evaluator(checkpoint, DeviceOptions{device, 1});
}

std::unique_ptr<Player> make_search_player(std::string name, Evaluator& evaluator, int simulations,
                                           const PlayerOptions& options) {
  return std::make_unique<SearchPlayer>(std::move(name), nullptr, evaluator, simulations, options);
}

std::unique_ptr<Player> make_player(const std::string& name, const PlayerOptions& options) {
  const PlayerSpec spec = parse_player(name);
  switch (spec.kind) {
    case PlayerSpec::Kind::random:
      return std::make_unique<RandomPlayer>(options.seed);
    case PlayerSpec::Kind::oneply:
      return std::make_unique<OnePlyPlayer>(options.seed);
    case PlayerSpec::Kind::lookahead:
      return make_lookahead(spec.number, options);
    case PlayerSpec::Kind::rollout:
      return make_rollout(spec.number, options);
    case PlayerSpec::Kind::strangler:
      return make_strangler(name, spec.strangler, options);
    case PlayerSpec::Kind::solver:
      return std::make_unique<TimedSolverPlayer>(spec.number, options);
    case PlayerSpec::Kind::perfect:
      return std::make_unique<PerfectPlayer>(options);
    case PlayerSpec::Kind::perfect_any:
      return std::make_unique<PerfectPlayer>(options, PerfectStyle::any);
    case PlayerSpec::Kind::uniform: {
      auto evaluator = std::make_unique<UniformEvaluator>();
      Evaluator& reference = *evaluator;
      return std::make_unique<SearchPlayer>(name, std::move(evaluator), reference, spec.number, options);
    }
    case PlayerSpec::Kind::endgame:
      return std::make_unique<EndgamePlayer>(name, make_player(spec.path, options), spec.number, options);
    case PlayerSpec::Kind::light:
      // Says what is wrong with it, also when it is a checkpoint.
      (void)light::load_network_file(spec.path);
      break;
    case PlayerSpec::Kind::net:
      break;
  }
  auto evaluator = load_evaluator_for(options.rules, spec.path, options.device);
  Evaluator& reference = *evaluator;
  return std::make_unique<SearchPlayer>(name, std::move(evaluator), reference, spec.number, options);
}

}  // namespace quarto
