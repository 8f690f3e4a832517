#include "app/commands.h"

namespace quarto::app {

void add_all(CLI::App& app) {
  add_doctor(app);
  add_eval(app);
  add_export(app);
  add_match(app);
  add_play(app);
  add_report(app);
  add_solve(app);
}

}  // namespace quarto::app
