#include "model/config.h"

#include <fmt/format.h>

#include "env/notation.h"

namespace quarto {

void NetworkConfig::visit(FieldVisitor& v) {
  v.field("kind", kind, "network architecture", {"pairs", "line", "residual", "mlp"});
  v.field("rules", rules, "rule set the network is built for", {"lines", "squares"});
  v.field("width", width, "channels; 0: the default of the kind", {0, 1024});
  v.field("blocks", blocks, "number of blocks; 0: the default of the kind", {0, 64});
  v.field("pair_width", pair_width, "channels per (piece, square) pair, line network only; 0: its default", {0, 128});
  v.field("head_width", head_width, "hidden units of the heads", {1, 1024});
}

NetworkConfig NetworkConfig::resolved() const {
  struct Defaults {
    int width, blocks, pair_width;
  };
  const auto defaults = [&]() -> Defaults {
    if (kind == "line") return {8, 2, 8};
    if (kind == "pairs") return {16, 3, 0};
    if (kind == "mlp") return {256, 3, 0};
    if (kind == "residual") return {64, 4, 0};
    throw ConfigError(fmt::format("network kind '{}' is not known: expected pairs, line, residual or mlp", kind));
  }();
  NetworkConfig r = *this;
  if (r.width == 0) r.width = defaults.width;
  if (r.blocks == 0) r.blocks = defaults.blocks;
  if (r.pair_width == 0 || kind != "line") r.pair_width = defaults.pair_width;
  if (r.width < 1 || r.blocks < 1 || r.pair_width < 0 || r.head_width < 1) {
    throw ConfigError(fmt::format("network sizes must be positive: width {}, blocks {}, pair_width {}, head_width {}",
                                  width, blocks, pair_width, head_width));
  }
  rules_of(r);
  return r;
}

Rules rules_of(const NetworkConfig& config) {
  try {
    return parse_rules(config.rules);
  } catch (const std::invalid_argument& e) {
    throw ConfigError(fmt::format("network.rules: {}", e.what()));
  }
}

bool is_equivariant(const NetworkConfig& config) {
  const std::string kind = config.resolved().kind;
  return kind == "line" || kind == "pairs";
}

}  // namespace quarto
