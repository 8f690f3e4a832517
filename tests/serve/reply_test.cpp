// Replies as bytes.
#include "serve/reply.h"

#include <gtest/gtest.h>

namespace quarto::serve {
namespace {

const Reply kReply{200, "{}\n", "application/json", {{"X-A", "1"}, {"X-B", "2"}}};

TEST(Reply, HasStatusHeadersAndBody) {
  EXPECT_EQ(to_bytes(kReply, nullptr),
            "HTTP/1.1 200 OK\r\nConnection: close\r\nX-A: 1\r\nX-B: 2\r\nContent-Type: application/json\r\n"
            "Content-Length: 3\r\n\r\n{}\n");
}

TEST(Reply, SaysForHowLongTheConnectionIsKept) {
  const KeepAlive keep{5, 1000};
  EXPECT_EQ(to_bytes({404, "x", "text/plain"}, &keep),
            "HTTP/1.1 404 Not Found\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5, max=1000\r\n"
            "Content-Type: text/plain\r\nContent-Length: 1\r\n\r\nx");
}

TEST(Reply, ToHeadHasTheLengthAndNoBody) {
  const std::string whole = to_bytes(kReply, nullptr);
  EXPECT_EQ(to_bytes(kReply, nullptr, false), whole.substr(0, whole.size() - kReply.body.size()));
}

TEST(Reply, WithoutContentHasNoLength) {
  EXPECT_EQ(to_bytes({204, "", "", {{"Allow", "GET"}}}, nullptr),
            "HTTP/1.1 204 No Content\r\nConnection: close\r\nAllow: GET\r\n\r\n");
  EXPECT_EQ(to_bytes({304, "", ""}, nullptr), "HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n");
  // An empty body has a length: without it a client would wait for one.
  EXPECT_EQ(to_bytes({200, "", ""}, nullptr), "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
}

}  // namespace
}  // namespace quarto::serve
