// The directory of a run: its creation, its configuration and its lock.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "train/config.h"

namespace quarto {

// A run directory cannot be used as requested; the message says what to do.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Creates the directory or checks it. Without `resume` it must not hold a run. With `resume` a run in it must have a
// checkpoint; an empty directory is accepted. Restores a directory that a crash during an exchange of directories left
// under its old name. Throws RunError.
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

// A lock that admits one trainer per run directory; throws RunError if another one holds it. The system releases the
// lock when the process ends, also after a crash.
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
