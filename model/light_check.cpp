#include <cmath>
#include <limits>

#include "env/random_play.h"
#include "light/evaluator.h"
#include "model/checkpoint.h"
#include "model/light_export.h"
#include "model/network_evaluator.h"

namespace quarto {

double check_light_network(const std::filesystem::path& checkpoint, const std::filesystem::path& file, int positions,
                           std::uint64_t seed) {
  WeightsInfo info;
  NetworkEvaluator torch_evaluator(load_network(checkpoint, &info), torch::kCPU, Precision::float32);
  PairsEvaluator light_evaluator(light::load_network_file(file).kernel);
  constexpr int kLeastPieces = 3;
  Rng rng(seed);
  std::vector<Position> sample;
  for (int i = 0; i < positions; ++i) {
    const int plies = 2 * kLeastPieces + static_cast<int>(rng.below(30 - 2 * kLeastPieces));
    sample.push_back(random_careless_position_at(plies, rng, info.rules));
  }
  std::vector<Evaluation> ours(sample.size()), theirs(sample.size());
  evaluate(light_evaluator, sample, ours);
  evaluate(torch_evaluator, sample, theirs);
  double sum = 0;
  int compared = 0;
  const auto compare = [&](float a, float b) {
    double difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
    if (!std::isfinite(difference)) difference = std::numeric_limits<double>::infinity();
    sum += difference;
    ++compared;
  };
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (const int move : BitsOf(sample[i].legal_moves())) {
      const auto m = static_cast<std::size_t>(move);
      compare(ours[i].prior[m], theirs[i].prior[m]);
    }
    compare(ours[i].win, theirs[i].win);
    compare(ours[i].draw, theirs[i].draw);
    compare(ours[i].loss, theirs[i].loss);
  }
  return sum / compared;
}

}  // namespace quarto
