// Label files. The checksums are made right first, so that what is inside them is reached.
#include <cstring>

#include "data/label_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch_file.h"

namespace {

using namespace quarto;

void read(const std::filesystem::path& path) {
  try {
    LabelFileInfo info;
    for (const SuiteEntry& entry : read_labels(path, info)) fuzz::require(!entry.position.is_terminal());
  } catch (const LabelError&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::ScratchFile file(".labels");
  read(file.write(fuzz::text_of(data, size)));
  // The bytes as records of a block.
  LabelBlock block;
  block.records.resize(size / sizeof(LabelRecord));
  if (!block.records.empty()) std::memcpy(block.records.data(), data, block.records.size() * sizeof(LabelRecord));
  for (const Rules rules : {Rules::lines, Rules::squares})
    read(file.write(label_file_header({rules, 0}) + label_block_bytes(block)));
  return 0;
}
