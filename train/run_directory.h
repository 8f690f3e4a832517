// The directory of a run: its creation and its configuration.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/directory_lock.h"
#include "train/config.h"

namespace quarto {

// A run directory cannot be used as requested; the message says what to do.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The directory of a run, locked for as long as this lives. Without `resume` it must not hold a run. With `resume` a
// run in it must have a checkpoint; a directory without a run is accepted, unless it holds other folders. Under the
// lock it restores a directory that a crash during an exchange of directories left under its old name, and removes the
// temporary files of killed writers. Throws RunError; FileError if another process has it.
class RunDirectory {
 public:
  RunDirectory(std::filesystem::path directory, bool resume);
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  DirectoryLock lock_;
};

// The configuration of a run and, where it resumes one, how it differs from the one that the run wrote.
struct RunPlan {
  RunConfig config;
  std::vector<std::string> changes;  // "learner.batch is now 256 (it was 512)"
  bool other_file = false;           // a resumed run does not use its own config.yaml
};

// How `after` differs from `before`, a line for each key: "learner.batch is now 256 (it was 512)".
std::vector<std::string> config_changes(const RunConfig& before, const RunConfig& after);

// Of a run that goes on with another configuration: keeps the one that it had until `iteration`, that of its
// checkpoint, as config-until-N.yaml in the run's directory, and returns that path. A file that is there already stays:
// the run was resumed here before, and no iteration came of it.
std::filesystem::path keep_configuration(const std::filesystem::path& run, std::uint64_t iteration);

// For the end of a message about a damaged checkpoint: how to go on from weights of the run, if any can be read: those
// of its checkpoint, else the best.
std::string what_is_left(const std::filesystem::path& run);

// Reads a part of a checkpoint. A std::runtime_error becomes a RunError that ends in what_is_left().
template <class Read>
auto or_what_is_left(const std::filesystem::path& run, const Read& read) {
  try {
    return read();
  } catch (const std::runtime_error& e) {
    throw RunError(e.what() + what_is_left(run));
  }
}

// `given`, or without one the config.yaml of the run that is resumed, with the assignments ("key=value"). The changes
// are those since its checkpoint. Throws ConfigError, FileError for a file that cannot be read, and RunError for a
// damaged checkpoint.
RunPlan plan_run(const std::filesystem::path& given, const std::vector<std::string>& assignments,
                 const std::filesystem::path& directory, bool resume);

}  // namespace quarto
