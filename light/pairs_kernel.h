// The pairs network on one CPU core, one position at a time: forward for play, backward for training.
//
// The kernel computes nothing for occupied squares and placed pieces, needs no batch, and its weights fit in the
// first-level cache. model/pairs.cpp describes the same network to LibTorch, for the GPU and for export; tests compare
// values and gradients of the two. docs/networks.md describes the network.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "env/position.h"
#include "light/floats.h"
#include "light/pairs_layout.h"

namespace quarto::light {

// The outputs of the network for one position.
struct PairsOutput {
  std::array<float, kMoves> policy;  // logits by move of the position's phase; 0 where a move is illegal
  std::array<float, 3> outcome;      // logits of win, draw, loss for the player to act
};

// Immutable, so any number of threads may use one kernel. Each thread needs its own Workspace.
class PairsKernel {
 public:
  // Memory for the activations of one position.
  class Workspace {
   public:
    virtual ~Workspace() = default;
  };

  virtual ~PairsKernel() = default;
  virtual std::unique_ptr<Workspace> new_workspace() const = 0;
  // The position must not be terminal.
  virtual PairsOutput forward(const Position& position, Workspace& workspace) const = 0;
  // Call after forward() in the same workspace (undefined otherwise). Adds to `gradient` (PairsLayout order and size,
  // aligned as Floats) the derivatives of a loss whose derivatives with respect to the outputs of that call are `d`.
  // Throws std::logic_error if the kernel computes in integers (light/integer_pairs.h).
  virtual void backward(const PairsOutput& d, Workspace& workspace, std::span<float> gradient) const = 0;

  // Widths of 16, 32, 48 and 64, 1 to 16 blocks, a head of 32.
  static bool supports(const PairsShape& shape);
  // `weights` in PairsLayout's order and size. Throws std::invalid_argument for a shape that is not supported,
  // std::runtime_error for a weight that is not a finite number.
  static std::unique_ptr<PairsKernel> make(const PairsShape& shape, std::span<const float> weights);
};

}  // namespace quarto::light
