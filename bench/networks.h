// The benchmarks that compute with LibTorch. networks.cpp has their command lines, which do not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mcts/config.h"
#include "model/config.h"
#include "model/runtime.h"

namespace quarto::bench {

struct LightOptions {
  std::vector<std::string> checkpoints;
  int simulations = 32;
  int proof_nodes = SearchConfig{}.proof_nodes;
  std::uint64_t seed = 1;
};
void run_light(const LightOptions& options);

struct ModelOptions {
  std::vector<std::string> kinds = all_names<NetworkKind>();
  std::string device = "cpu";
  PrecisionChoice precision = PrecisionChoice::automatic;
  std::uint64_t seed = 1;
  bool libtorch = false;
};
void run_model(const ModelOptions& options);

}  // namespace quarto::bench
