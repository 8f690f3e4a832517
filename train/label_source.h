// Exact labels as a source of samples: supervised learning shows what an architecture can learn at best, and makes the
// strongest small player, when exact values are allowed (track `distilled`).
#pragma once

#include <filesystem>
#include <vector>

#include "data/label_file.h"
#include "data/sample.h"
#include "train/config.h"

namespace quarto {

// Positions by stratum, a phase and a number of pieces on the board. A draw takes each stratum equally often, whatever
// its size, as agreement is measured. A sample's shares are equal among the moves that keep the value.
class LabelSource final : public SampleSource {
 public:
  // Throws LabelError, FileError; LabelError too when the rules differ from these, or there are no labels.
  LabelSource(const std::vector<std::filesystem::path>& files, Rules rules, const LabelsConfig& config = {});

  Sample draw(Rng& rng) const override;
  std::size_t size() const { return size_; }
  std::size_t strata() const { return strata_.size(); }

 private:
  Rules rules_;
  // Sorted: deep, then decisive, then the others.
  struct StratumLabels {
    std::vector<LabelRecord> records;
    std::size_t deep = 0, decisive = 0;  // how many; the decisive include the deep
  };
  LabelsConfig config_;
  std::vector<StratumLabels> strata_;
  std::size_t size_ = 0;
};

}  // namespace quarto
