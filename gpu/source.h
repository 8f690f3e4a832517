// The text of the kernels, for the compiler at run time: gpu/CMakeLists.txt writes source.cpp from the files
// themselves.
#pragma once

#include <array>

namespace quarto::gpu {

struct EmbeddedFile {
  const char *name, *text;
};
// kernel.cu first, then what it includes.
extern const std::array<EmbeddedFile, 4> kSource;

}  // namespace quarto::gpu
