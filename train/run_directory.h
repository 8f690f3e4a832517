// The directory of a run: who may write in it, and which configuration it goes on with.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "train/config.h"

namespace quarto {

// A run directory that cannot be used as asked; the message says what to do.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Makes the directory, or finds it fit: without `resume` it must not hold a run; with it, a run must have its
// checkpoint (a directory without anything is as good as new). Puts back what a crash in the middle of an exchange of
// directories has left under another name. Throws RunError.
std::filesystem::path prepare_run_directory(const std::filesystem::path& directory, bool resume);

// The configuration of a run and, where it resumes one, how it differs from the one that the run wrote.
struct RunPlan {
  RunConfig config;
  std::vector<std::string> changes;  // "learner.batch is now 256 (it was 512)"
};

// `given`, or without one the config.yaml of the run that is resumed, with the assignments ("key=value"). Throws
// ConfigError, and FileError for a file that cannot be read.
RunPlan plan_run(const std::filesystem::path& given, const std::vector<std::string>& assignments,
                 const std::filesystem::path& directory, bool resume);

// One trainer at a time in a run directory: RunError if there is one. The lock goes with the process, however it ends.
class RunLock {
 public:
  explicit RunLock(const std::filesystem::path& directory);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int fd_;
};

}  // namespace quarto
