// Malformed requests: each gets an error with a reason or a valid answer, and the server answers the next request.
#include <gmock/gmock.h>

#include "base/random.h"
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

    // No JSON, or no object.
    for (const std::string& body : std::vector<std::string>{"",
                                                            " ",
                                                            "\n",
                                                            "{",
                                                            "}",
                                                            "[",
                                                            "\"",
                                                            "null",
                                                            "true",
                                                            "0",
                                                            "-",
                                                            "[]",
                                                            "{]",
                                                            "{\"",
                                                            "{\"a",
                                                            "{\"a\"",
                                                            "{\"a\":",
                                                            "{\"a\":1",
                                                            "{\"a\":1,",
                                                            "{,}",
                                                            "{\"a\" 1}",
                                                            "{a: 1}",
                                                            "{'position': 'x'}",
                                                            "<xml/>",
                                                            "position=x",
                                                            "\xef\xbb\xbf",
                                                            std::string("\0", 1),
                                                            std::string("{\"a\0\": 1}", 9),
                                                            std::string("\xff\xfe{\x00}", 5),
                                                            "{\"\xf8\": 1}",
                                                            "{} {}",
                                                            "{}x",
                                                            std::string(60'000, ' '),
                                                            std::string(60'000, '['),
                                                            std::string(60'000, '{'),
                                                            std::string(60'000, '9'),
                                                            "\"" + std::string(60'000, 'x') + "\""}) {
      all.push_back({endpoint, body, "invalid_json", ""});
    }
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
    for (const Field& f :
         std::vector<Field>{{"simulations",
                             {"-1", "1e3", "0.5", "21", "99999999999999999999", "-9223372036854775809", "\"10\"",
                              "[10]", "2147483648", "true", "{}"},
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
                            {"exact", {"1", "\"true\"", "[]"}, {"analysis"}},
                            {"move", {"5", "\"zz\"", "\"\"", "\"2\"", "\"a1\""}, {"play"}}}) {
      const bool known = std::find(f.of.begin(), f.of.end(), endpoint) != f.of.end();
      for (const std::string& value : f.values) {
        add(position_as(endpoint, quiet) + ", \"" + f.name + "\": " + value, known ? f.code : "unknown_field", f.name);
      }
    }
  }
  return all;
}

const std::vector<std::pair<const char*, std::string>>& valid() {
  static const std::string position = "\"position\": \"" + std::string(kQuiet) + "\"";
  static const std::vector<std::pair<const char*, std::string>> all = {
      {"/api/v1/move", "{" + position + ", \"network\": \"some\", \"simulations\": 8, \"rules\": \"lines\"}"},
      {"/api/v1/move", "{\"game\": \"0 a1 7 c2 F\", \"time_ms\": 3, \"exact_squares\": 6}"},
      {"/api/v1/analysis", "{" + position + ", \"exact\": true, \"simulations\": 4, \"time_ms\": 4}"},
      {"/api/v1/evaluation", "{\"positions\": [\"" + std::string(kQuiet) + "\", \"..../..../..../.... 3\"]}"},
      {"/api/v1/play", "{" + position + ", \"move\": \"4\"}"},
      {"/api/v1/jobs", "{\"kind\": \"move\", " + position + ", \"simulations\": 2}"},
  };
  return all;
}

// Bytes changed, lost, doubled, moved in from elsewhere.
std::string mutated(std::string text, Rng& rng) {
  static const std::vector<std::string> pieces = {
      "\"",           "{",    "}",    "[",    "]",       ",",           ":",        "null", "-1",
      "1e99",         "\\",   "\\u",  "\xff", "\xc3",    "true",        "0.5",      "-",    "/",
      "....",         "FFFF", "\r\n", "%00",  "{\"a\":", "99999999999", "\r\n\r\n", " ",    "\"game\":",
      "\"network\":", "kind"};
  for (auto n = 1 + rng.below(3); n > 0; --n) {
    const auto at = static_cast<std::size_t>(rng.below(text.size() + 1));
    const auto length = static_cast<std::size_t>(rng.below(12));
    switch (rng.below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(at, pieces[static_cast<std::size_t>(rng.below(pieces.size()))]);
        break;
      case 4:
        text.resize(at);
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << rng.below(8)));
    }
  }
  return text;
}

ServiceOptions quick() {
  ServiceOptions options = small_options();
  options.limits.simulations = 20;
  options.limits.seconds = options.limits.job_seconds = 0.01;
  options.limits.positions = 4;
  options.queue = 100'000;
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

TEST(Malformed, MutationsAreAnsweredOrRefused) {
  Service service(some_networks(), {}, quick());
  Rng rng(7);
  int refused = 0;
  constexpr int kTries = 6000;
  for (int i = 0; i < kTries; ++i) {
    const auto& [path, body] = valid()[static_cast<std::size_t>(rng.below(valid().size()))];
    const std::string text = mutated(body, rng);
    const Reply reply = service.handle(post(path, text));
    ASSERT_TRUE(reply.status == 200 || reply.status == 202 || reply.status == 400) << reply.status << " " << text;
    ASSERT_TRUE(nlohmann::json::accept(reply.body)) << text;
    if (reply.status == 400) expect_error(reply.body, reply.status);
    refused += reply.status == 400;
  }
  EXPECT_GT(refused, kTries / 2);
  EXPECT_EQ(service.handle(get("/health")).status, 200);
}

TEST(Malformed, BrokenHttpIsRefusedOrDropped) {
  Served served(some_networks(), quick());
  Rng rng(11);
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    const auto& [path, body] = valid()[static_cast<std::size_t>(rng.below(valid().size()))];
    const std::string text = mutated(rng.below(4) == 0 ? http_get("/health") : http_post(path, body), rng);
    Client client(served.port());
    ASSERT_TRUE(client.connected());
    client.send(text);
    client.send_no_more();
    const Received reply = client.receive(text.starts_with("HEAD"));
    if (text.empty()) continue;
    // 503: a client that sends no more looks like one that has gone, and its computation may be cancelled.
    ASSERT_TRUE(reply.status == 200 || reply.status == 202 || reply.status == 503 ||
                (reply.status >= 400 && reply.status < 500) || reply.status == 501 || reply.status == 505 ||
                reply.status == 204)
        << reply.status << "\n"
        << text;
    if (reply.status >= 400) {
      ++refused;
      if (!text.starts_with("HEAD")) expect_error(reply.body, reply.status);
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_EQ(ask(served.port(), http_get("/health")).status, 200);
}

TEST(Malformed, NoiseIsDropped) {
  Served served(some_networks(), quick());
  Rng rng(13);
  for (int i = 0; i < 60; ++i) {
    std::string noise(static_cast<std::size_t>(1 + rng.below(i % 10 == 0 ? 100'000 : 300)), '\0');
    for (char& c : noise) c = static_cast<char>(rng.below(256));
    Client client(served.port());
    client.send(noise);
    client.send_no_more();
    const int status = client.receive().status;
    EXPECT_TRUE(status >= 400 && status < 500) << status;
  }
  EXPECT_EQ(ask(served.port(), http_get("/health")).status, 200);
}

}  // namespace
}  // namespace quarto::serve
