#include "light/weights.h"

#include <fmt/format.h>

#include <fstream>

#include "base/file.h"
#include "base/manifest.h"
#include "base/nearest.h"
#include "base/shipped.h"
#include "light/network_file.h"

namespace quarto {
namespace fs = std::filesystem;
namespace {

// What is there, or else comes with the program.
fs::path place_of(const fs::path& named) {
  const fs::path path = or_shipped(named);
  if (named.empty() || named.has_parent_path() || fs::exists(path)) return path;
  const fs::path shipped = or_shipped("checkpoints" / named);
  return fs::exists(shipped) ? shipped : path;
}

fs::path light_file(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  const fs::path file = path / kLightFile;
  if (fs::exists(file)) return file;
  throw FileError(
      fmt::format("{0}: there is no {1} in this folder; this program reads no other form of a network. A checkpoint "
                  "gets one by: quartozero export {0} --light {2}",
                  path.string(), kLightFile, file.string()));
}

// " (did you mean 'runs/night/best'?)", of the folders beside it, or nothing.
std::string meant(const fs::path& path) {
  std::vector<std::string> names;
  std::error_code none;
  const fs::path parent = path.has_parent_path() ? path.parent_path() : ".";
  for (const auto& entry : fs::directory_iterator(parent, none)) names.push_back(entry.path().filename().string());
  const std::string name = nearest(path.filename().string(), names);
  return did_you_mean(name.empty() ? "" : (path.parent_path() / name).string());
}

fs::path checkpoint_file(const fs::path& path) {
  const bool folder = fs::is_directory(path);
  for (const fs::path& file : {folder ? path / kWeightsFile : path, path / "best" / kWeightsFile}) {
    if (fs::is_regular_file(file)) return file;
    if (!folder) break;
  }
  throw CheckpointError(
      fmt::format("no checkpoint at '{}'{}: expected a directory with {} or a .safetensors file; "
                  "`quartozero train` makes one, and checkpoints/zero is shipped",
                  path.string(), fs::exists(path) ? "" : meant(path), kWeightsFile));
}

Weights torchscript(const std::string& named, std::optional<Weights::Kind> kind) {
  if (kind == Weights::Kind::light)
    throw CheckpointError(
        fmt::format("{}: only light files play here; the program quartozero plays {}FILE", named, kTorchScript));
  if (kind)
    throw CheckpointError(fmt::format("{}: such a file only plays; what is needed here is a checkpoint", named));
  const fs::path file = named.substr(kTorchScript.size());
  if (!fs::is_regular_file(file)) throw CheckpointError(fmt::format("{}: there is no such file", named));
  return {file, Weights::Kind::torchscript};
}

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
  const std::string script = fmt::format("play as {}{}, if you trust it: it is a program", kTorchScript, file.string());
  if (light::is_network_file(file)) refuse("a light file", fmt::format("play as light:{}", file.string()));
  if (head.starts_with("PK\3\4")) refuse("a TorchScript or PyTorch file", script);
  // Its first field is the version, the second the producer.
  const bool our_onnx = head.starts_with('\b') && head.find("quartozero") == 4;
  if (our_onnx || file.extension() == ".onnx") refuse("an ONNX file", play);
  if (file.filename() == kWeightsFile) throw CheckpointError(fmt::format("{}: damaged: no header", file.string()));
  throw CheckpointError(
      fmt::format("{}: not a checkpoint: expected a directory with {}, or that file", file.string(), kWeightsFile));
}

}  // namespace

std::string Weights::name() const {
  return kind == Kind::torchscript ? std::string(kTorchScript) + file.string() : file.string();
}

std::string Weights::read() const {
  try {
    if (kind == Kind::checkpoint) return read_checked_file(file);
    if (kind == Kind::light) require_as_listed(file);
  } catch (const ManifestError& e) {
    if (kind == Kind::light) throw light::NetworkFileError(e.what());
    throw CheckpointError(e.what());
  } catch (const FileError& e) {
    if (kind == Kind::light) throw;
    throw CheckpointError(e.what());
  }
  return read_file(file);
}

Weights find_weights(const fs::path& named, std::optional<Weights::Kind> kind) {
  if (const std::string text = named.string(); text.starts_with(kTorchScript)) return torchscript(text, kind);
  const fs::path path = place_of(named);
  if (kind == Weights::Kind::light) return {light_file(path), Weights::Kind::light};
  const fs::path file = checkpoint_file(path);
  if (!kind && light::is_network_file(file)) return {file, Weights::Kind::light};
  require_safetensors(file);
  return {file, Weights::Kind::checkpoint};
}

}  // namespace quarto
