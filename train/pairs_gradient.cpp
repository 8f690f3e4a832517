#include "train/pairs_gradient.h"

#include <cmath>
#include <thread>
#include <vector>

#include "light/softmax.h"

namespace quarto {
namespace {

// Cross entropy of the softmax over `moves` with shares, and its derivative by the logits, times `weight`.
double cross_entropy(std::span<const float> logits, Mask moves, std::span<const float> shares, bool any, float weight,
                     std::span<float> d) {
  std::array<float, kMoves> p;
  masked_softmax(logits, moves, p);
  const auto at = [](int m) { return static_cast<std::size_t>(m); };
  // log p from the logits themselves: a probability may round to zero.
  float highest = -INFINITY, right = 0;
  for (const int m : BitsOf(moves)) highest = std::max(highest, logits[at(m)]);
  double all = 0, good = 0, loss = 0;
  for (const int m : BitsOf(moves)) {
    const double e = std::exp(static_cast<double>(logits[at(m)] - highest));
    all += e;
    if (shares[at(m)] > 0) {
      good += e;
      right += p[at(m)];
    }
  }
  if (any) {
    loss = std::log(all) - std::log(std::max(good, 1e-300));
    for (const int m : BitsOf(moves)) {
      d[at(m)] = weight * (p[at(m)] - (shares[at(m)] > 0 ? p[at(m)] / std::max(right, 1e-30F) : 0.0F));
    }
    return loss;
  }
  const double log_all = std::log(all);
  for (const int m : BitsOf(moves)) {
    loss -= shares[at(m)] * (static_cast<double>(logits[at(m)] - highest) - log_all);
    d[at(m)] = weight * (p[at(m)] - shares[at(m)]);
  }
  return loss;
}

}  // namespace

struct PairsGradient::Part {
  std::span<const Target> targets;
  Sums sums;
  std::exception_ptr failure;

  void run(const light::PairsKernel& kernel, bool any, float weight, light::Floats& gradient) {
    try {
      const auto workspace = kernel.new_workspace();
      for (const Target& t : targets) {
        const light::PairsOutput out = kernel.forward(t.position, *workspace);
        light::PairsOutput d{};
        const double policy = cross_entropy(out.policy, t.position.legal_moves(), t.policy, any, weight, d.policy);
        (t.position.has_hand() ? sums.place : sums.give) += policy;
        sums.places += t.position.has_hand();
        sums.outcome += cross_entropy(out.outcome, 0b111, t.outcome, false, weight, d.outcome);
        kernel.backward(d, *workspace, gradient);
      }
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

bool PairsGradient::supports(const PairsNetwork& network) {
  return light::PairsKernel::supports(pairs_shape(network.config()));
}

PairsGradient::PairsGradient(PairsNetwork& network, int threads) : network_(network), threads_(threads) {
  gradients_.resize(static_cast<std::size_t>(threads));
}

PairsGradient::Sums PairsGradient::compute(std::span<const Target> targets, bool any) {
  const auto kernel = network_.make_kernel();
  const auto size = static_cast<std::size_t>(network_.layout().size);
  const std::size_t n = targets.size(), parts_count = gradients_.size();
  const float weight = 1.0F / static_cast<float>(n);
  std::vector<Part> parts(parts_count);
  std::vector<std::thread> others;
  for (std::size_t i = 0; i < parts_count; ++i) {
    const std::size_t begin = n * i / parts_count, end = n * (i + 1) / parts_count;
    parts[i].targets = targets.subspan(begin, end - begin);
    gradients_[i].assign(size, 0.0F);
    if (i > 0) others.emplace_back([&, i] { parts[i].run(*kernel, any, weight, gradients_[i]); });
  }
  parts[0].run(*kernel, any, weight, gradients_[0]);
  for (std::thread& t : others) t.join();
  Sums sums;
  for (std::size_t i = 0; i < parts_count; ++i) {
    if (parts[i].failure) std::rethrow_exception(parts[i].failure);
    sums.place += parts[i].sums.place;
    sums.give += parts[i].sums.give;
    sums.outcome += parts[i].sums.outcome;
    sums.places += parts[i].sums.places;
    if (i == 0) continue;
    for (std::size_t k = 0; k < size; ++k) gradients_[0][k] += gradients_[i][k];
  }
  network_.set_gradients(gradients_[0]);
  return sums;
}

}  // namespace quarto
