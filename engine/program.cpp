#include "engine/program.h"

#include <fmt/format.h>

namespace quarto::engine {

std::string program_help() {
  std::string text =
      fmt::format("quartozero-engine: {}\nusage: quartozero-engine [OPTIONS] [NETWORK]\n\n", kProgramSummary);
  for (const ProgramArgument& argument : kProgramArguments)
    text += fmt::format("  {:<11} {}\n", argument.name, argument.help);
  return text + fmt::format("\n{}\n", kProgramNotes);
}

}  // namespace quarto::engine
