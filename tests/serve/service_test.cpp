// The service without sockets: paths, methods, jobs, the page.
#include "serve/service.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <new>
#include <stdexcept>

#include "base/file.h"
#include "serve/metrics.h"
#include "tests/serve/support.h"
#include "tests/support/temporary_directory.h"

namespace quarto::serve {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

const std::string kLong = "{\"kind\": \"analysis\", \"game\": \"\", \"network\": \"other\", \"simulations\": 2000}";

std::string header(const Reply& reply, const std::string& name) {
  for (const auto& [key, value] : reply.headers) {
    if (key == name) return value;
  }
  return "";
}

TEST(Service, AnswersWhatItIsAskedFor) {
  Service service(some_networks(), {}, small_options());
  for (const char* path : {"/api/v1/move", "/api/v1/analysis", "/api/v1/play"})
    EXPECT_EQ(service.handle(post(path, kAsk)).status, 200) << path;
  const std::string many = "{\"positions\": [\"" + std::string(kQuiet) + "\"]}";
  EXPECT_EQ(service.handle(post("/api/v1/evaluation", many)).status, 200);
  EXPECT_EQ(json_of(service.handle(get("/api/v1/networks")))["networks"][0]["info"]["track"], "zero");
  EXPECT_EQ(json_of(service.handle(get("/api/v1")))["limits"]["simulations"], 2000);
  EXPECT_EQ(json_of(service.handle(get("/health")))["ok"], true);
}

TEST(Service, CountsWhatItAnswers) {
  Service service(some_networks(), {}, small_options());
  service.handle(post("/api/v1/move", kAsk));
  service.handle(post("/api/v1/move", "{"));
  service.handle(get("/nowhere"));
  const std::string page = service.handle(get("/metrics")).body;
  EXPECT_THAT(page, HasSubstr("quartozero_requests_total{endpoint=\"move\",status=\"200\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("quartozero_requests_total{endpoint=\"move\",status=\"400\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("quartozero_requests_total{endpoint=\"none\",status=\"404\"} 1\n"));
  EXPECT_THAT(page, HasSubstr("quartozero_request_seconds_count{endpoint=\"move\"} 2\n"));
  EXPECT_THAT(page, HasSubstr("quartozero_jobs_total{kind=\"move\",state=\"done\"} 1\n"));
}

TEST(Service, WrongMethodsSayWhichAreRight) {
  Service service(some_networks(), {}, small_options());
  const auto allowed = [&](const std::string& method, const std::string& path) {
    const Reply reply = service.handle({.method = method, .path = path});
    EXPECT_EQ(reply.status, 405) << method << path;
    expect_error(reply.body, reply.status);
    return header(reply, "Allow");
  };
  EXPECT_EQ(allowed("GET", "/api/v1/move"), "POST, OPTIONS");
  EXPECT_EQ(allowed("HEAD", "/api/v1/jobs"), "POST, OPTIONS");
  EXPECT_EQ(allowed("POST", "/health"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(allowed("PUT", "/api/v1/jobs/x"), "GET, HEAD, DELETE, OPTIONS");
  EXPECT_EQ(allowed("DELETE", "/"), "GET, HEAD, OPTIONS");
}

TEST(Service, EveryPathThatItListsIsThereForThatMethodOnly) {
  Service service(some_networks(), {}, small_options());
  const nlohmann::json paths = json_of(service.handle(get("/api/v1")))["paths"];
  EXPECT_EQ(paths.size(), 12U);
  for (const std::string listed : paths) {
    const std::string method = listed.substr(0, listed.find(' ')), path = listed.substr(method.size() + 1);
    const Reply reply = service.handle({.method = method, .path = path});
    if (method == "POST") {
      EXPECT_EQ(reply.status, 415) << listed;
    } else if (path.ends_with("/ID")) {
      EXPECT_THAT(reply.body, HasSubstr("unknown_job"));
    } else {
      EXPECT_EQ(reply.status, 200) << listed;
    }
    EXPECT_EQ(service.handle({.method = "PUT", .path = path}).status, 405) << listed;
  }
}

TEST(Service, UnknownPathsAreNotFoundAndNameTheNearest) {
  Service service(some_networks(), {}, small_options());
  for (const char* path : {"", "/x", "/api", "/api/", "/api/v2/move", "/api/v1/", "/api/v1/move/", "//health",
                           "/HEALTH", "/api/v1/jobs/", "/api/v1/jobs/../health", "/index.html"}) {
    const Reply reply = service.handle(get(path));
    EXPECT_EQ(reply.status, 404) << path;
    expect_error(reply.body, reply.status);
  }
  EXPECT_THAT(service.handle(get("/api/v1/moves")).body, HasSubstr("did you mean /api/v1/move?"));
  EXPECT_EQ(service.handle(get("/" + std::string(100'000, 'x'))).status, 404);
}

// What the dashboard of training runs uses.
TEST(Service, APathOfAnotherPartIsAnsweredByIt) {
  ServiceOptions options = small_options();
  options.branches = {{"/api/v1/runs", "runs", false,
                       [](const std::string&) {
                         return Reply{200, "[]", "application/json", {}};
                       }},
                      {"/runs/", "runs_page", true, [](const std::string& path) -> Reply {
                         if (path == "/runs/gone") throw RequestError(404, "not_found", "it has gone");
                         if (path == "/runs/broken") throw std::runtime_error("it is broken");
                         if (path == "/runs/large") throw std::bad_alloc();
                         return {200, path, "text/html; charset=utf-8", {}};
                       }}};
  Service service(some_networks(), {}, options);
  EXPECT_EQ(service.handle(get("/api/v1/runs")).body, "[]");
  EXPECT_EQ(service.handle({.method = "HEAD", .path = "/api/v1/runs"}).status, 200);
  EXPECT_EQ(service.handle(get("/api/v1/runs/x")).status, 404);
  EXPECT_EQ(service.handle(get("/runs/any/thing")).body, "/runs/any/thing");
  for (const auto& [path, status] :
       std::map<std::string, int>{{"/runs/gone", 404}, {"/runs/broken", 500}, {"/runs/large", 503}}) {
    const Reply reply = service.handle(get(path));
    EXPECT_EQ(reply.status, status) << path;
    expect_error(reply.body, reply.status);
  }
  const Reply posted = service.handle({.method = "POST", .path = "/runs/x"});
  EXPECT_EQ(posted.status, 405);
  EXPECT_THAT(posted.headers, Contains(Pair("Allow", "GET, HEAD, OPTIONS")));
  EXPECT_EQ(service.handle({.method = "GET", .path = "/runs/x", .has_query = true}).status, 400);
  EXPECT_THAT(service.handle(get("/api/v1/run")).body, HasSubstr("did you mean /api/v1/runs?"));
  const auto paths = json_of(service.handle(get("/api/v1")))["paths"];
  EXPECT_NE(std::find(paths.begin(), paths.end(), "GET /api/v1/runs"), paths.end());
  // Without a page of its own the server leads to that one.
  const Reply front = service.handle(get("/"));
  EXPECT_EQ(front.status, 302);
  EXPECT_THAT(front.headers, Contains(Pair("Location", "/runs/")));
  EXPECT_THAT(service.handle(get("/metrics")).body,
              HasSubstr("quartozero_requests_total{endpoint=\"runs_page\",status=\"200\"} 1\n"));
}

// Its device has gone, say.
TEST(Service, AComputationThatFailsIsAnErrorNowAndOfAJob) {
  const auto fails = std::make_shared<Hooked>([] { throw std::runtime_error("there is no device"); });
  Service service(some_networks(fails), {}, small_options());
  const std::string ask = "{\"game\": \"\", \"network\": \"other\", \"simulations\": 20";
  const Reply now = service.handle(post("/api/v1/move", ask + "}"));
  EXPECT_EQ(now.status, 500);
  expect_error(now.body, now.status);
  EXPECT_THAT(now.body, HasSubstr("there is no device"));
  const std::string url = json_of(service.handle(post("/api/v1/jobs", ask + ", \"kind\": \"move\"}")))["url"];
  wait_until([&] { return json_of(service.handle(get(url)))["state"] == "failed"; });
  const auto job = json_of(service.handle(get(url)));
  EXPECT_EQ(job["error"]["message"], "there is no device");
  EXPECT_FALSE(job.contains("result"));
  EXPECT_EQ(service.handle(post("/api/v1/move", kAsk)).status, 200) << "the others are asked as before";
}

TEST(Service, BodiesMustBeJsonAndSayItAndBeSmall) {
  Service service(some_networks(), {}, small_options());
  const auto status = [&](const std::string& type, const std::string& body) {
    Request request = post("/api/v1/move", body);
    request.content_type = type;
    return service.handle(request).status;
  };
  EXPECT_EQ(status("application/json", kAsk), 200);
  EXPECT_EQ(status("Application/JSON ; charset=utf-8", kAsk), 200);
  for (const char* type : {"", "text/plain", "application/jsonx", "multipart/form-data; boundary=x",
                           "application/x-www-form-urlencoded"}) {
    EXPECT_EQ(status(type, kAsk), 415) << type;
  }
  EXPECT_EQ(status("application/json", kAsk + std::string(70'000, ' ')), 413);
  Request query = post("/api/v1/move", kAsk);
  query.has_query = true;
  EXPECT_EQ(service.handle(query).status, 400);
  for (const std::string method : {"GET", "DELETE"}) {
    const Reply reply = service.handle({.method = method, .path = "/api/v1/jobs/x", .has_query = true});
    EXPECT_EQ(reply.status, 400);
    EXPECT_THAT(reply.body, HasSubstr("unexpected_query"));
  }
}

TEST(Service, AJobIsAskedForByItsNumber) {
  Service service(some_networks(), {}, small_options());
  const Reply made = service.handle(post(
      "/api/v1/jobs",
      "{\"kind\": \"move\", \"simulations\": 30, \"proof_nodes\": 0, \"position\": \"" + std::string(kQuiet) + "\"}"));
  ASSERT_EQ(made.status, 202);
  const std::string url = json_of(made)["url"];
  EXPECT_THAT(made.headers, Contains(Pair("Location", url)));
  wait_until([&] { return json_of(service.handle(get(url)))["state"] == "done"; });
  const auto job = json_of(service.handle(get(url)));
  EXPECT_EQ(job["result"]["simulations"], 30);
  EXPECT_EQ(job["progress"]["of"], 30);
  EXPECT_TRUE(service.handle(get(url)).body.ends_with("}}\n"));
  EXPECT_EQ(service.handle(get("/api/v1/jobs/" + std::string(32, '0'))).status, 404);
}

TEST(Service, AJobCanBeCancelledWhileItRuns) {
  Service service(some_networks(), {}, small_options());
  const std::string url = json_of(service.handle(post("/api/v1/jobs", kLong)))["url"];
  wait_until([&] { return json_of(service.handle(get(url)))["progress"]["simulations"] > 0; });
  EXPECT_EQ(service.handle({.method = "DELETE", .path = url}).status, 200);
  wait_until([&] { return json_of(service.handle(get(url)))["state"] == "cancelled"; });
  EXPECT_FALSE(json_of(service.handle(get(url))).contains("result"));
}

TEST(Service, StoppedItSaysSo) {
  Service service(some_networks(), {}, small_options());
  std::thread waits([&] {
    const Reply reply =
        service.handle(post("/api/v1/move", "{\"game\": \"\", \"network\": \"other\", \"simulations\": 2000}"));
    EXPECT_EQ(reply.status, 503);
    expect_error(reply.body, reply.status);
  });
  wait_until([&] { return service.jobs().running() == 1; });
  service.stop();
  waits.join();
  const Reply reply = service.handle(post("/api/v1/move", kAsk));
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.headers, Contains(Pair("Retry-After", "1")));
  const Reply health = service.handle(get("/health"));
  EXPECT_EQ(health.status, 503);
  EXPECT_THAT(health.headers, Contains(Pair("Retry-After", "1")));
  EXPECT_EQ(service.handle(get("/metrics")).status, 200);
}

TEST(Service, OnLoopbackOnlyItsOwnNamesAreAnswered) {
  ServiceOptions options = small_options();
  options.hosts = {"localhost", "127.0.0.1", "[0::1]", "Quarto.Example.:80"};
  Service service(some_networks(), {}, options);
  const auto status = [&](const std::string& host) {
    Request request = get("/health");
    request.host = host;
    return service.handle(request).status;
  };
  for (const char* host : {"", "localhost", "127.0.0.1:8080", "[::1]:8080", "QUARTO.example:8080"})
    EXPECT_EQ(status(host), 200) << host;
  for (const char* host : {"example.org", "localhost.example.org", ":80", "[::2]"})
    EXPECT_EQ(status(host), 403) << host;
}

TEST(Service, OtherOriginsAreToldOnlyIfTheyMay) {
  Service closed(some_networks(), {}, small_options());
  const Reply reply = closed.handle({.method = "OPTIONS", .path = "/api/v1/move"});
  EXPECT_EQ(reply.status, 204);
  for (const auto& [name, value] : reply.headers) EXPECT_THAT(name, testing::Not(HasSubstr("Access-Control")));
  ServiceOptions options = small_options();
  options.allow_origin = "https://example.org";
  Service open(some_networks(), {}, options);
  EXPECT_THAT(open.handle({.method = "OPTIONS", .path = "/api/v1/move"}).headers,
              Contains(Pair("Access-Control-Allow-Methods", "POST, OPTIONS")));
  EXPECT_THAT(open.handle(get("/health")).headers,
              Contains(Pair("Access-Control-Allow-Origin", "https://example.org")));
}

TEST(Service, NoReplyMayBeFramedSniffedOrRunAsAPage) {
  Service service(some_networks(), {}, small_options());
  for (const Reply& reply :
       {service.handle(get("/health")), service.handle(get("/metrics")), service.handle(post("/api/v1/move", kAsk)),
        service.handle(post("/api/v1/move", "{")), service.handle(get("/nowhere")),
        service.handle({.method = "OPTIONS", .path = "/health"}), service.refuse({400, "bad_request", "x"})}) {
    EXPECT_EQ(header(reply, "Content-Security-Policy"),
              "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    EXPECT_EQ(header(reply, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(header(reply, "X-Frame-Options"), "DENY");
    EXPECT_EQ(header(reply, "Referrer-Policy"), "no-referrer");
    EXPECT_THAT(header(reply, "Permissions-Policy"), HasSubstr("camera=()"));
    EXPECT_EQ(header(reply, "Cross-Origin-Resource-Policy"), "same-origin");
  }
  ServiceOptions options = small_options();
  options.allow_origin = "*";
  Service open(some_networks(), {}, options);
  EXPECT_EQ(header(open.handle(get("/health")), "Cross-Origin-Resource-Policy"), "cross-origin");
}

class Page : public testing::Test {
 protected:
  Page() {
    make_directories(dir_ / "web/sub");
    write_file_atomic(dir_ / "web/index.html", "<p>front");
    write_file_atomic(dir_ / "web/sub/index.html", "<p>sub");
    write_file_atomic(dir_ / "web/player.wasm", std::string("\0asm", 4));
    write_file_atomic(dir_ / "web/.secret", "hidden");
    write_file_atomic(dir_ / "outside.txt", "outside");
  }
  TemporaryDirectory dir_;
};

TEST_F(Page, IsServedWithItsTypes) {
  Service service(some_networks(), Site(dir_ / "web"), small_options());
  EXPECT_EQ(service.handle(get("/")).body, "<p>front");
  EXPECT_EQ(service.handle(get("/sub/")).body, "<p>sub");
  EXPECT_EQ(service.handle(get("/index.html")).content_type, "text/html; charset=utf-8");
  EXPECT_EQ(service.handle(get("/player.wasm")).content_type, "application/wasm");
  EXPECT_EQ(service.handle(get("/health")).content_type, "application/json");
  const std::string tag = header(service.handle(get("/")), "ETag");
  const auto status = [&](const std::string& if_none_match) {
    Request again = get("/");
    again.if_none_match = if_none_match;
    return service.handle(again).status;
  };
  for (const std::string& same :
       {tag, "W/" + tag, std::string("*"), "\"x\", " + tag, "\"x\",W/" + tag + " , \"y\"", ",, " + tag})
    EXPECT_EQ(status(same), 304) << same;
  for (const std::string& other : {std::string(), std::string("\"x\""), std::string("W/"), std::string(" , "),
                                   tag.substr(1), tag + "x", "w/" + tag, "\"x\" " + tag})
    EXPECT_EQ(status(other), 200) << other;
  EXPECT_EQ(service.handle({.method = "POST", .path = "/"}).status, 405);
}

TEST_F(Page, MayRunWhatThisServerSendsAndNothingInline) {
  Service service(some_networks(), Site(dir_ / "web"), small_options());
  Request again = get("/");
  again.if_none_match = "*";
  for (const Reply& reply : {service.handle(get("/")), service.handle(get("/player.wasm")), service.handle(again)}) {
    const std::string policy = header(reply, "Content-Security-Policy");
    EXPECT_THAT(policy, HasSubstr("script-src 'self' 'wasm-unsafe-eval';"));
    EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(policy, testing::Not(HasSubstr("unsafe-inline")));
    EXPECT_EQ(header(reply, "X-Frame-Options"), "DENY");
  }
}

TEST_F(Page, IsToldThatTheServerAnswersQuestions) {
  write_file_atomic(dir_ / "web/server.json", "{\"api\": null}");  // what any other host sends
  Service service(some_networks(), Site(dir_ / "web"), small_options());
  EXPECT_EQ(json_of(service.handle(get("/server.json")))["api"], "api/v1");
}

TEST_F(Page, NothingElseIsReached) {
  Service service(some_networks(), Site(dir_ / "web"), small_options());
  for (const std::string path :
       {"/.secret", "/../outside.txt", "/sub/../../outside.txt", "/./index.html", "//index.html", "/sub", "/etc/passwd",
        "/..\\outside.txt", "/index.html/", "/%2e%2e/outside.txt", "/index.html\0.txt"}) {
    EXPECT_EQ(service.handle(get(path)).status, path == "/index.html" ? 200 : 404) << path;
  }
  EXPECT_EQ(service.handle(get(std::string("/index.html\0", 12))).status, 404);
  EXPECT_THROW(Site(dir_ / "absent"), FileError);
  // A link within the folder is a file; one that leads out of it would offer what lies there.
  write_file_atomic(dir_ / "secret", "x");
  std::filesystem::create_symlink("index.html", dir_ / "web/again.html");
  EXPECT_NE(Site(dir_ / "web").find("/again.html"), nullptr);
  std::filesystem::create_symlink("../secret", dir_ / "web/secret");
  EXPECT_THROW(Site(dir_ / "web"), std::runtime_error);
  std::filesystem::remove(dir_ / "web/secret");
  write_file_atomic(dir_ / "web/large", std::string(Site::kMostBytes, 'x'));
  EXPECT_THROW(Site(dir_ / "web"), std::runtime_error);  // that and the rest
}

TEST(Metrics, ArePrintedAsPrometheusReadsThem) {
  Metrics m;
  m.declare("apples_total", "counter", "Apples.");
  m.declare("wait_seconds", "histogram", "Waiting.");
  m.declare("open", "gauge", "Open.");
  m.count("apples_total", "kind=\"red\"");
  m.count("apples_total", "kind=\"red\"", 2);
  m.observe("wait_seconds", "", 0.02);
  m.observe("wait_seconds", "", 1000);
  m.gauge("open", [] { return 7.0; });
  EXPECT_EQ(m.value("apples_total", "kind=\"red\""), 3);
  EXPECT_EQ(m.value("apples_total", "kind=\"green\""), 0);
  const std::string text = m.text();
  EXPECT_THAT(text,
              HasSubstr("# HELP apples_total Apples.\n# TYPE apples_total counter\napples_total{kind=\"red\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("wait_seconds_bucket{le=\"0.01\"} 0\nwait_seconds_bucket{le=\"0.03\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("wait_seconds_bucket{le=\"+Inf\"} 2\nwait_seconds_sum 1000.02\nwait_seconds_count 2\n"));
  EXPECT_THAT(text, HasSubstr("\nopen 7\n"));
  EXPECT_THROW(m.count("pears_total"), std::logic_error);
}

}  // namespace
}  // namespace quarto::serve
