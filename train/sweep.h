// The runs of a sweep: one for every combination of settings.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "train/config.h"

namespace quarto {

struct SweepRun {
  std::string name;                 // of its directory: "batch=64_seed=1"
  std::vector<std::string> sets{};  // "learner.batch=64"
  std::filesystem::path directory{};
  RunConfig config{};
};

// Of "key=1,2,4" every combination of the values, the last key's changing fastest; `seeds` are values of the key seed.
// Names have the keys that vary, by their last part where that is enough. Throws ConfigError, FileError, and RunError
// where a directory holds a run of another configuration.
std::vector<SweepRun> plan_sweep(const std::filesystem::path& config, const std::vector<std::string>& sets,
                                 const std::vector<std::string>& seeds, const std::filesystem::path& out);

}  // namespace quarto
