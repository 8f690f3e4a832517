#include "store/wire.h"

#include <gmock/gmock.h>

#include <functional>

#include "tests/store/random_games.h"

namespace quarto::store {
namespace {

using testing::HasSubstr;

const GameRules kLines{};

std::string error_of(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const WireError& e) {
    return e.what();
  }
}

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
    EXPECT_NE(error_of([&] { decode_games(std::string_view(whole).substr(0, n), kLines); }), "") << n;
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[n] = static_cast<char>(changed[n] ^ (1 << bit));
      EXPECT_NE(error_of([&] { decode_games(changed, kLines); }), "") << "byte " << n;
    }
  }
  EXPECT_NE(error_of([&] { decode_games(whole + "x", kLines); }), "");
}

// Each of these has a right checksum.
TEST(GamesMessage, GamesThatNobodyCouldHavePlayedAreRefused) {
  const auto refused = [](const std::function<void(GamesMessage&)>& spoil, GameRules rules = {}) {
    GamesMessage message = random_message({5, 2});
    spoil(message);
    return error_of([&] { decode_games(encode_games(message), rules); });
  };
  EXPECT_EQ(refused([](GamesMessage&) {}), "");
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[0].moves[3] = m.games[0].moves[1]; }),
              HasSubstr("game 5: move 4 is not legal"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[1].moves.back().index = 200; }), HasSubstr("is not legal"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[1].moves.push_back({}); }), HasSubstr("is not legal"));
  EXPECT_THAT(refused([](GamesMessage& m) { m.games[1].moves.pop_back(); }), HasSubstr("stops before its end"));
  EXPECT_EQ(refused([](GamesMessage& m) { m.games[1].moves.pop_back(); }, {.end_early = true}), "");
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
}

TEST(GamesMessage, RandomStartsAreAllowedWhereTheRunHasThem) {
  Rng rng(3);
  GamesMessage message = random_message({0, 1});
  GameRecord& game = message.games[0];
  game.start = game.start.after(game.moves[0]).after(game.moves[1]).after(game.moves[2]);
  game.moves.erase(game.moves.begin(), game.moves.begin() + 3);
  game.samples.erase(game.samples.begin(), game.samples.begin() + 3);
  EXPECT_THAT(error_of([&] { decode_games(encode_games(message), kLines); }), HasSubstr("does not start where"));
  EXPECT_EQ(decode_games(encode_games(message), {.random_start_pieces = 1}).games, message.games);
}

TEST(GamesMessage, AnActorsNameIsShownWithoutControlCharacters) {
  GamesMessage message = random_message({0, 1});
  message.actor = "a\033[2J\nb" + std::string(100, 'x');
  EXPECT_EQ(decode_games(encode_games(message), kLines).actor, "a?[2J?b" + std::string(kMostName - 7, 'x'));
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
    EXPECT_NE(error_of([&] { decode_weights(changed); }), "") << n;
    EXPECT_NE(error_of([&] { decode_weights(std::string_view(bytes).substr(0, n)); }), "") << n;
  }
}

}  // namespace
}  // namespace quarto::store
