// What RFC 9110 (HTTP semantics) and RFC 9112 (HTTP/1.1) say that an origin server MUST do, and how this one does it:
// one row each, against the server. Rules for proxies, caches, clients, TLS, authentication, CONNECT, TRACE and what
// this server does not send (ranges, trailers, transfer codings, upgrades, 206, 401, 407, 426) are left out.
#include <gmock/gmock.h>

#include "base/file.h"
#include "tests/serve/support.h"
#include "tests/support/temporary_directory.h"

namespace quarto::serve {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using namespace std::string_literals;

const std::string kGet = "GET /health HTTP/1.1\r\nHost: h\r\n";
const std::string kPost = "POST /api/v1/play HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n";
const std::string kBody = "{\"game\": \"0\"}";  // 13 bytes
const std::string kChunks =
    "5;a=\"b\"\r\n" + kBody.substr(0, 5) + "\r\n8\r\n" + kBody.substr(5) + "\r\n0\r\nX-Trailer: y\r\n\r\n";

struct Rule {
  const char *section, *must;
  std::string request;
  int status = 0;
  std::vector<std::string> has{}, lacks{};  // in the head of the reply
};

const std::string kClose = "Connection: close\r\n", kKeep = "Connection: keep-alive\r\n", kNone = "\r\n";

std::vector<Rule> rules() {
  std::vector<Rule> all = {
      {"9112, 2.2", "ignore an empty line before a request", "\r\n\r\n" + kGet + kNone, 200, {kKeep}},
      {"9112, 2.2", "take a bare CR for invalid", kGet + "X: a\rb\r\n\r\n", 400, {kClose}},
      {"9112, 2.2", "reject white space before the first field", "GET /health HTTP/1.1\r\n Host: h\r\n\r\n", 400},
      {"9112, 3", "414 for a longer target than it parses",
       "GET /" + std::string(5000, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n", 414},
      {"9112, 3.2", "400 without Host", "GET /health HTTP/1.1\r\n\r\n", 400},
      {"9112, 3.2", "400 with two of them", kGet + "Host: h\r\n\r\n", 400},
      {"9112, 3.2.2", "accept the absolute form", "GET http://g/health HTTP/1.1\r\nHost: h\r\n\r\n", 200},
      {"9112, 5.1", "400 for white space before the colon", kGet + "X : y\r\n\r\n", 400},
      {"9112, 5.2", "reject a folded line or take it as blanks", kGet + "X: a\r\n b\r\n\r\n", 200},
      {"9112, 6.1",
       "close after both lengths",
       kPost + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n" + kChunks,
       400,
       {kClose}},
      {"9112, 6.1",
       "take chunks in HTTP/1.0 for faulty, and close",
       "POST /api/v1/play HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n" + kChunks,
       400,
       {kClose}},
      {"9112, 6.3",
       "400 and close where chunked is not last",
       kPost + "Transfer-Encoding: chunked, gzip\r\n\r\n",
       400,
       {kClose}},
      {"9112, 6.3", "400 and close for an invalid length", kPost + "Content-Length: 2, 3\r\n\r\n{}", 400, {kClose}},
      {"9112, 7.1", "decode chunks", kPost + "Transfer-Encoding: Chunked\r\n\r\n" + kChunks, 200, {kKeep}},
      {"9112, 7.1",
       "expect large sizes",
       kPost + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff2\r\n{}\r\n0\r\n\r\n",
       400,
       {kClose}},
      {"9112, 7.1",
       "expect large sizes: the limit counts chunks",
       kPost + "Transfer-Encoding: chunked\r\n\r\n20000\r\n" + std::string(0x20000, ' ') + "\r\n0\r\n\r\n",
       413,
       {kClose}},
      {"9112, 7.1.1",
       "limit what extensions take",
       kPost + "Transfer-Encoding: chunked\r\n\r\n2;" + std::string(20'000, 'a') + "\r\n{}\r\n0\r\n\r\n",
       431,
       {kClose}},
      {"9112, 9.3", "close after HTTP/1.0", "GET /health HTTP/1.0\r\n\r\n", 200, {kClose}},
      {"9112, 9.6",
       "close when asked, and answer nothing after",
       kGet + "Connection: close\r\n\r\n" + kGet + kNone,
       200,
       {kClose}},
      {"9110, 5.3", "know lists by all their lines",
       "GET / HTTP/1.1\r\nHost: h\r\nIf-None-Match: \"x\"\r\nIf-None-Match: *\r\n\r\n", 304},
      {"9110, 5.5", "reject NUL in a value", kGet + "X: a\0b\r\n\r\n"s, 400},
      {"9110, 6.5.1", "keep trailers apart",
       "POST /api/v1/play HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
       "2\r\n{}\r\n0\r\nContent-Type: application/json\r\n\r\n",
       415},
      {"9110, 6.5.1", "take no Host from trailers",
       "POST /api/v1/play HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
       "2\r\n{}\r\n0\r\nHost: h\r\n\r\n",
       400},
      {"9110, 8.6",
       "no length of 204",
       "OPTIONS /health HTTP/1.1\r\nHost: h\r\n\r\n",
       204,
       {"Allow: GET, HEAD"},
       {"Content-Length"}},
      {"9110, 9.1", "support GET", kGet + kNone, 200, {"Content-Type: application/json"}},
      {"9110, 9.3.2", "no content after HEAD", "HEAD /health HTTP/1.1\r\nHost: h\r\n\r\n", 200},
      {"9110, 9.3.2", "nor after its errors", "HEAD /nowhere HTTP/1.1\r\nHost: h\r\n\r\n", 404},
      {"9110, 9.3.2", "nor where it was not understood", "HEAD /health HTTP/1.1\r\n\r\n", 400},
      {"9110, 13.1.1", "412 where If-Match does not hold", "GET / HTTP/1.1\r\nHost: h\r\nIf-Match: \"x\"\r\n\r\n", 412},
      {"9110, 13.1.1", "and by strong comparison", "GET / HTTP/1.1\r\nHost: h\r\nIf-Match: W/TAG\r\n\r\n", 412},
      {"9110, 13.1.1", "and nowhere else", "GET / HTTP/1.1\r\nHost: h\r\nIf-Match: \"x\", TAG\r\n\r\n", 200},
      {"9110, 13.1.1", "* is whatever there is", kGet + "If-Match: *\r\n\r\n", 200},
      {"9110, 13.1.1", "also of what has no tag", kGet + "If-Match: \"x\"\r\n\r\n", 412},
      {"9110, 13.1.2", "304 where If-None-Match does not hold, by weak comparison",
       "GET / HTTP/1.1\r\nHost: h\r\nIf-None-Match: \"x\", W/TAG\r\n\r\n", 304},
      {"9110, 13.1.2", "also of what has no tag", kGet + "If-None-Match: *\r\n\r\n", 304},
      {"9110, 13.1.3", "ignore If-Modified-Since without a date of modification",
       kGet + "If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT\r\n\r\n", 200},
      {"9110, 13.1.4", "ignore If-Unmodified-Since without one",
       kGet + "If-Unmodified-Since: Thu, 01 Jan 1970 00:00:00 GMT\r\n\r\n", 200},
      {"9110, 13.2.1", "ignore preconditions of what fails anyhow",
       "GET /nowhere HTTP/1.1\r\nHost: h\r\nIf-Match: \"x\"\r\n\r\n", 404},
      {"9110, 13.2.2", "If-Match before If-None-Match",
       "GET / HTTP/1.1\r\nHost: h\r\nIf-None-Match: *\r\nIf-Match: \"x\"\r\n\r\n", 412},
      {"9110, 14.2", "ignore Range or answer it", kGet + "Range: bytes=0-0\r\n\r\n", 200, {}, {"Content-Range"}},
      {"9110, 15.4.5",
       "send with 304 what a cache needs",
       "GET / HTTP/1.1\r\nHost: h\r\nIf-None-Match: TAG\r\n\r\n",
       304,
       {"ETag: ", "Cache-Control: no-cache"},
       {"Content-Length"}},
      {"9110, 15.5.6",
       "name the methods with 405",
       "PUT /health HTTP/1.1\r\nHost: h\r\n\r\n",
       405,
       {"Allow: GET, HEAD, OPTIONS\r\n"}},
  };
  for (const char* host :
       {"a/b", "a,b/", "a@b", "h:x", "h:1:2", "[::1", "[::1]x", "[h]", "::1", "h%zz", "\"h\"", "a b"}) {
    all.push_back({"9112, 3.2", "400 for an invalid Host", "GET /health HTTP/1.1\r\nHost: "s + host + "\r\n\r\n", 400});
  }
  for (const char* host : {"h", "", "h:", "H.example.:80", "127.0.0.1:1", "[::1]", "[::1]:8080", "a_b~c%41"})
    all.push_back({"9110, 7.2", "take a Host", "GET /health HTTP/1.1\r\nHost: "s + host + "\r\n\r\n", 200});
  for (const char* host : {"", ":80", "me@h", "[::1"}) {
    all.push_back({"9110, 4.2.1", "reject a URI without a host",
                   "GET http://"s + host + "/health HTTP/1.1\r\nHost: h\r\n\r\n", 400});
  }
  return all;
}

class Standards : public testing::Test {
 protected:
  static const TemporaryDirectory& page() {
    static const TemporaryDirectory dir;
    make_directories(dir / "web");
    write_file_atomic(dir / "web/index.html", "<p>front");
    return dir;
  }
  static HttpOptions patient() {
    HttpOptions http;
    http.limits.idle = std::chrono::minutes(10);
    return http;
  }

  Served served{some_networks(), small_options(), patient(), Site(page() / "web")};
};

TEST_F(Standards, EveryRuleIsKept) {
  const std::string front = ask(served.port(), http_get("/")).head;
  const std::string tag =
      front.substr(front.find("ETag: ") + 6, front.find("\r\n", front.find("ETag: ")) - front.find("ETag: ") - 6);
  ASSERT_THAT(tag, testing::MatchesRegex("\"[^\"]+\""));
  for (Rule rule : rules()) {
    SCOPED_TRACE("RFC "s + rule.section + ": " + rule.must + "\n" + rule.request.substr(0, 300));
    if (const auto at = rule.request.find("TAG"); at != std::string::npos) rule.request.replace(at, 3, tag);
    Client client(served.port());
    client.send(rule.request);
    const Received reply = client.receive(rule.request.starts_with("HEAD "));
    EXPECT_EQ(reply.status, rule.status) << reply.body;
    EXPECT_THAT(reply.head, ContainsRegex("\r\nDate: [A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} 20[0-9]{2} "
                                          "[0-9]{2}:[0-9]{2}:[0-9]{2} GMT\r\n"))
        << "9110, 6.6.1: with a clock, Date in 2xx, 3xx and 4xx";
    for (const std::string& text : rule.has) EXPECT_THAT(reply.head, HasSubstr(text));
    for (const std::string& text : rule.lacks) EXPECT_THAT(reply.head, Not(HasSubstr(text)));
    // After a reply that closes, the server closes by itself; else nothing comes before the client does.
    if (!reply.has(kClose)) client.send_no_more();
    EXPECT_TRUE(client.at_end()) << "more than the length says";
  }
}

TEST_F(Standards, RepliesComeInTheOrderOfTheirRequests) {  // 9112, 9.3.2
  Client client(served.port());
  client.send(http_get("/nowhere") + http_post("/api/v1/play", kBody) + http_get("/health") + http_get("/"));
  std::vector<int> statuses;
  for (int i = 0; i < 4; ++i) statuses.push_back(client.receive().status);
  EXPECT_THAT(statuses, testing::ElementsAre(404, 200, 200, 200));
}

TEST_F(Standards, NoInterimReplyGoesToAnOlderClient) {  // 9110, 10.1.1 and 15.2
  Client client(served.port());
  client.send(
      "POST /api/v1/play HTTP/1.0\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 13\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  client.send(kBody);
  EXPECT_EQ(client.line(), "HTTP/1.1 200 OK");
}

TEST_F(Standards, AJobIsCancelledUnderItsPreconditions) {  // 9110, 13.1.1 and 13.1.2
  const std::string body = ask(served.port(), http_post("/api/v1/jobs", "{\"kind\": \"move\", \"game\": \"\"}")).body;
  const std::string path = nlohmann::json::parse(body)["url"];
  const auto status = [&](const std::string& condition, const std::string& of) {
    return ask(served.port(), "DELETE " + of + " HTTP/1.1\r\nHost: h\r\n" + condition + "\r\n").status;
  };
  EXPECT_EQ(status("If-Match: \"x\"\r\n", path), 412);
  EXPECT_EQ(status("If-None-Match: *\r\n", path), 412);
  EXPECT_EQ(status("If-Match: \"x\"\r\n", path + "x"), 404);
  EXPECT_EQ(status("If-Match: *\r\n", path), 200);
}

}  // namespace
}  // namespace quarto::serve
