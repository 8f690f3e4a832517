// What base/ asks the system, on Windows: as much as quartozero-engine needs, which writes no files.
#include <fcntl.h>
#include <io.h>
#include <windows.h>
// After windows.h.
#include <shellapi.h>

#include <cstdio>
#include <new>

#include "base/memory.h"
#include "base/program.h"

namespace quarto {
namespace fs = std::filesystem;

std::optional<Memory> system_memory() {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof status;
  if (!GlobalMemoryStatusEx(&status)) return std::nullopt;
  return Memory{status.ullTotalPhys, status.ullAvailPhys};
}

ZeroPages::ZeroPages(std::size_t bytes, bool /*large_pages*/)
    : bytes_(bytes), data_(VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE)) {
  if (data_ == nullptr) throw std::bad_alloc();
}
ZeroPages::~ZeroPages() { VirtualFree(data_, 0, MEM_RELEASE); }

// What main() gets has no characters but those of the system's code page.
std::vector<std::string> program_arguments(int /*argc*/, char** /*argv*/) {
  int count = 0;
  wchar_t** const words = CommandLineToArgvW(GetCommandLineW(), &count);
  if (words == nullptr) throw std::bad_alloc();
  std::vector<std::string> arguments;
  for (int i = 1; i < count; ++i) arguments.push_back(fs::path(words[i]).string());
  LocalFree(words);
  return arguments;
}

std::vector<fs::path> program_folders() {
  std::wstring name(MAX_PATH, L'\0');
  for (;;) {
    const DWORD length = GetModuleFileNameW(nullptr, name.data(), static_cast<DWORD>(name.size()));
    if (length == 0) return {};
    if (length < name.size()) return {fs::path(name.substr(0, length)).parent_path()};
    name.resize(2 * name.size());
  }
}

void prepare_standard_streams() {
  _setmode(_fileno(stdin), _O_BINARY);
  _setmode(_fileno(stdout), _O_BINARY);
}

}  // namespace quarto
