// What the targets share. A target takes bytes that somebody else chose, and may end in an exception of the kind that
// the parser promises. Anything else, a crash, a hang, an endless allocation or another exception, is a defect.
//
// With clang libFuzzer runs them (make fuzz); in every build the inputs in tests/fuzz/corpus are run once
// (corpus_main.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// NOLINTNEXTLINE: the name that libFuzzer calls
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quarto::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// For what must hold of every input that was accepted.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace quarto::fuzz
