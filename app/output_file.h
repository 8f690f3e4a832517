// What the options that name a file to write may replace.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json_library.h"

namespace quarto::app {

enum class FileKind { json, html, games, light, onnx, torchscript, c_header };

// To be called before anything is computed, for what an option such as "--json" names; an empty name is passed over.
// Throws FileError if the file could not be written, and if something stands there that the option would destroy: a
// file of a run or a checkpoint, or one that does not begin as files of that kind do. A file of that kind is replaced.
void require_output(std::string_view option, const std::string& name, FileKind kind);

// For options of one command and the files that they name. Throws CLI::ValidationError if two name the same file; empty
// names are passed over.
void require_different_files(const std::vector<std::pair<std::string, std::filesystem::path>>& files);

// Results as JSON: with one level of indentation a line, or in one line on standard output. The first throws FileError.
template <class Json>
void write_json(const std::filesystem::path& file, const Json& json) {
  std::fflush(stdout);  // the file may be standard output
  write_file_atomic(file, json_text(json, 1) + "\n");
}
template <class Json>
void print_json(const Json& json) {
  fmt::print("{}\n", json_text(json));
}

}  // namespace quarto::app
