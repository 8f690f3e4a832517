// The replay buffer: the most recent samples, in memory for drawing and on disk for resuming.
//
// On disk it is a directory of shards, one per iteration of self-play, named by iteration. A shard is written once,
// whole, and never changed:
//
//     8 bytes   "QRSHARD2"           magic and format version
//     8 bytes   number of samples    little-endian
//     8 bytes   number of games
//     4 bytes   CRC-32C of the file without this field
//     4 bytes   zero
//     the rest  a zstd frame with its content checksum: the samples, 48 bytes each (data/sample.h)
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/sample.h"

namespace quarto {

// A shard that cannot be used; the message names the file and what is wrong with it.
class ReplayError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Shard {
  std::uint64_t games = 0;
  std::vector<Sample> samples;
};

void write_shard(const std::filesystem::path& path, const Shard& shard);  // throws FileError, ReplayError
// Throws FileError, and ReplayError for a file that is damaged or whose samples have a fault (Sample::fault()).
Shard read_shard(const std::filesystem::path& path);

class ReplayBuffer final : public SampleSource {
 public:
  // Keeps at least the last `window` samples, dropping whole shards from the old end.
  ReplayBuffer(std::filesystem::path directory, std::size_t window);

  // Writes the shard of an iteration and takes its samples in.
  void append(std::uint64_t iteration, Shard shard);
  // Reads the shards of iterations [first, last] back and removes any later ones, which a resumed run will write again.
  void restore(std::uint64_t first, std::uint64_t last);
  // Deletes from the disk the shards that have left the window. Call it after a checkpoint no longer refers to them.
  void remove_dropped();

  std::size_t size() const { return size_; }
  std::size_t window() const { return window_; }
  void set_window(std::size_t window) { window_ = window; }
  // The first iteration held. Requirement: size() > 0.
  std::uint64_t first_iteration() const { return shards_.front().iteration; }

  // A sample drawn uniformly from the window. Requirement: size() > 0.
  Sample draw(Rng& rng) const override { return at(rng.below(size_)); }
  const Sample& at(std::size_t i) const;

 private:
  struct Held {
    std::uint64_t iteration;
    std::size_t begin;  // in samples since the start of the run's held shards
    std::vector<Sample> samples;
  };
  void take_in(std::uint64_t iteration, std::vector<Sample> samples);
  std::filesystem::path path_of(std::uint64_t iteration) const;

  std::filesystem::path directory_;
  std::size_t window_, size_ = 0;
  std::deque<Held> shards_;
};

}  // namespace quarto
