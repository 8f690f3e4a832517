#include "app/torch_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
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
  throw TorchLibraryError(
      fmt::format("there is no {}, through which LibTorch is used, in {} or in {}: copy it along with the program, or "
                  "build or install both again",
                  kName, folder.string(), installed.parent_path().lexically_normal().string()));
}

// The system ends a program that loads a file which is cut short.
void require_whole(const std::string& file) {
  Elf64_Ehdr header{};
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  const bool elf64 = in && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
  const std::uint64_t end = header.e_shoff + std::uint64_t{header.e_shnum} * header.e_shentsize;
  if (elf64 && fs::file_size(file) < end)
    throw TorchLibraryError(fmt::format("{} is cut short: copy, build or install it again", file));
}

// It stays loaded until the process ends. By its whole path: other folders, the current one among them, are not
// searched. Its symbols are its own: LibTorch exports parts of other libraries.
void* load() {
  const std::string file = library_file().string();
  require_whole(file);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* why = dlerror();
    throw TorchLibraryError(fmt::format("LibTorch cannot be loaded: {}", why ? why : file));
  }
  const auto* built_with = static_cast<const char* const*>(dlsym(library, "quartozero_torch_interface"));
  if (!built_with || std::string_view(*built_with) != QUARTOZERO_INTERFACE) {
    throw TorchLibraryError(
        fmt::format("{} was built from other sources than this program: copy, build or install both together", file));
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
  if (!symbol) throw TorchLibraryError(fmt::format("{} has no '{}'", kName, name));
  return symbol;
}

}  // namespace quarto::app
