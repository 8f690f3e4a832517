#include "store/wire.h"

#include <gmock/gmock.h>
#include <zstd.h>

#include <cstring>
#include <functional>
#include <limits>

#include "base/checksum.h"
#include "env/notation.h"
#include "tests/store/random_games.h"
#include "tests/support/message_of.h"

namespace quarto::store {
namespace {

using testing::HasSubstr;

const GameRules kLines{};

TEST(GamesMessage, IsReadBack) {
  for (const Rules rules : {Rules::lines, Rules::squares}) {
    const GamesMessage sent = random_message({1000, 5}, 7, rules);
    const GamesMessage got = decode_games(encode_games(sent), {.rules = rules});
    EXPECT_EQ(got.version, sent.version);
    EXPECT_EQ(got.weights, sent.weights);
    EXPECT_EQ(got.range, sent.range);
    EXPECT_EQ(got.actor, sent.actor);
    EXPECT_EQ(got.figures, sent.figures);
    EXPECT_EQ(got.games, sent.games);
  }
}

TEST(GamesMessage, DamageIsNoticed) {
  const std::string whole = encode_games(random_message({0, 2}));
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_THROW(decode_games(std::string_view(whole).substr(0, n), kLines), WireError) << n;
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[n] = static_cast<char>(changed[n] ^ (1 << bit));
      EXPECT_THROW(decode_games(changed, kLines), WireError) << "byte " << n;
    }
  }
  EXPECT_THROW(decode_games(whole + "x", kLines), WireError);
}

// Each of these has a right checksum.
TEST(GamesMessage, GamesThatNobodyCouldHavePlayedAreRefused) {
  const auto refused = [](const std::function<void(GamesMessage&)>& spoil, GameRules rules = {}) {
    GamesMessage message = random_message({5, 2});
    spoil(message);
    return message_of<WireError>([&] { decode_games(encode_games(message), rules); });
  };
  EXPECT_EQ(refused([](GamesMessage&) {}), "no error");
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[0].moves[3] = m.games[0].moves[1]; }),
              HasSubstr("game 5: move 4 is not legal"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[1].moves.back().index = 200; }), HasSubstr("is not legal"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[1].moves.push_back({}); }), HasSubstr("is not legal"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[1].moves.pop_back(); }), HasSubstr("stops before its end"));
  EXPECT_EQ(refused([](GamesMessage& m) { m.games[1].moves.pop_back(); }, {.end_early = true}), "no error");
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[0].result = Value::loss; }), HasSubstr("its result"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[0].start = m.games[0].start.after(Move::give(piece(3))); }),
              HasSubstr("does not start where"));
  EXPECT_THAT(refused([](GamesMessage& m) { std::swap(m.games[0].samples[0], m.games[0].samples[1]); }),
              HasSubstr("not a position of its game"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[0].samples[2] = m.games[1].samples[4]; }),
              HasSubstr("not a position of its game"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[0].samples[2].outcome = 2; }), HasSubstr("no such outcome"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[0].samples[0].policy.fill(9000); }),
              HasSubstr("more than the whole"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[0].samples.back().policy.fill(100); }), HasSubstr("illegal move"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games.pop_back(); }), HasSubstr("cut short"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.range.count = 1; }), HasSubstr("too long"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.range.count = 0; }), HasSubstr("no such range"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.range.count = 1'000'000; }), HasSubstr("no such range"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.figures[0] = -1; }), HasSubstr("figure"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.figures[0] = std::numeric_limits<double>::quiet_NaN(); }),
              HasSubstr("figure"));
  EXPECT_THAT(refused([](GamesMessage&) {}, {.rules = Rules::squares}), testing::Ne(""));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[0].start = parse_position("1357/..../..../.... -"); }),
              HasSubstr("game 5: its start: the game is over"));
  for (const int result : {-2, 2, 100}) {
    EXPECT_THAT(refused([&](GamesMessage& m) { m.games[0].result = static_cast<Value>(result); }),
                HasSubstr("no such result"));
  }
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[0].samples.resize(1000, m.games[0].samples[0]); }),
              HasSubstr("game 5: 1000 samples"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.range.first = std::numeric_limits<std::uint64_t>::max(); }),
              HasSubstr("no such range"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.figures[0] = 1e300; }), HasSubstr("figure"));
}

