// The common options and functions of the commands that search for exact values.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/cores.h"
#include "env/notation.h"
#include "solver/solver.h"

namespace quarto::app {

// Options with the same meaning in all of these commands. The present value of the variable is the default that --help
// shows.
CLI::Option* add_rules_option(CLI::App& command, std::string& rules);
void add_table_option(CLI::App& command, std::size_t& megabytes,
                      const std::string& what = "size of the transposition table");
void add_threads_option(CLI::App& command, int& threads);
void add_book_option(CLI::App& command, std::string& book);

void add_time_limit_option(CLI::App& command, double& seconds, const std::string& what);

// Of work that takes minutes and more.
inline constexpr std::size_t kLargeTableMb = 1024;

// Of the commands that ask a solver for values with the book: everything but the positions.
struct ExactOptions {
  std::string rules = "lines", book = "shipped";
  int threads = usable_cores();
  std::size_t table_mb = 256;

  void add_to(CLI::App& command);
  Rules parsed_rules() const;
  Solver solver() const;  // throws what book_named() throws
};

// The error's message, and under it the text, with a caret under the wrong character.
std::string with_caret(const NotationError& error, const std::string& text);

// Parses a position. A notation error is a std::runtime_error with its message and the text, as with_caret() writes
// them.
Position parse_with_caret(const std::string& text, Rules rules);

// The book named by --book: "shipped" (null if there is none), "none", or a file. Throws BookError, FileError;
// std::runtime_error when the file is for other rules.
std::shared_ptr<const Book> book_named(const std::string& name, Rules rules);

// Runs the work while another thread shows its progress on standard error. `nodes` is the usual number of nodes, for an
// estimate of the time left; 0 if unknown. The work gets the limits with `progress` set.
void with_progress(const std::string& what, const Solver& solver, SolveLimits limits, std::uint64_t nodes,
                   const std::function<void(const SolveLimits&)>& work);

}  // namespace quarto::app
