#include "engine/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/lower.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/option_limits.h"
#include "env/notation.h"
#include "play/think.h"

namespace quarto::engine {
namespace {

constexpr std::array<std::string_view, 7> kNames = {Options::kNetwork, "Rules", "Simulations", "ProofNodes",
                                                    "ExactSquares",    "Sharp", "Table"};

}  // namespace

int parse_number(const std::string& what, const std::string& text, int least, int most) {
  const auto n = number_from<int>(text);
  if (!n || *n < least || *n > most) {
    throw CommandError(fmt::format("{}: '{}' is not a whole number from {} to {}", what, text, least, most));
  }
  return *n;
}

std::vector<std::string> Options::described() const {
  return {fmt::format("option name Network type string default {}", network),
          fmt::format("option name Rules type combo default {} var {}", to_string(rules),
                      fmt::join(all_names<Rules>(), " var ")),
          fmt::format("option name Simulations type spin default {} min 0 max {}", simulations, kMostSimulations),
          fmt::format("option name ProofNodes type spin default {} min 0 max {}", proof_nodes, kMostProofNodes),
          fmt::format("option name ExactSquares type spin default {} min 0 max {}", exact_squares, kSquares),
          fmt::format("option name Sharp type check default {}", sharp),
          fmt::format("option name Table type spin default {} min 1 max {}", table_mib, kMostTableMb)};
}

std::string_view Options::set(const std::string& name, const std::string& value) {
  const auto known =
      std::find_if(kNames.begin(), kNames.end(), [&](std::string_view n) { return lower(n) == lower(name); });
  if (known == kNames.end()) {
    throw CommandError(
        fmt::format("unknown option '{}'{}", name, did_you_mean(nearest(name, {kNames.begin(), kNames.end()}))));
  }
  const auto number = [&](int least, int most) { return parse_number(std::string(*known), value, least, most); };
  if (*known == kNetwork) {
    network = value.empty() ? "none" : value;
  } else if (*known == "Rules") {
    try {
      rules = parse_rules(value);
    } catch (const std::invalid_argument& e) {
      throw CommandError(fmt::format("Rules: {}", e.what()));
    }
  } else if (*known == "Simulations") {
    simulations = number(0, kMostSimulations);
  } else if (*known == "ProofNodes") {
    proof_nodes = number(0, kMostProofNodes);
  } else if (*known == "ExactSquares") {
    exact_squares = number(0, kSquares);
  } else if (*known == "Sharp") {
    if (value != "true" && value != "false")
      throw CommandError(fmt::format("Sharp: '{}' is neither true nor false", value));
    sharp = value == "true";
  } else {
    table_mib = number(1, kMostTableMb);
  }
  return *known;
}

}  // namespace quarto::engine
