#include "base/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace quarto {
namespace fs = std::filesystem;

std::vector<std::string> program_arguments(int argc, char** argv) { return {argv + std::min(argc, 1), argv + argc}; }

std::vector<fs::path> program_folders() {
  constexpr int kLevels = 3;
  std::vector<fs::path> folders;
  std::error_code none;
  fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path();
  for (int level = 0; level < kLevels && folder != folder.root_path(); ++level, folder = folder.parent_path()) {
    const fs::perms who = fs::status(folder, none).permissions();
    if ((who & fs::perms::others_write) == fs::perms::none) folders.push_back(folder);
  }
  return folders;
}

void prepare_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    if (::open("/dev/null", O_RDONLY) < 0) return;  // the lowest free number, which is this one
  }
}

}  // namespace quarto
