#include "app/commands.h"

namespace quarto::app {

void add_all(CLI::App& app) {
  add_eval(app);
  add_match(app);
  add_play(app);
  add_report(app);
  add_solve(app);
  add_train(app);
}

}  // namespace quarto::app
