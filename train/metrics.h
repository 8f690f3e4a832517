// The metrics of a run, for plotting: JSON lines and TensorBoard event files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/json_library.h"

namespace quarto {

// Scalars in TensorBoard's event format: TFRecord framing around `tensorflow.Event` messages
// (tensorflow/core/util/event.proto; the framing is described in tensorflow/core/lib/io/record_writer.h).
class EventFile {
 public:
  // Starts a new file in the directory; TensorBoard merges all files of one directory. Throws FileError.
  explicit EventFile(const std::filesystem::path& directory);
  void add_scalar(const std::string& tag, double value, std::uint64_t step);
  // Writes all values added since the last flush. Throws FileError.
  void flush();

 private:
  void add_record(std::string_view event);
  std::filesystem::path path_;
  std::string pending_;
};

// Not thread-safe.
class Metrics {
 public:
  // Writes to `directory/metrics.jsonl` and `directory/tensorboard/`. Removes lines whose "iteration" is above
  // `keep_to` first: a resumed run writes them again.
  Metrics(const std::filesystem::path& directory, std::uint64_t keep_to);
  // Writes one line, an object with "iteration". Every number in it, nested ones as "a/b", also goes to TensorBoard.
  void write(const nlohmann::json& line);
  // Adds fields to the last line, which is of this iteration; without one it writes a line that has no others.
  void amend(std::uint64_t iteration, const nlohmann::json& fields);

 private:
  std::filesystem::path lines_;
  EventFile events_;
};

}  // namespace quarto
