#include "eval/player.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <filesystem>

#include "base/config.h"
#include "base/random.h"
#include "env/notation.h"
#include "eval/choose.h"
#include "env/one_ply.h"
#include "eval/parallel.h"
#include "eval/perfect.h"
#include "eval/rollout.h"
#include "model/checkpoint.h"
#include "model/evaluators.h"

namespace quarto {
namespace {

constexpr int kMaxSimulations = 100'000'000;

int parse_count(const std::string& name, std::string_view text, int least) {
  int n = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || stop != text.data() + text.size() || n < least || n > kMaxSimulations) {
    throw PlayerError(fmt::format("player '{}': expected a whole number from {} to {} in place of '{}'", name, least,
                                  kMaxSimulations, text));
  }
  return n;
}

class ChoosesAmong : public Player {
 public:
  explicit ChoosesAmong(std::uint64_t seed) : rng_(seed) {}
  std::vector<Move> choose(std::span<const Position> positions) final {
    std::vector<Move> moves;
    for (const Position& p : positions) {
      const Mask among = candidates(p);
      auto skip = rng_.below(static_cast<std::uint64_t>(std::popcount(among)));
      for (const int m : BitsOf(among)) {
        if (skip-- == 0) moves.push_back({p.phase(), static_cast<std::uint8_t>(m)});
      }
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

class RolloutPlayer final : public Player {
 public:
  RolloutPlayer(int playouts, const PlayerOptions& options)
      : playouts_(playouts), threads_(options.threads), seed_(options.seed) {}
  std::string name() const override { return fmt::format("rollout:{}", playouts_); }
  std::vector<Move> choose(std::span<const Position> positions) override {
    std::vector<Move> moves(positions.size());
    const std::uint64_t seed = mix_seed(seed_, calls_++);
    parallel_chunks(
        positions.size(), 1, threads_,
        [&](std::size_t begin, std::size_t, std::size_t) {
          Rng rng(mix_seed(seed, begin));
          moves[begin] = rollout_move(positions[begin], playouts_, rng);
        },
        [](std::size_t) {});
    return moves;
  }
  // About a second's work.
  std::size_t preferred_batch() const override {
    return static_cast<std::size_t>(std::max(1, 500'000 / playouts_ * threads_));
  }

 private:
  int playouts_, threads_;
  std::uint64_t seed_, calls_ = 0;
};

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
    return choose_moves(evaluator_, positions, choice_);
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

std::string player_names() { return "random, oneply, rollout:N, uniform@N, net:PATH[@N], perfect"; }

PlayerSpec parse_player(const std::string& name) {
  using Kind = PlayerSpec::Kind;
  if (name == "random") return {Kind::random, 0, {}};
  if (name == "oneply") return {Kind::oneply, 0, {}};
  if (name == "perfect") return {Kind::perfect, 0, {}};
  const auto starts = [&](std::string_view prefix) { return name.compare(0, prefix.size(), prefix) == 0; };
  if (starts("rollout:")) return {Kind::rollout, parse_count(name, std::string_view(name).substr(8), 1), {}};
  if (starts("uniform@")) return {Kind::uniform, parse_count(name, std::string_view(name).substr(8), 1), {}};
  if (starts("net:")) {
    std::string path = name.substr(4);
    int simulations = 0;
    // A path may hold an '@' itself; a number of simulations has only digits after the last one.
    const auto at = path.rfind('@');
    if (at != std::string::npos && at + 1 < path.size() &&
        path.find_first_not_of("0123456789", at + 1) == std::string::npos) {
      simulations = parse_count(name, std::string_view(path).substr(at + 1), 0);
      path.resize(at);
    }
    if (path.empty()) throw PlayerError(fmt::format("player '{}': a checkpoint's path is missing after 'net:'", name));
    return {Kind::net, simulations, path};
  }
  const std::string head = name.substr(0, name.find_first_of(":@"));
  const std::string close = nearest(head, {"random", "oneply", "rollout", "uniform", "net", "perfect"});
  std::string hint;
  if (std::filesystem::exists(name)) {
    hint = fmt::format(" (did you mean 'net:{}'?)", name);
  } else if (!close.empty()) {
    const std::string full = close == "rollout"   ? "rollout:N"
                             : close == "uniform" ? "uniform@N"
                             : close == "net"     ? "net:PATH"
                                                  : close;
    hint = fmt::format(" (did you mean '{}'?)", full);
  }
  throw PlayerError(fmt::format("unknown player '{}'{}; the players are {}", name, hint, player_names()));
}

std::unique_ptr<Evaluator> load_evaluator_for(Rules rules, const std::filesystem::path& checkpoint,
                                              const std::string& device) {
  const Rules trained = read_weights_info(checkpoint).rules;
  if (trained != rules) {
    throw PlayerError(fmt::format(
        "{}: this network was trained for the rules '{}', not '{}': use --rules {} and, for measuring, suites "
        "whose values were computed under those rules",
        checkpoint.string(), to_string(trained), to_string(rules), to_string(trained)));
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
    case PlayerSpec::Kind::rollout:
      return std::make_unique<RolloutPlayer>(spec.simulations, options);
    case PlayerSpec::Kind::perfect:
      return std::make_unique<PerfectPlayer>(options);
    case PlayerSpec::Kind::uniform: {
      auto evaluator = std::make_unique<UniformEvaluator>();
      Evaluator& reference = *evaluator;
      return std::make_unique<SearchPlayer>(name, std::move(evaluator), reference, spec.simulations, options);
    }
    case PlayerSpec::Kind::net:
      break;
  }
  auto evaluator = load_evaluator_for(options.rules, spec.path, options.device);
  Evaluator& reference = *evaluator;
  return std::make_unique<SearchPlayer>(name, std::move(evaluator), reference, spec.simulations, options);
}

}  // namespace quarto
