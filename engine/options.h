// The engine's options: their names, ranges and how a text sets them.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "env/rules.h"
#include "mcts/config.h"

namespace quarto::engine {

// An input that is not understood; the message is for the user.
class CommandError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string network = "none";
  Rules rules = Rules::lines;
  int simulations = 128;
  int proof_nodes = SearchConfig{}.proof_nodes;
  int exact_squares = 0;
  bool sharp = false;  // of exact play
  int table_mib = 64;

  // One line each, as the answer to `uqi` has them.
  std::vector<std::string> described() const;
  static constexpr std::string_view kNetwork = "Network";
  // The name as described() has it. Throws CommandError: an unknown name (the nearest is named), a value out of range.
  // Does not load a network.
  std::string_view set(const std::string& name, const std::string& value);
};

// A whole number from least to most; throws CommandError, `what` says of what.
int parse_number(const std::string& what, const std::string& text, int least, int most);

}  // namespace quarto::engine
