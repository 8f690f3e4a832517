// What the program quartozero-engine says of its command line: its --help, and its manual page.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace quarto::engine {

struct ProgramArgument {
  std::string_view name, help;  // an option's name begins with "-"
};

inline constexpr std::string_view kProgramSummary =
    "play Quarto over standard input and output, by a line protocol in the spirit of UCI";
inline constexpr auto kProgramArguments =
    std::to_array<ProgramArgument>({{"NETWORK",
                                     "a light file, a folder that has a model.light, or none (default: "
                                     "checkpoints/zero, which comes with the program)"},
                                    {"--help", "print this text and exit; also -h"},
                                    {"--version", "print the version and exit"}});
inline constexpr std::string_view kProgramNotes =
    "A session:\n"
    "\n"
    "  uqi\n"
    "  position start moves 0 a1 7\n"
    "  go sims 200\n"
    "\n"
    "The three lines can be piped in. It ends with `quit`, or when its input ends. docs/engine.md has the protocol.";

std::string program_help();

}  // namespace quarto::engine