// What follows the magic, with a right checksum before it.
std::string resealed(std::string_view magic, const std::string& rest) {
  const std::uint32_t checksum = crc32c(rest);
  return std::string(magic) + std::string(reinterpret_cast<const char*>(&checksum), sizeof checksum) + rest;
}
template <class T>
void put_at(std::string& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}
constexpr std::size_t kSealed = 12;  // magic and checksum

TEST(GamesMessage, OneThatIsNotWhatItSaysOfItselfIsRefused) {
  const std::string whole = encode_games(random_message({5, 2}));
  const std::string magic = whole.substr(0, 8), rest = whole.substr(kSealed);
  const auto error = [&](const std::string& changed) {
    return message_of<WireError>([&] { decode_games(resealed(magic, changed), kLines); });
  };
  EXPECT_EQ(error(rest), "no error");
  std::uint32_t length = 0;
  std::memcpy(&length, rest.data(), sizeof length);
  const std::string frame = rest.substr(sizeof length);
  std::string other = rest;
  for (const std::uint32_t wrong : {std::uint32_t{0}, length - 1, length + 1, std::uint32_t{0xFFFFFFFF}}) {
    put_at(other, 0, wrong);
    EXPECT_THAT(error(other), HasSubstr("its length is not what it says")) << wrong;
  }
  EXPECT_THAT(error(rest.substr(0, rest.size() - 9)), HasSubstr("cannot be decompressed"));
  EXPECT_THAT(error(rest.substr(0, sizeof length)), HasSubstr("its length is not what it says"));
  EXPECT_THAT(message_of<WireError>([&] { decode_games(std::string(kMostGamesBytes + 1, 'x'), kLines); }),
              HasSubstr("are too long"));

  // Inside, before the games: version, weights, range, the lengths of the name and of the figures.
  std::string raw(length, '\0');
  ASSERT_EQ(ZSTD_decompress(raw.data(), raw.size(), frame.data(), frame.size()), length);
  const auto inside = [&](const std::string& changed) {
    std::string bytes(sizeof length + ZSTD_compressBound(changed.size()), '\0');
    put_at(bytes, 0, static_cast<std::uint32_t>(changed.size()));
    bytes.resize(sizeof length + ZSTD_compress(bytes.data() + sizeof length, bytes.size() - sizeof length,
                                               changed.data(), changed.size(), 1));
    return error(bytes);
  };
  EXPECT_EQ(inside(raw), "no error");
  constexpr std::size_t kNameAt = 8 + 4 + 8 + 4;
  std::string changed = raw;
  changed[kNameAt] = static_cast<char>(kMostName + 1);
  EXPECT_THAT(inside(changed), HasSubstr("name is too long"));
  changed = raw;
  changed[kNameAt + 1 + static_cast<std::size_t>(raw[kNameAt])] = static_cast<char>(kMostFigures + 1);
  EXPECT_THAT(inside(changed), HasSubstr("too many figures"));
}

TEST(GamesMessage, RandomStartsAreAllowedWhereTheRunHasThem) {
  Rng rng(3);
  GamesMessage message = random_message({0, 1});
  GameRecord& game = message.games[0];
  game.start = game.start.after(game.moves[0]).after(game.moves[1]).after(game.moves[2]);
  game.moves.erase(game.moves.begin(), game.moves.begin() + 3);
  game.samples.erase(game.samples.begin(), game.samples.begin() + 3);
  EXPECT_THAT(message_of<WireError>([&] { decode_games(encode_games(message), kLines); }),
              HasSubstr("does not start where"));
  EXPECT_EQ(decode_games(encode_games(message), {.random_start_pieces = 1}).games, message.games);
}

TEST(GamesMessage, AnActorsNameIsShownWithoutControlCharacters) {
  GamesMessage message = random_message({0, 1});
  message.actor = "a\033[2J\nb" + std::string(100, 'x');
  EXPECT_EQ(decode_games(encode_games(message), kLines).actor, "a?[2J?b" + std::string(kMostName - 7, 'x'));
}

