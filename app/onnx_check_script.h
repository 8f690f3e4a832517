// Where the script is that runs ONNX files in ONNX Runtime.
#pragma once

#include <string>

#include "base/shipped.h"

namespace quarto::app {

// In the source tree; an installation has no such script, and then this is a path that does not exist.
inline std::string onnx_check_script() {
  const char* const file = "scripts/onnx/check.js";
  const auto found = find_shipped(file);
  return found ? found->string() : file;
}

}  // namespace quarto::app
