// The dashboard's files (web/dashboard/), embedded when the program is built.
#pragma once

#include <span>
#include <string_view>

namespace quarto::watch {

struct EmbeddedFile {
  std::string_view path, content;  // the path in the source tree
};
std::span<const EmbeddedFile> page_files();

}  // namespace quarto::watch
