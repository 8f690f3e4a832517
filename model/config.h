// model: networks, checkpoints, evaluators and export. Uses base and env. Promises: an evaluator made here is
// thread-safe and deterministic for one thread on a CPU; a checkpoint that cannot be read is an error that names the
// file and what is wrong with it, never a crash.
//
// This header: what a network is made of. No LibTorch here.
#pragma once

#include <string>

#include "base/config.h"
#include "env/types.h"

namespace quarto {

struct NetworkConfig {
  // "pairs": every piece on every square, with a kernel of its own; "line": mixes along the lines; "residual": 3x3
  // convolutions over the 4x4 planes; "mlp": a plain perceptron
  std::string kind = "pairs";
  std::string rules = "lines";  // pairs and line are built on the lines and the board symmetries of this rule set
  int width = 0;        // 0: the kind's own. Channels per pair, per (colour, square), per square; units of a layer
  int blocks = 0;       // 0: the kind's own
  int pair_width = 0;   // line only, 0: its own: channels per (piece, square) pair
  int head_width = 32;  // hidden units of the give and outcome heads

  // The same with every 0 replaced by the default of the kind. Throws ConfigError for an unknown kind or rule set.
  NetworkConfig resolved() const;
  void visit(FieldVisitor& v);
  friend bool operator==(const NetworkConfig&, const NetworkConfig&) = default;
};

Rules rules_of(const NetworkConfig& config);
// The network's answers for an image of a position are the images of its answers, up to rounding.
bool is_equivariant(const NetworkConfig& config);

}  // namespace quarto
