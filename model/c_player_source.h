// model/c_player.h.in, one file; the build embeds it.
#pragma once

#include <span>

#include "base/embedded_file.h"

namespace quarto {

std::span<const EmbeddedFile> c_player_source();

}  // namespace quarto
