#include "app/output_file.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <system_error>

#include "base/file.h"
#include "base/lower.h"
#include "base/manifest.h"
#include "base/text.h"
#include "eval/round_robin.h"
#include "model/checkpoint.h"

namespace quarto::app {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMostRoundRobinBytes = 64U << 20;

struct Form {
  const char* name;
  std::vector<std::string> beginnings;  // in lower case
};
Form form_of(FileKind kind) {
  switch (kind) {
    case FileKind::json:
      return {"JSON", {"{", "["}};
    case FileKind::html:
      return {"a page (HTML)", {"<!doctype html", "<html"}};
    case FileKind::games:
      return {"games that this option wrote", {"# a = "}};
    case FileKind::light:
      return {"a light file", {"quartoln"}};
    case FileKind::onnx:
      return {"an ONNX file", {"\x08"}};  // the field ir_version, a number: the exporter writes it first
    case FileKind::torchscript:
      return {"a TorchScript file", {"pk\x03\x04"}};  // a ZIP archive
    case FileKind::c_header:
      return {"a header that this option wrote", {"/* a quarto player in one header"}};  // model/c_player.h.in
  }
  return {};
}

// True of an empty file.
bool begins_as(const Form& form, const fs::path& file) {
  std::string start(64, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  if (start.empty()) return true;
  start = lower(start.erase(0, start.find_first_not_of(" \t\r\n")));
  return std::any_of(form.beginnings.begin(), form.beginnings.end(),
                     [&](const std::string& beginning) { return start.starts_with(beginning); });
}

// Some of these are JSON, or may begin as ONNX files do.
bool is_of_run_or_checkpoint(const fs::path& file) {
  const std::string name = file.filename().string();
  if (file.extension() == fs::path(kWeightsFile).extension()) return true;
  return name == "metrics.jsonl" || name == "state.json" || name == "config.yaml" || name == "train.log" ||
         name == kManifestFile;
}

}  // namespace

void require_output(std::string_view option, const std::string& name, FileKind kind) {
  if (name.empty()) return;
  const fs::path file = name;
  require_writable(file);
  std::error_code absent;
  if (!fs::is_regular_file(file, absent)) return;  // also /dev/null and pipes
  if (is_of_run_or_checkpoint(file) || is_listed(file)) {
    throw FileError(fmt::format("{}: '{}' is a file of a run or a checkpoint, which would be lost; name another file",
                                option, name));
  }
  if (kind == FileKind::json && fs::file_size(file) <= kMostRoundRobinBytes && is_round_robin(read_text(file))) {
    throw FileError(
        fmt::format("{}: '{}' holds the results of `quartozero rate --out`, so it is not replaced", option, name));
  }
  if (const Form form = form_of(kind); !begins_as(form, file)) {
    throw FileError(
        fmt::format("{}: '{}' exists and is not {}, so it is not replaced; name another file, or remove it first",
                    option, name, form.name));
  }
}

void require_different_files(const std::vector<std::pair<std::string, fs::path>>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto place = [](const fs::path& file) {
        std::error_code nowhere;  // as of /dev/stdout, if that is a pipe
        const fs::path whole = fs::weakly_canonical(fs::absolute(file), nowhere);
        return nowhere ? fs::absolute(file) : whole;
      };
      if (files[i].second.empty() || files[j].second.empty() || place(files[i].second) != place(files[j].second))
        continue;
      throw CLI::ValidationError(fmt::format("{} and {} both name '{}': each needs a file of its own", files[j].first,
                                             files[i].first, files[i].second.string()));
    }
  }
}

}  // namespace quarto::app
