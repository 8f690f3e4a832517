// The networks that all tests of networks run over.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "model/config.h"

namespace quarto {

enum class Architecture { mlp, pairs, pairs_two_placements, pairs_three_placements, pairs_four_placements, residual };

inline NetworkConfig config_of(Architecture architecture, Rules rules = Rules::lines) {
  NetworkConfig config;
  config.rules = rules;
  switch (architecture) {
    case Architecture::mlp:
      config.kind = NetworkKind::mlp;
      break;
    case Architecture::pairs:
      config.kind = NetworkKind::pairs;
      break;
    case Architecture::pairs_two_placements:
      config.kind = NetworkKind::pairs;
      config.blocks = 1;
      config.placements = 2;
      break;
    case Architecture::pairs_three_placements:
      config.kind = NetworkKind::pairs;
      config.placements = 3;
      break;
    case Architecture::pairs_four_placements:
      config.kind = NetworkKind::pairs;
      config.placements = 4;
      break;
    case Architecture::residual:
      config.kind = NetworkKind::residual;
      config.width = 16;
      break;
  }
  return config;
}

inline const auto kEveryArchitecture =
    testing::Values(Architecture::mlp, Architecture::pairs, Architecture::pairs_two_placements,
                    Architecture::pairs_three_placements, Architecture::pairs_four_placements, Architecture::residual);

}  // namespace quarto
