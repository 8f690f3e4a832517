// The weights of the pairs network in integers (light/integer_pairs.h): their ranges, and how they are found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "env/rules.h"
#include "light/floats.h"
#include "light/pairs_layout.h"

namespace quarto::light {

// Activations are 0 to kMostActivation, so that sixteen of them add up in 16 bits.
inline constexpr int kMostActivation = 4095;
// What is added to a pre-activation: seven such terms add up in 16 bits.
inline constexpr int kMostTerm = kMostActivation, kLeastTerm = -kMostActivation - 1;
// A pair's vector between blocks: a term and a bias more fit in 16 bits.
inline constexpr int kMostState = 16383;
inline constexpr int kMostFractionBits = 11, kMostShift = 20;

struct IntegerWeights {
  PairsShape shape;
  // Fraction bits, 0 to kMostFractionBits: x stands for x / 2^bits. Of the pairs' vectors; then for each block, and for
  // the heads, of its input and of its hidden layer. An input has at most as many as the vectors.
  std::vector<std::uint8_t> bits;
  // Fraction bits of the matrices, by entry of PairsLayout, up to kMostShift; 0 for tables and biases.
  std::vector<std::uint8_t> shifts;
  // In PairsLayout's order and size; matrices -127 to 127.
  std::vector<std::int16_t> weights;

  static std::size_t bits_of(const PairsShape& shape) { return static_cast<std::size_t>(2 * shape.blocks + 3); }
  int pair_bits() const { return bits[0]; }
  // Of a block; of the heads, if `block` is the number of blocks.
  int input_bits(int block) const { return bits[static_cast<std::size_t>(1 + 2 * block)]; }
  int hidden_bits(int block) const { return bits[static_cast<std::size_t>(2 + 2 * block)]; }
};

// Whether an entry of PairsLayout is a matrix that activations are multiplied by; the others are added. Of the matrices,
// whether its products are logits, which are not shifted.
bool is_matrix(const PairsLayout::Entry& entry);
bool gives_logits(const PairsLayout::Entry& entry);

// The nearest integers with these `bits`. Each matrix has as many fraction bits as its largest weight allows. Throws
// std::invalid_argument if a weight is too large, for another number of bits than bits_of(), and what require_usable()
// throws.
IntegerWeights integer_weights(const PairsShape& shape, std::span<const float> weights, std::vector<std::uint8_t> bits);
// The same with bits that are looked for: the outputs are near the float network's on random positions with at least
// three pieces, on which networks are trained. Seconds for a large one.
IntegerWeights integer_weights(const PairsShape& shape, std::span<const float> weights, Rules rules);

// By how many bits the sum of a product is shifted: what its factors have more than the result. `entry` is the index of a
// matrix that gives no logits.
int product_shift(const IntegerWeights& weights, int entry);
// Throws std::runtime_error for weights with which a sum of the kernel could overflow, std::invalid_argument for a shape
// that PairsKernel does not support or other numbers than it has.
void require_usable(const IntegerWeights& weights);

}  // namespace quarto::light
