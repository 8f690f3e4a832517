// Names by chance: with four words nobody can guess them.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>

namespace quarto {

// Eight digits for each word, from the system's source of random numbers. Does not depend on any seed.
inline std::string random_hex(int words) {
  thread_local std::random_device device;
  std::string text;
  for (int i = 0; i < words; ++i) text += fmt::format("{:08x}", device());
  return text;
}

}  // namespace quarto
