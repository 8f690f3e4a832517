// The list of a directory's checksums.
#include "base/manifest.h"

#include "base/file.h"
#include "base/scratch_directory.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  static const ScratchDirectory directory("fuzz");
  static const bool written = (write_file_atomic(directory.path() / "weights", "x"), true);
  write_file_atomic(directory.path() / kManifestFile, fuzz::text_of(data, size));
  try {
    fuzz::require(written && read_checked_file(directory.path() / "weights") == "x");
  } catch (const ManifestError&) {
  }
  (void)matches_manifest(directory.path());
  return 0;
}
