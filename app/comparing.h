// Runs beside each other: what `report A B ...` and `sweep` end with.
#pragma once

#include <string>
#include <vector>

#include "report/comparison.h"

namespace quarto::app {

// Reads the runs' metrics and configurations. Throws ReportError, ConfigError and FileError.
std::vector<ComparedRun> compared_runs(const std::vector<std::string>& directories);

// The table of results, on standard output.
void print_comparison(const std::vector<ComparedRun>& runs);

}  // namespace quarto::app
