// Builds an opening book (book.h): solves every canonical position of the last ply; the values of earlier plies follow
// from their successors.
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

// The values of the positions of one ply, from the values of all positions of the next. Throws std::out_of_range where
// one of those is missing.
std::vector<Value> values_from(std::span<const CanonicalKey> keys, const BookLevel& next_level);

// Returns exact values for the player to act; nullopt stops the build, which keeps the values found so far.
using SolveAll = std::function<std::vector<std::optional<Value>>(std::span<const Position>)>;

struct BookBuild {
  Rules rules = Rules::lines;
  int last_ply = 10;
  std::filesystem::path out;
  // Called after every group of positions of the last ply.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = [](std::uint64_t, std::uint64_t) {};
};

// Writes build.out; the bytes do not depend on interruptions. Returns false if it was stopped before the end. Results
// are kept in "OUT.partial", from which a later call for the same book continues and which is removed at the end.
// Throws FileError, also when another process uses that file; std::filesystem::filesystem_error; and BookError when the
// partial file belongs to another book.
bool build_book(const BookBuild& build, const SolveAll& solve);

}  // namespace quarto
