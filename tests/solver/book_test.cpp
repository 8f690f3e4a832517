#include "solver/book.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>

#include "base/checksum.h"
#include "base/file.h"
#include "env/notation.h"
#include "env/random_play.h"
#include "env/symmetry.h"
#include "solver/book_build.h"
#include "solver/solver.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;

// Made-up values of the last ply, the same for all images. They let a whole small book be built and checked at once.
Value invented(const Position& p) {
  const auto h = canonical_key(p).hash() % 16;
  return h == 0 ? Value::win : h <= 2 ? Value::loss : Value::draw;
}
std::vector<std::optional<Value>> invent(std::span<const Position> positions) {
  std::vector<std::optional<Value>> values;
  for (const Position& p : positions) values.emplace_back(invented(p));
  return values;
}

// What follows from the invented values, by plain recursion over every move.
Value expected(const Position& p, int last_ply, std::map<CanonicalKey, Value>& known) {
  if (p.is_terminal()) return p.terminal_value();
  if (p.ply() == last_ply) return invented(p);
  const auto key = canonical_key(p);
  if (const auto at = known.find(key); at != known.end()) return at->second;
  Value best = Value::loss;
  for (const int m : BitsOf(p.legal_moves())) {
    const Value next = expected(p.after({p.phase(), static_cast<std::uint8_t>(m)}), last_ply, known);
    const Value mine = p.has_hand() ? next : -next;
    if (mine > best) best = mine;
  }
  known[key] = best;
  return best;
}

// A file in `dir`, named by the rules.
fs::path small_book(const TemporaryDirectory& dir, int last_ply, Rules rules = Rules::lines) {
  BookBuild b;
  b.rules = rules;
  b.last_ply = last_ply;
  b.out = dir / to_string(rules);
  if (!build_book(b, invent)) throw std::runtime_error("the book was not built");
  return b.out;
}

class OpeningBook : public testing::TestWithParam<Rules> {
 protected:
  BookBuild build(const std::string& name, int last_ply = 7) const {
    BookBuild b;
    b.rules = GetParam();
    b.last_ply = last_ply;
    b.out = dir_ / name;
    return b;
  }
  TemporaryDirectory dir_;
};
INSTANTIATE_TEST_SUITE_P(Solver, OpeningBook, testing::Values(Rules::lines, Rules::squares),
                         [](const auto& rules) { return to_string(rules.param); });

TEST_P(OpeningBook, HasTheValuesThatFollowFromThoseOfTheLastPly) {
  ASSERT_TRUE(build_book(build("b"), invent));
  const auto book = Book::open(dir_ / "b");
  EXPECT_EQ(book->last_ply(), 7);
  std::map<CanonicalKey, Value> known;
  std::map<Value, int> seen;
  const auto levels = canonical_positions(GetParam(), 7);
  for (std::size_t ply = 0; ply < levels.size(); ++ply) {
    EXPECT_EQ(book->ply(static_cast<int>(ply)).positions, levels[ply].size());
    for (const CanonicalKey& key : levels[ply]) {
      const Position p = representative(key);
      ASSERT_EQ(canonical_key(p), key);
      ASSERT_EQ(book->find(p), expected(p, 7, known)) << to_string(p);
      ++seen[*book->find(p)];
    }
  }
  for (const Value v : {Value::loss, Value::draw, Value::win}) EXPECT_GT(seen[v], 20);
}

TEST_P(OpeningBook, AnswersForAllImagesAndForNothingBeyondTheirLastPly) {
  ASSERT_TRUE(build_book(build("b"), invent));
  const auto book = Book::open(dir_ / "b"), memory = Book::parse(read_file(dir_ / "b"), "a text");
  EXPECT_EQ(memory->checksum(), book->checksum());
  EXPECT_EQ(memory->bytes(), book->bytes());
  Rng rng(1);
  for (int i = 0; i < 500; ++i) {
    const Position p = random_position_at(static_cast<int>(rng.below(12)), rng, GetParam());
    const auto n = static_cast<std::uint64_t>(symmetry_count(GetParam()));
    const auto found = book->find(p);
    EXPECT_EQ(found.has_value(), p.ply() <= 7);
    EXPECT_EQ(memory->find(p), found) << to_string(p);
    EXPECT_EQ(book->find(apply(symmetry(static_cast<int>(rng.below(n))), p)), found) << to_string(p);
  }
  const Rules other = GetParam() == Rules::lines ? Rules::squares : Rules::lines;
  EXPECT_FALSE(book->find(Position(other)).has_value());
}

TEST_P(OpeningBook, HasTheSameBytesHoweverOftenTheBuildWasInterrupted) {
  ASSERT_TRUE(build_book(build("whole"), invent));
  int calls = 0, builds = 0;
  const auto stopping = [&calls](std::span<const Position> positions) {
    auto values = invent(positions);
    if (++calls % 5 == 0) values.back() = std::nullopt;
    return values;
  };
  while (!build_book(build("pieces"), stopping)) {
    ++builds;
    // As after a crash in the middle of a record.
    std::ofstream(dir_ / "pieces.partial", std::ios::app | std::ios::binary) << "half a rec";
    ASSERT_LT(builds, 100);
  }
  EXPECT_GT(builds, 3);
  EXPECT_EQ(read_file(dir_ / "pieces"), read_file(dir_ / "whole"));
  EXPECT_FALSE(fs::exists(dir_ / "pieces.partial"));
}

