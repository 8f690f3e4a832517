// What the commands that search for exact values have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "solver/solver.h"

namespace quarto::app {

// Options that mean the same in each of them. What they set is also the default that --help shows.
void add_rules_option(CLI::App& command, std::string& rules);
void add_table_option(CLI::App& command, std::size_t& megabytes);
void add_threads_option(CLI::App& command, int& threads);
void add_book_option(CLI::App& command, std::string& book);

// The message of a notation error, the text, and a caret under the character in question, as a std::runtime_error.
Position parse_with_caret(const std::string& text, Rules rules);

// The book named by --book: "shipped" for the one that comes with the program (null if there is none), "none", or a
// file. Throws BookError, FileError; std::runtime_error when the file is for other rules.
std::shared_ptr<const Book> book_named(const std::string& name, Rules rules);

// Runs the work while another thread shows on standard error how far it is. `nodes`: how many it usually takes, for an
// estimate of the time left; 0 when that is not known. The work gets the limits with the progress filled in.
void with_progress(const std::string& what, const Solver& solver, SolveLimits limits, std::uint64_t nodes,
                   const std::function<void(const SolveLimits&)>& work);

}  // namespace quarto::app
