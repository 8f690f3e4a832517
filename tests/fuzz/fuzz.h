// What the targets share. A target takes bytes that somebody else chose, and may end in an exception of the kind that
// the parser promises. Anything else, a crash, a hang, an endless allocation or another exception, is a defect.
//
// With clang libFuzzer runs them (make fuzz); in every build the inputs in tests/fuzz/corpus are run once
// (corpus_main.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/checksum.h"

// NOLINTNEXTLINE: the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quarto::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// The input with a right CRC-32C at byte `at`, over all bytes with zeros in its place, so that a parser that checks it
// reads on; none if the input is too short to hold it.
inline std::optional<std::string> with_checksum_at(std::size_t at, std::string_view input) {
  if (input.size() < at + sizeof(std::uint32_t)) return std::nullopt;
  std::string bytes(input);
  std::memset(bytes.data() + at, 0, sizeof(std::uint32_t));
  const std::uint32_t checksum = crc32c(bytes);
  std::memcpy(bytes.data() + at, &checksum, sizeof checksum);
  return bytes;
}

// For what must hold of every input that was accepted.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace quarto::fuzz
