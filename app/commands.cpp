#include "app/commands.h"

namespace quarto::app {

void add_all(CLI::App& app) { add_solve(app); }

}  // namespace quarto::app
