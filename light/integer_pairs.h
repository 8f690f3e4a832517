// The pairs network in integers, for playing: all operations are exact, so every processor computes the same outputs.
// docs/formats.md defines them; tests compare them with a plain form of that definition and with the float kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "env/rules.h"
#include "light/pairs_kernel.h"

namespace quarto::light {

// Activations are 0 to kMostActivation, so that sixteen of them add up in 16 bits.
inline constexpr int kMostActivation = 4095;
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
// What they stand for, exactly.
Floats float_weights(const IntegerWeights& weights);

// A kernel for playing: backward() throws std::logic_error. Throws std::runtime_error for weights with which a sum could
// overflow, std::invalid_argument for a shape that is not supported or other numbers than it has.
std::unique_ptr<PairsKernel> make_integer_kernel(const IntegerWeights& weights);

}  // namespace quarto::light
