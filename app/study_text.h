// Formats the study of a network (eval/study.h) for a terminal.
#pragma once

#include <string>

#include "app/board.h"
#include "eval/study.h"

namespace quarto::app {

// The whole study. Draws the first `pictures` of each list of hardest positions and lists the others by notation.
std::string study_text(const Study& study, int pictures, const DrawStyle& style);

}  // namespace quarto::app
