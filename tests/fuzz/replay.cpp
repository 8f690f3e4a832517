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
  Shard shard;
  shard.samples.resize(size / sizeof(Sample));
  if (!shard.samples.empty()) std::memcpy(shard.samples.data(), data, shard.samples.size() * sizeof(Sample));
  static fuzz::ScratchFile whole("-whole.qrs");
  write_shard(whole.write(""), shard);
  read(whole.path());
  return 0;
}
