// Making an opening book (book.h): every canonical position of the last ply is solved, the values of earlier ones
// follow from those of their successors.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "solver/book.h"

namespace quarto {

// The canonical positions of each ply 0..last_ply that are not over, sorted.
std::vector<std::vector<CanonicalKey>> canonical_positions(Rules rules, int last_ply);

// The values of positions of one ply, from those of all positions of the next.
std::vector<Value> values_from(std::span<const CanonicalKey> keys, const BookLevel& next_level);

// Exact values, for the player to act; nullopt to stop the build (what was found so far is kept).
using SolveAll = std::function<std::vector<std::optional<Value>>(std::span<const Position>)>;

struct BookBuild {
  Rules rules = Rules::lines;
  int last_ply = 10;
  std::filesystem::path out;
  // Called after every portion of the last ply's positions.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = [](std::uint64_t, std::uint64_t) {};
};

// Writes build.out, the same bytes however often it was interrupted; false if it was stopped before the end. What is
// found on the way goes to "OUT.partial", which a later call for the same book continues from, and which is removed in
// the end. Throws FileError, also when another process is at work on it; std::filesystem::filesystem_error; and
// BookError when the partial file belongs to another book.
bool build_book(const BookBuild& build, const SolveAll& solve);

}  // namespace quarto