// A portion whose record is damaged, or is of a portion that does not exist, is solved again.
TEST_P(OpeningBook, DamagedRecordsOfAnInterruptedBuildAreSolvedAgain) {
  ASSERT_TRUE(build_book(build("whole"), invent));
  constexpr std::size_t kHeader = 24, kRecord = 24;
  int calls = 0;
  const auto stopping = [&calls](std::span<const Position> positions) {
    auto values = invent(positions);
    if (++calls == 5) values.back() = std::nullopt;
    return values;
  };
  ASSERT_FALSE(build_book(build("pieces"), stopping));
  std::string partial = read_file(dir_ / "pieces.partial");
  ASSERT_EQ(partial.size(), kHeader + 4 * kRecord);
  partial[kHeader + 4] = static_cast<char>(partial[kHeader + 4] ^ 1);  // a value
  std::string beyond(kRecord, '\0');
  beyond[1] = '\xFF';  // the number of its portion
  const std::uint32_t checksum = crc32c(std::string_view(beyond).substr(0, kRecord - sizeof(std::uint32_t)));
  std::memcpy(beyond.data() + kRecord - sizeof checksum, &checksum, sizeof checksum);
  write_file_atomic(dir_ / "pieces.partial", partial + beyond);
  std::size_t solved = 0, positions_of_last_ply = canonical_positions(GetParam(), 7).back().size();
  ASSERT_TRUE(build_book(build("pieces"), [&](std::span<const Position> positions) {
    solved += positions.size();
    return invent(positions);
  }));
  EXPECT_GE(solved, positions_of_last_ply - 3 * 64) << "three of the four portions are kept";
  EXPECT_LT(solved, positions_of_last_ply);
  EXPECT_EQ(read_file(dir_ / "pieces"), read_file(dir_ / "whole"));
}

TEST_P(OpeningBook, ContinuesOnlyItsOwnPartialFile) {
  write_file_atomic(dir_ / "b.partial", "something else");
  EXPECT_THROW(build_book(build("b"), invent), BookError);
}

TEST(Book, DamageIsNoticed) {
  const TemporaryDirectory dir;
  const std::string good = read_file(small_book(dir, 6));
  const auto error_of = [&](const std::string& bytes) {
    write_file_atomic(dir / "damaged", bytes);
    return message_of<BookError>([&] { Book::open(dir / "damaged"); });
  };
  EXPECT_EQ(error_of(good), "no error");
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << i % 8));
    EXPECT_NE(error_of(bad), "no error") << "byte " << i;
  }
  EXPECT_NE(error_of(good.substr(0, good.size() - 12)).find("cut short"), std::string::npos);
  EXPECT_NE(error_of("").find("not an opening book"), std::string::npos);
  EXPECT_THROW(Book::open(dir / "absent"), FileError);
  EXPECT_THROW(Book::parse(good.substr(1), "a text"), BookError);
}

constexpr std::size_t kPliesAt = 24;

// What Book::parse() says of these bytes with a right checksum.
std::string error_of(std::string bytes) {
  constexpr std::size_t kChecksumAt = 20;
  std::memset(bytes.data() + kChecksumAt, 0, sizeof(std::uint32_t));
  const std::uint32_t checksum = crc32c(bytes);
  std::memcpy(bytes.data() + kChecksumAt, &checksum, sizeof checksum);
  return message_of<BookError>([&] { Book::parse(bytes, "a text"); });
}

TEST(Book, WhatNoBookCanSayIsRefused) {
  const TemporaryDirectory dir;
  const std::string good = read_file(small_book(dir, 4));
  constexpr std::size_t kVersionAt = 8, kRulesAt = 12, kLastPlyAt = 16;
  const auto with = [&](std::size_t at, std::uint32_t number) {
    std::string bytes = good;
    std::memcpy(bytes.data() + at, &number, sizeof number);
    return error_of(bytes);
  };
  EXPECT_EQ(error_of(good), "no error");
  EXPECT_EQ(with(kVersionAt, 2),
            "a text: book format 2, this program reads 1: build it anew with `quartozero book build`");
  EXPECT_EQ(with(kRulesAt, kAllRules.size()), "a text: impossible rules or number of plies");
  EXPECT_EQ(with(kLastPlyAt, kMostBookPly + 1), "a text: impossible rules or number of plies");
  EXPECT_EQ(with(kLastPlyAt, kMostBookPly), "a text: impossible length");
  EXPECT_EQ(error_of(good + "x"), "a text: impossible length");
  EXPECT_EQ(error_of(good.substr(0, kPliesAt + 3)), "a text: impossible length");
  EXPECT_EQ(error_of(good + std::string(12, 'x')), "a text: impossible numbers of entries");
  EXPECT_EQ(error_of(good.substr(0, good.size() - 12)), "a text: impossible numbers of entries");
  // Numbers of a ply: each of them is wrong if it is raised by a thousand.
  int refused = 0;
  for (std::size_t at = kPliesAt; at < kPliesAt + 5 * sizeof(Book::Ply); at += sizeof(std::uint32_t)) {
    std::uint32_t number = 0;
    std::memcpy(&number, good.data() + at, sizeof number);
    const std::string error = with(at, number + 1000);
    EXPECT_TRUE(error == "no error" || error == "a text: impossible numbers of entries") << error;
    refused += error != "no error";
  }
  EXPECT_EQ(refused, 5 * 3) << "the first entry, the wins and the losses; more positions are drawn ones";
}

