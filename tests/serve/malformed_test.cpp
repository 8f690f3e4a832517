// Whatever is sent, the answer is an error that says why, or a proper answer; and the next request is answered.
#include <gmock/gmock.h>

#include "base/random.h"
#include "tests/serve/support.h"

namespace quarto::serve {
namespace {

struct Malformed {
  const char* path;
  std::string body;
};

// By hand: what has broken other servers, and what people get wrong.
std::vector<Malformed> corpus() {
  const std::string position = "\"position\": \"" + std::string(kQuiet) + "\"";
  const auto with = [&](const std::string& more) { return "{" + position + ", " + more + "}"; };
  std::vector<Malformed> all;
  const std::vector<std::string> bodies = {
      // no JSON
      "",
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
      "{}",
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
      std::string("{\"a\0\": 1}", 10),
      "\xff\xfe{\x00}",
      "{\"position\": \"\xc3\"}",
      "{\"position\": \"\\ud800\"}",
      "{\"position\": \"\\u12\"}",
      "{\"position\": \"a\nb\"}",
      "{\"\xf8\": 1}",
      std::string(60'000, ' '),
      std::string(60'000, '['),
      std::string(60'000, '{'),
      std::string(60'000, '9'),
      "\"" + std::string(60'000, 'x') + "\"",
      "{\"" + std::string(60'000, 'x') + "\": 1}",
      // other types
      "{\"position\": null}",
      "{\"position\": 1}",
      "{\"position\": []}",
      "{\"position\": {}}",
      "{\"position\": true}",
      "{\"position\": [\"" + std::string(kQuiet) + "\"]}",
      "{\"positions\": {}}",
      "{\"positions\": [1]}",
      "{\"positions\": [[]]}",
      "{\"positions\": []}",
      "{\"positions\": \"x\"}",
      "{\"positions\": [null]}",
      // positions and games
      "{\"position\": \"\"}",
      "{\"position\": \"-\"}",
      "{\"position\": \"..../..../..../....\"}",
      "{\"position\": \"..../..../..../.... \"}",
      "{\"position\": \"..../..../..../.... G\"}",
      "{\"position\": \"..../..../..../...../ -\"}",
      "{\"position\": \"0..0/..../..../.... -\"}",
      "{\"position\": \"0.../..../..../.... 0\"}",
      "{\"position\": \"0123/..../..../.... 4\"}",
      "{\"position\": \"..../..../..../.... - \"}",
      "{\"position\": \"..../..../..../.... -\\u0000\"}",
      "{\"position\": \"%s%s%s%n\"}",
      "{\"position\": \"" + std::string(50'000, '.') + "\"}",
      "{\"game\": \"a1\"}",
      "{\"game\": \"0 0\"}",
      "{\"game\": \"0 a1 1 a1\"}",
      "{\"game\": \"0 e5\"}",
      "{\"game\": 0}",
      "{\"game\": \"" + std::string(300, '0') + "\"}",
      "{" + position + ", \"game\": \"0 a1\"}",
      "{" + position + ", " + position + "}",
      // numbers
      with("\"simulations\": -1"),
      with("\"simulations\": 1e3"),
      with("\"simulations\": 0.5"),
      with("\"simulations\": 1e999"),
      with("\"simulations\": 99999999999999999999"),
      with("\"simulations\": -9223372036854775809"),
      with("\"simulations\": \"10\""),
      with("\"simulations\": [10]"),
      with("\"simulations\": NaN"),
      with("\"simulations\": 0x10"),
      with("\"simulations\": 010"),
      with("\"simulations\": 2147483648"),
      with("\"simulations\": true"),
      with("\"time_ms\": -5"),
      with("\"time_ms\": 0"),
      with("\"time_ms\": 18446744073709551615"),
      with("\"time_ms\": 1.0"),
      // names
      with("\"network\": \"\""),
      with("\"network\": \"nobody\""),
      with("\"network\": 1"),
      with("\"network\": \"../../etc/passwd\""),
      with("\"network\": \"" + std::string(1000, 'n') + "\""),
      with("\"network\": \"some\\u0000\""),
      with("\"rules\": \"\""),
      with("\"rules\": \"LINES\""),
      with("\"rules\": 1"),
      with("\"simulatoins\": 5"),
      with("\"\": 5"),
      with("\"Position\": 5"),
      with("\"__proto__\": {}"),
      with("\"network\": \"some\", \"rules\": \"squares\""),
      with("\"exact_squares\": 17"),
      with("\"exact\": 1"),
      with("\"exact\": \"true\""),
      with("\"move\": 5"),
      with("\"move\": \"zz\""),
      with("\"kind\": \"move\", \"x\": 1"),
  };
  for (const char* path : {"/api/v1/move", "/api/v1/analysis", "/api/v1/evaluation", "/api/v1/play", "/api/v1/jobs"}) {
    for (const std::string& body : bodies) all.push_back({path, body});
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
    SCOPED_TRACE(m.path + (" " + m.body.substr(0, 200)));
    const Reply reply = service.handle(post(m.path, m.body));
    EXPECT_EQ(reply.status, 400);
    expect_error(reply.body, reply.status);
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
