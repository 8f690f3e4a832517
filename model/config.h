// model: networks in LibTorch, checkpoints, evaluators, export
// Uses: base, env, light.
// Promises: An evaluator made here is thread-safe, and deterministic for one thread on a CPU. A checkpoint that cannot
// be read is an error that names the file and what is wrong with it, never a crash.
//
// This header: what a network is made of. No LibTorch here.
#pragma once

#include "base/config.h"
#include "env/types.h"

namespace quarto {

// pairs: every (piece, square) pair, equivariant by construction, with a CPU kernel of its own. residual: 3x3
// convolutions over the 4x4 planes. mlp: a multilayer perceptron.
enum class NetworkKind { pairs, residual, mlp };
constexpr auto names_of(NetworkKind) {
  return std::to_array<Name<NetworkKind>>(
      {{NetworkKind::pairs, "pairs"}, {NetworkKind::residual, "residual"}, {NetworkKind::mlp, "mlp"}});
}

// What a network learned from. zero: self-play alone, no oracle anywhere in training. distilled: exact values too.
enum class Track { zero, distilled };
constexpr auto names_of(Track) {
  return std::to_array<Name<Track>>({{Track::zero, "zero"}, {Track::distilled, "distilled"}});
}

struct NetworkConfig {
  NetworkKind kind = NetworkKind::pairs;
  Rules rules = Rules::lines;  // pairs is built on the lines and the board symmetries of this rule set
  int width = 0;               // channels per pair or per square, units of a layer; 0: the default of the kind
  int blocks = 0;              // 0: the default of the kind
  int head_width = 32;         // hidden units of the give and outcome heads

  // The same with every 0 replaced by the default of the kind. Throws ConfigError for sizes that are not positive.
  NetworkConfig resolved() const;
  void visit(FieldVisitor& v);
  friend bool operator==(const NetworkConfig&, const NetworkConfig&) = default;
};

// The network's answers for an image of a position are the images of its answers, up to rounding.
bool is_equivariant(const NetworkConfig& config);

}  // namespace quarto
