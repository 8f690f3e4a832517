// Labels: positions with the exact values of all their moves, in 16 bytes each, for training and as the record of a
// labelling job. A file is
//
//     0   "QuartoLb"
//     8   u32 format version (1)
//    12   u32 rules (0 lines, 1 squares)
//    16   u64 job: which labelling job it belongs to (0 in finished files)
//    24   u32 zero
//    28   u32 CRC-32C of these 32 bytes with this field zero
//    32   blocks:
//             u32 records
//             u32 stratum
//             u64 next candidate of that stratum
//             u32 zero
//             u32 CRC-32C of the block without this field
//         and its records:
//             u64 attributes
//             u16 occupied squares
//             u8  piece in hand, or 0xFF
//             u8  value, coded like a move
//             u32 moves, two bits each by index: 0 illegal, 1 loss, 2 draw, 3 win
//
// All little-endian. A block that was cut short by a crash ends the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "data/suite.h"

namespace quarto {

// A file that is no label file, of another version, or of another job. The message names the file.
class LabelError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct LabelRecord {
  std::uint64_t attributes = 0;
  std::uint16_t occupied = 0;
  std::uint8_t hand = 0xFF;
  std::uint8_t value = 0;
  std::uint32_t moves = 0;

  static LabelRecord of(const SuiteEntry& entry);
  // What is wrong with it, where it comes from outside; null if it is a position with the values of all its moves.
  const char* fault(Rules rules) const;
  SuiteEntry entry(Rules rules) const;  // `line` is 0; undefined for a record with a fault
  friend bool operator==(const LabelRecord&, const LabelRecord&) = default;
};
static_assert(sizeof(LabelRecord) == 16);

struct LabelBlock {
  std::uint32_t stratum = 0;
  std::uint64_t next = 0;
  std::vector<LabelRecord> records;
};

struct LabelFileInfo {
  Rules rules = Rules::lines;
  std::uint64_t job = 0;
};

// A file's parts as bytes: what it begins with, and one block.
std::string label_file_header(const LabelFileInfo& info);
std::string label_block_bytes(const LabelBlock& block);
// Calls `visit` for each whole block in order; returns the length in bytes up to which the file is good. Throws
// LabelError, FileError.
std::uint64_t visit_label_blocks(const std::filesystem::path& path, LabelFileInfo& info,
                                 const std::function<void(const LabelBlock&)>& visit);
// All of a finished file. Throws LabelError when it is damaged, FileError.
std::vector<SuiteEntry> read_labels(const std::filesystem::path& path, LabelFileInfo& info);

}  // namespace quarto
