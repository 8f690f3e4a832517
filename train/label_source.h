// Exact labels as a source of samples. Supervised learning on them shows the best agreement that an architecture can
// reach, and trains the strongest small player where exact values are allowed (track `distilled`).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/label_file.h"
#include "data/sample.h"
#include "selfplay/piece_weights.h"
#include "train/config.h"

namespace quarto {

// A file that a source was read from. Two with the same number of labels and checksum have the same labels.
struct LabelFile {
  std::string name;
  std::uint64_t labels = 0;
  std::uint32_t checksum = 0;  // CRC-32C of the records
};

// Groups positions by stratum (a phase and a number of pieces on the board). A draw takes each stratum equally often,
// or as LabelsConfig::weights says, whatever its size, because agreement weights strata equally. A sample gives equal
// shares to the moves that keep the value.
class LabelSource final : public SampleSource {
 public:
  // Throws FileError, and LabelError: also when the files' rules are not `rules`, or when there are no labels,
  // or none with a weight above zero.
  LabelSource(const std::vector<std::filesystem::path>& files, Rules rules, const LabelsConfig& config = {});

  Sample draw(Rng& rng) const override;
  std::size_t size() const { return size_; }
  // In the order in which they were named, on which the draws depend.
  const std::vector<LabelFile>& files() const { return files_; }
  std::size_t strata() const { return strata_.size(); }

 private:
  Rules rules_;
  // Sorted: deep, then decisive, then the others.
  struct StratumLabels {
    std::vector<LabelRecord> records;
    std::size_t deep = 0, decisive = 0;  // numbers of positions; the decisive include the deep
  };
  LabelsConfig config_;
  std::vector<LabelFile> files_;
  std::vector<StratumLabels> strata_;
  WeightedDraw stratum_;
  std::size_t size_ = 0;
};

}  // namespace quarto
