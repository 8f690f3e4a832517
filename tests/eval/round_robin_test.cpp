#include "eval/round_robin.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/checksum.h"
#include "base/file.h"
#include "base/random.h"
#include "base/shipped.h"
#include "eval/match.h"
#include "play/perfect.h"
#include "tests/support/local_shares.h"
#include "tests/support/temporary_directory.h"

namespace quarto {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::ThrowsMessage;

using Names = std::vector<std::string>;

RoundRobin small(const Names& players, int games = 6) {
  RoundRobin asked;
  asked.players = players;
  asked.games = games;
  asked.seed = 3;
  return make_round_robin(asked);
}

// Its pairings, played here.
LocalShares shares_of(const RoundRobin& r) {
  static const std::atomic<bool> never = false;
  return LocalShares([&r](const std::string& input) {
    return pairing_share(
        input, r, {}, [](const std::string& name) { return name; }, never);
  });
}

// The same but for the time it took.
std::string untimed(RoundRobin r) {
  for (PairingResult& p : r.played) p.seconds = 0;
  return to_text(r);
}

TEST(RoundRobin, EveryTwoMeetOnce) {
  RoundRobin r = small({"random", "oneply", "lookahead:2"}, 5);
  EXPECT_EQ(r.games, 6);  // whole pairs
  EXPECT_THAT(unplayed(r), ElementsAre(Pair(0, 1), Pair(0, 2), Pair(1, 2)));
  std::vector<std::size_t> saved;
  std::vector<RoundRobinProgress> reports;
  RoundRobinHooks hooks;
  hooks.on_pairing = [&](const RoundRobin& now) { saved.push_back(now.played.size()); };
  hooks.on_progress = [&](const RoundRobinProgress& p) { reports.push_back(p); };
  EXPECT_TRUE(play_round_robin(r, {}, hooks));
  EXPECT_THAT(saved, ElementsAre(1, 2, 3));
  EXPECT_TRUE(unplayed(r).empty());
  for (const PairingResult& p : r.played) EXPECT_EQ(p.pairs.size(), 3U);
  ASSERT_FALSE(reports.empty());
  for (std::size_t i = 1; i < reports.size(); ++i) {
    EXPECT_GE(reports[i].moves, reports[i - 1].moves);
    EXPECT_LE(reports[i].moves, reports[i].expected_moves);
    EXPECT_EQ(reports[i].pairings, 3U);
  }
  EXPECT_EQ(reports.back().pairing, 3U);
  EXPECT_EQ(reports.back().b, "lookahead:2");
}

TEST(RoundRobin, APairingIsTheMatchOfThoseTwoAlone) {
  RoundRobin r = small({"oneply", "random", "rollout:20"}, 8);
  ASSERT_TRUE(play_round_robin(r, {}));
  PlayerOptions options;
  options.seed = mix_seed(r.seed, 1);
  const auto a = make_player("random", options);
  options.seed = mix_seed(r.seed, 2);
  const auto b = make_player("rollout:20", options);
  MatchOptions match;
  match.games = 8;
  match.seed = r.seed;
  const MatchResult alone = play_match(*a, *b, match);
  const PairingResult& pairing = r.played.back();
  ASSERT_EQ(pairing.a, "random");
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(pairing.pairs[k].first, alone.games[2 * k].a_points);
    EXPECT_EQ(pairing.pairs[k].second, alone.games[2 * k + 1].a_points);
  }
  EXPECT_EQ(pairing.distinct_games, alone.distinct_games);
}

TEST(RoundRobin, CutShortAndContinuedItEndsTheSame) {
  const Names players{"random", "oneply", "lookahead:2", "rollout:20"};
  RoundRobin whole = small(players);
  ASSERT_TRUE(play_round_robin(whole, {}));

  RoundRobin first = small(players);
  std::atomic<bool> stop = false;
  RoundRobinHooks hooks;
  hooks.stop = &stop;
  hooks.on_progress = [&](const RoundRobinProgress& p) { stop = p.pairing == 3; };
  EXPECT_FALSE(play_round_robin(first, {}, hooks));
  EXPECT_EQ(first.played.size(), 2U);

  RoundRobin second = small(players);
  continue_from(second, parse_round_robin(to_text(first)));
  EXPECT_EQ(unplayed(second).size(), 4U);
  ASSERT_TRUE(play_round_robin(second, {}));
  EXPECT_EQ(untimed(second), untimed(whole));
}

