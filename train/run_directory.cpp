#include "train/run_directory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assign.h"
#include "base/config.h"
#include "base/file.h"
#include "base/json_library.h"
#include "base/manifest.h"
#include "model/checkpoint.h"

namespace quarto {
namespace fs = std::filesystem;

namespace {

// The directory must be there to be locked.
fs::path made(fs::path directory) {
  // Before anything is written there.
  if (fs::exists(directory / "model.safetensors")) {
    const fs::path outer = fs::absolute(directory).lexically_normal().parent_path();
    throw RunError(
        fmt::format("'{}' holds the weights of a checkpoint, with which a run would be mixed{}; name another "
                    "directory with --out",
                    directory.string(),
                    fs::exists(outer / "metrics.jsonl") ? fmt::format(" (its run is '{}')", outer.string()) : ""));
  }
  // Where there is no run yet: not into a folder of runs, or into any other.
  if (!fs::exists(directory / "checkpoint") && !fs::exists(directory / "metrics.jsonl"))
    require_own_directory(directory, {"archive", "best", "checkpoint", "replay", "tensorboard"}, "a run");
  make_directories(directory);
  return directory;
}

}  // namespace

RunDirectory::RunDirectory(fs::path directory, bool resume) : path_(made(std::move(directory))), lock_(path_) {
  if (!resume && (fs::exists(path_ / "checkpoint") || fs::exists(path_ / "metrics.jsonl"))) {
    throw RunError(fmt::format(
        "'{}' already holds a run; continue it with --resume, or name another directory with --out", path_.string()));
  }
  if (resume) {
    for (const char* name : {"checkpoint", "best"}) restore_directory(path_ / name);
  }
  if (resume && !fs::exists(path_ / "checkpoint") &&
      (fs::exists(path_ / "metrics.jsonl") || fs::exists(path_ / "replay"))) {
    throw RunError(
        fmt::format("'{}' holds a run but no checkpoint, so it cannot be resumed; put its checkpoint "
                    "directory back, or start a new run with another --out",
                    path_.string()));
  }
  for (const fs::path& place : {path_, path_ / "replay"}) remove_temporary_files(place);
}

std::vector<std::string> config_changes(const RunConfig& before, const RunConfig& after) {
  const auto flat = [](RunConfig c) { return config::to_json(config::visitor_of(c)).flatten(); };
  const nlohmann::json old = flat(before), now = flat(after);
  std::vector<std::string> changes;
  for (const auto& [pointer, value] : now.items()) {
    if (old.contains(pointer) && old[pointer] == value) continue;
    std::string key = pointer.substr(1);
    std::replace(key.begin(), key.end(), '/', '.');
    changes.push_back(fmt::format("{} is now {} (it was {})", key, json_text(value),
                                  old.contains(pointer) ? json_text(old[pointer]) : "not set"));
  }
  return changes;
}

fs::path keep_configuration(const fs::path& run, std::uint64_t iteration) {
  fs::path kept = run / fmt::format("config-until-{:06}.yaml", iteration);
  if (!fs::exists(kept)) write_file_atomic(kept, read_checked_file(run / "checkpoint" / "config.yaml"));
  return kept;
}

std::string what_is_left(const fs::path& run) {
  // The checkpoint's are newer, and `best` may still be what the run began with.
  for (const auto& [folder, which] : {std::pair{"checkpoint", "last"}, {"best", "best"}}) {
    try {
      (void)read_weights(run / folder);
    } catch (const std::exception&) {
      continue;
    }
    return fmt::format("\nTo go on from the run's {} weights, start another run: --out DIR --set weights={}", which,
                       (run / folder).string());
  }
  return "";
}

RunPlan plan_run(const fs::path& given, const std::vector<std::string>& assignments, const fs::path& directory,
                 bool resume) {
  const fs::path own = directory / "config.yaml";
  const bool resumed = resume && fs::exists(own);
  if (given.empty() && !resumed) {
    throw ConfigError(resume ? fmt::format("'{}' does not exist, so there is no run to resume: name a configuration, "
                                           "e.g. configs/demo.yaml, to start one",
                                           own.string())
                             : "a configuration is missing: name a file, e.g. configs/demo.yaml (only --resume goes on "
                               "without one)");
  }
  if (fs::is_directory(given)) {
    throw ConfigError(fmt::format(
        "'{}' is a directory; a configuration is a file, e.g. configs/demo.yaml{}", given.string(),
        fs::exists(given / "config.yaml") ? fmt::format("; to resume the run in it: --out {} --resume", given.string())
                                          : ""));
  }
  RunPlan plan;
  if (given.empty()) {
    plan.config = load_saved_config(own);
    for (const std::string& assignment : assignments) config::set(assignment, config::visitor_of(plan.config));
    plan.config.check();
  } else {
    plan.config = load_run_config(given, assignments);
  }
  if (!resumed) return plan;
  plan.other_file = !given.empty();
  RunConfig saved;
  const fs::path with_checkpoint = directory / "checkpoint" / "config.yaml";
  const bool checkpoint = fs::exists(with_checkpoint);
  try {
    saved = load_saved_config(checkpoint ? with_checkpoint : own);
  } catch (const std::runtime_error& e) {
    if (given.empty() && checkpoint) throw RunError(e.what() + what_is_left(directory));
    if (given.empty()) throw;
    return plan;  // it is written anew
  }
  plan.changes = config_changes(saved, plan.config);
  return plan;
}

}  // namespace quarto
