// The list of a directory's checksums: as it is, and as the lines of a list with a right checksum of its own.
#include "base/manifest.h"

#include <cstdio>

#include "base/checksum.h"
#include "base/file.h"
#include "base/scratch_directory.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace quarto;
  static const ScratchDirectory directory("fuzz");
  static const bool written = (write_file_atomic(directory.path() / "weights", "x"), true);
  const std::string text(fuzz::text_of(data, size)), lines = "quarto checksums 1\n" + text + "\n";
  char checksum[9];
  std::snprintf(checksum, sizeof checksum, "%08x", crc32c(lines));
  for (const std::string& list : {text, lines + "all " + checksum + "\n"}) {
    write_file_atomic(directory.path() / kManifestFile, list);
    try {
      fuzz::require(written && read_checked_file(directory.path() / "weights") == "x");
    } catch (const ManifestError&) {
    }
    (void)matches_manifest(directory.path());
  }
  return 0;
}
