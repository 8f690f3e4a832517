// The text of the kernels, for the compiler at run time: gpu/CMakeLists.txt embeds the files themselves.
#pragma once

#include <span>

#include "base/embedded_file.h"

namespace quarto::gpu {

// The kernels, and the headers that they include.
std::span<const EmbeddedFile> source();

}  // namespace quarto::gpu
