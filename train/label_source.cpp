#include "train/label_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "base/checksum.h"

namespace quarto {

LabelSource::LabelSource(const std::vector<std::filesystem::path>& files, Rules rules, const LabelsConfig& config)
    : rules_(rules), config_(config) {
  std::map<int, std::vector<LabelRecord>> by_stratum;
  for (const auto& file : files) {
    LabelFileInfo info;
    LabelFile& known = files_.emplace_back(LabelFile{.name = file.string()});
    const std::uint64_t good = visit_label_blocks(file, info, [&](const LabelBlock& block) {
      known.labels += block.records.size();
      known.checksum =
          crc32c({reinterpret_cast<const char*>(block.records.data()), block.records.size() * sizeof(LabelRecord)},
                 known.checksum);
      for (const LabelRecord& r : block.records) {
        by_stratum[2 * std::popcount(r.occupied) + (r.hand < kPieces ? 1 : 0)].push_back(r);
      }
    });
    if (info.rules != rules) {
      throw LabelError(fmt::format(
          "'{}': labels for the rules '{}', the network is for '{}': set network.rules={}, or label with --rules {}",
          file.string(), name_of(info.rules), name_of(rules), name_of(info.rules), name_of(rules)));
    }
    if (good != std::filesystem::file_size(file)) {
      throw LabelError(fmt::format("'{}': damaged or cut short after {} bytes; make it again with `quartozero label`",
                                   file.string(), good));
    }
  }
  const PieceWeights by_pieces = PieceWeights::parse(config.weights, "labels.weights");
  std::vector<double> weights;
  for (auto& [stratum, records] : by_stratum) {
    weights.push_back(by_pieces.of(stratum / 2));
    size_ += records.size();
    StratumLabels labels;
    labels.records = std::move(records);
    if (config.deep > 0 || config.decisive > 0) {
      const auto begin = labels.records.begin();
      const auto after_deep = std::stable_partition(begin, labels.records.end(),
                                                    [rules](const LabelRecord& r) { return deep(r.entry(rules)); });
      const auto after_decisive = std::stable_partition(
          after_deep, labels.records.end(), [rules](const LabelRecord& r) { return r.entry(rules).decisive(); });
      labels.deep = static_cast<std::size_t>(after_deep - begin);
      labels.decisive = static_cast<std::size_t>(after_decisive - begin);
    }
    strata_.push_back(std::move(labels));
  }
  if (size_ == 0) throw LabelError("there are no labels to learn from; make some with `quartozero label`");
  stratum_ = WeightedDraw(weights);
  if (stratum_.empty()) {
    throw LabelError(fmt::format("labels.weights is '{}': no label has a weight above zero", config.weights));
  }
}

Sample LabelSource::draw(Rng& rng) const {
  const StratumLabels& stratum = strata_[stratum_(rng)];
  const std::size_t all = stratum.records.size();
  std::size_t among = all;
  if (config_.deep > 0 || config_.decisive > 0) {
    const double u = rng.uniform();
    // A stratum without deep positions draws decisive ones instead, and one without decisive positions draws from all.
    if (u < config_.deep + config_.decisive && stratum.decisive > 0) among = stratum.decisive;
    if (u < config_.deep && stratum.deep > 0) among = stratum.deep;
  }
  const LabelRecord& r = stratum.records[rng.below(among)];
  const auto code = [&r](int m) { return (r.moves >> (2 * m)) & 3U; };  // 0: illegal; 1, 2, 3: loss, draw, win
  unsigned best = 0;
  for (int m = 0; m < kMoves; ++m) best = std::max(best, code(m));
  int moves = 0;
  for (int m = 0; m < kMoves; ++m) moves += code(m) == best;
  Sample s;
  s.attributes = r.attributes;
  s.occupied = r.occupied;
  s.hand = r.hand;
  s.rules = static_cast<std::uint8_t>(rules_);
  for (int m = 0; m < kMoves; ++m) {
    s.policy[static_cast<std::size_t>(m)] = static_cast<std::uint16_t>(code(m) == best ? 65535 / moves : 0);
  }
  s.outcome = static_cast<std::int8_t>(static_cast<int>(best) - 2);
  if (among < all) s.skip = Sample::kSkipOutcome;
  s.root_value = static_cast<std::int16_t>(s.outcome * 32767);
  return s;
}

}  // namespace quarto
