// The running program, as the system knows it: its command line, where it lies, its standard streams.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace quarto {

// Of main(), without the program's name; in UTF-8, as the names of files.
std::vector<std::string> program_arguments(int argc, char** argv);

// Where the files that come with the program may lie: the executable's folder and the two above it (a build folder's
// tree, a prefix of an installation), without those in which everybody may write: anybody could have put a file there.
// On Windows the executable's folder alone.
std::vector<std::filesystem::path> program_folders();

// For the start of a program: a standard stream that is closed (2>&-) gets an end of /dev/null that nothing can be
// written to. Otherwise the next file or socket that is opened takes its place, and gets what is said. On Windows input
// and output pass as they are, without conversions of the ends of lines.
void prepare_standard_streams();

}  // namespace quarto
