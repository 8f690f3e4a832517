#include "app/commands.h"

#include "cli/whole_numbers.h"

namespace quarto::app {

void add_idle_seed(CLI::App& command) {
  command.add_option_function<std::uint64_t>(
      "--seed", [](std::uint64_t) {}, "no effect: nothing here is random");
}

void add_all(CLI::App& app) {
#define QUARTOZERO_ADD(name) add_##name(app);
  QUARTOZERO_COMMANDS(QUARTOZERO_ADD)
#undef QUARTOZERO_ADD
  require_whole_numbers(app);
}

}  // namespace quarto::app
