#include "serve/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/checksum.h"
#include "base/file.h"

namespace quarto::serve {
namespace {

std::string type_of(const std::filesystem::path& file) {
  static const std::map<std::string, std::string> types = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".webmanifest", "application/manifest+json"},
      {".txt", "text/plain; charset=utf-8"},
      {".md", "text/plain; charset=utf-8"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".wasm", "application/wasm"},  // browsers compile it while it downloads only with this type
  };
  const auto it = types.find(file.extension().string());
  return it == types.end() ? "application/octet-stream" : it->second;
}

bool hidden(const std::filesystem::path& relative) {
  return std::any_of(relative.begin(), relative.end(),
                     [](const std::filesystem::path& part) { return part.string().starts_with("."); });
}

}  // namespace

Site::Site(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::recursive_directory_iterator files(folder, error);
  if (error) throw FileError(fmt::format("{}: cannot be read as a folder: {}", folder.string(), error.message()));
  const std::filesystem::path root = std::filesystem::canonical(folder);
  std::size_t bytes = 0;
  for (const auto& entry : files) {
    const std::filesystem::path relative = entry.path().lexically_relative(folder);
    if (!entry.is_regular_file() || hidden(relative)) continue;
    // What a link leads to would be offered to everybody.
    const std::filesystem::path real = std::filesystem::canonical(entry.path()).lexically_relative(root);
    if (real.empty() || *real.begin() == "..")
      throw std::runtime_error(fmt::format("{}: a link that leads out of {}", entry.path().string(), folder.string()));
    bytes += entry.file_size();
    if (files_.size() >= kMostFiles || bytes > kMostBytes) {
      throw std::runtime_error(fmt::format("{}: more than {} files or {} MiB: is this the page's folder?",
                                           folder.string(), kMostFiles, kMostBytes >> 20));
    }
    File file{read_file(entry.path()), type_of(relative), ""};
    file.tag = fmt::format("\"{:x}-{:08x}\"", file.content.size(), crc32c(file.content));
    files_["/" + relative.generic_string()] = std::move(file);
  }
}

const Site::File* Site::find(const std::string& path) const {
  const auto it = files_.find(path.ends_with('/') ? path + "index.html" : path);
  return it == files_.end() ? nullptr : &it->second;
}

}  // namespace quarto::serve
