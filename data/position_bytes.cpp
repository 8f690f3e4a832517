#include "data/position_bytes.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <stdexcept>

#include "env/stored_position.h"

namespace quarto {

static_assert(std::endian::native == std::endian::little, "positions are written as they lie in memory");

std::string position_bytes(std::span<const Position> positions) {
  std::string bytes;
  bytes.reserve(positions.size() * kPositionBytes);
  for (const Position& position : positions) {
    const std::uint64_t attributes = position.attributes();
    const std::uint16_t occupied = position.occupied();
    bytes.append(reinterpret_cast<const char*>(&attributes), sizeof attributes);
    bytes.append(reinterpret_cast<const char*>(&occupied), sizeof occupied);
    bytes += static_cast<char>(position.has_hand() ? static_cast<std::uint8_t>(position.hand()) : kStoredNoHand);
  }
  return bytes;
}

std::vector<Position> positions_of_bytes(std::string_view bytes, Rules rules) {
  if (bytes.size() % kPositionBytes != 0) throw std::runtime_error("its positions are cut short");
  std::vector<Position> positions;
  positions.reserve(bytes.size() / kPositionBytes);
  for (std::size_t at = 0; at < bytes.size(); at += kPositionBytes) {
    std::uint64_t attributes = 0;
    std::uint16_t occupied = 0;
    std::memcpy(&attributes, bytes.data() + at, sizeof attributes);
    std::memcpy(&occupied, bytes.data() + at + 8, sizeof occupied);
    const auto hand = static_cast<std::uint8_t>(bytes[at + 10]);
    if (const char* fault = stored_position_fault(rules, attributes, occupied, hand))
      throw std::runtime_error(fmt::format("position {}: {}", positions.size() + 1, fault));
    positions.push_back(stored_position(rules, attributes, occupied, hand));
  }
  return positions;
}

}  // namespace quarto
