#include "eval/player_kit.h"

#include <fmt/format.h>

#include "base/file.h"
#include "base/manifest.h"
#include "base/utf8.h"
#include "env/random_play.h"
#include "light/load.h"
#include "light/network_file.h"

namespace quarto {
namespace {

// From ten empty squares on exact play takes milliseconds.
constexpr int kProbePositions = 16, kFirstProbePly = 12, kProbePlies = 12;
// From elsewhere: names are read by functions that call themselves.
constexpr std::size_t kMostPlayerName = 4096;

// A command or a module that comes from elsewhere is never run.
void require_no_program(const std::string& player) {
  const auto network = network_of(player);
  if (is_player<spec::Engine>(player) || (network && network->path.starts_with(kTorchScript))) {
    throw PlayerError(
        fmt::format("'{}': engines and TorchScript modules are programs, so they play only without --store", player));
  }
}

// net:FOLDER and light:FOLDER are two files of one folder.
std::string key_of(const spec::Network& network) { return (network.light ? "light:" : "net:") + network.path; }

}  // namespace

store::Kit kit_of(const std::vector<std::string>& players) {
  store::Kit kit;
  for (const std::string& player : players) {
    require_no_program(player);
    if (!is_utf8(player))
      throw PlayerError(
          fmt::format("'{}': a name that is not UTF-8 cannot be sent to other machines", as_utf8(player)));
    if (const auto weights = weights_of(player)) kit[key_of(*network_of(player))] = read_file(weights->file);
  }
  return kit;
}

KitFiles::KitFiles(const store::Kit& kit) : scratch_("job") {
  for (const auto& [key, bytes] : kit) {
    const std::filesystem::path folder = scratch_.path() / std::to_string(places_.size());
    make_directories(folder);
    const std::filesystem::path light = folder / kLightFile;
    write_file_atomic(light, bytes);
    if (light::is_network_file(light)) {
      places_[key] = light.string();
      continue;
    }
    std::filesystem::rename(light, folder / kWeightsFile);
    write_manifest(folder);
    places_[key] = folder.string();
  }
}

std::string KitFiles::here(const std::string& player) const {
  if (player.size() > kMostPlayerName) throw PlayerError("the name of a player is too long");
  require_no_program(player);
  const auto network = network_of(player);
  if (!network) return player;
  const auto place = places_.find(key_of(*network));
  if (place == places_.end()) throw PlayerError(fmt::format("the file of '{}' has not come with the job", player));
  const std::string there = ":" + network->path;
  std::string name = player;
  name.replace(name.rfind(there), there.size(), ":" + place->second);
  if (network_of(name)->path != place->second)
    throw PlayerError(fmt::format("'{}' cannot be the name of a file: set TMPDIR", place->second));
  return name;
}

namespace {

// `sum` with what this player adds to it.
std::uint64_t probed(const std::string& name, const PlayerOptions& options, Player& player, std::uint64_t sum) {
  const auto add = [&](const auto& value) {
    sum = store::fingerprint({reinterpret_cast<const char*>(&value), sizeof value}, sum);
  };
  Rng rng(1);
  std::vector<Position> positions;
  for (int i = 0; i < kProbePositions; ++i)
    positions.push_back(random_position_at(kFirstProbePly + i % kProbePlies, rng, options.rules));
  if (const auto weights = weights_of(name)) {
    const std::string file = weights->name();
    const LoadedNetwork network = options.load ? options.load(file) : load_light_network(file);
    require_rules(network, file, options.rules);
    std::vector<Evaluation> evaluations(positions.size());
    evaluate(*network.evaluator, positions, evaluations);
    for (const Evaluation& e : evaluations) {
      for (const float prior : e.prior) add(prior);
      add(e.win);
      add(e.draw);
      add(e.loss);
    }
  }
  if (!player.deterministic()) return sum;
  // A program of others may be changed in place. Exact play around it hides its own moves later on.
  if (is_player<spec::Engine>(name)) {
    for (int ply = 0; ply < kFirstProbePly; ++ply) positions.push_back(random_position_at(ply, rng, options.rules));
  }
  for (const Move move : player.choose(positions)) add(move.index);
  return sum;
}

}  // namespace

std::string player_probe(const std::string& name, const PlayerOptions& options, Player& player) {
  return store::fingerprint_text(probed(name, options, player, store::fingerprint("")));
}

std::string player_probe(const std::vector<std::string>& players, const PlayerOptions& options) {
  std::uint64_t sum = store::fingerprint("");
  for (const std::string& name : players) sum = probed(name, options, *make_player(name, options), sum);
  return store::fingerprint_text(sum);
}

}  // namespace quarto
