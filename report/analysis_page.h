// Analysed games (eval/game_analysis.h) as HTML: every move with its value, and a board for every mistake. Works from
// the JSON, so that an analysis kept in a file can be shown at any time.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "env/types.h"

namespace quarto {

// A page has the boards of so many mistakes at most, and says how many it leaves out.
inline constexpr int kMostBoards = 300;

// How a game has ended, or that it has not: by the points of who gave first where they are known, else by the rules.
std::string result_text(std::optional<double> points, std::optional<Value> by_rules,
                        const std::array<std::string, 2>& players, const std::string& note);

// The whole page. Throws ReportError (report/report.h) when something is missing or of another type.
std::string render_analysis(const nlohmann::json& analysis);

}  // namespace quarto
