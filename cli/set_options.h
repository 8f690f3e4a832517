// --set and --seed, of the commands that run by a configuration.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace quarto {

// --set KEY=VALUE, as often as one likes, and --seed N, which is --set seed=N.
inline void add_set_options(CLI::App& command, std::vector<std::string>& set,
                            const std::string& what = "override one key; may be repeated") {
  command.add_option("--set", set, what)->type_name("KEY=VALUE")->take_all();
  command.add_option_function<std::uint64_t>(
      "--seed", [&set](std::uint64_t seed) { set.push_back(fmt::format("seed={}", seed)); },
      "the same as --set seed=N");
}

}  // namespace quarto
