#include "store/wire.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/checksum.h"
#include "base/printable.h"
#include "env/stored_position.h"

namespace quarto::store {
namespace {

static_assert(std::endian::native == std::endian::little, "the formats are written as they lie in memory");

constexpr std::string_view kGamesMagic = "QZGAMES1", kWeightsMagic = "QZWGHTS1", kInputMagic = "QZINPUT1",
                           kShareMagic = "QZSHARE1";
constexpr std::size_t kGamesHeader = 16, kWeightsHeader = 40, kInputHeader = 20, kShareHeader = 41;
constexpr std::uint32_t kMostFiles = 10'000;
constexpr std::size_t kMostRaw = kMostInRange * (64 + kMostSamples * sizeof(Sample)) + 1024;
constexpr int kLevel = 1;

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view bytes(std::size_t n) {
    if (n > rest_.size()) throw WireError("it is cut short");
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  std::string_view rest() { return bytes(rest_.size()); }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

// Checks the magic and the checksum, and returns what follows them.
std::string_view unwrapped(std::string_view bytes, std::string_view magic, std::size_t header, const char* what) {
  if (!bytes.starts_with(magic)) throw WireError(fmt::format("not {} of format version 1", what));
  if (bytes.size() < header) throw WireError("it is cut short");
  std::uint32_t said = 0;
  std::memcpy(&said, bytes.data() + magic.size(), sizeof said);
  const std::string_view rest = bytes.substr(magic.size() + sizeof said);
  if (said != crc32c(rest)) throw WireError("its checksum is wrong");
  return rest;
}

std::string wrapped(std::string_view magic, const std::string& rest) {
  std::string bytes(magic);
  put(bytes, crc32c(rest));
  return bytes + rest;
}

GameRecord decode_game(Reader& in, std::uint64_t number, const GameRules& rules) {
  const auto fail = [&](const std::string& why) { return WireError(fmt::format("game {}: {}", number, why)); };
  GameRecord game;
  game.number = number;
  const auto attributes = in.take<std::uint64_t>();
  const auto occupied = in.take<std::uint16_t>();
  const auto hand = in.take<std::uint8_t>();
  if (const char* fault = stored_position_fault(rules.rules, attributes, occupied, hand))
    throw fail(fmt::format("its start: {}", fault));
  game.start = stored_position(rules.rules, attributes, occupied, hand);
  if (game.start.pieces_on_board() > rules.random_start_pieces ||
      (game.start.pieces_on_board() == 0 && game.start.has_hand()))
    throw fail("it does not start where games of this run do");
  const auto result = in.take<std::int8_t>();
  if (result < -1 || result > 1) throw fail("no such result");
  game.result = static_cast<Value>(result);

  std::vector<Position> positions = {game.start};
  const auto moves = in.take<std::uint8_t>();
  for (int i = 0; i < moves; ++i) {
    const auto slot = in.take<std::uint8_t>();
    const Position& at = positions.back();
    const Move move{at.phase(), slot};
    if (slot >= kMoves || !at.is_legal(move)) throw fail(fmt::format("move {} is not legal", i + 1));
    game.moves.push_back(move);
    positions.push_back(at.after(move));
  }
  if (positions.back().is_terminal()) {
    if (game.result != positions.back().terminal_value()) throw fail("its result is not that of its last position");
  } else if (!rules.end_early) {
    throw fail("it stops before its end");
  }

  const auto samples = in.take<std::uint16_t>();
  if (samples > kMostSamples) throw fail(fmt::format("{} samples", samples));
  std::size_t at = 0;
  for (int i = 0; i < samples; ++i) {
    const Sample sample = in.take<Sample>();
    if (const char* fault = sample.fault()) throw fail(fmt::format("sample {}: {}", i + 1, fault));
    int shares = 0;
    for (const std::uint16_t share : sample.policy) shares += share;
    if (shares > 65535 + kMoves) throw fail(fmt::format("sample {}: shares of more than the whole", i + 1));
    const Position position = sample.position();
    while (at < positions.size() && !(positions[at] == position)) ++at;
    if (at == positions.size()) throw fail(fmt::format("sample {}: not a position of its game", i + 1));
    game.samples.push_back(sample);
  }
  return game;
}

}  // namespace

std::string encode_games(const GamesMessage& message) {
  std::string raw;
  put(raw, message.version);
  put(raw, message.weights);
  put(raw, message.range.first);
  put(raw, message.range.count);
  const std::string name = message.actor.substr(0, kMostName);
  put(raw, static_cast<std::uint8_t>(name.size()));
  raw += name;
  const std::size_t figures = std::min(message.figures.size(), kMostFigures);
  put(raw, static_cast<std::uint8_t>(figures));
  for (std::size_t i = 0; i < figures; ++i) put(raw, message.figures[i]);
  for (const GameRecord& game : message.games) {
    put(raw, game.start.attributes());
    put(raw, game.start.occupied());
    put(raw, game.start.has_hand() ? static_cast<std::uint8_t>(game.start.hand()) : kStoredNoHand);
    put(raw, static_cast<std::int8_t>(game.result));
    put(raw, static_cast<std::uint8_t>(game.moves.size()));
    for (const Move move : game.moves) put(raw, move.index);
    put(raw, static_cast<std::uint16_t>(game.samples.size()));
    for (const Sample& sample : game.samples) put(raw, sample);
  }
  std::string rest;
  put(rest, static_cast<std::uint32_t>(raw.size()));
  const std::size_t begin = rest.size();
  rest.resize(begin + ZSTD_compressBound(raw.size()));
  const std::size_t n = ZSTD_compress(rest.data() + begin, rest.size() - begin, raw.data(), raw.size(), kLevel);
  if (ZSTD_isError(n)) throw std::runtime_error(fmt::format("cannot compress games: {}", ZSTD_getErrorName(n)));
  rest.resize(begin + n);
  return wrapped(kGamesMagic, rest);
}

GamesMessage decode_games(std::string_view bytes, const GameRules& rules) {
  if (bytes.size() > kMostGamesBytes) throw WireError(fmt::format("{} bytes are too long", bytes.size()));
  std::string_view rest = unwrapped(bytes, kGamesMagic, kGamesHeader, "games");
  std::uint32_t length = 0;
  std::memcpy(&length, rest.data(), sizeof length);
  rest.remove_prefix(sizeof length);
  if (length > kMostRaw || ZSTD_getFrameContentSize(rest.data(), rest.size()) != length)
    throw WireError("its length is not what it says");
  std::string raw(length, '\0');
  const std::size_t n = ZSTD_decompress(raw.data(), raw.size(), rest.data(), rest.size());
  if (ZSTD_isError(n) || n != length) throw WireError("it cannot be decompressed");

  Reader in(raw);
  GamesMessage message;
  message.version = in.take<std::uint64_t>();
  message.weights = in.take<std::uint32_t>();
  message.range.first = in.take<std::uint64_t>();
  message.range.count = in.take<std::uint32_t>();
  if (message.range.count == 0 || message.range.count > kMostInRange || message.range.first > kMostGames)
    throw WireError("no such range of games");
  const auto name = in.take<std::uint8_t>();
  if (name > kMostName) throw WireError("the actor's name is too long");
  message.actor = printable(in.bytes(name), kMostName);
  const auto figures = in.take<std::uint8_t>();
  if (figures > kMostFigures) throw WireError("too many figures");
  for (int i = 0; i < figures; ++i) {
    message.figures.push_back(in.take<double>());
    if (!(message.figures.back() >= 0 && message.figures.back() <= 1e15)) throw WireError("a figure is out of range");
  }
  for (std::uint32_t i = 0; i < message.range.count; ++i)
    message.games.push_back(decode_game(in, message.range.first + i, rules));
  if (!in.empty()) throw WireError("it is too long");
  return message;
}

std::string encode_weights(const WeightsMessage& message) {
  std::string rest;
  put(rest, crc32c(message.file));
  put(rest, message.version);
  put(rest, message.step);
  put(rest, message.fingerprint);
  return wrapped(kWeightsMagic, rest + message.file);
}

WeightsMessage decode_weights(std::string_view bytes) {
  if (bytes.size() > kMostWeightsBytes) throw WireError(fmt::format("{} bytes are too long", bytes.size()));
  Reader in(unwrapped(bytes, kWeightsMagic, kWeightsHeader, "weights"));
  WeightsMessage message;
  std::memcpy(&message.checksum, bytes.data() + kWeightsMagic.size(), sizeof message.checksum);
  const auto of_file = in.take<std::uint32_t>();
  message.version = in.take<std::uint64_t>();
  message.step = in.take<std::uint64_t>();
  message.fingerprint = in.take<std::uint64_t>();
  message.file = bytes.substr(kWeightsHeader);
  if (of_file != crc32c(message.file)) throw WireError("the checksum of its weights is wrong");
  return message;
}

std::string encode_input(const InputMessage& message) {
  std::string rest;
  put(rest, message.number);
  return wrapped(kInputMagic, rest + message.input);
}

InputMessage decode_input(std::string_view bytes) {
  if (bytes.size() > kMostShareBytes) throw WireError(fmt::format("{} bytes are too long", bytes.size()));
  Reader in(unwrapped(bytes, kInputMagic, kInputHeader, "the input of a share"));
  InputMessage message;
  message.number = in.take<std::uint64_t>();
  message.input = in.rest();
  return message;
}

std::string encode_share(const ShareMessage& message) {
  std::string rest;
  put(rest, message.number);
  put(rest, message.input);
  put(rest, message.weights);
  const std::string name = message.worker.substr(0, kMostName);
  put(rest, static_cast<std::uint8_t>(name.size()));
  rest += name;
  put(rest, message.seconds);
  return wrapped(kShareMagic, rest + message.result);
}

ShareMessage decode_share(std::string_view bytes) {
  if (bytes.size() > kMostShareBytes) throw WireError(fmt::format("{} bytes are too long", bytes.size()));
  Reader in(unwrapped(bytes, kShareMagic, kShareHeader, "the result of a share"));
  ShareMessage message;
  message.number = in.take<std::uint64_t>();
  message.input = in.take<std::uint64_t>();
  message.weights = in.take<std::uint32_t>();
  const auto name = in.take<std::uint8_t>();
  if (name > kMostName) throw WireError("the worker's name is too long");
  message.worker = printable(in.bytes(name), kMostName);
  message.seconds = in.take<double>();
  if (!(message.seconds >= 0 && message.seconds <= 1e15)) throw WireError("its time is out of range");
  message.result = in.rest();
  return message;
}

std::string encode_kit(const Kit& kit) {
  std::string bytes;
  put(bytes, static_cast<std::uint32_t>(kit.size()));
  for (const auto& [name, file] : kit) {
    put(bytes, static_cast<std::uint16_t>(name.size()));
    bytes += name;
    put(bytes, static_cast<std::uint64_t>(file.size()));
    bytes += file;
  }
  return bytes;
}

Kit decode_kit(std::string_view bytes) {
  Reader in(bytes);
  const auto files = in.take<std::uint32_t>();
  if (files > kMostFiles) throw WireError(fmt::format("{} files are too many", files));
  Kit kit;
  for (std::uint32_t i = 0; i < files; ++i) {
    const std::string name(in.bytes(in.take<std::uint16_t>()));
    const auto length = in.take<std::uint64_t>();
    if (!kit.emplace(name, in.bytes(length)).second) throw WireError("two files of one name");
  }
  if (!in.empty()) throw WireError("it is too long");
  return kit;
}

std::uint64_t fingerprint(std::string_view text, std::uint64_t before) { return fnv1a(text, before); }

std::string fingerprint_text(std::uint64_t fingerprint) { return fmt::format("{:016x}", fingerprint); }

}  // namespace quarto::store
