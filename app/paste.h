// Commands in messages that can be pasted into a shell.
#pragma once

#include <string>
#include <string_view>

namespace quarto::app {

// The word as a POSIX shell reads it back: in single quotes where it has characters with a meaning.
std::string shell_word(std::string_view word);

// This program as the user called it, e.g. "build/quartozero", as a shell word.
std::string this_program();

}  // namespace quarto::app
