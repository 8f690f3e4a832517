#include "data/label_input.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "base/file.h"
#include "base/random.h"
#include "base/shipped.h"
#include "base/text.h"
#include "data/label_file.h"
#include "data/replay.h"
#include "data/suite.h"
#include "env/notation.h"

namespace quarto {
namespace {

// Text, or a binary file of ours, which its own reader reads again.
struct Input {
  std::string name, text;
  bool labels = false, shard = false;
};

Input read_input(const std::string& file) {
  const bool standard = file == "-";
  Input input{.name = standard ? "standard input" : file, .text = standard ? read_standard_input() : read_file(file)};
  input.labels = input.text.starts_with("QuartoLb");
  input.shard = input.text.starts_with("QRSHARD");
  if ((input.labels || input.shard) && (standard || !std::filesystem::is_regular_file(file))) {
    throw std::runtime_error(fmt::format("{}: {} must be named as a file, not sent through a pipe", input.name,
                                         input.labels ? "labels" : "a shard of a replay buffer"));
  }
  return input;
}

std::vector<SuiteEntry> labels_in(const std::string& file, Rules rules) {
  LabelFileInfo info;
  auto entries = read_labels(file, info);
  if (info.rules == rules) return entries;
  throw LabelError(
      fmt::format("{}: labelled under the rules '{}', not '{}'", file, to_string(info.rules), to_string(rules)));
}

std::vector<Position> positions_in_shard(const std::string& file, Rules rules) {
  std::vector<Position> positions;
  for (const Sample& sample : read_shard(file).samples) {
    if (sample.skip & Sample::kSkipOutcome) continue;  // a further copy, to be learned from more often
    positions.push_back(sample.position());
    if (const Rules own = positions.back().rules(); own != rules) {
      throw std::runtime_error(fmt::format("{0}: positions under the rules '{1}', not '{2}': --rules {1}", file,
                                           to_string(own), to_string(rules)));
    }
  }
  return positions;
}

std::vector<Position> positions_in_text(const Input& input, Rules rules) {
  std::vector<Position> positions;
  std::istringstream lines(plain_text(input.text));
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.resize(std::min(line.find('\t'), line.size()));
    if (line.empty()) continue;
    try {
      positions.push_back(parse_position(line, rules));
    } catch (const NotationError& e) {
      throw std::runtime_error(fmt::format("{}:{}: column {}: {}", input.name, number, e.column(), e.what()));
    }
    if (positions.back().is_terminal())
      throw std::runtime_error(fmt::format("{}:{}: the game is over in this position", input.name, number));
  }
  return positions;
}

}  // namespace

std::vector<Position> read_positions(const std::string& named, Rules rules) {
  const std::string from = named == "-" ? named : or_shipped(named).string();
  const Input input = read_input(from);
  std::vector<Position> positions;
  if (input.labels) {
    for (const SuiteEntry& entry : labels_in(from, rules)) positions.push_back(entry.position);
  } else {
    positions = input.shard ? positions_in_shard(from, rules) : positions_in_text(input, rules);
  }
  if (positions.empty()) throw std::runtime_error(fmt::format("{}: no positions", input.name));
  return positions;
}

std::vector<Position> drawn(const std::vector<Position>& positions, std::uint64_t count, std::uint64_t seed) {
  if (count >= positions.size()) return positions;
  std::vector<Position> chosen;
  Rng rng(seed);
  // Selection sampling (Knuth, The Art of Computer Programming, volume 2, algorithm 3.4.2 S).
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (rng.below(positions.size() - i) < count - chosen.size()) chosen.push_back(positions[i]);
  }
  return chosen;
}

void add_keys(const std::string& named, Rules rules, std::set<CanonicalKey>& keys) {
  const std::string file = or_shipped(named).string();
  const Input input = read_input(file);
  const auto entries = input.labels ? labels_in(file, rules) : parse_suite(input.text, input.name, rules);
  for (const SuiteEntry& entry : entries) keys.insert(canonical_key(entry.position));
}

}  // namespace quarto
