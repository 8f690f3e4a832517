// The state of a LibTorch optimizer for one weight tensor, as named tensors that can be saved with the others.
#pragma once

#include <torch/torch.h>

#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace quarto {

namespace detail {

// The key of the optimizer's state differs between releases: the address of the tensor, as text or as a pointer.
template <class States>
typename States::key_type state_key(const States&, const torch::Tensor& weight) {
  if constexpr (std::is_same_v<typename States::key_type, std::string>) {
    std::ostringstream address;
    address << weight.unsafeGetTensorImpl();
    return address.str();
  } else {
    return weight.unsafeGetTensorImpl();
  }
}

}  // namespace detail

// Empty before the first step.
inline std::map<std::string, torch::Tensor> optimizer_state(torch::optim::Optimizer& optimizer,
                                                            const torch::Tensor& weight) {
  auto& states = optimizer.state();
  const auto at = states.find(detail::state_key(states, weight));
  if (at == states.end()) return {};
  if (const auto* adam = dynamic_cast<torch::optim::AdamWParamState*>(at->second.get())) {
    return {{"step", torch::full({1}, adam->step(), torch::kInt64)},
            {"mean", adam->exp_avg()},
            {"variance", adam->exp_avg_sq()}};
  }
  if (const auto* sgd = dynamic_cast<torch::optim::SGDParamState*>(at->second.get())) {
    if (sgd->momentum_buffer().defined()) return {{"momentum", sgd->momentum_buffer()}};
  }
  return {};
}

// Restores the result of optimizer_state(). An empty map leaves the optimizer unchanged.
inline void set_optimizer_state(torch::optim::Optimizer& optimizer, const torch::Tensor& weight,
                                const std::map<std::string, torch::Tensor>& tensors) {
  auto& states = optimizer.state();
  if (tensors.empty()) return;
  if (tensors.contains("momentum")) {
    auto state = std::make_unique<torch::optim::SGDParamState>();
    state->momentum_buffer(tensors.at("momentum").clone());
    states[detail::state_key(states, weight)] = std::move(state);
    return;
  }
  for (const char* part : {"step", "mean", "variance"}) {
    if (!tensors.contains(part)) throw std::runtime_error(std::string("the optimizer's '") + part + "' is missing");
  }
  auto state = std::make_unique<torch::optim::AdamWParamState>();
  state->step(tensors.at("step").to(torch::kCPU).item<std::int64_t>());
  state->exp_avg(tensors.at("mean").clone());
  state->exp_avg_sq(tensors.at("variance").clone());
  states[detail::state_key(states, weight)] = std::move(state);
}

}  // namespace quarto
