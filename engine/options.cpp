#include "engine/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/nearest.h"
#include "env/notation.h"
#include "play/think.h"

namespace quarto::engine {
namespace {

constexpr int kMostTable = 1 << 16;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

}  // namespace

int parse_number(const std::string& what, const std::string& text, int least, int most) {
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < least || n > most) {
    throw CommandError(fmt::format("{}: '{}' is not a whole number from {} to {}", what, text, least, most));
  }
  return n;
}

std::vector<std::string> Options::described() const {
  return {fmt::format("option name Network type string default {}", network),
          fmt::format("option name Rules type combo default {} var {}", to_string(rules),
                      fmt::join(all_names<Rules>(), " var ")),
          fmt::format("option name Simulations type spin default {} min 0 max {}", simulations, kMostSimulations),
          fmt::format("option name ProofNodes type spin default {} min 0 max {}", proof_nodes, kMostProofNodes),
          fmt::format("option name ExactSquares type spin default {} min 0 max {}", exact_squares, kSquares),
          fmt::format("option name Table type spin default {} min 1 max {}", table_mib, kMostTable)};
}

void Options::set(const std::string& name, const std::string& value) {
  const std::string key = lower(name);
  if (key == "network") {
    network = value.empty() ? "none" : value;
  } else if (key == "rules") {
    try {
      rules = parse_rules(value);
    } catch (const std::invalid_argument& e) {
      throw CommandError(fmt::format("Rules: {}", e.what()));
    }
  } else if (key == "simulations") {
    simulations = parse_number("Simulations", value, 0, kMostSimulations);
  } else if (key == "proofnodes") {
    proof_nodes = parse_number("ProofNodes", value, 0, kMostProofNodes);
  } else if (key == "exactsquares") {
    exact_squares = parse_number("ExactSquares", value, 0, kSquares);
  } else if (key == "table") {
    table_mib = parse_number("Table", value, 1, kMostTable);
  } else {
    const std::vector<std::string> names = {"Network", "Rules", "Simulations", "ProofNodes", "ExactSquares", "Table"};
    const std::string close = nearest(name, names);
    throw CommandError(
        fmt::format("unknown option '{}'{}", name, close.empty() ? "" : fmt::format(" (did you mean '{}'?)", close)));
  }
}

}  // namespace quarto::engine
