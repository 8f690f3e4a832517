// Which suites to measure on, and how to name them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "solver/suite.h"

namespace quarto {

// eval/suites/decisive.tsv and deep.tsv of the source tree this was built from, or, where that has moved away, of the
// nearest folder above the executable that holds `eval/suites` or `share/quarto/suites`. Throws SuiteError when they
// are nowhere, naming the places and the option to use instead.
std::vector<std::filesystem::path> default_suites();

// Reads the files; a suite is named by its file's stem, or by its whole path where two stems are equal. Throws
// SuiteError.
std::vector<Suite> read_suites(std::span<const std::filesystem::path> files, Rules rules = Rules::lines);

}  // namespace quarto
