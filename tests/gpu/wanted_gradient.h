// The gradient that PairsKernel computes, in the place of a GPU's.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "base/random.h"
#include "env/notation.h"
#include "gpu/arguments.h"
#include "gpu/pairs_gradient.h"
#include "light/floats.h"
#include "light/pairs_kernel.h"

namespace quarto::gpu {

// Targets of every kind: of all moves, of one, and of none.
inline std::vector<Sample> some_samples(std::span<const Position> positions, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Sample> samples;
  for (const Position& p : positions) {
    Sample sample{board_of(p), {}, {}};
    const std::uint64_t kind = rng.below(4);
    const auto fill = [&](auto& shares, unsigned moves) {
      float sum = 0;
      for (unsigned rest = moves; rest; rest &= rest - 1) {
        const float x = kind == 1 && sum > 0 ? 0.0F : static_cast<float>(rng.below(1000) + 1);
        sum += shares[lowest(rest)] = x;
      }
      for (float& x : shares) x /= sum;
    };
    if (kind != 0) fill(sample.policy, p.legal_moves());
    if (kind != 2) fill(sample.outcome, 7);
    samples.push_back(sample);
  }
  return samples;
}

struct Wanted {
  light::Floats gradient;
  std::array<double, kFigures> figures{};
};

inline Wanted wanted_gradient(const light::PairsShape& shape, std::span<const float> weights,
                              std::span<const Position> positions, std::span<const Sample> samples, const Loss& loss) {
  Wanted wanted;
  wanted.gradient.resize(weights.size());
  const auto kernel = light::PairsKernel::make(shape, weights);
  const auto workspace = kernel->new_workspace();
  const auto head = [&](auto logits, unsigned moves, const auto& shares, bool any, auto d) {
    double all = 0, right = 0, asked = 0, nats = 0;
    for (unsigned rest = moves; rest; rest &= rest - 1) {
      const int m = lowest(rest);
      all += std::exp(static_cast<double>(logits[m]));
      asked += static_cast<double>(shares[m]);
      if (shares[m] > 0) right += std::exp(static_cast<double>(logits[m]));
    }
    if (asked == 0) return 0.0;
    if (any) nats = -std::log(right / all);
    for (unsigned rest = moves; rest; rest &= rest - 1) {
      const int m = lowest(rest);
      const double x = static_cast<double>(logits[m]), p = std::exp(x) / all, share = static_cast<double>(shares[m]);
      if (!any) nats -= share * std::log(p);
      const double target = !any ? share : share > 0 ? std::exp(x) / right : 0;
      d[m] = loss.weight *
             static_cast<float>(p - target + 2.0 * static_cast<double>(loss.logit_penalty) * x / count_of(moves));
    }
    return nats;
  };
  const auto has = [](const auto& shares) { return std::ranges::any_of(shares, [](float x) { return x > 0; }); };
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Position& p = positions[i];
    const light::PairsOutput out = kernel->forward(p, *workspace);
    light::PairsOutput d{};
    const std::size_t phase = p.has_hand() ? 0 : 1;
    wanted.figures[phase] +=
        head(out.policy.data(), p.legal_moves(), samples[i].policy, loss.any != 0, d.policy.data());
    wanted.figures[2] += head(out.outcome.data(), 7, samples[i].outcome, false, d.outcome.data());
    wanted.figures[3 + phase] += has(samples[i].policy);
    wanted.figures[5] += has(samples[i].outcome);
    kernel->backward(d, *workspace, wanted.gradient);
  }
  return wanted;
}

// Every array of weights is compared on the scale of its largest number.
inline void expect_gradient(std::span<const float> found, const Wanted& wanted, const light::PairsShape& shape) {
  for (const auto& e : light::PairsLayout(shape).entries) {
    const auto at = static_cast<std::size_t>(e.offset), size = static_cast<std::size_t>(e.rows * e.cols);
    float largest = 1e-6F;
    for (std::size_t i = 0; i < size; ++i) largest = std::max(largest, std::abs(wanted.gradient[at + i]));
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_NEAR(found[at + i], wanted.gradient[at + i], 1e-3F * largest) << e.name << " " << i;
  }
  for (std::size_t i = 0; i < kFigures; ++i) {
    EXPECT_NEAR(static_cast<double>(found[wanted.gradient.size() + i]), wanted.figures[i],
                1e-4 * std::max(1.0, wanted.figures[i]))
        << "figure " << i;
  }
}

}  // namespace quarto::gpu
