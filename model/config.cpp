#include "model/config.h"

#include <fmt/format.h>

#include "env/notation.h"  // the names of the rules
#include "light/pairs_kernel.h"

namespace quarto {

void NetworkConfig::visit(FieldVisitor& v) {
  v.field("kind", kind, "network architecture");
  v.field("rules", rules, "rule set the network is built for");
  v.field("width", width,
          "channels; pairs: 16, 32, 48 or 64; 0: the default of the kind, 16 for pairs, 64 for residual", {0, 1024});
  v.field("blocks", blocks, "number of blocks; 0: the default of the kind, 3 for pairs, 4 for residual", {0, 64});
  v.field("head_width", head_width, "hidden units of the heads", {1, 1024});
}

NetworkConfig NetworkConfig::resolved() const {
  struct Defaults {
    int width, blocks;
  };
  const auto defaults = [&]() -> Defaults {
    switch (kind) {
      case NetworkKind::pairs:
        return {16, 3};
      case NetworkKind::residual:
        return {64, 4};
    }
    throw ConfigError("unknown network kind");
  }();
  NetworkConfig r = *this;
  if (r.width == 0) r.width = defaults.width;
  if (r.blocks == 0) r.blocks = defaults.blocks;
  if (r.width < 1 || r.blocks < 1 || r.head_width < 1) {
    throw ConfigError(
        fmt::format("network sizes must be positive: width {}, blocks {}, head_width {}", width, blocks, head_width));
  }
  if (kind == NetworkKind::pairs && !light::PairsKernel::supports({r.width, r.blocks, r.head_width})) {
    throw ConfigError(fmt::format(
        "network.width is {}, network.blocks {} and network.head_width {}, but a pairs network has a width of 16, 32, 48 "
        "or 64, 1 to {} blocks and a head_width of {}",
        r.width, r.blocks, r.head_width, light::kMostBlocks, light::kHeadWidth));
  }
  return r;
}

light::PairsShape pairs_shape(const NetworkConfig& config) {
  const NetworkConfig c = config.resolved();
  return {c.width, c.blocks, c.head_width};
}

bool is_equivariant(const NetworkConfig& config) { return config.kind == NetworkKind::pairs; }

}  // namespace quarto
