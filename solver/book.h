// The opening book: exact values of every position with few pieces on the board. One file:
//
//     0   "QuartoBk"
//     8   u32 format version (1)
//    12   u32 rules (0 lines, 1 squares)
//    16   u32 P, the last ply in the book: it has every position of 0..P gives and places
//    20   u32 CRC-32C of the whole file with this field zero
//    24   for each ply 0..P: u32 positions (canonical, not over), u32 wins, u32 losses, u32 index of its first entry
//         then entries of 12 bytes: for each ply its wins, then its losses, each sorted by key:
//         u32 high and u32 low half of CanonicalKey::attributes, u32 CanonicalKey::rest
//
// All numbers are little-endian. Nearly every early position is a draw, so the book lists no draws: a position of these
// plies that is not over and not listed is a draw. This is correct because the book is complete. Every board with so
// few pieces and without a winner can occur in a game (no part of it has a winner), and the file contains the number of
// positions.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "env/canonical.h"

namespace quarto {

// The file is not a book, is damaged, or has another version. The message names the file.
class BookError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Immutable; safe to use from any thread.
class Book {
 public:
  // Reads the file and checks its checksum, numbers and order; whether its values are right is not checked. Throws
  // BookError, FileError.
  static std::shared_ptr<const Book> open(const std::filesystem::path& path);
  // The same of a book in memory, for programs without files. `origin` is the name for messages. Throws BookError.
  static std::shared_ptr<const Book> parse(std::string bytes, const std::string& origin);
  // The book shipped with the program for this rule set; null if the file is missing. Throws as open() does.
  static std::shared_ptr<const Book> shipped(Rules rules);

  // The value for the player to act; nullopt if the position is not in the book (too many pieces, other rules, or the
  // game is over).
  std::optional<Value> find(const Position& position) const;

  struct Ply {
    std::uint32_t positions = 0, wins = 0, losses = 0, first = 0;
  };
  Rules rules() const { return rules_; }
  int last_ply() const { return static_cast<int>(plies_.size()) - 1; }
  const Ply& ply(int n) const { return plies_.at(static_cast<std::size_t>(n)); }
  std::uint32_t checksum() const { return checksum_; }
  std::size_t bytes() const { return bytes_.size(); }

  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

 private:
  struct Entry {
    std::uint32_t high, low, rest;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };
  static_assert(sizeof(Entry) == 12);
  friend std::string book_bytes(Rules rules, std::span<const struct BookLevel> levels);

  Book(std::string bytes, const std::string& origin);
  static Entry entry_of(const CanonicalKey& key) {
    return {static_cast<std::uint32_t>(key.attributes >> 32), static_cast<std::uint32_t>(key.attributes), key.rest};
  }

  std::span<const Entry> wins_of(const Ply& ply) const { return entries_.subspan(ply.first, ply.wins); }
  std::span<const Entry> losses_of(const Ply& ply) const {
    return entries_.subspan(std::size_t{ply.first} + ply.wins, ply.losses);
  }

  const std::string bytes_;
  Rules rules_ = Rules::lines;
  std::uint32_t checksum_ = 0;
  std::vector<Ply> plies_;
  std::span<const Entry> entries_;
};

// The opening books of a solver, at most one for each rule set. A book counts as the books that are that book alone.
class Books {
 public:
  Books() = default;
  Books(std::shared_ptr<const Book> book) { add(std::move(book)); }
  // Those that come with the program. Throws as Book::open() does.
  static Books shipped();

  // Takes the place of the one for the same rules. Null: nothing is added.
  void add(std::shared_ptr<const Book> book);
  // The book for these rules; null if there is none.
  const Book* of(Rules rules) const { return books_[static_cast<std::size_t>(rules)].get(); }
  std::optional<Value> find(const Position& position) const {
    const Book* book = of(position.rules());
    return book ? book->find(position) : std::nullopt;
  }

 private:
  std::array<std::shared_ptr<const Book>, kAllRules.size()> books_;
};

// The last ply that a book can have: more would take hours and gigabytes.
inline constexpr int kMostBookPly = 12;

// All canonical positions of one ply that are not over, sorted, with their values.
struct BookLevel {
  std::vector<CanonicalKey> keys;
  std::vector<Value> values;
};
// The content of a book file. `levels` are those of plies 0, 1, ...
std::string book_bytes(Rules rules, std::span<const BookLevel> levels);

}  // namespace quarto
