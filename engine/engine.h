// engine: the player over a pipe, for boards, tournament managers and scripts. Uses base, env, solver, mcts, light and
// embed; no LibTorch. Promises: every line of input gets an answer or an effect, none ends the program but `quit` and
// the end of the input.
//
// The protocol is in the spirit of UCI (the Universal Chess Interface, Meyer-Kahlen and Huber, 2000) and is told in
// docs/engine.md.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <stdexcept>
#include <string>

#include "env/evaluator.h"

namespace quarto::engine {

inline constexpr const char* kProtocol = "uqi 1";

struct Network {
  std::string name;  // shown to the user
  Rules rules = Rules::lines;
  std::shared_ptr<Evaluator> evaluator;
};
// From what the user set the option Network to. Throws any std::exception, whose message the user gets.
using NetworkLoader = std::function<Network(const std::string& path)>;

struct Settings {
  std::string name = "quarto";  // of the engine, with its version
  std::string network = "none";
  NetworkLoader load;
};

// Files of the light engine (light/network_file.h).
Network load_light_network(const std::string& path);
// The network that comes with the program, taught by nobody (checkpoints/zero), or "none".
std::string shipped_network();

// Reads commands until `quit` or the end of the input; then a search that has an end is still finished, an endless one
// is stopped. Throws what settings.load throws for settings.network.
void run(std::istream& in, std::ostream& out, const Settings& settings);

}  // namespace quarto::engine
