// Players that travel: the network files behind their names go into a job's kit, and come out of it elsewhere.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/scratch_directory.h"
#include "env/rules.h"
#include "mcts/config.h"
#include "play/player.h"
#include "store/wire.h"

namespace quarto {

// The files of these players, by net: or light: and the path that their names have. Throws PlayerError for one that
// cannot travel: an engine, a TorchScript module. Also what weights_of() and read_file() throw.
store::Kit kit_of(const std::vector<std::string>& players);

// The files of a kit, in a directory that goes away with the object.
class KitFiles {
 public:
  // Throws FileError.
  explicit KitFiles(const store::Kit& kit);
  // The same player with the file that is here. Throws PlayerError for a file that is not in the kit, and for an
  // engine or a TorchScript module: no program from elsewhere is ever run.
  std::string here(const std::string& player) const;

 private:
  ScratchDirectory scratch_;
  std::map<std::string, std::string> places_;  // by key of the kit
};

// The fingerprint of what these players choose in some positions, and of the exact numbers of their networks there: the
// same on machines that round alike. Of a player with chance only the network counts.
std::string player_probe(const std::vector<std::string>& players, const PlayerOptions& options);
// The same of one player, which is there already.
std::string player_probe(const std::string& name, const PlayerOptions& options, Player& player);

}  // namespace quarto
