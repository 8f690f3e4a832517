#include "model/light_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "env/random_play.h"
#include "light/evaluator.h"
#include "model/checkpoint.h"
#include "model/network_evaluator.h"
#include "model/pairs.h"

namespace quarto {

std::string light_network_bytes(const std::filesystem::path& checkpoint, light::Precision precision,
                                const Metadata& notes) {
  WeightsInfo info;
  const std::shared_ptr<Network> network = load_network(checkpoint, &info);
  const auto fail = [&](const std::string& what) {
    throw CheckpointError(fmt::format("{}: {}", weights_file(checkpoint).string(), what));
  };
  const auto* pairs = dynamic_cast<const PairsNetwork*>(network.get());
  if (!pairs) {
    fail(fmt::format("the light engine has networks of kind 'pairs' only, this one is '{}'; --onnx exports any kind",
                     name_of(network->config().kind)));
  }
  light::NetworkInfo out;
  out.shape = pairs_shape(network->config());
  if (!light::PairsKernel::supports(out.shape)) {
    fail(fmt::format(
        "the light engine has no pairs network of width {}, {} blocks and a head of {} (widths 16, 32, 48 and 64; 1 to "
        "16 blocks; a head of 32); --onnx exports any",
        out.shape.width, out.shape.blocks, out.shape.head));
  }
  out.rules = info.rules;
  out.precision = precision;
  out.track = name_of(info.track);
  out.step = info.step;
  for (const Metadata* more : std::initializer_list<const Metadata*>{&info.extra, &notes}) {
    for (const auto& [name, value] : *more) {
      std::string key = name, text = value;
      std::replace(key.begin(), key.end(), ' ', '_');
      std::replace(text.begin(), text.end(), '\n', ' ');
      out.extra[key] = text;
    }
  }
  try {
    return light::network_file_bytes(out, pairs->flat_weights());
  } catch (const std::invalid_argument& e) {
    fail(e.what());
  }
  return {};
}

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
  double largest = 0;
  const auto compare = [&largest](float a, float b) {
    const double difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
    largest = std::max(largest, std::isfinite(difference) ? difference : std::numeric_limits<double>::infinity());
  };
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (std::size_t m = 0; m < kMoves; ++m) compare(ours[i].prior[m], theirs[i].prior[m]);
    compare(ours[i].win, theirs[i].win);
    compare(ours[i].draw, theirs[i].draw);
    compare(ours[i].loss, theirs[i].loss);
  }
  return largest;
}

}  // namespace quarto
