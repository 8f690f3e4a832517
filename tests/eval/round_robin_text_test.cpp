#include "eval/round_robin_text.h"

#include <gmock/gmock.h>

namespace quarto {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

RoundRobin two_players() {
  RoundRobin r;
  r.players = {"random", "oneply"};
  r.games = 2;
  r.seed = 3;
  return r;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from << " is not in " << text;
  return text.replace(at, from.size(), to);
}

TEST(RoundRobinText, SaysAllOfIt) {
  RoundRobin r = two_players();
  r.players.push_back("engine:./bot");
  r.games = 4;
  r.opening_plies = 6;
  r.rules = Rules::squares;
  r.seed = 18446744073709551615ULL;
  r.clock = parse_clock("10+0.5");
  r.networks["net:x@32"] = "1f3c09aa";
  r.played = {{"random", "oneply", {{0, 0.5}, {1, 0}}, 3, 1.5},
              {"engine:./bot", "random", {{0, 0}, {1, 1}}, 4, 2, 2, 1, "ended with status 3", "did not answer"}};
  const std::string text = to_text(r);
  EXPECT_TRUE(is_round_robin(text));
  const RoundRobin back = parse_round_robin(text);
  EXPECT_EQ(to_text(back), text);
  EXPECT_EQ(back.players, r.players);
  EXPECT_EQ(back.games, 4);
  EXPECT_EQ(back.opening_plies, 6);
  EXPECT_EQ(back.rules, Rules::squares);
  EXPECT_EQ(back.seed, r.seed);
  EXPECT_EQ(to_string(back.clock.value()), "10+0.5");
  EXPECT_EQ(back.networks, r.networks);
  ASSERT_EQ(back.played.size(), 2U);
  EXPECT_EQ(back.played[0].pairs[0].second, 0.5);
  EXPECT_EQ(back.played[0].pairs[1].first, 1);
  EXPECT_EQ(back.played[1].a_forfeits, 2);
  EXPECT_EQ(back.played[1].a_failure, "ended with status 3");
  EXPECT_EQ(back.played[1].b_forfeits, 1);
  EXPECT_EQ(back.played[1].b_failure, "did not answer");
}

TEST(RoundRobinText, MayHoldEveryPairOfItsPlayersInAnyOrder) {
  RoundRobin r = two_players();
  r.players = {"a", "b", "c"};
  r.played = {{"a", "b", {{0, 1}}, 2, 0}, {"c", "a", {{0, 0}}, 2, 0}, {"b", "c", {{1, 1}}, 2, 0}};
  EXPECT_EQ(to_text(parse_round_robin(to_text(r))), to_text(r));
  r.played.push_back({"c", "b", {{1, 1}}, 2, 0});
  EXPECT_THROW(parse_round_robin(to_text(r)), RoundRobinError);
}

TEST(RoundRobinText, IsTakenForOneByItsFormat) {
  const std::string text = to_text(two_players());
  EXPECT_TRUE(is_round_robin(text));
  EXPECT_TRUE(is_round_robin(with(text, "\"games\"", "\"plays\""))) << "whatever else is in it";
  for (const std::string other : {"", "[]", "{}", "{\"format\": 1}", "{\"format\": \"quarto-round-robin/2\"}"})
    EXPECT_FALSE(is_round_robin(other)) << other;
}

TEST(RoundRobinText, DamagedOnesAreRefused) {
  RoundRobin r = two_players();
  r.played.push_back({"random", "oneply", {{0.5, 1}}, 2, 0});
  const std::string text = to_text(r);
  EXPECT_EQ(to_text(parse_round_robin(text)), text);
  const auto changed = [&](const std::string& from, const std::string& to) {
    return [damaged = with(text, from, to)] { (void)parse_round_robin(damaged); };
  };
  const auto refused = [](const std::string& why) { return ThrowsMessage<RoundRobinError>(HasSubstr(why)); };
  EXPECT_THAT(changed("\"DW\"", "\"DX\""), refused("'X' is no result"));
  EXPECT_THAT(changed("\"DW\"", "\"DWDW\""), refused("4 results"));
  EXPECT_THAT(changed("quarto-round-robin/1", "else"), refused("expected \"format\""));
  EXPECT_THAT(changed("\"a\": \"random\"", "\"a\": \"other\""), refused("not two of its players"));
  EXPECT_THAT(changed("\"b\": \"oneply\"", "\"b\": \"other\""), refused("not two of its players"));
  EXPECT_THAT(changed("\"a\": \"random\"", "\"a\": \"oneply\""), refused("not two of its players"));
  EXPECT_THAT(changed("\"lines\"", "\"circles\""), refused("circles"));
  EXPECT_THAT(changed("\"seed\": 3", "\"seed\": -3"), refused("seed is not a whole number"));
  EXPECT_THAT(changed("\"seed\": 3", "\"seed\": 2.5"), refused("seed is not a whole number"));
  EXPECT_THAT(changed("\"seed\"", "\"clock\": \"soon\", \"seed\""), refused("'soon' is no clock"));
  EXPECT_THAT(changed("\"networks\"", "\"nets\""), AllOf(refused("networks"), Not(refused("json.exception"))));
  for (const char* games : {"1e30", "4294967298", "0", "-2"})
    EXPECT_THAT(changed("\"games\": 2", std::string("\"games\": ") + games),
                refused("expected a whole number from 2 to 1000000"))
        << games;
  EXPECT_THAT(changed("\"games\": 2", "\"games\": 3"), refused("whole pairs"));
  std::string crowd = "\"players\": [";
  for (std::size_t i = 0; i <= kMostPlayers - 2; ++i) crowd += fmt::format("\"solver:{}\", ", i + 1);
  EXPECT_THAT(changed("\"players\": [", crowd), refused("257 players are too many"));
  EXPECT_THAT([&] { parse_round_robin(text.substr(0, text.size() / 2)); }, refused("no results of a round robin"));
  EXPECT_THAT([] { parse_round_robin("[]"); }, refused("expected \"format\""));
  r.played.push_back({"oneply", "random", {{0, 0}}, 2, 0});
  EXPECT_THAT([&] { parse_round_robin(to_text(r)); }, refused("'oneply' and 'random' are paired twice"));
}

TEST(RoundRobinText, ResultsOfSharesThatCannotBeAreRefused) {
  RoundRobin r = two_players();
  r.players.push_back("lookahead:2");
  r.played.push_back({"random", "oneply", {{1, 1}}, 2, 0});
  const std::string input = pairing_input("random", "oneply");
  const std::string right = pairing_text({"random", "oneply", {{0, 1}}, 2, 0.5, 1, 1, "went away", "stayed"});
  EXPECT_EQ(pairing_of_share(input, r, right).pairs.size(), 1U) << "what has been played does not matter";
  const auto refused = [&](const std::string& result, const std::string& why) {
    EXPECT_THAT([&] { pairing_of_share(input, r, result); }, ThrowsMessage<RoundRobinError>(HasSubstr(why))) << result;
  };
  refused("", "");
  refused("[]", "");
  refused(with(right, "oneply", "lookahead:2"), "of another pairing");
  refused(with(with(right, "random", "lookahead:2"), "oneply", "random"), "of another pairing");
  refused(with(right, "\"results\":\"", "\"results\":\"W"), "3 results");
  refused(with(right, "\"distinct_games\":2", "\"distinct_games\":3"), "out of range");
  refused(with(right, "\"distinct_games\":2", "\"distinct_games\":0"), "out of range");
  refused(with(right, "\"a_forfeits\":1", "\"a_forfeits\":3"), "out of range");
  refused(with(right, "\"b_forfeits\":1", "\"b_forfeits\":3"), "out of range");
  refused(with(right, "\"seconds\":", "\"seconds\":-"), "out of range");
  refused(with(right, "\"seconds\":", "\"seconds\":2000000000"), "out of range");
  for (const char* number : {"1e30", "4294967297", "18446744073709551615", "-1", "2.5", "\"2\"", "null"})
    refused(with(right, "\"distinct_games\":2", std::string("\"distinct_games\":") + number),
            "expected a whole number");
}

TEST(RoundRobinText, WhatAPlayerSaidOfItsFailureCannotHarmTheReader) {
  const RoundRobin r = two_players();
  const std::string text = pairing_text({"random", "oneply", {{0, 1}}, 2, 0, 1, 1, "\x1b[31m\n", "\xff"});
  const PairingResult back = pairing_of_share(pairing_input("random", "oneply"), r, text);
  EXPECT_EQ(back.a_failure, "?[31m?");
  EXPECT_EQ(back.b_failure.find_first_not_of('?'), std::string::npos);
}

TEST(RoundRobinText, AnInputNamesTwoOfThePlayers) {
  const RoundRobin r = two_players();
  const auto [a, b] = pairing_of_input(pairing_input("oneply", "random"), r);
  EXPECT_EQ(a, "oneply");
  EXPECT_EQ(b, "random");
  for (const std::string input : {"", "[]", "{\"a\": \"oneply\"}", "{\"a\": 1, \"b\": \"random\"}"})
    EXPECT_THROW(pairing_of_input(input, r), RoundRobinError) << input;
  for (const std::string& input :
       {pairing_input("oneply", "oneply"), pairing_input("oneply", "perfect"), pairing_input("perfect", "oneply")})
    EXPECT_THROW(pairing_of_input(input, r), RoundRobinError) << input;
}

}  // namespace
}  // namespace quarto
