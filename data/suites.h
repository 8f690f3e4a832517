// Which suites to measure on, and how to name them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "data/suite.h"

namespace quarto {

// decisive.tsv and deep.tsv for these rules (eval/suites/, eval/suites/squares/), wherever base/shipped.h finds them.
// Throws SuiteError when they are nowhere, naming the place and the option to use instead.
std::vector<std::filesystem::path> default_suites(Rules rules = Rules::lines);

// Whether there should be some: a rule set that was just added has none, and its folder is not there. One that is only
// partly there is an error of default_suites().
bool has_default_suites(Rules rules);

// The same, and all.tsv beside them if it is there: positions that were not selected by value.
std::vector<std::filesystem::path> default_suites_and_all(Rules rules = Rules::lines);

// A file does not say its rules. Solves up to 64 of the entries with at most seven empty squares, which takes
// milliseconds, or if there are none up to four of the latest with eight or nine; earlier ones are not looked at.
// Throws SuiteError if a value is wrong; it names the rules whose values they are.
void require_values(const Suite& suite, const std::string& origin, Rules rules);

// Reads the files, with require_values(); a suite is named by its file's stem, or by its whole path where two stems are
// equal. Throws SuiteError.
std::vector<Suite> read_suites(std::span<const std::filesystem::path> files, Rules rules = Rules::lines);

// At most `limit` entries of each phase and number of pieces, drawn at random; all of them for 0. Their order is kept.
std::vector<const SuiteEntry*> draw_entries(const std::vector<const SuiteEntry*>& entries, int limit, Rng& rng);

}  // namespace quarto