// Pairings come in the opposite order here.
TEST(RoundRobin, InSharesTheResultsAreThoseOfOneProcessInTheSameOrder) {
  const Names players{"random", "oneply", "lookahead:2", "rollout:20"};
  RoundRobin whole = small(players);
  ASSERT_TRUE(play_round_robin(whole, {}));
  RoundRobin shared = small(players);
  std::atomic<bool> stop = false;
  RoundRobinHooks hooks;
  hooks.stop = &stop;
  hooks.on_pairing = [&](const RoundRobin& now) { stop = now.played.size() == 2; };
  LocalShares first = shares_of(shared);
  EXPECT_FALSE(play_round_robin(shared, first, hooks));
  EXPECT_EQ(shared.played.size(), 2U);
  // What is missing between the two is put between them.
  RoundRobin rest = small(players);
  continue_from(rest, parse_round_robin(to_text(shared)));
  LocalShares second = shares_of(rest);
  ASSERT_TRUE(play_round_robin(rest, second));
  EXPECT_EQ(second.asked(), 4U);
  EXPECT_EQ(untimed(rest), untimed(whole));
  // Whoever is added later has the place of one who was there from the start.
  Names more = players;
  more.insert(more.begin(), "lookahead:1");
  RoundRobin larger = small(more), larger_alone = small(more);
  continue_from(larger, whole);
  continue_from(larger_alone, whole);
  LocalShares third = shares_of(larger);
  ASSERT_TRUE(play_round_robin(larger, third));
  ASSERT_TRUE(play_round_robin(larger_alone, {}));
  EXPECT_EQ(untimed(larger), untimed(larger_alone));
  RoundRobin at_once = small(more);
  ASSERT_TRUE(play_round_robin(at_once, {}));
  EXPECT_EQ(untimed(larger), untimed(at_once));
}

TEST(RoundRobin, AfterOnePairingOfTheEndTheOrderIsThatOfOneProcess) {
  const Names players{"random", "oneply", "lookahead:2"}, more{"random", "oneply", "lookahead:1", "lookahead:2"};
  RoundRobin last = small(players);
  std::atomic<bool> stop = false;
  RoundRobinHooks hooks;
  hooks.stop = &stop;
  hooks.on_pairing = [&](const RoundRobin&) { stop = true; };
  LocalShares one = shares_of(last);
  EXPECT_FALSE(play_round_robin(last, one, hooks));
  ASSERT_EQ(last.played.size(), 1U);
  EXPECT_EQ(last.played[0].a, "oneply");
  for (const Names& names : {players, more}) {
    RoundRobin whole = small(names), shared = small(names), alone = small(names);
    ASSERT_TRUE(play_round_robin(whole, {}));
    continue_from(shared, last);
    continue_from(alone, last);
    LocalShares rest = shares_of(shared);
    ASSERT_TRUE(play_round_robin(shared, rest));
    ASSERT_TRUE(play_round_robin(alone, {}));
    EXPECT_EQ(untimed(shared), untimed(whole));
    EXPECT_EQ(untimed(alone), untimed(whole));
  }
}

TEST(RoundRobin, AShareOfOneWhoDoesNotPlayIsRefused) {
  const RoundRobin r = small({"random", "oneply", "lookahead:2"});
  const auto here = [](const std::string& name) { return name; };
  const std::atomic<bool> never = false;
  const std::string input = R"({"a": "random", "b": "oneply"})";
  EXPECT_EQ(pairing_of_share(input, r, pairing_share(input, r, {}, here, never)).pairs.size(), 3U);
  EXPECT_THROW(pairing_share(R"({"a": "random", "b": "perfect"})", r, {}, here, never), RoundRobinError);
}

