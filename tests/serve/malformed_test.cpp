// Malformed requests: each gets an error with a reason. (Random ones: tests/fuzz/service.cpp and http.cpp.)
#include <gmock/gmock.h>

#include <sstream>

#include "tests/serve/support.h"

namespace quarto::serve {
namespace {

// Every endpoint that takes a body. What a position is called, and what else there must be, differs: without that no
// body would be looked at beyond it.
const std::vector<std::string> kEndpoints = {"move", "analysis", "evaluation", "play", "jobs"};

// A body of `members` ("\"simulations\": 1") that is right but for them.
std::string object(const std::string& endpoint, const std::string& members) {
  const std::string kind = endpoint == "jobs" ? "\"kind\": \"move\"" : "";
  return "{" + kind + (kind.empty() || members.empty() ? "" : ", ") + members + "}";
}
std::string position_as(const std::string& endpoint, const std::string& value) {
  return endpoint == "evaluation" ? "\"positions\": [" + value + "]" : "\"position\": " + value;
}

// No JSON, or no object.
std::vector<std::string> no_objects() {
  std::istringstream all(
      R"(|{|}|[|"|null|true|0|-|[]|{]|{"|{"a|{"a"|{"a":|{"a":1|{"a":1,|{,}|{"a" 1}|{a: 1}|{'position': 'x'}|<xml/>)"
      "|position=x|\n|{} {}|{}x|[1 2]|nul|// c\n{}|\xef\xbb\xbf|{\"\xf8\": 1}|{\"\xc0\x80\": 1}");
  std::vector<std::string> bodies = {std::string("\0", 1), std::string("{\"a\0\": 1}", 9),
                                     std::string("\xff\xfe{\x00}", 5)};
  for (std::string body; std::getline(all, body, '|');) bodies.push_back(body);
  for (const char c : {' ', '[', '{', '9'}) bodies.emplace_back(60'000, c);
  return bodies;
}

struct Malformed {
  std::string endpoint, body, code, field;
};

// By hand: what has broken other servers, and what people get wrong.
std::vector<Malformed> corpus() {
  const std::string quiet = "\"" + std::string(kQuiet) + "\"";
  std::vector<Malformed> all;
  for (const std::string& endpoint : kEndpoints) {
    const bool evaluation = endpoint == "evaluation", jobs = endpoint == "jobs";
    const std::string position = evaluation ? "positions[0]" : "position";
    const auto add = [&](const std::string& members, const std::string& code, const std::string& field) {
      all.push_back({endpoint, object(endpoint, members), code, field});
    };

    for (const std::string& body : no_objects()) all.push_back({endpoint, body, "invalid_json", ""});
    for (const char* value : {"\"\xc3\"", "\"\\ud800\"", "\"\\u12\"", "\"a\nb\"", "[[[[[[[[1]]]]]]]]", "NaN", "'x'"})
      add(position_as(endpoint, value), "invalid_json", "");
    for (const char* value : {"1e999", "NaN", "0x10", "010", "+1", ".5"})
      add(position_as(endpoint, quiet) + ", \"simulations\": " + value, "invalid_json", "");

    // Nothing, too much, twice.
    all.push_back({endpoint, "{}", "missing_field", jobs ? "kind" : evaluation ? "positions" : "position"});
    add("", "missing_field", evaluation ? "positions" : "position");
    add("\"" + std::string(60'000, 'x') + "\": 1", "unknown_field", std::string(60, 'x'));
    for (const std::string name : {"simulatoins", "", "Position", "__proto__", "x"})
      add(position_as(endpoint, quiet) + ", \"" + name + "\": 5", "unknown_field", name);
    add(position_as(endpoint, quiet) + ", " + position_as(endpoint, quiet), "duplicate_field",
        evaluation ? "positions" : "position");
    add(position_as(endpoint, quiet) + ", \"kind\": \"move\"", jobs ? "duplicate_field" : "unknown_field", "kind");
    if (jobs) {
      for (const char* kind : {"1", "\"\"", "\"mvoe\"", "\"Move\"", "\"play\"", "null", "[]", "[\"move\"]"}) {
        all.push_back(
            {endpoint, std::string("{\"kind\": ") + kind + ", \"position\": " + quiet + "}", "invalid_value", "kind"});
      }
    }

    // Positions and games.
    add(position_as(endpoint, "null"), evaluation ? "invalid_value" : "missing_field", position);
    for (const std::string& value : std::vector<std::string>{
             "1", "[]", "{}", "true", "[" + quiet + "]", "\"\"", "\"-\"", "\"..../..../..../....\"",
             "\"..../..../..../.... \"", "\"..../..../..../.... G\"", "\"..../..../..../...../ -\"",
             "\"0..0/..../..../.... -\"", "\"0.../..../..../.... 0\"", "\"0123/..../..../.... 4\"",
             "\"..../..../..../.... - \"", "\"..../..../..../.... -\\u0000\"", "\"%s%s%s%n\"",
             "\"" + std::string(50'000, '.') + "\""}) {
      add(position_as(endpoint, value), "invalid_value", position);
    }
    if (endpoint != "play") add(position_as(endpoint, "\"0123/..../..../.... -\""), "game_over", position);
    for (const std::string& value : std::vector<std::string>{"\"a1\"", "\"0 0\"", "\"0 a1 1 a1\"", "\"0 e5\"", "0",
                                                             "[]", "\"" + std::string(300, '0') + "\""}) {
      add("\"game\": " + value, evaluation ? "unknown_field" : "invalid_value", "game");
    }
    add(position_as(endpoint, quiet) + ", \"game\": \"0 a1\"", evaluation ? "unknown_field" : "invalid_value", "game");
    for (const auto& [value, field] : std::vector<std::pair<std::string, std::string>>{
             {"{}", "positions"},
             {"[]", "positions"},
             {"\"x\"", "positions"},
             {"[1]", "positions[0]"},
             {"[[]]", "positions[0]"},
             {"[" + quiet + ", null]", "positions[1]"},
             {"[" + quiet + ", " + quiet + ", " + quiet + ", " + quiet + ", " + quiet + "]", "positions"}}) {
      add("\"positions\": " + value, evaluation ? "invalid_value" : "unknown_field", evaluation ? field : "positions");
    }

    // The other fields, each where there is such a one.
    const std::vector<std::string> searches = {"move", "analysis", "jobs"};
    const std::vector<std::string> networks = {"move", "analysis", "jobs", "evaluation"};
    struct Field {
      std::string name;
      std::vector<std::string> values;
      std::vector<std::string> of;
      std::string code = "invalid_value";
    };
    for (const Field& f : std::vector<Field>{
             {"simulations",
              {"-1", "1e3", "0.5", "1.0", "21", "9223372036854775807", "9223372036854775808", "18446744073709551616",
               "-9223372036854775809", "1e300", "\"10\"", "[10]", "2147483648", "true", "{}"},
              searches},
             {"time_ms", {"-5", "0", "18446744073709551615", "1.0", "\"1\"", "3600000"}, searches},
             {"network",
              {"\"\"", "\"nobody\"", "\"../../etc/passwd\"", "\"some\\u0000\""},
              networks,
              "unknown_network"},
             {"network",
              {"1", "[]", "\"" + std::string(1000, 'n') + "\"", "\"some\", \"rules\": \"squares\""},
              networks},
             {"rules", {"\"\"", "\"LINES\"", "\"lines \"", "1", "[\"lines\"]"}, kEndpoints},
             {"exact_squares", {"17", "-1", "\"4\"", "true"}, {"move", "jobs"}},
             {"sharp", {"1", "\"true\"", "[]", "true"}, {"move", "jobs"}},
             {"exact", {"1", "\"true\"", "[]"}, {"analysis"}},
             {"placements", {"1", "\"true\"", "true"}, {"analysis"}},
             {"move", {"5", "\"zz\"", "\"\"", "\"2\"", "\"a1\""}, {"play"}}}) {
      const bool known = std::find(f.of.begin(), f.of.end(), endpoint) != f.of.end();
      for (const std::string& value : f.values) {
        add(position_as(endpoint, quiet) + ", \"" + f.name + "\": " + value, known ? f.code : "unknown_field", f.name);
      }
    }
  }
  return all;
}

ServiceOptions quick() {
  ServiceOptions options = small_options();
  options.limits.simulations = 20;
  options.limits.positions = 4;
  return options;
}

TEST(Malformed, TheCorpusIsRefusedWithReasons) {
  Service service(some_networks(), {}, quick());
  for (const Malformed& m : corpus()) {
    SCOPED_TRACE(m.endpoint + " " + m.body.substr(0, 200));
    const Reply reply = service.handle(post("/api/v1/" + m.endpoint, m.body));
    EXPECT_EQ(reply.status, 400);
    expect_error(reply.body, reply.status);
    const nlohmann::json error = json_of(reply)["error"];
    EXPECT_EQ(error["code"], m.code) << reply.body;
    EXPECT_EQ(error.value("field", ""), m.field) << reply.body;
  }
  // What the bodies are made of is right.
  for (const std::string& endpoint : kEndpoints) {
    const std::string body = object(endpoint, position_as(endpoint, "\"" + std::string(kQuiet) + "\""));
    EXPECT_LT(service.handle(post("/api/v1/" + endpoint, body)).status, 300) << endpoint;
  }
  EXPECT_EQ(service.handle(get("/health")).status, 200);
}

}  // namespace
}  // namespace quarto::serve
