// light: the default network without LibTorch: CPU kernels, in floats with gradient and in integers, and its file format
// Uses: base, env.
// Promises: The outputs equal LibTorch's up to rounding. An evaluation depends on the position alone.
//
// This header: arrays of floats, aligned for vector instructions.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace quarto::light {

inline constexpr int kLane = 16;  // floats in a vector (light/vectors.h)

// Rounds up to a multiple of kLane.
constexpr int padded(int floats) { return (floats + kLane - 1) / kLane * kLane; }

template <class T>
struct Aligned {
  using value_type = T;
  Aligned() = default;
  template <class U>
  Aligned(const Aligned<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
  template <class U>
  bool operator==(const Aligned<U>&) const {
    return true;
  }
};
using Floats = std::vector<float, Aligned<float>>;

}  // namespace quarto::light
