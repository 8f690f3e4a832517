#include "solver/book_build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <stdexcept>

#include "base/atomic_file.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/stride.h"
#include "env/census.h"

namespace quarto {
namespace {

namespace fs = std::filesystem;

// Positions that are solved and recorded together: enough to keep the threads busy, and few enough to lose little work.
constexpr std::size_t kPortion = 64;

// The values of the last ply in portions, appended as they are solved: a header, then records of a portion's number,
// two bits for each of its values, and a checksum.
class Partial {
 public:
  Partial(const BookBuild& build, std::size_t positions) : path_(build.out) {
    path_ += ".partial";
    header_ = {.rules = static_cast<std::uint32_t>(build.rules),
               .last_ply = static_cast<std::uint32_t>(build.last_ply),
               .positions = static_cast<std::uint32_t>(positions)};
  }

  // Fills in the recorded values; creates the file if there is none.
  void read(std::vector<std::optional<Value>>& values) {
    if (!fs::exists(path_)) write_file_atomic(path_, bytes_of(header_));
    const std::string bytes = read_file(path_);
    if (bytes.substr(0, sizeof header_) != bytes_of(header_)) {
      throw BookError(fmt::format("{}: belongs to another book, or to none; remove it to start anew", path_.string()));
    }
    std::size_t at = sizeof header_;
    for (Record record; at + sizeof record <= bytes.size(); at += sizeof record) {
      std::memcpy(&record, bytes.data() + at, sizeof record);
      const std::size_t first = record.portion * kPortion;
      if (record.checksum != checksum(record) || first >= values.size()) continue;  // it will be solved again
      for (std::size_t i = first; i < std::min(first + kPortion, values.size()); ++i) {
        const unsigned two_bits = (record.values[(i - first) / 4] >> (2 * ((i - first) % 4))) & 3U;
        values[i] = static_cast<Value>(static_cast<int>(two_bits) - 1);
      }
    }
    // Removes a record that a crash has cut short: later records would not be aligned.
    if (at < bytes.size()) fs::resize_file(path_, at);
  }

  void append(std::size_t first, std::span<const std::optional<Value>> values) {
    Record record;
    record.portion = static_cast<std::uint32_t>(first / kPortion);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto two_bits = static_cast<unsigned>(static_cast<int>(*values[i]) + 1);
      record.values[i / 4] = static_cast<std::uint8_t>(record.values[i / 4] | (two_bits << (2 * (i % 4))));
    }
    record.checksum = checksum(record);
    append_file(path_, bytes_of(record));
  }

  void remove() { fs::remove(path_); }

 private:
  struct Header {
    std::array<char, 8> magic = {'Q', 'u', 'a', 'r', 't', 'o', 'B', 'p'};
    std::uint32_t version = 1, rules = 0, last_ply = 0, positions = 0;
  };
  struct Record {
    std::uint32_t portion = 0;
    std::array<std::uint8_t, kPortion / 4> values{};
    std::uint32_t checksum = 0;
  };
  static_assert(sizeof(Header) == 24 && sizeof(Record) == 24);

  template <class T>
  static std::string bytes_of(const T& object) {
    return {reinterpret_cast<const char*>(&object), sizeof object};
  }
  static std::uint32_t checksum(const Record& record) {
    return crc32c(std::string_view(reinterpret_cast<const char*>(&record), offsetof(Record, checksum)));
  }

  fs::path path_;
  Header header_;
};

Value value_at(const BookLevel& level, const CanonicalKey& key) {
  const auto at = std::lower_bound(level.keys.begin(), level.keys.end(), key);
  if (at == level.keys.end() || *at != key) throw std::out_of_range("a successor is missing");
  return level.values[static_cast<std::size_t>(at - level.keys.begin())];
}

// The value for the player to act, from the values of the next ply.
Value value_from(const Position& position, const BookLevel& next_level) {
  Value best = Value::loss;
  for (const Move m : position.moves()) {
    const Position next = position.after(m);
    const Value value = next.is_terminal() ? next.terminal_value() : value_at(next_level, canonical_key(next));
    const Value for_mover = position.phase() == Phase::give ? -value : value;
    if (for_mover > best) best = for_mover;
  }
  return best;
}

// Solves the positions of the last ply. Returns false if it was stopped.
bool solve_last_ply(const BookBuild& build, const SolveAll& solve, BookLevel& level) {
  const std::size_t n = level.keys.size(), portions = (n + kPortion - 1) / kPortion;
  std::vector<std::optional<Value>> values(n);
  Partial partial(build, n);
  partial.read(values);
  auto done = static_cast<std::uint64_t>(std::count_if(values.begin(), values.end(), [](auto v) { return !!v; }));
  build.progress(done, n);
  // Positions with neighbouring keys are similar and cost about the same, so portions are taken with a stride.
  const std::size_t stride = spreading_stride(portions);
  for (std::size_t i = 0, portion = 0; i < portions; ++i, portion = (portion + stride) % portions) {
    const std::size_t first = portion * kPortion, count = std::min(kPortion, n - first);
    if (values[first]) continue;
    std::vector<Position> positions;
    for (std::size_t k = 0; k < count; ++k) positions.push_back(representative(level.keys[first + k]));
    const auto found = solve(positions);
    for (std::size_t k = 0; k < count; ++k) {
      if (!found[k]) return false;
    }
    std::copy(found.begin(), found.end(), values.begin() + static_cast<std::ptrdiff_t>(first));
    partial.append(first, found);
    done += count;
    build.progress(done, n);
  }
  for (const auto& value : values) level.values.push_back(*value);
  return true;
}

}  // namespace

std::vector<std::vector<CanonicalKey>> canonical_positions(Rules rules, int last_ply) {
  std::vector<std::vector<CanonicalKey>> levels;
  for (const auto& positions : distinct_positions(last_ply, WonBoards::end, rules)) {
    auto& keys = levels.emplace_back();
    for (const Position& p : positions) {
      if (!p.is_terminal()) keys.push_back(canonical_key(p));
    }
  }
  return levels;
}

std::vector<Value> values_from(std::span<const CanonicalKey> keys, const BookLevel& next_level) {
  std::vector<Value> values;
  for (const CanonicalKey& key : keys) values.push_back(value_from(representative(key), next_level));
  return values;
}

bool build_book(const BookBuild& build, const SolveAll& solve) {
  require_writable(build.out);
  const WorkLock lock(build.out);
  auto keys = canonical_positions(build.rules, build.last_ply);
  std::vector<BookLevel> levels;
  for (auto& of_ply : keys) levels.push_back({std::move(of_ply), {}});
  if (!solve_last_ply(build, solve, levels.back())) return false;
  for (std::size_t ply = levels.size() - 1; ply-- > 0;)
    levels[ply].values = values_from(levels[ply].keys, levels[ply + 1]);
  write_file_atomic(build.out, book_bytes(build.rules, levels));
  Partial(build, levels.back().keys.size()).remove();
  return true;
}

}  // namespace quarto
