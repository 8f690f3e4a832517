#include "solver/book.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

#include "base/checksum.h"
#include "base/file.h"
#include "base/shipped.h"
#include "env/notation.h"

namespace quarto {
namespace {

static_assert(std::endian::native == std::endian::little, "book files are used as they are");

constexpr std::string_view kMagic = "QuartoBk";
constexpr std::uint32_t kVersion = 1;

struct Header {
  char magic[8];
  std::uint32_t version, rules, last_ply, checksum;
};
static_assert(sizeof(Header) == 24);

std::uint32_t checksum_of(Header header, std::string_view content) {
  header.checksum = 0;
  return crc32c(content, crc32c({reinterpret_cast<const char*>(&header), sizeof header}));
}

}  // namespace

std::shared_ptr<const Book> Book::open(const std::filesystem::path& path) {
  return parse(read_file(path), path.string());
}

std::shared_ptr<const Book> Book::parse(std::string bytes, const std::string& origin) {
  return std::shared_ptr<const Book>(new Book(std::move(bytes), origin));
}

std::shared_ptr<const Book> Book::shipped(Rules rules) {
  const auto path = find_shipped(std::filesystem::path("solver/books") / (to_string(rules) + ".book"));
  if (!path) return nullptr;
  auto book = open(*path);
  if (book->rules() != rules) {
    throw BookError(fmt::format("{}: a book for the rules '{}'", path->string(), to_string(book->rules())));
  }
  return book;
}

Books Books::shipped() {
  Books books;
  for (const Rules rules : kAllRules) books.add(Book::shipped(rules));
  return books;
}

void Books::add(std::shared_ptr<const Book> book) {
  if (book) books_[static_cast<std::size_t>(book->rules())] = std::move(book);
}

Book::Book(std::string content, const std::string& origin) : bytes_(std::move(content)) {
  const std::string_view bytes = bytes_;
  const auto fail = [&origin](const std::string& what) { throw BookError(fmt::format("{}: {}", origin, what)); };
  Header header{};
  if (bytes.size() < sizeof header || !bytes.starts_with(kMagic)) fail("not an opening book");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.version != kVersion) {
    fail(fmt::format("book format {}, this program reads {}: build it anew with `quartozero book build`",
                     header.version, kVersion));
  }
  checksum_ = checksum_of(header, bytes.substr(sizeof header));
  if (checksum_ != header.checksum) fail("the checksum is wrong: the file is damaged or cut short");
  if (!is_rules(header.rules) || header.last_ply > kMostBookPly) fail("impossible rules or number of plies");
  rules_ = static_cast<Rules>(header.rules);
  plies_.resize(header.last_ply + 1);
  const std::size_t entries_from = sizeof header + plies_.size() * sizeof(Ply);
  if (bytes.size() < entries_from || (bytes.size() - entries_from) % sizeof(Entry) != 0) fail("impossible length");
  std::memcpy(plies_.data(), bytes.data() + sizeof header, plies_.size() * sizeof(Ply));
  // The entries are aligned: `new` aligns a string of this length, and the size of all data before the entries is a
  // multiple of eight bytes.
  entries_ = {reinterpret_cast<const Entry*>(bytes.data() + entries_from),
              (bytes.size() - entries_from) / sizeof(Entry)};
  std::uint64_t next = 0;
  for (const Ply& ply : plies_) {
    const std::uint64_t listed = std::uint64_t{ply.wins} + ply.losses;
    if (ply.first != next || listed > ply.positions || (next += listed) > entries_.size()) {
      fail("impossible numbers of entries");
    }
  }
  if (next != entries_.size()) fail("impossible numbers of entries");
  // find() searches by bisection: an entry out of order would be overlooked, and its position be a draw.
  for (const Ply& ply : plies_) {
    for (const auto& listed : {wins_of(ply), losses_of(ply)}) {
      if (std::adjacent_find(listed.begin(), listed.end(), std::greater_equal<>()) != listed.end()) {
        fail("entries out of order");
      }
    }
  }
}

std::optional<Value> Book::find(const Position& position) const {
  if (position.rules() != rules_ || position.ply() > last_ply() || position.is_terminal()) return std::nullopt;
  const Ply& ply = plies_[static_cast<std::size_t>(position.ply())];
  const Entry entry = entry_of(canonical_key(position));
  const auto wins = wins_of(ply), losses = losses_of(ply);
  if (std::binary_search(wins.begin(), wins.end(), entry)) return Value::win;
  if (std::binary_search(losses.begin(), losses.end(), entry)) return Value::loss;
  return Value::draw;
}

std::string book_bytes(Rules rules, std::span<const BookLevel> levels) {
  std::vector<Book::Ply> plies;
  std::vector<Book::Entry> entries;
  for (const BookLevel& level : levels) {
    Book::Ply ply;
    ply.positions = static_cast<std::uint32_t>(level.keys.size());
    ply.first = static_cast<std::uint32_t>(entries.size());
    for (const Value listed : {Value::win, Value::loss}) {
      const std::size_t from = entries.size();
      for (std::size_t i = 0; i < level.keys.size(); ++i) {
        if (level.values[i] == listed) entries.push_back(Book::entry_of(level.keys[i]));
      }
      (listed == Value::win ? ply.wins : ply.losses) = static_cast<std::uint32_t>(entries.size() - from);
      std::sort(entries.begin() + static_cast<std::ptrdiff_t>(from), entries.end());
    }
    plies.push_back(ply);
  }
  std::string content(reinterpret_cast<const char*>(plies.data()), plies.size() * sizeof(Book::Ply));
  content.append(reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(Book::Entry));
  Header header{};
  std::memcpy(header.magic, kMagic.data(), kMagic.size());
  header.version = kVersion;
  header.rules = static_cast<std::uint32_t>(rules);
  header.last_ply = static_cast<std::uint32_t>(plies.size() - 1);
  header.checksum = checksum_of(header, content);
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) + content;
}

}  // namespace quarto
