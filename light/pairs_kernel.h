// The pairs network on one CPU core, position by position: forward for playing, backward for learning.
//
// Nothing is computed for squares that are taken and pieces that are gone, no batch is needed, and all weights stay in
// the nearest cache. model/pairs.cpp describes the same network to LibTorch, for the GPU and for export; tests hold the
// two together, values and gradients. What the network does is told in docs/networks.md.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "env/position.h"
#include "light/floats.h"
#include "light/pairs_layout.h"

namespace quarto::light {

// What the network says of one position.
struct PairsOutput {
  std::array<float, kMoves> policy;  // logits by move of the position's phase; 0 where a move is illegal
  std::array<float, 3> outcome;      // logits of win, draw, loss for the player to act
};

// Immutable, so any number of threads may use one; each needs a Workspace of its own.
class PairsKernel {
 public:
  // Room for one position's activations.
  class Workspace {
   public:
    virtual ~Workspace() = default;
  };

  virtual ~PairsKernel() = default;
  virtual std::unique_ptr<Workspace> new_workspace() const = 0;
  // The position must not be terminal.
  virtual PairsOutput forward(const Position& position, Workspace& workspace) const = 0;
  // After forward() in the same workspace (undefined without): adds to `gradient` (PairsLayout order and size, aligned
  // as Floats are) the derivatives of a loss whose derivatives by that call's outputs are `d`. Throws std::logic_error
  // if the kernel came from make_reader().
  virtual void backward(const PairsOutput& d, Workspace& workspace, std::span<float> gradient) const = 0;

  // Widths of 16, 32, 48 and 64, 1 to 16 blocks, and a head of 32.
  static bool supports(const PairsShape& shape);
  // `weights` in PairsLayout's order and size. Throws std::invalid_argument for a shape that is not supported,
  // std::runtime_error for a weight that is not a finite number.
  static std::unique_ptr<PairsKernel> make(const PairsShape& shape, std::span<const float> weights);
  // The same, forward only, without a copy: the weights must be aligned as Floats are, and stay as long as `owner`
  // does.
  static std::unique_ptr<PairsKernel> make_reader(const PairsShape& shape, std::span<const float> weights,
                                                  std::shared_ptr<const void> owner);
};

}  // namespace quarto::light
