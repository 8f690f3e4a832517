#include "model/checkpoint.h"

#include <fmt/format.h>

#include <fstream>

#include "base/file.h"
#include "base/manifest.h"
#include "base/shipped.h"
#include "light/network_file.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

// Throws if the file is not a safetensors file, with its kind if `quartozero export` writes such files. Its content
// decides, not its name, except for ONNX files of other programs, which have no magic number.
void require_safetensors(const fs::path& file) {
  constexpr std::size_t kStart = 8;  // of the header's text, after its length
  std::string head(2 * kStart, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(in.gcount()));
  if (head.size() <= kStart || head[kStart] == '{') return;  // what else may be wrong, the parser says
  const auto refuse = [&](const std::string& kind, const std::string& instead) {
    throw CheckpointError(
        fmt::format("{}: this is {}, not a checkpoint: give the checkpoint that it was exported from (a directory with "
                    "{}), or {}",
                    file.string(), kind, kWeightsFile, instead));
  };
  const std::string play = "export that with --light FILE and play as light:FILE";
  if (light::is_network_file(file)) {
    refuse("a file of the light engine", fmt::format("play as light:{}", file.string()));
  }
  if (head.starts_with("PK\3\4")) refuse("a TorchScript or PyTorch file", play);
  // Its first field is the version, the second the producer.
  const bool our_onnx = head.starts_with('\b') && head.find("quartozero") == 4;
  if (our_onnx || file.extension() == ".onnx") refuse("an ONNX file", play);
  if (file.filename() == kWeightsFile) throw CheckpointError(fmt::format("{}: damaged: no header", file.string()));
  throw CheckpointError(
      fmt::format("{}: not a checkpoint: expected a directory with {}, or that file", file.string(), kWeightsFile));
}

}  // namespace

fs::path weights_file(const fs::path& named) {
  const fs::path checkpoint = or_shipped(named);
  const bool directory = fs::is_directory(checkpoint);
  const fs::path file = directory ? checkpoint / kWeightsFile : checkpoint;
  // A run's directory stands for its best weights.
  if (const fs::path best = checkpoint / "best" / kWeightsFile;
      directory && !fs::is_regular_file(file) && fs::is_regular_file(best)) {
    return best;
  }
  if (!fs::is_regular_file(file)) {
    throw CheckpointError(
        fmt::format("no checkpoint at '{}': expected a directory with {} or a .safetensors file; "
                    "`quartozero train` makes one, and checkpoints/zero is shipped",
                    checkpoint.string(), kWeightsFile));
  }
  return file;
}

StoredWeights read_weights(const fs::path& checkpoint) {
  const fs::path file = weights_file(checkpoint);
  require_safetensors(file);
  std::string bytes;
  try {
    bytes = read_checked_file(file);
  } catch (const std::exception& e) {
    throw CheckpointError(e.what());
  }
  return parse_weights(std::move(bytes), file.string());
}

WeightsInfo read_weights_info(const fs::path& checkpoint) { return read_weights(checkpoint).info; }

}  // namespace quarto
