// cli: options of the command line, with CLI11
// Uses: nothing.
// Promises: a number that CLI11 would take for another one is refused, with the option's name.
//
// Whole numbers: CLI11 reads "010" as 8 and "0x10" as 16, passes over "+" and blanks in front, makes the largest number
// of what is too large, and of "-1" where only numbers from 0 on are taken.
#pragma once

#include <CLI/CLI.hpp>

namespace quarto {

// For every option of the program with whole numbers, after all have been added.
void require_whole_numbers(CLI::App& app);

}  // namespace quarto
