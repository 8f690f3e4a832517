#include "base/tell.h"

#include <cstdio>

namespace quarto {

void tell_text(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace quarto
