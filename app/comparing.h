// What `sweep` ends with: its runs beside each other.
#pragma once

#include <string>
#include <vector>

namespace quarto::app {

// The last figures of the runs in these directories, as a table on standard output, the best first. Runs that differ in
// nothing but the seed are one configuration, with the mean and the lowest and the highest of its seeds. Throws
// ReportError, ConfigError and FileError.
void print_comparison(const std::vector<std::string>& directories);

}  // namespace quarto::app
