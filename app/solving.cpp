#include "app/solving.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/option_limits.h"
#include "base/printable.h"
#include "base/progress.h"
#include "base/tell.h"
#include "cli/finite_range.h"
#include "env/notation.h"
#include "solver/book.h"

namespace quarto::app {

CLI::Option* add_rules_option(CLI::App& command, std::string& rules) {
  std::string meaning;
  for (const RuleSet& each : kRuleSets) {
    if (each.more().empty())
      meaning += each.name();
    else
      meaning += fmt::format(", or {}: {} wins as well", each.name(), each.more());
  }
  return command.add_option("--rules", rules, meaning)->check(CLI::IsMember(all_names<Rules>()))->capture_default_str();
}

void add_table_option(CLI::App& command, std::size_t& megabytes, const std::string& what) {
  command.add_option("--table-mb", megabytes, what)
      ->type_name("MB")
      ->check(CLI::Range(1, kMostTableMb))
      ->capture_default_str();
}

void add_threads_option(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "threads to search with")
      ->type_name("N")
      ->check(CLI::Range(1, kMostThreads))
      ->capture_default_str();
}

void add_book_option(CLI::App& command, std::string& book) {
  command.add_option("--book", book, "opening book: shipped (that of these rules in this repository), none, or a file")
      ->type_name("FILE")
      ->capture_default_str();
}

void add_time_limit_option(CLI::App& command, double& seconds, const std::string& what) {
  command.add_option("--time-limit", seconds, what + "; 0: no limit")
      ->type_name("SECONDS")
      ->check(FiniteRange(0.0, 1e9))
      ->capture_default_str();
}

void ExactOptions::add_to(CLI::App& command) {
  add_rules_option(command, rules);
  add_table_option(command, table_mb);
  add_threads_option(command, threads);
  add_book_option(command, book);
}

Rules ExactOptions::parsed_rules() const { return parse_rules(rules); }

Solver ExactOptions::solver() const {
  return Solver({.table_bytes = table_mb << 20, .threads = threads, .books = book_named(book, parsed_rules())});
}

std::string with_caret(const NotationError& error, const std::string& text) {
  return fmt::format("{}\n  {}\n  {}^", error.what(), printable(text, text.size()),
                     std::string(error.column() - 1, ' '));
}

Position parse_with_caret(const std::string& text, Rules rules) {
  try {
    return parse_position(text, rules);
  } catch (const NotationError& e) {
    throw std::runtime_error("position: " + with_caret(e, text));
  }
}

std::shared_ptr<const Book> book_named(const std::string& name, Rules rules) {
  if (name == "none") return nullptr;
  if (name == "shipped") {
    auto book = Book::shipped(rules);
    if (!book) {
      tell("no opening book for the rules '{}' was found: early positions are searched\n", to_string(rules));
    }
    return book;
  }
  auto book = Book::open(name);
  if (book->rules() != rules) {
    throw std::runtime_error(
        fmt::format("{}: a book for the rules '{}', not '{}'", name, to_string(book->rules()), to_string(rules)));
  }
  return book;
}

void with_progress(const std::string& what, const Solver& solver, SolveLimits limits, std::uint64_t nodes,
                   const std::function<void(const SolveLimits&)>& work) {
  SolveProgress solved;
  limits.progress = &solved;
  std::jthread shower([&](std::stop_token stop) {
    Progress progress(what, nodes, "nodes");
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    const auto requested = [&stop] { return stop.stop_requested(); };
    while (!stopped.wait_for(lock, stop, std::chrono::milliseconds(100), requested)) {
      progress.update(solved.nodes, fmt::format("table {:.0f}% full", 100 * solver.table_use().fill));
    }
  });
  work(limits);
}

}  // namespace quarto::app
