// Answers equal those of the parts that compute them; invalid requests are refused with the field's name.
#include "serve/api.h"

#include <gmock/gmock.h>

#include "env/notation.h"
#include "env/random_play.h"
#include "play/choose.h"
#include "play/light_player.h"
#include "serve/kinds.h"
#include "tests/serve/support.h"

namespace quarto::serve {
namespace {

using testing::HasSubstr;

class Api : public testing::Test {
 protected:
  Api() { declare_work_metrics(metrics_); }
  Json ask(Kind kind, const std::string& body, Priority priority = Priority::interactive) {
    return compute(parse_task(kind, parse_body(body), catalogue_, limits_, priority), worker_, progress_);
  }
  RequestError error(Kind kind, const std::string& body, Priority priority = Priority::interactive) {
    try {
      parse_task(kind, parse_body(body), catalogue_, limits_, priority);
    } catch (const RequestError& e) {
      return e;
    }
    ADD_FAILURE() << "no error: " << body;
    return {0, "", ""};
  }
  static std::string about(const std::string& position, const std::string& more = "") {
    return "{\"position\": \"" + position + "\"" + (more.empty() ? "" : ", " + more) + "}";
  }
  Limits limits_{.positions = 3, .simulations = 500};
  Catalogue catalogue_{some_networks()};
  Metrics metrics_;
  Worker worker_{1 << 20, metrics_};
  JobProgress progress_;
};

TEST_F(Api, AMoveIsWhatThePlayerWouldPlay) {
  PairsEvaluator evaluator(some_kernel());
  for (const Position& p : unfinished_positions(30, Rules::lines, 2)) {
    const Json raw = ask(Kind::move, about(to_string(p)));
    EXPECT_EQ(raw["move"], to_string(think(evaluator, p).best));
    EXPECT_EQ(raw["by"], "network");
    const Json searched = ask(Kind::move, about(to_string(p), "\"simulations\": 20"));
    const Thought thought = think(evaluator, p, {.simulations = 20});
    EXPECT_EQ(searched["move"], to_string(thought.best));
    EXPECT_EQ(searched["next"], to_string(p.after(thought.best)));
    EXPECT_NEAR(searched["value"], thought.value, 1e-6);
    EXPECT_LE(searched["simulations"], 20);
    const Json same = ask(Kind::move, about(to_string(p), "\"sims\": 20"));
    EXPECT_EQ(same["line"], searched["line"]);
    EXPECT_EQ(same["simulations"], searched["simulations"]);
  }
  EXPECT_GT(metrics_.value("quartozero_simulations_total"), 0);
}

TEST_F(Api, AMoveByTheClockSearchesWithoutALimitOfItsOwn) {
  const Json answer = ask(Kind::move, about("0.../...F/..../.... 3", "\"clock_ms\": 500, \"increment_ms\": 5"));
  EXPECT_EQ(answer["by"], "search");
  EXPECT_TRUE(
      parse_position("0.../...F/..../.... 3").is_legal(parse_move(answer["move"].get<std::string>(), Phase::place)));
  // Late in a game the same clock is enough for exact play.
  EXPECT_EQ(ask(Kind::move, about(kQuiet, "\"clock_ms\": 60000"))["by"], "solver");
  EXPECT_EQ(error(Kind::move, about(kQuiet, "\"increment_ms\": 5")).field(), "increment_ms");
  EXPECT_EQ(error(Kind::move, about(kQuiet, "\"clock_ms\": 0")).field(), "clock_ms");
  EXPECT_EQ(error(Kind::analysis, about(kQuiet, "\"clock_ms\": 100")).status(), 400);
}

TEST_F(Api, EvaluationsAreCountedAsTheNetworkSeesThem) {
  int asked = 0;
  const Catalogue catalogue(some_networks(std::make_shared<Hooked>([&asked] { ++asked; })));
  const auto compute_of = [&](Kind kind, const std::string& body) {
    compute(parse_task(kind, parse_body(body), catalogue, limits_, Priority::interactive), worker_, progress_);
  };
  compute_of(Kind::move, about(kQuiet, "\"network\": \"other\""));
  EXPECT_EQ(metrics_.value("quartozero_evaluations_total"), 1);
  // Late in a game much is proven, and what is proven is not asked for.
  compute_of(Kind::analysis, about(kQuiet, "\"network\": \"other\", \"simulations\": 500, \"proof_nodes\": 0"));
  EXPECT_EQ(metrics_.value("quartozero_evaluations_total"), asked);
  EXPECT_LT(asked, metrics_.value("quartozero_simulations_total"));
  compute_of(Kind::evaluation, "{\"network\": \"other\", \"positions\": [\"" + std::string(kQuiet) + "\"]}");
  EXPECT_EQ(metrics_.value("quartozero_evaluations_total"), asked);
}

TEST_F(Api, AnAnalysisHasEveryMove) {
  const Json answer =
      ask(Kind::analysis, about(kQuiet,
                                "\"simulations\": 50, \"proof_nodes\": 0, \"exact\": true, \"placements\": true, "
                                "\"network\": \"some\""));
  ASSERT_EQ(answer["moves"].size(), 8U);
  Solver solver({.table_bytes = 1 << 20});
  const MoveSolution exact = solver.solve_moves(parse_position(kQuiet));
  int visits = 0;
  double priors = 0;
  for (const auto& m : answer["moves"]) {
    EXPECT_EQ(m["exact"], to_string(*exact.values[parse_move(m["move"].get<std::string>(), Phase::give).index]));
    visits += m["visits"].get<int>();
    priors += m["prior"].get<double>();
    EXPECT_EQ(m["proven"], m["at_least"] == m["at_most"] ? m["at_least"] : Json()) << m;
    EXPECT_TRUE(m["at_least"] == "loss" || m["at_least"] == m["exact"]) << m;
    EXPECT_EQ(m["placements"].is_null(), m["exact"] == "draw") << m;
  }
  EXPECT_NEAR(priors, 1, 1e-4);
  EXPECT_EQ(visits, 49);  // the first one is the position's own
  EXPECT_EQ(answer["exact"]["value"], to_string(*exact.value));
  EXPECT_EQ(answer["exact"]["complete"], true);
  EXPECT_EQ(answer["exact"]["placements_complete"], true);
  EXPECT_EQ(answer["line"][0], answer["best"]);
  EXPECT_EQ(answer["stopped_by"], "simulations");
}

// They take time that a client who wants values need not give.
TEST_F(Api, PlacementsAreThereForThoseWhoAsk) {
  const Json answer = ask(Kind::analysis, about(kQuiet, "\"exact\": true"));
  EXPECT_EQ(answer["exact"]["complete"], true);
  EXPECT_FALSE(answer["exact"].contains("placements"));
  EXPECT_FALSE(answer["moves"][0].contains("placements"));
  EXPECT_EQ(error(Kind::analysis, about(kQuiet, "\"placements\": true")).field(), "placements");
}

TEST_F(Api, ASharpMoveMakesTheMostOfTheValue) {
  SharedSolver solver({.table_bytes = 1 << 20});
  UniformEvaluator uniform;
  int different = 0;
  for (const Position& p : unfinished_positions(100, Rules::lines, 3)) {
    if (std::popcount(p.empty()) > 8) continue;
    const std::string exact = "\"exact_squares\": 8, \"network\": \"uniform\"";
    const Json sharp = ask(Kind::move, about(to_string(p), exact + ", \"sharp\": true"));
    EXPECT_EQ(sharp["move"], to_string(choose(uniform, &solver, p, {.exact_squares = 8, .sharp = true}).move));
    different += sharp["move"] != ask(Kind::move, about(to_string(p), exact))["move"];
  }
  EXPECT_GT(different, 0);
}

TEST_F(Api, AProofEndsASearch) {
  const auto analysed = [&](const std::string& nodes) {
    return ask(Kind::analysis, about(kQuiet, "\"simulations\": 500, \"network\": \"some\"" + nodes));
  };
  const Json without = analysed(", \"proof_nodes\": 0"), with = analysed("");
  EXPECT_EQ(with["stopped_by"], "proof");
  EXPECT_LT(with["simulations"], without["simulations"]);
  Solver solver({.table_bytes = 1 << 20});
  EXPECT_EQ(with["proven"], to_string(*solver.solve(parse_position(kQuiet)).value));
  EXPECT_EQ(with["value"], static_cast<int>(*solver.solve(parse_position(kQuiet)).value));
}

TEST_F(Api, WhatIsNotSolvedInTimeIsNotGuessed) {
  // The first ply that the book does not know, and a draw: nearly a million nodes.
  const std::string position = ".97./..../1..D/...2 F";
  const Json answer =
      ask(Kind::analysis, about(position, "\"simulations\": 4, \"exact\": true, \"placements\": true, \"time_ms\": 1"));
  EXPECT_EQ(answer["phase"], "place");
  EXPECT_EQ(answer["moves"].size(), 11U);
  int unsolved = 0;
  for (const auto& m : answer["moves"]) {
    unsolved += m["exact"].is_null();
    EXPECT_TRUE(m["exact"].is_null() || m["exact"] == "draw");
  }
  EXPECT_GT(unsolved, 0);
  EXPECT_EQ(answer["exact"]["complete"], false);
  EXPECT_EQ(answer["exact"]["placements_complete"], false);
}

TEST_F(Api, ATimeEndsASearch) {
  const Json answer = ask(Kind::move, "{\"game\": \"\", \"time_ms\": 30, \"network\": \"other\"}");
  EXPECT_EQ(answer["stopped_by"], "time");
  EXPECT_LT(answer["simulations"], 500);
}

TEST_F(Api, AnEvaluationIsTheNetworksOwn) {
  PairsEvaluator evaluator(some_kernel());
  const Json answer =
      ask(Kind::evaluation, "{\"positions\": [\"" + std::string(kQuiet) + "\", \"..../..../..../.... -\"]}");
  ASSERT_EQ(answer["evaluations"].size(), 2U);
  const Position p = parse_position(kQuiet);
  Evaluation e;
  evaluate(evaluator, {&p, 1}, {&e, 1});
  EXPECT_NEAR(answer["evaluations"][0]["win"], e.win, 1e-6);
  EXPECT_NEAR(answer["evaluations"][0]["priors"]["4"], e.prior[4], 1e-6);
  EXPECT_EQ(answer["evaluations"][0]["priors"].size(), 8U);
  EXPECT_EQ(answer["evaluations"][1]["priors"].size(), 16U);
}

TEST_F(Api, TheFirstNetworkOfTheRulesIsMeantUnlessOneIsNamed) {
  EXPECT_EQ(ask(Kind::move, about(kQuiet))["network"], "some");
  EXPECT_EQ(ask(Kind::move, about(kQuiet, "\"rules\": \"squares\""))["network"], "uniform");
  EXPECT_EQ(ask(Kind::move, about(kQuiet, "\"network\": \"uniform\", \"rules\": \"squares\""))["rules"], "squares");
  EXPECT_THAT(error(Kind::move, about(kQuiet, "\"network\": \"some\", \"rules\": \"squares\"")).what(),
              HasSubstr("trained for the rules 'lines', not 'squares'"));
  const RequestError unknown = error(Kind::move, about(kQuiet, "\"network\": \"sone\""));
  EXPECT_EQ(unknown.code(), "unknown_network");
  EXPECT_THAT(unknown.what(), HasSubstr("did you mean 'some'?"));
}

TEST_F(Api, LimitsHoldPerRequestAndPriority) {
  EXPECT_EQ(error(Kind::move, about(kQuiet, "\"simulations\": 501")).field(), "simulations");
  EXPECT_EQ(error(Kind::move, about(kQuiet, "\"time_ms\": 10001")).field(), "time_ms");
  const auto parsed = [&](Priority priority, const std::string& more) {
    return parse_task(Kind::move, parse_body(about(kQuiet, more)), catalogue_, limits_, priority);
  };
  EXPECT_EQ(parsed(Priority::background, "\"time_ms\": 10001").time.count(), 10001);
  EXPECT_EQ(parsed(Priority::background, "\"time_ms\": 10001").simulations, 500);
  EXPECT_EQ(parsed(Priority::interactive, "\"simulations\": 500").most.count(), 10'000);
  EXPECT_EQ(error(Kind::evaluation, "{\"positions\": [\"a\", \"b\", \"c\", \"d\"]}").field(), "positions");
}

Position full_board() {
  Rng rng(1);
  while (true) {
    Position p;
    while (!p.is_terminal()) p.play(random_move(p, rng));
    if (!p.is_won()) return p;
  }
}

TEST_F(Api, AFullBoardIsADraw) {
  const Json answer = play(parse_body("{\"position\": \"" + to_string(full_board()) + "\"}"));
  EXPECT_EQ(answer["over"], true);
  EXPECT_TRUE(answer["winner"].is_null());
  EXPECT_TRUE(answer["lines"].empty()) << "each of them is complete, and none shares an attribute";
  EXPECT_THAT(error(Kind::move, about(to_string(full_board()))).what(), HasSubstr("the board is full"));
}

TEST_F(Api, PlayingSaysWhatTheRulesSay) {
  const auto play_json = [](const std::string& body) { return play(parse_body(body)); };
  Json answer = play_json("{\"game\": \"\"}");
  EXPECT_EQ(answer["legal_moves"].size(), 16U);
  EXPECT_EQ(answer["phase"], "give");
  EXPECT_EQ(answer["player"], "first");
  EXPECT_EQ(answer["over"], false);
  answer = play_json("{\"position\": \"012./..../..../.... 3\", \"move\": \"d1\"}");
  EXPECT_EQ(answer["over"], true);
  EXPECT_EQ(answer["winner"], answer["player"]);
  EXPECT_TRUE(answer["legal_moves"].empty());
  EXPECT_EQ(answer["lines"].dump(), R"([{"squares":["a1","b1","c1","d1"],"shared":["square","hollow"]}])");
  EXPECT_EQ(play_json("{\"position\": \"01../23../..../.... -\"}")["over"], false);
  EXPECT_EQ(play_json("{\"position\": \"01../23../..../.... -\", \"rules\": \"squares\"}")["over"], true);
  for (const char* body : {"{\"game\": \"\", \"move\": \"a1\"}", "{\"game\": \"0\", \"move\": \"0\"}",
                           "{\"game\": \"0 a1 1\", \"move\": \"a1\"}", "{\"game\": \"0 a1\", \"move\": \"0\"}"}) {
    try {
      play_json(body);
      ADD_FAILURE() << body;
    } catch (const RequestError& e) {
      EXPECT_EQ(e.field(), "move") << body;
    }
  }
}

TEST(CatalogueOfNetworks, RefusesNamesThatCannotBeAskedFor) {
  const auto named = [](std::vector<std::string> names) {
    std::vector<ServedNetwork> networks;
    for (std::string& n : names) networks.push_back({{std::make_shared<UniformEvaluator>()}, std::move(n)});
    return Catalogue(std::move(networks));
  };
  EXPECT_EQ(named({"a", "b-1.x_Y"}).labels().size(), 4U);
  for (const auto& names : std::vector<std::vector<std::string>>{
           {"a", "a"}, {""}, {"uniform"}, {"a b"}, {"a/b"}, {"\xc3\xa4"}, {std::string(65, 'a')}}) {
    EXPECT_THROW(named(names), std::invalid_argument) << names.back();
  }
}

// Networks that come and go.
class Coming final : public NetworkSource {
 public:
  std::vector<NetworkLabel> labels() override { return known; }
  bool may_have(const std::string& name) const override { return name == "coming"; }
  NetworkPointer find(const std::string& name) override {
    const auto at = there.find(name);
    if (at == there.end()) return nullptr;
    return std::make_shared<const ServedNetwork>(
        ServedNetwork{{std::make_shared<UniformEvaluator>(), at->second, {}}, name});
  }
  std::vector<NetworkLabel> known;
  std::map<std::string, Rules> there;
};

TEST(CatalogueOfNetworks, FindsThoseThatComeAndGo) {
  const auto more = std::make_shared<Coming>();
  std::vector<ServedNetwork> own;
  own.push_back({{std::make_shared<UniformEvaluator>()}, "own"});
  std::vector<ServedNetwork> same = own;
  same.back().name = "coming";
  EXPECT_THROW(Catalogue(std::move(same), more), std::invalid_argument);
  const Catalogue catalogue(std::move(own), more);
  EXPECT_EQ(catalogue.find("run", std::nullopt), nullptr);
  more->known = {{.name = "own"}, {.name = "two words"}, {.name = "run", .rules = Rules::squares}, {.name = "late"}};
  more->there = {{"run", Rules::squares}};
  EXPECT_THAT(catalogue.names(), testing::ElementsAre("own", "run", "late", "uniform"))
      << "a name that is taken, or that nobody could ask for, is left out";
  EXPECT_EQ(catalogue.find("run", std::nullopt)->rules, Rules::squares);
  EXPECT_EQ(catalogue.find(std::nullopt, Rules::squares)->name, "run");
  EXPECT_EQ(catalogue.find("run", Rules::lines), nullptr);
  EXPECT_EQ(catalogue.find("late", std::nullopt), nullptr) << "it has gone since it was listed";
  more->there["late"] = Rules::squares;
  EXPECT_EQ(catalogue.find("late", Rules::lines), nullptr) << "it has other rules than were listed";
  EXPECT_EQ(catalogue.find("uniform", Rules::squares)->name, "uniform");
}

}  // namespace
}  // namespace quarto::serve
