// LibTorch is loaded when it is first needed. Its libraries take a third of a second to initialize (1.13, one core),
// and most commands compute nothing with it.
//
// The sources that include LibTorch are a shared library, libquartozero_torch.so, beside the program or in
// PREFIX/lib/quartozero. It uses the program's own functions. torch_exports.cpp lists those of its functions that the
// program calls; torch_calls.cpp defines them for the program: each loads the library and calls the real one. Tests and
// other programs link the sources of both sides and need neither file.
#pragma once

#include <stdexcept>

namespace quarto::app {

// The library is missing, cannot be loaded, or was built from other sources than the program.
class TorchLibraryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The address of a symbol of the library. Throws TorchLibraryError. Thread-safe.
void* torch_symbol(const char* name);

// Loads the library, for a program that starts others which need it. Throws TorchLibraryError.
inline void require_torch_library() { torch_symbol("quartozero_torch_make_learner"); }

template <class Function>
Function torch_function(const char* name) {
  return *static_cast<const Function*>(torch_symbol(name));
}

}  // namespace quarto::app

// In the library, in the function's namespace: its address, under a name that can be looked up.
#define QUARTOZERO_TORCH_EXPORT(function)                            \
  extern "C" {                                                       \
  extern const decltype(&function) quartozero_torch_##function;      \
  const decltype(&function) quartozero_torch_##function = &function; \
  }
// In the program: that address.
#define QUARTOZERO_TORCH_FUNCTION(function) \
  ::quarto::app::torch_function<decltype(&function)>("quartozero_torch_" #function)