TEST(ShareMessages, AreReadBackAndDamageIsNoticed) {
  const InputMessage input{.number = 12, .input = std::string("in\0put", 6)};
  EXPECT_EQ(decode_input(encode_input(input)).number, 12U);
  EXPECT_EQ(decode_input(encode_input(input)).input, input.input);
  const ShareMessage sent{
      .number = 9, .input = 77, .weights = 5, .worker = "rack\n7", .seconds = 1.5, .result = "result"};
  const std::string bytes = encode_share(sent);
  const ShareMessage got = decode_share(bytes);
  EXPECT_EQ(got.number, 9U);
  EXPECT_EQ(got.input, 77U);
  EXPECT_EQ(got.weights, 5U);
  EXPECT_EQ(got.worker, "rack?7");
  EXPECT_EQ(got.seconds, 1.5);
  EXPECT_EQ(got.result, "result");
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    std::string changed = bytes;
    changed[n] = static_cast<char>(changed[n] ^ 1);
    EXPECT_THROW(decode_share(changed), WireError) << n;
    EXPECT_THROW(decode_share(std::string_view(bytes).substr(0, n)), WireError) << n;
  }
  for (const double seconds : {-1.0, 1e300, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THAT(message_of<WireError>([&] { decode_share(encode_share({.seconds = seconds})); }),
                HasSubstr("its time is out of range"));
  EXPECT_THAT(message_of<WireError>([&] { decode_share(encode_share({.result = std::string(kMostShareBytes, 'x')})); }),
              HasSubstr("too long"));
  EXPECT_THAT(message_of<WireError>([&] { decode_input(encode_input({.input = std::string(kMostShareBytes, 'x')})); }),
              HasSubstr("too long"));
  constexpr std::size_t kNameAt = 8 + 8 + 4;
  std::string rest = bytes.substr(kSealed);
  rest[kNameAt] = static_cast<char>(kMostName + 1);
  EXPECT_THAT(message_of<WireError>([&] { decode_share(resealed(bytes.substr(0, 8), rest)); }),
              HasSubstr("name is too long"));
}

TEST(AKit, IsReadBackAndIsNothingElse) {
  const Kit kit{{"a", "first"}, {"b/c", std::string("\0x", 2)}, {"empty", ""}};
  const std::string bytes = encode_kit(kit);
  EXPECT_EQ(decode_kit(bytes), kit);
  EXPECT_EQ(decode_kit(encode_kit({})), Kit());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(decode_kit(std::string_view(bytes).substr(0, n)), WireError) << n;
  EXPECT_THAT(message_of<WireError>([&] { decode_kit(bytes + "x"); }), HasSubstr("too long"));
  std::string twice = encode_kit({{"a", "1"}, {"b", "2"}});
  twice[twice.find('b')] = 'a';
  EXPECT_THAT(message_of<WireError>([&] { decode_kit(twice); }), HasSubstr("two files of one name"));
}

TEST(WeightsMessage, IsReadBackAndDamageIsNoticed) {
  const WeightsMessage sent{.version = 7, .step = 900, .fingerprint = 12345, .file = "some bytes"};
  const std::string bytes = encode_weights(sent);
  const WeightsMessage got = decode_weights(bytes);
  EXPECT_EQ(got.version, 7U);
  EXPECT_EQ(got.step, 900U);
  EXPECT_EQ(got.fingerprint, 12345U);
  EXPECT_EQ(got.file, "some bytes");
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    std::string changed = bytes;
    changed[n] = static_cast<char>(changed[n] ^ 1);
    EXPECT_THROW(decode_weights(changed), WireError) << n;
    EXPECT_THROW(decode_weights(std::string_view(bytes).substr(0, n)), WireError) << n;
  }
  std::string rest = bytes.substr(kSealed);
  put_at(rest, 0, crc32c("other bytes"));
  EXPECT_THAT(message_of<WireError>([&] { decode_weights(resealed(bytes.substr(0, 8), rest)); }),
              HasSubstr("the checksum of its weights is wrong"));
}

}  // namespace
}  // namespace quarto::store
