#include "app/torch_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

#include "gpu/cuda.h"
#include "interface.h"

namespace quarto::app {
namespace {

constexpr const char* kName = "libquartozero_torch.so";

// It stays loaded until the process ends.
void* load() {
  // Found by the program's run path. Its symbols are its own: LibTorch exports parts of other libraries.
  void* library = dlopen(kName, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = dlerror();
    throw TorchLibraryError(fmt::format(
        "LibTorch cannot be used: {}: {}; it belongs beside the program, or where `cmake --install` and the "
        "package put it",
        kName, why ? why : "not found"));
  }
  const auto* built_with = static_cast<const char* const*>(dlsym(library, "quartozero_torch_interface"));
  if (!built_with || std::string_view(*built_with) != QUARTOZERO_INTERFACE) {
    throw TorchLibraryError(fmt::format(
        "LibTorch cannot be used: {} and this program are of different builds; build or install both again", kName));
  }
  if (void* open = dlsym(library, "quartozero_torch_open")) {
    gpu::open_libraries_with(reinterpret_cast<gpu::Opener>(open));
  }
  return library;
}

}  // namespace

void* torch_symbol(const char* name) {
  static void* const library = load();
  void* symbol = dlsym(library, name);
  if (!symbol) throw TorchLibraryError(fmt::format("LibTorch cannot be used: {} has no '{}'", kName, name));
  return symbol;
}

}  // namespace quarto::app
