// The parser of request heads: what it accepts, and the status of what it refuses.
#include "serve/head.h"

#include <gmock/gmock.h>

#include "base/random.h"

namespace quarto::serve {
namespace {

Head parse(const std::string& text) { return parse_head(text, 1000); }
std::string request(const std::string& first, const std::string& headers = "") {
  return first + "\r\nHost: h\r\n" + headers + "\r\n";
}
int status_of(const std::string& text) {
  try {
    parse(text);
    return 200;
  } catch (const RequestError& e) {
    return e.status();
  }
}

TEST(Head, IsRead) {
  const Head head = parse(
      "POST /api/v1/move?x=1 HTTP/1.1\r\nHost: localhost:8080\r\ncontent-type:  application/json \r\nContent-Length: "
      "00012\r\nRange: bytes=0-1\r\nAccept-Encoding: gzip\r\nConnection: foo, Close\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.target, "/api/v1/move?x=1");
  EXPECT_EQ(head.host, "localhost:8080");
  EXPECT_EQ(head.content_type, "application/json");
  EXPECT_EQ(head.body_bytes, 12U);
  EXPECT_TRUE(head.close);
  EXPECT_TRUE(head.expects_continue);
  EXPECT_EQ(head.path, "/api/v1/move");
  EXPECT_TRUE(head.has_query);
}

TEST(Head, APathIsPercentDecodedOnceAndAQueryIsNot) {
  const auto path = [](const std::string& target) { return parse(request("GET " + target + " HTTP/1.1")).path; };
  EXPECT_EQ(path("/"), "/");
  EXPECT_EQ(path("/a%20b.js"), "/a b.js");
  EXPECT_EQ(path("/%4a%4A+%2f%2e"), "/JJ+/.");
  EXPECT_EQ(path("/%252e"), "/%2e");
  EXPECT_EQ(path("/%ff%0a"), "/\xff\n");
  EXPECT_EQ(path("/x%3Fy"), "/x?y");
  EXPECT_FALSE(parse(request("GET /x%3Fy HTTP/1.1")).has_query);
  for (const std::string target : {"/?", "/?%", "/?a=%zz&?%00", "/?/../x"}) {
    const Head head = parse(request("GET " + target + " HTTP/1.1"));
    EXPECT_EQ(head.path, "/") << target;
    EXPECT_EQ(head.target, target);
    EXPECT_TRUE(head.has_query) << target;
  }
}

TEST(Head, MalformedEscapesAndEncodedNulsAreRefused) {
  for (const std::string target : {"/%", "/%4", "/%%", "/%%41", "/%zz", "/%4g", "/%g4", "/% 41", "/%+4", "/%-1",
                                   "/%0x41", "/%u0041", "/x%?41", "/%4?1", "/%00", "/a%00b", "/%2e%00"}) {
    EXPECT_EQ(status_of(request("GET " + target + " HTTP/1.1")), 400) << target;
  }
}

TEST(Head, OldClientsAreClosedUnlessTheySayOtherwise) {
  EXPECT_FALSE(parse("GET / HTTP/1.1\r\nHost: h\r\n\r\n").close);
  EXPECT_TRUE(parse("GET / HTTP/1.0\r\n\r\n").close);
  EXPECT_FALSE(parse("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").close);
}

TEST(Head, WhatIsWrongHasItsNumber) {
  const std::string get = "GET / HTTP/1.1";
  EXPECT_EQ(status_of(request(get)), 200);
  for (const std::string first :
       {"", " ", "GET", "GET /", "GET / ", "GET  / HTTP/1.1", "GET / / HTTP/1.1", " GET / HTTP/1.1", "GET x HTTP/1.1",
        "GET http://h/ HTTP/1.1", "GET / HTTX/1.1", "GET / http/1.1", "G\x01T / HTTP/1.1", "GET /\xc3\xa4 HTTP/1.1",
        "GET /\t HTTP/1.1", "GET /#x HTTP/1.1", "G(T / HTTP/1.1", "GET / HTTP/1.11"}) {
    EXPECT_EQ(status_of(request(first)), 400) << first;
  }
  EXPECT_EQ(status_of(request("BREW / HTTP/1.1")), 501);
  EXPECT_EQ(status_of(request("get / HTTP/1.1")), 501);
  EXPECT_EQ(status_of(request("CONNECT /h:1 HTTP/1.1")), 501);
  EXPECT_EQ(status_of(request("GET / HTTP/2.0")), 505);
  EXPECT_EQ(status_of(request("GET /" + std::string(3000, 'a') + " HTTP/1.1")), 414);
  for (const std::string header :
       {"x", ": y", "x y: z", " x: y", "x : y", "x: \x01", "x: y\rz", "x: y\nz: w", "Host: i", "Host: h",
        "Content-Length: x", "Content-Length: -1", "Content-Length: +1", "Content-Length: 1, 1",
        "Content-Length: ", "Content-Length: 0x10", "Content-Length: 1\r\nContent-Length: 1",
        "Content-Length: 1\r\nTransfer-Encoding: chunked", "Content-Length: 5"}) {
    EXPECT_EQ(status_of(request(get, header + "\r\n")), 400) << header;
  }
  const std::string post = "POST / HTTP/1.1";
  EXPECT_EQ(status_of(request(post, "Content-Length: 1000\r\n")), 200);
  EXPECT_EQ(status_of(request(post, "Content-Length: 1001\r\n")), 413);
  EXPECT_EQ(status_of(request(post, "Content-Length: 99999999999999999999999\r\n")), 413);
  EXPECT_EQ(status_of(request(post, "Transfer-Encoding: chunked\r\n")), 411);
  EXPECT_EQ(status_of(request(post, "Content-Encoding: gzip\r\n")), 415);
  EXPECT_EQ(status_of(request(post, "Expect: a miracle\r\n")), 417);
  std::string many;
  for (int i = 0; i < kMostHeaders; ++i) many += "x: y\r\n";
  EXPECT_EQ(status_of(request(get, many)), 431);
  EXPECT_EQ(status_of(request(get, "X: " + std::string(kMostHeaderBytes - 3, 'y') + "\r\n")), 200);
  EXPECT_EQ(status_of(request(get, "X: " + std::string(kMostHeaderBytes - 2, 'y') + "\r\n")), 431);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400);  // no Host
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a b\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: h\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: h\r\n\r\nx"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\nHost: h\n\n"), 400);
}

TEST(Head, AnyBytesAreReadOrRefused) {
  Rng rng(1);
  const std::string good =
      request("POST /api/v1/move HTTP/1.1", "Content-Type: application/json\r\nContent-Length: 12\r\n");
  int refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = good;
    for (auto n = 1 + rng.below(4); n > 0; --n) {
      const auto at = static_cast<std::size_t>(rng.below(text.size()));
      if (rng.below(3) == 0) {
        text.erase(at, static_cast<std::size_t>(rng.below(8)));
      } else {
        text[at] = static_cast<char>(rng.below(256));
      }
    }
    const int status = status_of(text);
    refused += status != 200;
    ASSERT_TRUE(status == 200 || (status >= 400 && status < 506)) << text;
    if (status == 200) {
      const Head head = parse(text);
      for (const std::string& field : {head.method, head.target, head.host, head.content_type, head.if_none_match})
        for (const char c : field) ASSERT_TRUE(c == '\t' || (c & 0xFF) >= 0x20) << text;
      ASSERT_TRUE(head.path.starts_with('/') && head.path.find('\0') == std::string::npos) << text;
    }
  }
  EXPECT_GT(refused, 5000);
}

}  // namespace
}  // namespace quarto::serve
