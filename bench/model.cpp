// quartozero bench model: positions a second of each network, by batch size, from one CPU thread: encoding, the network
// and the masked softmax, as a search sees them. On a GPU also with several batches in flight.
#include <fmt/format.h>
#include <torch/torch.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "bench/gpu_rate.h"
#include "bench/network_name.h"
#include "bench/networks.h"
#include "bench/timing.h"
#include "model/network_evaluator.h"
#include "model/runtime.h"

namespace quarto::bench {
namespace {

double positions_per_second(Evaluator& evaluator, std::span<const Position> positions, double seconds) {
  std::vector<Evaluation> out(positions.size());
  const auto batch = evaluator.new_batch();
  const double once = median_seconds(
      [&] {
        for (std::size_t i = 0; i < positions.size(); ++i) batch->add(positions[i], out[i]);
        batch->compute();
      },
      seconds);
  return static_cast<double>(positions.size()) / once;
}

}  // namespace

void run_model(const ModelOptions& options) {
  configure_torch(1);
  const std::string device = resolve_device(options.device);
  const Precision precision = resolve_precision(options.precision, device);
  const bool gpu = device != "cpu";
  // All of them before the first line, so that a wrong name is an error at once.
  std::vector<std::shared_ptr<Network>> networks;
  for (const std::string& kind : options.kinds) {
    const NetworkConfig config = parse_network(kind);
    torch::manual_seed(options.seed);
    networks.push_back(make_network(config));
  }
  if (gpu) {
    fmt::print("on {}, one thread\n", device);
  } else {
    const BlasInfo blas = blas_info();
    fmt::print("BLAS {} ({:.0f} GFLOP/s), one thread\n", blas.library, blas.gflops);
  }
  const std::vector<std::size_t> sizes =
      gpu ? std::vector<std::size_t>{64, 256, 512, 1024, 2048, 4096} : std::vector<std::size_t>{1, 16, 64, 128, 256};
  const std::vector<Position> positions = positions_in_play(sizes.back(), options.seed);
  fmt::print("{:<12} {:>9} {:>9} {:>9} {:>10} {:>6}{} {:>14} {:>8}\n", "network", "width", "blocks", "weights", "MFLOP",
             "batch", gpu ? " in flight" : "", "positions/s", "GFLOP/s");
  for (const std::shared_ptr<Network>& network : networks) {
    const NetworkConfig config = network->config();
    // What self-play would use: the network's own kernels, where it has any. The FLOP are LibTorch's, which does the
    // whole board always.
    const std::unique_ptr<Evaluator> own =
        options.libtorch ? std::make_unique<NetworkEvaluator>(network, torch::Device(device), precision)
                         : make_evaluator(network, torch::Device(device), precision, options.device == "auto");
    Evaluator& evaluator = *own;
    const bool by_torch = dynamic_cast<const NetworkEvaluator*>(own.get()) != nullptr;
    const double flops = static_cast<double>(Program(*network, torch::kCPU).flops());
    for (const std::size_t batch : sizes) {
      for (const std::size_t in_flight : gpu ? std::vector<std::size_t>{1, 2, 4} : std::vector<std::size_t>{1}) {
        const auto some = std::span(positions).first(batch);
        const double rate = gpu ? positions_per_second_on_gpu(evaluator, some, in_flight, 1, 0.3)
                                : positions_per_second(evaluator, some, 0.5);
        fmt::print("{:<12} {:>9} {:>9} {:>9} {:>10.2f} {:>6}{} {:>14.0f} {:>8}\n", name_of(config.kind), config.width,
                   config.blocks, network->weight_count(), flops / 1e6, batch,
                   gpu ? fmt::format(" {:>9}", in_flight) : "", rate,
                   by_torch ? fmt::format("{:.1f}", rate * flops / 1e9) : "kernel");
        std::fflush(stdout);
      }
    }
  }
}

}  // namespace quarto::bench
