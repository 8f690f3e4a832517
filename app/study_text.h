// The study of a network (eval/study.h) for a terminal.
#pragma once

#include <string>

#include "app/board.h"
#include "eval/study.h"

namespace quarto::app {

// Everything but the pictures of the hardest positions, of which the first `pictures` of each list are drawn and the
// others named.
std::string study_text(const Study& study, int pictures, const DrawStyle& style);

}  // namespace quarto::app
