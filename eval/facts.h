// Numbers about the game, computed from the rules and set beside what was published (docs/facts.md).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/book.h"
#include "solver/solver.h"

namespace quarto {

// `published`, `source` and `agrees` are empty if no publication of the number is known. What is published is about the
// rules `lines`.
struct Fact {
  std::string what, published, source, computed;
  std::optional<bool> agrees;
  std::string verdict{};  // who is right, where the numbers differ
};

struct FactSource {
  const char *name, *text;
};
std::span<const FactSource> fact_sources();

struct FactsOptions {
  Rules rules = Rules::lines;
  std::shared_ptr<const Book> book{};
  int threads = 1;
  std::size_t table_bytes = SolverOptions{}.table_bytes;
  std::size_t sample = 300;  // without a book: positions of the group `five` to solve; 0: all of them
  std::uint64_t seed = 0;    // of samples
  std::function<void(const std::string& what, std::size_t done, std::size_t of)> on_progress{};
};

struct FactGroup;

class FactFinder {
 public:
  explicit FactFinder(FactsOptions options);
  ~FactFinder();
  std::vector<Fact> compute(const FactGroup& group);
  // Whether the book has the group's values, and what the group costs with this book.
  bool in_book(const FactGroup& group) const;
  enum class Cost { instant, seconds, minutes, hours };
  Cost cost(const FactGroup& group) const;

  struct Context;

 private:
  std::unique_ptr<Context> context_;
};

struct FactGroup {
  using Cost = FactFinder::Cost;
  using enum FactFinder::Cost;
  static constexpr int kNoPly = 99;
  const char *name, *help;
  std::vector<Fact> (*compute)(FactFinder::Context&);
  Cost cost;                // by search
  int ply = kNoPly;         // the last ply whose values come from a book, if it has them; kNoPly: none
  Cost with_book = cost;    // if it has them
  bool lines_only = false;  // it counts the same whatever the rules
};
// In the order of their costs, nearly.
std::span<const FactGroup> fact_groups();

}  // namespace quarto
