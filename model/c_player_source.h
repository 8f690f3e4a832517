// model/c_player.h.in as text; the build embeds it.
#pragma once

namespace quarto {

extern const char* const kCPlayerSource;

}  // namespace quarto
