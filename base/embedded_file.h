// A file of the source tree that is part of the program: cmake/embed.cmake writes the functions that return them.
#pragma once

#include <string_view>

namespace quarto {

struct EmbeddedFile {
  std::string_view path, content;  // the path in the source tree
};

}  // namespace quarto
