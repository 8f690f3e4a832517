// The contract between whatever plays and whatever reads networks from disk, so that players, the engine protocol and
// the server load checkpoints without seeing LibTorch. Programs hand a loader in: light/load.h has the one for light
// files, model/evaluators.h the one for those and checkpoints.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "env/evaluator.h"

namespace quarto {

// A network ready to evaluate positions of one rule set.
struct LoadedNetwork {
  std::shared_ptr<Evaluator> evaluator{};  // thread-safe, as evaluators are
  Rules rules = Rules::lines;
  std::map<std::string, std::string> info{};  // what its file says of it: track, step, network, ...
};

// Throws any std::exception; the message names the path and says what is wrong.
using NetworkLoader = std::function<LoadedNetwork(const std::filesystem::path& path)>;

// A network was trained for other rules than those it is to be used under, or cannot run on the device asked for.
class NetworkMismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// Throws NetworkMismatch if `network`, which was loaded from `path`, is for other rules.
void require_rules(const LoadedNetwork& network, const std::filesystem::path& path, Rules rules);

}  // namespace quarto
