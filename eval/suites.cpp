#include "eval/suites.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#ifndef QUARTO_SUITES_DIR
#define QUARTO_SUITES_DIR ""
#endif

namespace quarto {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> candidate_folders() {
  std::vector<fs::path> folders;
  if (*QUARTO_SUITES_DIR != '\0') folders.emplace_back(QUARTO_SUITES_DIR);
  std::error_code none;
  const fs::path executable = fs::read_symlink("/proc/self/exe", none);
  if (none) return folders;
  for (fs::path folder = executable.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    folders.push_back(folder / "eval" / "suites");
    folders.push_back(folder / "share" / "quarto" / "suites");
    if (folder == folder.root_path()) break;
  }
  return folders;
}

}  // namespace

std::vector<fs::path> default_suites() {
  std::error_code ignored;
  const std::vector<fs::path> folders = candidate_folders();
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / "decisive.tsv", ignored) && fs::exists(folder / "deep.tsv", ignored)) {
      return {folder / "decisive.tsv", folder / "deep.tsv"};
    }
  }
  throw SuiteError(
      fmt::format("the default suites decisive.tsv and deep.tsv are not in {} nor above the executable: name suite "
                  "files with --suite",
                  folders.empty() ? fs::path("eval/suites").string() : folders.front().string()));
}

std::vector<Suite> read_suites(std::span<const fs::path> files, Rules rules) {
  std::vector<Suite> suites;
  for (const fs::path& file : files) suites.push_back(read_suite(file, rules));
  for (std::size_t i = 0; i < suites.size(); ++i) {
    const auto shared =
        std::count_if(files.begin(), files.end(), [&](const fs::path& f) { return f.stem() == files[i].stem(); });
    suites[i].name = shared > 1 ? files[i].string() : files[i].stem().string();
  }
  return suites;
}

}  // namespace quarto
