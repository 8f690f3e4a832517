// The networks that all tests of networks run over.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "model/config.h"

namespace quarto {

enum class Architecture { pairs, residual };

inline NetworkConfig config_of(Architecture architecture, Rules rules = Rules::lines) {
  NetworkConfig config;
  config.rules = rules;
  switch (architecture) {
    case Architecture::pairs:
      config.kind = NetworkKind::pairs;
      break;
    case Architecture::residual:
      config.kind = NetworkKind::residual;
      config.width = 16;
      break;
  }
  return config;
}

inline const auto kEveryArchitecture = testing::Values(Architecture::pairs, Architecture::residual);

}  // namespace quarto
