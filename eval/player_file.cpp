#include "eval/player_file.h"

#include "light/load.h"
#include "model/checkpoint.h"
#include "play/player.h"

namespace quarto {

std::optional<std::filesystem::path> player_file(const std::string& name) {
  const PlayerSpec spec = parse_inner_player(name);
  if (spec.kind == PlayerSpec::Kind::net) return weights_file(spec.path);
  if (spec.kind == PlayerSpec::Kind::light) return light_network_file(spec.path);
  return std::nullopt;
}

}  // namespace quarto
