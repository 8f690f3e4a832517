#include "light/load.h"

#include "base/file.h"
#include "base/manifest.h"
#include "base/shipped.h"
#include "light/evaluator.h"

namespace quarto {

std::filesystem::path light_network_file(const std::filesystem::path& named) {
  const std::filesystem::path path = or_shipped(named);
  const bool folder = std::filesystem::is_directory(path);
  const std::filesystem::path file = folder ? path / "model.light" : path;
  if (folder && !std::filesystem::exists(file)) {
    throw FileError(path.string() +
                    ": there is no model.light in this folder; this program reads no other form of a "
                    "network. A checkpoint gets one by: quartozero export " +
                    path.string() + " --light " + file.string());
  }
  return file;
}

LoadedNetwork load_light_network(const std::filesystem::path& named) {
  const std::filesystem::path file = light_network_file(named);
  try {
    require_as_listed(file);
  } catch (const ManifestError& e) {
    throw light::NetworkFileError(e.what());
  }
  light::LightNetwork network = light::load_network_file(file);
  return {std::make_shared<PairsEvaluator>(std::move(network.kernel)), network.info.rules,
          light::describe(network.info)};
}

namespace light {

std::map<std::string, std::string> describe(const NetworkInfo& info) {
  std::map<std::string, std::string> about = info.extra;
  about["network"] = "pairs, width " + std::to_string(info.shape.width) + ", " + std::to_string(info.shape.blocks) +
                     (info.shape.blocks == 1 ? " block" : " blocks");
  about["precision"] = to_string(info.precision);
  about["track"] = info.track;
  about["step"] = std::to_string(info.step);
  return about;
}

}  // namespace light
}  // namespace quarto
