#include "app/torch_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "gpu/cuda.h"
#include "interface.h"

namespace quarto::app {
namespace fs = std::filesystem;
namespace {

constexpr const char* kName = "libquartozero_torch.so";

// Beside the program, or where an installation has it.
fs::path library_file() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path installed = folder / QUARTOZERO_LIBRARY_FROM_PROGRAM / kName;
  for (const fs::path& file : {folder / kName, installed}) {
    if (fs::exists(file)) return file;
  }
  throw TorchLibraryError(fmt::format(
      "LibTorch cannot be used: there is no {} beside the program, in {}, and none in {}; build or install it again",
      kName, folder.string(), installed.parent_path().lexically_normal().string()));
}

// It stays loaded until the process ends. By its whole path: other folders, the current one among them, are not
// searched. Its symbols are its own: LibTorch exports parts of other libraries.
void* load() {
  const std::string file = library_file().string();
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = dlerror();
    throw TorchLibraryError(fmt::format("LibTorch cannot be used: {}", why ? why : file + " cannot be loaded"));
  }
  const auto* built_with = static_cast<const char* const*>(dlsym(library, "quartozero_torch_interface"));
  if (!built_with || std::string_view(*built_with) != QUARTOZERO_INTERFACE) {
    throw TorchLibraryError(
        fmt::format("LibTorch cannot be used: {} was built from other sources than this program; build or install both "
                    "again",
                    file));
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
