// What the options that name a file to write may replace.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// Results as JSON: with one level of indentation a line, or in one line on standard output. Names of files in them may
// be any bytes; what is not UTF-8 becomes U+FFFD. The first throws FileError.
void write_json(const std::filesystem::path& file, const nlohmann::json& json);
void write_json(const std::filesystem::path& file, const nlohmann::ordered_json& json);  // in the order of its keys
void print_json(const nlohmann::json& json);
void print_json(const nlohmann::ordered_json& json);

}  // namespace quarto::app