// With bisection, an entry that is not in its place is a draw.
TEST(Book, EntriesOutOfOrderAreRefused) {
  const TemporaryDirectory dir;
  const fs::path file = small_book(dir, 7);
  const auto book = Book::open(file);
  const Book::Ply& last = book->ply(7);
  ASSERT_GE(last.wins, 2U);
  ASSERT_GE(last.losses, 2U);
  constexpr std::size_t kEntry = 12;
  const std::size_t entries_from = kPliesAt + 8 * sizeof(Book::Ply);
  const std::string good = read_file(file);
  EXPECT_EQ(error_of(good), "no error");
  for (const std::uint32_t entry : {last.first, last.first + last.wins}) {
    const std::size_t at = entries_from + kEntry * entry;
    const std::string one = good.substr(at, kEntry), next = good.substr(at + kEntry, kEntry);
    for (const std::string& two : {next + one, one + one}) {
      EXPECT_EQ(error_of(std::string(good).replace(at, 2 * kEntry, two)), "a text: entries out of order") << entry;
    }
  }
}

TEST(Book, ValuesDoNotFollowFromSomeOfTheNextPly) {
  const auto levels = canonical_positions(Rules::lines, 3);
  BookLevel next{levels[3], std::vector<Value>(levels[3].size(), Value::draw)};
  EXPECT_EQ(values_from(levels[2], next), std::vector<Value>(levels[2].size(), Value::draw));
  next.keys.pop_back();
  next.values.pop_back();
  EXPECT_THROW(values_from(levels[2], next), std::out_of_range);
}

TEST(Book, ServesTheSolver) {
  const TemporaryDirectory dir;
  Solver solver({.table_bytes = 1 << 20, .books = Book::open(small_book(dir, 5))});
  std::map<CanonicalKey, Value> known;
  Rng rng(2);
  for (int ply = 0; ply <= 4; ++ply) {
    const Position p = random_position_at(ply, rng);
    const MoveSolution s = solver.solve_moves(p);
    EXPECT_EQ(s.stats.nodes, 0U);
    EXPECT_EQ(s.value, expected(p, 5, known));
    for (const int m : BitsOf(p.legal_moves())) {
      const Value next = expected(p.after({p.phase(), static_cast<std::uint8_t>(m)}), 5, known);
      EXPECT_EQ(s.values[static_cast<std::size_t>(m)], p.has_hand() ? next : -next);
    }
    EXPECT_EQ(solver.solve(p).value, s.value);
  }
}

// The moves of a position at the last ply are searched; its own value needs no search.
TEST(Books, KnowAPositionWhoseMovesAreNotSolved) {
  const Position p = parse_position(".97./..../1..D/.... -", Rules::squares);
  Solver solver({.table_bytes = std::size_t{1} << 20, .threads = 1, .books = Books::shipped()});
  ASSERT_TRUE(solver.solve(p).value);
  const std::atomic<bool> stop = true;
  SolveLimits limits;
  limits.stop = &stop;
  const MoveSolution moves = solver.solve_moves(p, limits);
  EXPECT_EQ(moves.value, solver.solve(p).value);
  for (const auto& value : moves.values) EXPECT_FALSE(value);
  const std::vector<Position> positions = {p};
  EXPECT_EQ(solver.solve_moves_of_all(positions, limits).front().value, moves.value);
}

TEST(Books, AnswerForTheRulesThatTheyHave) {
  const TemporaryDirectory dir;
  Books books;
  EXPECT_EQ(books.find(Position(Rules::lines)), std::nullopt);
  int last_ply = 3;
  for (const Rules rules : kAllRules) {
    EXPECT_EQ(books.of(rules), nullptr);
    books.add(Book::open(small_book(dir, ++last_ply, rules)));
    books.add(nullptr);
    EXPECT_EQ(books.of(rules)->last_ply(), last_ply);
  }
  Rng rng(3);
  const Position lines = random_position_at(5, rng, Rules::lines), squares = random_position_at(5, rng, Rules::squares);
  EXPECT_EQ(books.find(lines), std::nullopt);
  EXPECT_TRUE(books.find(squares));
  const Books one(Book::open(dir / "lines"));
  EXPECT_NE(one.of(Rules::lines), nullptr);
  EXPECT_EQ(one.of(Rules::squares), nullptr);
}

}  // namespace
}  // namespace quarto
