// The study of a network (eval/study.h) as HTML: a page of its own, or a section of a run's report. Works from the
// JSON, so that a study kept in a file can be shown at any time.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace quarto {

// Reads what `quartozero study --json` writes. Throws ReportError (report/report.h) where it is not, FileError.
nlohmann::json read_study(const std::filesystem::path& path);

// Headings from <h2> on. Throws ReportError when something is missing or of another type.
std::string study_section(const nlohmann::json& study);

// The whole page. Throws as above.
std::string render_study(const nlohmann::json& study);

}  // namespace quarto
