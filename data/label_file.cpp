#include "data/label_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/checksum.h"
#include "base/file.h"
#include "env/stored_position.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;
static_assert(std::endian::native == std::endian::little, "label files are written as they are in memory");

constexpr std::uint32_t kVersion = 1;

struct Header {
  std::array<char, 8> magic = {'Q', 'u', 'a', 'r', 't', 'o', 'L', 'b'};
  std::uint32_t version = kVersion, rules = 0;
  std::uint64_t job = 0;
  std::uint32_t zero = 0, checksum = 0;
};
struct BlockHeader {
  std::uint32_t records = 0, stratum = 0;
  std::uint64_t next = 0;
  std::uint32_t zero = 0, checksum = 0;
};
static_assert(sizeof(Header) == 32 && sizeof(BlockHeader) == 24);

template <class T>
std::string_view bytes_of(const T& object) {
  return {reinterpret_cast<const char*>(&object), sizeof object};
}

std::uint32_t checksum_of(Header header) {
  header.checksum = 0;
  return crc32c(bytes_of(header));
}

std::uint32_t checksum_of(const BlockHeader& header, std::string_view records) {
  return crc32c(records, crc32c(bytes_of(header).substr(0, offsetof(BlockHeader, checksum))));
}

std::uint8_t coded(Value value) { return static_cast<std::uint8_t>(static_cast<int>(value) + 2); }
Value decoded(unsigned two_bits) { return static_cast<Value>(static_cast<int>(two_bits) - 2); }

}  // namespace

LabelRecord LabelRecord::of(const SuiteEntry& entry) {
  LabelRecord record;
  record.attributes = entry.position.attributes();
  record.occupied = entry.position.occupied();
  if (entry.position.has_hand()) record.hand = static_cast<std::uint8_t>(entry.position.hand());
  record.value = coded(entry.value);
  for (std::size_t m = 0; m < kMoves; ++m) {
    if (entry.moves[m]) record.moves |= static_cast<std::uint32_t>(coded(*entry.moves[m])) << (2 * m);
  }
  return record;
}

const char* LabelRecord::fault(Rules rules) const {
  if (const char* wrong = stored_position_fault(rules, attributes, occupied, hand)) return wrong;
  if (value < 1 || value > 3) return "no such value";
  const Mask legal = stored_position(rules, attributes, occupied, hand).legal_moves();
  unsigned best = 0;
  for (int m = 0; m < kMoves; ++m) {
    const unsigned two_bits = (moves >> (2 * m)) & 3U;
    if ((two_bits != 0) != static_cast<bool>(legal >> m & 1))
      return "a value for an illegal move, or none for a legal one";
    best = std::max(best, two_bits);
  }
  return best == value ? nullptr : "its value is not that of its best move";
}

SuiteEntry LabelRecord::entry(Rules rules) const {
  SuiteEntry entry;
  entry.position = stored_position(rules, attributes, occupied, hand);
  entry.value = decoded(value);
  for (std::size_t m = 0; m < kMoves; ++m) {
    if (const unsigned two_bits = (moves >> (2 * m)) & 3U) entry.moves[m] = decoded(two_bits);
  }
  return entry;
}

std::string label_file_header(const LabelFileInfo& info) {
  Header header;
  header.rules = static_cast<std::uint32_t>(info.rules);
  header.job = info.job;
  header.checksum = checksum_of(header);
  return std::string(bytes_of(header));
}

std::string label_block_bytes(const LabelBlock& block) {
  const std::string_view records(reinterpret_cast<const char*>(block.records.data()),
                                 block.records.size() * sizeof(LabelRecord));
  BlockHeader header;
  header.records = static_cast<std::uint32_t>(block.records.size());
  header.stratum = block.stratum;
  header.next = block.next;
  header.checksum = checksum_of(header, records);
  return std::string(bytes_of(header)).append(records);
}

std::uint64_t visit_label_blocks(const fs::path& path, LabelFileInfo& info,
                                 const std::function<void(const LabelBlock&)>& visit) {
  const std::string file = read_file(path);
  const std::string_view bytes = file;
  Header header;
  const std::string_view magic = bytes_of(header).substr(0, header.magic.size());
  if (bytes.size() < sizeof header || !bytes.starts_with(magic)) {
    throw LabelError(fmt::format(
        "{}: not a label file; `quartozero label --out FILE.labels` makes one, with --from also of the positions of a "
        "suite",
        path.string()));
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kVersion || !is_rules(header.rules)) {
    throw LabelError(
        fmt::format("{}: label format {}, this program reads {}", path.string(), header.version, kVersion));
  }
  if (checksum_of(header) != header.checksum) {
    throw LabelError(fmt::format("{}: its first bytes are damaged", path.string()));
  }
  info = {static_cast<Rules>(header.rules), header.job};
  std::size_t at = sizeof header;
  while (at + sizeof(BlockHeader) <= bytes.size()) {
    BlockHeader head;
    std::memcpy(&head, bytes.data() + at, sizeof head);
    const std::size_t size = std::size_t{head.records} * sizeof(LabelRecord);
    if (size > bytes.size() - at - sizeof head) break;
    const std::string_view records = bytes.substr(at + sizeof head, size);
    if (checksum_of(head, records) != head.checksum) break;
    LabelBlock block{head.stratum, head.next, std::vector<LabelRecord>(head.records)};
    if (size > 0) std::memcpy(block.records.data(), records.data(), size);
    for (const LabelRecord& record : block.records) {
      if (const char* fault = record.fault(info.rules))
        throw LabelError(fmt::format("{}: a record after {} bytes: {}", path.string(), at, fault));
    }
    visit(block);
    at += sizeof head + size;
  }
  return at;
}

std::vector<SuiteEntry> read_labels(const fs::path& path, LabelFileInfo& info) {
  std::vector<SuiteEntry> entries;
  const std::uint64_t good = visit_label_blocks(path, info, [&](const LabelBlock& block) {
    for (const LabelRecord& record : block.records) entries.push_back(record.entry(info.rules));
  });
  if (good != fs::file_size(path)) {
    throw LabelError(
        fmt::format("{}: damaged or cut short after {} bytes ({} positions)", path.string(), good, entries.size()));
  }
  return entries;
}

}  // namespace quarto
