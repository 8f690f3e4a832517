#include "app/commands.h"

namespace quarto::app {

void add_all(CLI::App& app) {
  (void)app;
}

}  // namespace quarto::app
