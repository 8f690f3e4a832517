// engine: the line protocol UQI over standard input and output
// Uses: base, env, solver, mcts, light, play.
// Promises: Every line of input gets an answer or an effect; only `quit` and the end of the input end the program.
//
// The protocol is in the spirit of UCI (the Universal Chess Interface, Meyer-Kahlen and Huber, 2000) and is told in
// docs/engine.md.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <stdexcept>
#include <string>

#include "env/network_loader.h"

namespace quarto::engine {

inline constexpr const char* kProtocol = "uqi 1";

struct Settings {
  std::string name = "quartozero";  // of the engine, with its version
  std::string network = "none";
  NetworkLoader load;
};

// The network that comes with the program for these rules, taught by nobody (checkpoints/zero, squares), or "none".
std::string default_network(Rules rules = Rules::lines);

// Reads commands until `quit` or the end of the input; then a search that has an end is still finished, an endless one
// is stopped. Throws what settings.load throws for settings.network.
void run(std::istream& in, std::ostream& out, const Settings& settings);

}  // namespace quarto::engine
