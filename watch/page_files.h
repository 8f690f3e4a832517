// The dashboard's files (web/dashboard/), embedded when the program is built.
#pragma once

#include <span>

#include "base/embedded_file.h"

namespace quarto::watch {

std::span<const EmbeddedFile> page_files();

}  // namespace quarto::watch
