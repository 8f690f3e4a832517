#include "app/solving.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/progress.h"
#include "env/notation.h"
#include "solver/book.h"

namespace quarto::app {

Position parse_with_caret(const std::string& text, Rules rules) {
  try {
    return parse_position(text, rules);
  } catch (const NotationError& e) {
    std::string shown = text;
    for (char& c : shown) {
      if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7F) c = '?';
    }
    throw std::runtime_error(
        fmt::format("position: {}\n  {}\n  {}^", e.what(), shown, std::string(e.column() - 1, ' ')));
  }
}

std::shared_ptr<const Book> book_named(const std::string& name, Rules rules) {
  if (name == "none") return nullptr;
  if (name == "shipped") {
    auto book = Book::shipped(rules);
    // Without one for the other rules nothing is missing.
    if (!book && rules == Rules::lines) {
      fmt::print(stderr, "the opening book that comes with the program is not there: early positions are searched\n");
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
