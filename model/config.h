// model: networks in LibTorch, checkpoints, evaluators, export
// Uses: base, env, light, gpu.
// Promises: An evaluator made here is thread-safe, and deterministic for one thread on a CPU. A checkpoint that cannot
// be read causes an exception that names the file and the error.
//
// This header: the configuration of a network. It does not include LibTorch.
#pragma once

#include "base/config.h"
#include "env/rules.h"
#include "light/pairs_layout.h"

namespace quarto {

// pairs: one vector per (piece, square) pair, equivariant by construction, with its own CPU kernel. residual: 3x3
// convolutions over the 4x4 planes.
enum class NetworkKind { pairs, residual };
constexpr auto names_of(NetworkKind) {
  return std::to_array<Name<NetworkKind>>({{NetworkKind::pairs, "pairs"}, {NetworkKind::residual, "residual"}});
}

// The source of a network's training data. zero: self-play alone, without an oracle. distilled: exact values too.
enum class Track { zero, distilled };
constexpr auto names_of(Track) {
  return std::to_array<Name<Track>>({{Track::zero, "zero"}, {Track::distilled, "distilled"}});
}

struct NetworkConfig {
  NetworkKind kind = NetworkKind::pairs;
  Rules rules = Rules::lines;  // pairs uses the lines and board symmetries of these rules
  int width = 0;               // channels per pair or per square; 0: the default of the kind
  int blocks = 0;              // 0: the default of the kind
  int head_width = 32;         // hidden units of the heads

  // A copy with every 0 replaced by the default of the kind. Throws ConfigError for sizes that are not positive, and
  // for a pairs network of a shape that light::PairsKernel does not support.
  NetworkConfig resolved() const;
  void visit(FieldVisitor& v);
  friend bool operator==(const NetworkConfig&, const NetworkConfig&) = default;
};

// The shape of a network of kind pairs.
light::PairsShape pairs_shape(const NetworkConfig& config);

// True if the network's outputs for an image of a position are the images of its outputs, up to rounding.
bool is_equivariant(const NetworkConfig& config);

}  // namespace quarto
