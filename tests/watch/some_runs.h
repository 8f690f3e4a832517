// Folders as training runs leave them.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/file.h"
#include "train/config.h"

namespace quarto::watch {

inline std::string metrics_line(int iteration, double loss = 1.5) {
  return fmt::format(R"({{"iteration":{},"seconds":{},"games":{},"step":{},"loss":{}}})"
                     "\n",
                     iteration, 10 * iteration, 100 * iteration, 50 * iteration, loss);
}

inline void make_run(const std::filesystem::path& folder, int iterations, int batch = 256) {
  make_directories(folder / "checkpoint");
  RunConfig config;
  config.learner.batch = batch;
  write_file_atomic(folder / "config.yaml", config::to_yaml(config));
  write_file_atomic(folder / "checkpoint/state.json", R"({"finished": false})");
  std::string lines;
  for (int i = 1; i <= iterations; ++i) lines += metrics_line(i);
  write_file_atomic(folder / "metrics.jsonl", lines);
}

}  // namespace quarto::watch