TEST(RoundRobin, APlayerAddedLaterMeetsAllTheOthers) {
  RoundRobin r = small({"random", "oneply"});
  ASSERT_TRUE(play_round_robin(r, {}));
  RoundRobin more = small({"lookahead:1", "oneply", "random"});
  continue_from(more, r);
  EXPECT_THAT(unplayed(more), ElementsAre(Pair(0, 1), Pair(0, 2)));
  ASSERT_TRUE(play_round_robin(more, {}));
  const Field field = field_of(more);
  EXPECT_EQ(rate(field.names, field.pairings).players.size(), 3U);
}

TEST(RoundRobin, PerfectPlayersRememberTogether) {
  PlayerOptions options;
  options.table_bytes = std::size_t{16} << 20;
  options.exact_memory = std::make_shared<ExactMemory>(options);
  const auto perfect = make_player("perfect", options), any = make_player("perfect:any", options);
  EXPECT_EQ(options.exact_memory.use_count(), 3);
  MatchOptions match;
  match.games = 2;
  match.opening_plies = 14;
  (void)play_match(*perfect, *any, match);
  EXPECT_GT(options.exact_memory->failing.size(), 0U);
  // Memory changes no move.
  PlayerOptions fresh;
  fresh.table_bytes = options.table_bytes;
  const auto one = make_player("perfect", options), other = make_player("perfect", fresh);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Position p;
    for (const Move m : random_opening(13, Rules::lines, seed)) p.play(m);
    const std::vector<Position> positions{p};
    EXPECT_EQ(one->choose(positions), other->choose(positions));
  }
}

TEST(RoundRobin, WhoHasNotPlayedIsNotInTheField) {
  RoundRobin r = small({"random", "oneply", "lookahead:1"});
  r.played.push_back({"oneply", "lookahead:1", std::vector<PairScore>(3), 6, 0});
  const Field field = field_of(r);
  EXPECT_THAT(field.names, ElementsAre("oneply", "lookahead:1"));
  EXPECT_EQ(field.pairings[0].a, 0U);
  EXPECT_EQ(field.pairings[0].b, 1U);
}

TEST(RoundRobin, PlayersThatMakeNoneAreRefused) {
  const auto asking = [](const Names& players) { return [=] { (void)small(players); }; };
  EXPECT_THAT(asking({}), ThrowsMessage<RoundRobinError>(HasSubstr("at least two players")));
  EXPECT_THAT(asking({"oneply"}), ThrowsMessage<RoundRobinError>(HasSubstr("there is 1")));
  EXPECT_THAT(asking({"oneply", "random", "oneply"}),
              ThrowsMessage<RoundRobinError>(HasSubstr("'oneply' is named twice")));
  EXPECT_THROW(asking({"oneply", "onepyl"})(), PlayerError);
  EXPECT_ANY_THROW(asking({"oneply", "net:nowhere"})());
}

TEST(RoundRobin, ANetworkIsKnownByTheFileThatItsPlayerLoads) {
  const std::filesystem::path demo = or_shipped("checkpoints/small");
  const auto checksum = [&](const char* file) { return fmt::format("{:08x}", crc32c(read_file(demo / file))); };
  const RoundRobin r = small({"light:checkpoints/small", "endgame:9:light:checkpoints/small/model.light@2",
                              "net:checkpoints/small", "net:checkpoints/small/model.light", "oneply"});
  EXPECT_THAT(r.networks, testing::UnorderedElementsAre(
                              Pair("light:checkpoints/small", checksum("model.light")),
                              Pair("endgame:9:light:checkpoints/small/model.light@2", checksum("model.light")),
                              Pair("net:checkpoints/small", checksum("model.safetensors")),
                              Pair("net:checkpoints/small/model.light", checksum("model.light"))));
}

