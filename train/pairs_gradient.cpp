#include "train/pairs_gradient.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "selfplay/crew.h"

namespace quarto {
namespace {

// The cross entropy of the softmax over `moves` with the shares, and the derivative of it and of the penalty with
// respect to the logits, times `weight`. If all shares are zero, both are zero.
double cross_entropy(std::span<const float> logits, Mask moves, std::span<const float> shares, bool any,
                     double logit_penalty, float weight, std::span<float> d) {
  const auto at = [](int m) { return static_cast<std::size_t>(m); };
  float highest = -std::numeric_limits<float>::infinity();
  for (const int m : BitsOf(moves)) {
    if (!std::isfinite(logits[at(m)])) throw std::runtime_error("the network's output is not a finite number");
    highest = std::max(highest, logits[at(m)]);
  }
  std::array<double, kMoves> e{};
  double all = 0, right = 0;  // sums of exponentials: of all moves, and of the moves with a share
  for (const int m : BitsOf(moves)) {
    e[at(m)] = std::exp(static_cast<double>(logits[at(m)]) - highest);
    all += e[at(m)];
    if (shares[at(m)] > 0) right += e[at(m)];
  }
  double loss = 0, asked = 0;
  for (const int m : BitsOf(moves)) asked += static_cast<double>(shares[at(m)]);
  if (asked == 0) return 0;
  const double pull = 2 * logit_penalty / std::popcount(moves);
  if (any && right > 0) loss = std::log(all) - std::log(right);
  for (const int m : BitsOf(moves)) {
    const double wanted = any && right > 0 ? (shares[at(m)] > 0 ? e[at(m)] / right : 0.0) : shares[at(m)];
    if (!any || right == 0) loss -= shares[at(m)] * (static_cast<double>(logits[at(m)]) - highest - std::log(all));
    d[at(m)] = weight * static_cast<float>(e[at(m)] / all - wanted + pull * static_cast<double>(logits[at(m)]));
  }
  return loss;
}

}  // namespace

struct PairsGradient::Part {
  std::span<const Target> targets;
  Sums sums;
  std::exception_ptr failure;

  void run(const light::PairsKernel& kernel, bool any, double logit_penalty, float weight, light::Floats& gradient) {
    try {
      const auto workspace = kernel.new_workspace();
      for (const Target& t : targets) {
        const light::PairsOutput out = kernel.forward(t.position, *workspace);
        light::PairsOutput d{};
        const double policy =
            cross_entropy(out.policy, t.position.legal_moves(), t.policy, any, logit_penalty, weight, d.policy);
        const auto asks = [](float share) { return share > 0; };
        const bool asked = std::any_of(t.policy.begin(), t.policy.end(), asks);
        (t.position.has_hand() ? sums.place : sums.give) += policy;
        (t.position.has_hand() ? sums.places : sums.gives) += asked;
        sums.outcomes += std::any_of(t.outcome.begin(), t.outcome.end(), asks);
        sums.outcome += cross_entropy(out.outcome, 0b111, t.outcome, false, logit_penalty, weight, d.outcome);
        kernel.backward(d, *workspace, gradient);
      }
    } catch (...) {
      failure = std::current_exception();
    }
  }
};

PairsGradient::PairsGradient(PairsNetwork& network, int threads) : network_(network) {
  gradients_.resize(static_cast<std::size_t>(threads));
}

PairsGradient::Sums PairsGradient::compute(std::span<const Target> targets, bool any, double logit_penalty) {
  const auto kernel = network_.make_kernel();
  const auto size = static_cast<std::size_t>(network_.layout().size);
  const std::size_t n = targets.size(), parts_count = gradients_.size();
  const float weight = 1.0F / static_cast<float>(n);
  std::vector<Part> parts(parts_count);
  std::vector<std::jthread> others;  // jthread: joins those already started if starting one fails
  for (std::size_t i = 0; i < parts_count; ++i) {
    const std::size_t begin = n * i / parts_count, end = n * (i + 1) / parts_count;
    parts[i].targets = targets.subspan(begin, end - begin);
    gradients_[i].assign(size, 0.0F);
    if (i == 0) continue;
    try {
      others.emplace_back([&, i] { parts[i].run(*kernel, any, logit_penalty, weight, gradients_[i]); });
    } catch (const std::system_error& e) {
      throw ThreadError(i, static_cast<int>(parts_count), e);
    }
  }
  parts[0].run(*kernel, any, logit_penalty, weight, gradients_[0]);
  others.clear();
  Sums sums;
  for (std::size_t i = 0; i < parts_count; ++i) {
    if (parts[i].failure) std::rethrow_exception(parts[i].failure);
    sums.place += parts[i].sums.place;
    sums.give += parts[i].sums.give;
    sums.outcome += parts[i].sums.outcome;
    sums.places += parts[i].sums.places;
    sums.gives += parts[i].sums.gives;
    sums.outcomes += parts[i].sums.outcomes;
    if (i == 0) continue;
    for (std::size_t k = 0; k < size; ++k) gradients_[0][k] += gradients_[i][k];
  }
  network_.set_gradients(gradients_[0]);
  return sums;
}

}  // namespace quarto
