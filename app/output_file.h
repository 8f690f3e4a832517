// What the options that name a file to write may replace.
#pragma once

#include <string>
#include <string_view>

namespace quarto::app {

enum class FileKind { json, html, games, light, onnx, torchscript, c_header };

// To be called before anything is computed, for what an option such as "--json" names; an empty name is passed over.
// Throws FileError if the file could not be written, and if something stands there that the option would destroy: a
// file of a run or a checkpoint, or one that does not begin as files of that kind do. A file of that kind is replaced.
void require_output(std::string_view option, const std::string& name, FileKind kind);

}  // namespace quarto::app
