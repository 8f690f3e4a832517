// quartozero book: builds and checks the opening book.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>

#include "app/commands.h"
#include "app/interrupt.h"
#include "app/output_file.h"
#include "app/solving.h"
#include "base/clock.h"
#include "base/cores.h"
#include "base/json_library.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/tell.h"
#include "env/notation.h"
#include "solver/book_build.h"
#include "solver/solver.h"

namespace quarto::app {
namespace {

struct BookOptions {
  std::string file, rules = "lines";
  int last_ply = 10, threads = usable_cores(), sample = 50;
  std::size_t table_mb = 4096;
  std::uint64_t seed = 1;
  bool json = false;
};

void print_plies(const Book& book) {
  fmt::print("{:>4} {:>10} {:>8} {:>10} {:>8}\n", "ply", "positions", "wins", "draws", "losses");
  for (int n = 0; n <= book.last_ply(); ++n) {
    const Book::Ply& ply = book.ply(n);
    fmt::print("{:>4} {:>10} {:>8} {:>10} {:>8}\n", n, ply.positions, ply.wins, ply.positions - ply.wins - ply.losses,
               ply.losses);
  }
}

void build(const BookOptions& options) {
  const std::atomic<bool>& stop = stop_on_interrupt();
  BookBuild job;
  job.rules = parse_rules(options.rules);
  job.last_ply = options.last_ply;
  job.out = options.file;
  Solver solver({.table_bytes = options.table_mb << 20, .threads = options.threads});
  const auto start = std::chrono::steady_clock::now();
  bool built = false;
  std::uint64_t resumed = 0, done = 0;
  {
    std::unique_ptr<Progress> progress;
    job.progress = [&](std::uint64_t n, std::uint64_t total) {
      if (!progress) {
        resumed = n;
        if (n > 0) tell("continuing: {} of {} positions were solved before\n", n, total);
        progress = std::make_unique<Progress>(fmt::format("solving ply {}", options.last_ply), total - n, "positions");
      }
      done = n;
      progress->update(n - resumed);
    };
    built = build_book(job, [&](std::span<const Position> positions) {
      SolveLimits limits;
      limits.stop = &stop;
      return solver.solve_all(positions, limits);
    });
  }
  if (!built) {
    throw Failed(fmt::format("stopped with {} positions solved; the same command continues from {}.partial", done,
                             options.file));
  }
  const auto book = Book::open(options.file);
  fmt::print("{}: {} bytes, checksum {:08x}, {} in this run\n", options.file, book->bytes(), book->checksum(),
             format_duration(seconds_since(start)));
  print_plies(*book);
}

void info(const BookOptions& options) {
  const auto book = Book::open(options.file);
  if (options.json) {
    nlohmann::ordered_json report = {{"file", options.file},
                                     {"bytes", book->bytes()},
                                     {"checksum", fmt::format("{:08x}", book->checksum())},
                                     {"rules", to_string(book->rules())},
                                     {"plies", nlohmann::ordered_json::array()}};
    for (int n = 0; n <= book->last_ply(); ++n) {
      const Book::Ply& ply = book->ply(n);
      report["plies"].push_back({{"ply", n},
                                 {"positions", ply.positions},
                                 {"wins", ply.wins},
                                 {"draws", ply.positions - ply.wins - ply.losses},
                                 {"losses", ply.losses}});
    }
    print_json(report);
    return;
  }
  fmt::print("{}: rules {}, {} bytes, checksum {:08x}\n", options.file, to_string(book->rules()), book->bytes(),
             book->checksum());
  print_plies(*book);
}

// Compares random positions of the book with a search that does not use it.
void check(const BookOptions& options) {
  const std::atomic<bool>& stop = stop_on_interrupt();
  const auto book = Book::open(options.file);
  const auto levels = canonical_positions(book->rules(), book->last_ply());
  int wrong = 0;
  const auto compare = [&wrong, &book](const CanonicalKey& key, Value found, const char* by) {
    const Position position = representative(key);
    const Value listed = book->find(position).value();
    if (listed == found) return;
    ++wrong;
    tell("{}: the book has {}, {} {}\n", to_string(position), to_string(listed), by, to_string(found));
  };
  for (int n = 0; n <= book->last_ply(); ++n) {
    const auto counted = levels[static_cast<std::size_t>(n)].size();
    if (counted != book->ply(n).positions) {
      throw Failed(fmt::format("ply {}: the book has {} positions, there are {}", n, book->ply(n).positions, counted));
    }
  }
  // The values of every ply but the last follow from the next ply.
  BookLevel next;
  for (int n = book->last_ply(); n >= 0; --n) {
    const auto& keys = levels[static_cast<std::size_t>(n)];
    BookLevel level{keys, {}};
    for (const CanonicalKey& key : keys) level.values.push_back(book->find(representative(key)).value());
    if (n < book->last_ply()) {
      const auto derived = values_from(keys, next);
      for (std::size_t i = 0; i < keys.size(); ++i) compare(keys[i], derived[i], "its successors give");
    }
    next = std::move(level);
  }
  Solver solver({.table_bytes = options.table_mb << 20, .threads = options.threads});
  SolveLimits limits;
  limits.stop = &stop;
  Rng rng(options.seed);
  Progress progress("checking", static_cast<std::uint64_t>(options.sample), "positions");
  const auto& last = levels.back();
  for (int i = 0; i < options.sample; ++i) {
    const CanonicalKey& key = last[rng.below(last.size())];
    const auto value = solver.solve(representative(key), limits).value;
    if (!value) throw Failed(fmt::format("stopped after {} positions, {} wrong", i, wrong));
    compare(key, *value, "the solver found");
    progress.update(static_cast<std::uint64_t>(i + 1));
  }
  progress.finish();
  fmt::print(
      "positions of every ply counted, values of earlier plies derived from the last; {} random ones of ply {} solved, "
      "{} wrong\n",
      options.sample, book->last_ply(), wrong);
  if (wrong > 0) throw Failed("");
}

}  // namespace

void add_book(CLI::App& app) {
  auto options = std::make_shared<BookOptions>();
  CLI::App* book = app.add_subcommand("book", "build or examine the opening book: exact values of all early positions");
  book->require_subcommand(1);
  book->footer(
      "The book has the value of every position with few pieces on the board, so that `solve`, `perfect` and others\n"
      "answer those at once. One comes with the program. solver/book.h has its format.\n"
      "\n"
      "Example:\n"
      "  quartozero book check solver/books/lines.book     the book that comes with the program");

  CLI::App* make = book->add_subcommand(
      "build", "solve every canonical position of one ply, and derive the values of all earlier ones");
  make->footer(
      "May be interrupted: what was found is kept in FILE.partial, and the same command continues there. The same\n"
      "book has the same bytes, whatever the threads and the interruptions.\n"
      "\n"
      "Example:\n"
      "  quartozero book build --out lines.book            ply 10: five pieces on the board, none in hand");
  make->add_option("--out", options->file, "file to write")->required()->type_name("FILE");
  make->add_option("--last-ply", options->last_ply, "up to this many gives and places")
      ->check(CLI::Range(0, kMostBookPly))
      ->capture_default_str();
  add_rules_option(*make, options->rules);
  add_table_option(*make, options->table_mb);
  add_threads_option(*make, options->threads);
  add_idle_seed(*make);
  make->callback([options] { build(*options); });

  CLI::App* show = book->add_subcommand("info", "check a book's checksum and print what is in it");
  show->footer(
      "Example:\n"
      "  quartozero book info solver/books/lines.book");
  show->add_option("FILE", options->file, "the book")->required();
  show->add_flag("--json", options->json, "one line of JSON instead of text");
  add_idle_seed(*show);
  show->callback([options] { info(*options); });

  CLI::App* verify =
      book->add_subcommand("check", "count all positions, derive earlier values anew, solve a sample of the last ones");
  verify->footer(
      "Example:\n"
      "  quartozero book check solver/books/lines.book --sample 200");
  verify->add_option("FILE", options->file, "the book")->required();
  verify->add_option("--sample", options->sample, "number of positions to solve")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  verify->add_option("--seed", options->seed, "seed of the sample")->capture_default_str();
  add_table_option(*verify, options->table_mb);
  add_threads_option(*verify, options->threads);
  verify->callback([options] { check(*options); });
}

}  // namespace quarto::app
