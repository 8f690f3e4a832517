// Replay shards: as they are, and as samples of a shard with right checksums.
#include "data/replay.h"

#include <cstring>

#include "base/file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch_file.h"

namespace {

using namespace quarto;

void read(const std::filesystem::path& path) {
  try {
    for (const Sample& sample : read_shard(path).samples) {
      fuzz::require(!sample.position().is_terminal());
      (void)sample.policy_shares();
    }
  } catch (const ReplayError&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::ScratchFile file(".qrs");
  read(file.write(fuzz::text_of(data, size)));
  for (std::size_t at = 0; at + sizeof(Sample) <= size; at += sizeof(Sample)) {
    Sample sample;
    std::memcpy(&sample, data + at, sizeof sample);
    if (sample.fault()) continue;
    fuzz::require(!sample.position().is_terminal());
    (void)sample.policy_shares();
  }
  return 0;
}