// The folder demo@5 is not the network demo with five simulations.
TEST(RoundRobin, APathThatEndsLikeANumberOfSimulationsStaysOne) {
  const TemporaryDirectory dir;
  const std::string plain = (dir / "demo").string(), odd = plain + "@5";
  std::filesystem::copy_file(or_shipped("checkpoints/small/model.light"), plain);
  std::filesystem::copy_file(or_shipped("checkpoints/small/model.light"), odd);
  const std::string checksum = fmt::format("{:08x}", crc32c(read_file(odd)));
  for (const std::string& name : {network_player(odd, 0), "net:" + odd + "@0", network_player(odd, 2)}) {
    EXPECT_EQ(network_of(name)->path, odd) << name;
    EXPECT_THAT(small({name, "oneply"}).networks, testing::ElementsAre(Pair(name, checksum)));
  }
  EXPECT_EQ(network_player(plain, 0), "net:" + plain);
  EXPECT_EQ(network_player(plain, 2), "net:" + plain + "@2");
  EXPECT_THAT(small({"net:" + plain + "@0", "oneply"}).players, testing::ElementsAre("net:" + plain, "oneply"));
}

TEST(RoundRobin, EveryDifferenceOfOptionsIsNamed) {
  RoundRobin earlier = small({"random", "oneply"}), now = small({"random", "lookahead:1"}, 8);
  now.seed = 4;
  earlier.networks["net:x"] = "00000001";
  now.networks["net:x"] = "00000002";
  EXPECT_THAT([&] { continue_from(now, earlier); },
              ThrowsMessage<RoundRobinError>(AllOf(
                  HasSubstr("--games is 6 there and 8 here"), HasSubstr("--seed is 3 there and 4 here"),
                  HasSubstr("'oneply' plays there and not here"), HasSubstr("the weights of 'net:x' have changed"))));
  now = small({"random", "oneply"});
  now.opening_plies = 8;
  now.rules = Rules::squares;
  EXPECT_THAT([&] { continue_from(now, earlier); },
              ThrowsMessage<RoundRobinError>(AllOf(HasSubstr("--opening-plies is 4 there and 8 here"),
                                                   HasSubstr("--rules is lines there and squares here"))));
}

TEST(RoundRobin, GamesOfAnotherSearchAreNotContinued) {
  const Names players{"oneply", "endgame:9:uniform@2"};
  RoundRobin now = small(players), earlier = small(players);
  continue_from(now, parse_round_robin(to_text(earlier)));
  SearchConfig search;
  search.proof_nodes = 300;
  search.proof_squares = 9;
  search.proof_growth = 4;
  earlier.proofs.at("endgame:9:uniform@2") = proofs_of("uniform@2", search);
  EXPECT_THAT([&] { continue_from(now, earlier); },
              ThrowsMessage<RoundRobinError>(AllOf(HasSubstr("the search of 'endgame:9:uniform@2' has proof_nodes 300 "
                                                             "proof_squares 9 proof_growth 4 prover 1 there and"),
                                                   HasSubstr("begin again with another --out"))));
  // Nor where the text does not say which search it was.
  earlier.proofs.clear();
  EXPECT_THAT(to_text(earlier), testing::Not(HasSubstr("proof")));
  EXPECT_THROW(continue_from(now, parse_round_robin(to_text(earlier))), RoundRobinError);
}

TEST(RoundRobin, GamesByAnotherClockAreNotContinued) {
  RoundRobin earlier = make_round_robin({.players = {"random", "oneply"}});
  earlier.clock = parse_clock("10+0.5");
  EXPECT_EQ(to_string(parse_round_robin(to_text(earlier)).clock.value()), "10+0.5");
  RoundRobin now = make_round_robin({.players = {"random", "oneply"}});
  EXPECT_THAT([&] { continue_from(now, earlier); },
              testing::ThrowsMessage<RoundRobinError>(testing::HasSubstr("--clock is 10+0.5 there and none here")));
}

}  // namespace
}  // namespace quarto
