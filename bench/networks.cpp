#include "bench/networks.h"

#include <memory>

#include "bench/bench.h"
#include "cli/simulations_option.h"

namespace quarto::bench {

void add_light(CLI::App& bench) {
  auto o = std::make_shared<LightOptions>();
  CLI::App* command = bench.add_subcommand("light", "the light player: a move's cost, and LibTorch's beside it");
  command->add_option("CHECKPOINT", o->checkpoints, "pairs networks (default: those that come along)");
  command->add_option(kSimulationsOption, o->simulations, "simulations of the searched move")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--proof-nodes", o->proof_nodes, "nodes of proof search at each of its leaves")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_option("--seed", o->seed, "seed of the positions")->capture_default_str();
  command->callback([o] { run_light(*o); });
}

void add_model(CLI::App& bench) {
  auto options = std::make_shared<ModelOptions>();
  CLI::App* command = bench.add_subcommand("model", "networks: positions a second by batch size, from one CPU thread");
  command->add_option("NETWORK", options->kinds, "KIND or KIND:WIDTHxBLOCKS")->capture_default_str();
  command->add_flag("--libtorch", options->libtorch, "by LibTorch also where a network has a kernel of its own");
  command->add_option("--device", options->device, "where they run: cpu, cuda, cuda:N, auto")->capture_default_str();
  command
      ->add_option_function<std::string>(
          "--precision", [options](const std::string& p) { options->precision = *value_named<PrecisionChoice>(p); },
          "auto (bfloat16 on a GPU), float32, bfloat16")
      ->check(CLI::IsMember(all_names<PrecisionChoice>()))
      ->default_str("auto");
  command->add_option("--seed", options->seed, "seed of the positions and weights")->capture_default_str();
  command->callback([options] { run_model(*options); });
}

}  // namespace quarto::bench
