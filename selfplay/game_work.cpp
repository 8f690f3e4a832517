#include "selfplay/game_work.h"

#include <algorithm>

namespace quarto {
namespace {

constexpr int kProbeSimulations = 32;

class GameWork final : public store::Work {
 public:
  GameWork(const SelfPlaySettings& settings, int threads, std::string name,
           std::function<std::shared_ptr<Evaluator>(const store::WeightsMessage&)> evaluator)
      : in_flight_(static_cast<std::uint64_t>(threads) *
                   static_cast<std::uint64_t>(settings.play.games_a_group() * settings.play.groups_a_thread())),
        name_(std::move(name)),
        evaluator_(std::move(evaluator)),
        crew_(settings, threads) {}

  bool set_weights(const store::WeightsMessage& weights) override {
    crew_.set_weights({weights.version, weights.checksum, evaluator_(weights)});
    return true;
  }

  std::uint32_t wanted() override {
    const std::uint64_t waiting = crew_.waiting();
    if (waiting >= low()) return 0;
    std::uint64_t held = 0;
    for (const store::Range& range : crew_.held()) held += range.count;
    const std::uint64_t lacking = in_flight_ + low() - std::min(in_flight_ + low(), held);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::max(lacking, low()), 1 << 16));
  }
  // Small ranges cost questions, large ones more when they are lost, and more games that wait for the last of a range.
  std::uint32_t longest() const override {
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(in_flight_ / 8, 1, store::kMostInRange));
  }
  bool add(const store::Range& range, std::string) override { return crew_.add({range}) > 0; }

  std::vector<Done> take() override {
    std::vector<Done> all;
    for (PlayedRange& played : crew_.take()) {
      const Crew::Figures now = crew_.figures();
      store::GamesMessage message;
      message.version = played.version;
      message.weights = played.checksum;
      message.range = played.range;
      message.actor = name_;
      message.figures = (now.counts - reported_.counts).figures();
      message.figures.push_back(now.waited - reported_.waited);
      for (double& figure : message.figures) figure = std::max(0.0, figure);
      reported_ = now;
      message.games = std::move(played.games);
      Done& done = all.emplace_back();
      done.range = played.range;
      for (const GameRecord& game : message.games) done.samples += game.samples.size();
      done.message = store::encode_games(message);
    }
    return all;
  }
  std::vector<store::Range> held(bool alive) override {
    if (!alive) return crew_.held();
    // Threads that hang do not keep their games from others. What is finished only waits for the store.
    const std::uint64_t steps = crew_.figures().steps;
    return crew_.held(steps != std::exchange(steps_, steps));
  }
  void wait(double seconds, bool lease) override { crew_.wait(seconds, 1, lease ? low() : 0); }
  void waits_for_store(bool store) override { crew_.count_idle(store ? Crew::Idle::waited : Crew::Idle::paused); }

  nlohmann::json status() const override {
    const Crew::Figures figures = crew_.figures();
    const double all = figures.counts.working + figures.waited;
    const auto share = [&](double seconds) { return all > 0 ? seconds / all : 0.0; };
    return {{"waits_for_learner", share(figures.counts.paused)}, {"waits_for_store", share(figures.waited)}};
  }

 private:
  // With fewer games than these that nobody plays, more are leased.
  std::uint64_t low() const { return std::max<std::uint64_t>(in_flight_ / 4, longest()); }

  const std::uint64_t in_flight_;  // games, in all threads
  const std::string name_;
  const std::function<std::shared_ptr<Evaluator>(const store::WeightsMessage&)> evaluator_;
  Crew::Figures reported_;
  std::uint64_t steps_ = 0;
  Crew crew_;
};

}  // namespace

store::GameRules game_rules(const SelfPlaySettings& settings) {
  return {.rules = settings.rules,
          .random_start_pieces = settings.play.random_starts > 0 ? settings.play.random_start_pieces : 0,
          .end_early = settings.play.stop_when_proven};
}

std::string play_probe(SelfPlaySettings settings) {
  settings.play.simulations = std::min(settings.play.simulations, kProbeSimulations);
  settings.play.games_in_flight = settings.play.batches_in_flight = 1;
  UniformEvaluator uniform;
  std::uint64_t sum = store::fingerprint("");
  for (const GameRecord& game : play_games(settings, uniform, store::kMostGames - 1, 1)) {
    for (const Move move : game.moves) sum = store::fingerprint(std::string(1, static_cast<char>(move.index)), sum);
    for (const Sample& sample : game.samples)
      sum = store::fingerprint({reinterpret_cast<const char*>(&sample), sizeof sample}, sum);
  }
  return store::fingerprint_text(sum);
}

std::unique_ptr<store::Work> make_game_work(
    const SelfPlaySettings& settings, int threads, std::string name,
    std::function<std::shared_ptr<Evaluator>(const store::WeightsMessage&)> evaluator) {
  return std::make_unique<GameWork>(settings, threads, std::move(name), std::move(evaluator));
}

}  // namespace quarto
