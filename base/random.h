// base: random numbers, files written whole or not at all, configuration, progress
// Uses: nothing.
// Promises: Nothing here knows Quarto. A file is written whole or not at all; the same seed gives the same whole
// numbers, and the same from uniform(), on every machine; what takes logarithms (gamma) is the same up to rounding.
//
// This header: a small random generator whose whole state is four words, so that a run can be saved and resumed.
// xoshiro256** (Blackman and Vigna, 2018), seeded through SplitMix64 as its authors recommend.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace quarto {

// A well-mixed function of a seed and a stream number, for giving each game or worker a generator of its own.
constexpr std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t z = seed + (stream + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

// A UniformRandomBitGenerator. The distributions below are ours, because the standard's differ between libraries and
// the same seed must give the same games everywhere.
class Rng {
 public:
  using result_type = std::uint64_t;
  using State = std::array<std::uint64_t, 4>;

  explicit Rng(std::uint64_t seed) {
    for (std::size_t i = 0; i < state_.size(); ++i) state_[i] = mix_seed(seed, i);
  }
  // Throws std::invalid_argument for four zeros: the generator would give nothing but zeros.
  static Rng from_state(const State& state) {
    if (state == State{}) throw std::invalid_argument("the state of a random generator must not be all zeros");
    Rng rng(0);
    rng.state_ = state;
    return rng;
  }
  const State& state() const { return state_; }

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  result_type operator()() {
    const auto rotl = [](std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
    const std::uint64_t result = rotl(state_[1] * 5, 7) * 9, t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }

  // 0 <= result < n, n > 0. Lemire's multiplication without the rejection step: the bias is below n / 2^64.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>((*this)()) * n) >> 64);
  }
  // 0 <= result < 1.
  double uniform() { return static_cast<double>((*this)() >> 11) * 0x1.0p-53; }
  // Standard normal, by Box and Muller's transform; the second value of the pair is dropped to keep the state small.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }
  // Gamma(shape, 1), shape > 0, by Marsaglia and Tsang (2000).
  double gamma(double shape) {
    if (shape < 1.0) return gamma(shape + 1.0) * std::pow(1.0 - uniform(), 1.0 / shape);
    const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
    while (true) {
      const double x = normal(), v = std::pow(1.0 + c * x, 3);
      if (v <= 0.0) continue;
      if (std::log(1.0 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

 private:
  State state_{};
};

}  // namespace quarto
