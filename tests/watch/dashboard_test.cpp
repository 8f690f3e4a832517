// The dashboard's paths, through the service and over a socket.
#include "watch/dashboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/serve/support.h"
#include "tests/support/temporary_directory.h"
#include "tests/watch/some_runs.h"
#include "watch/run_networks.h"
#include "watch/watching.h"

namespace quarto::watch {
namespace {

using serve::Client;
using serve::get;
using serve::http_get;
using serve::json_of;
using testing::HasSubstr;

LoadedNetwork uniform(const std::filesystem::path&) { return {std::make_shared<UniformEvaluator>(), Rules::lines, {}}; }

class Dashboard : public testing::Test {
 protected:
  Dashboard() {
    make_run(dir_ / "night", 2);
    service_ = service(uniform);
  }
  std::unique_ptr<serve::Service> service(const NetworkLoader& load, std::vector<serve::ServedNetwork> own = {}) const {
    serve::Additions additions = dashboard(dir_.path(), load, 2);
    serve::ServiceOptions options = serve::small_options();
    options.branches = std::move(additions.branches);
    options.more_networks = std::move(additions.networks);
    return std::make_unique<serve::Service>(std::move(own), serve::Site(), options);
  }
  void put_weights() const {
    make_directories(dir_ / "night/best");
    write_file_atomic(dir_ / "night/best/model.safetensors", "x");
  }
  const TemporaryDirectory dir_;
  std::unique_ptr<serve::Service> service_;
};

TEST_F(Dashboard, ListsRunsAndGivesTheirMetrics) {
  const auto runs = json_of(service_->handle(get("/api/v1/runs")))["runs"];
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0]["name"], "night");
  EXPECT_EQ(runs[0]["state"], "stopped");
  EXPECT_EQ(runs[0]["last"]["iteration"], 2);
  EXPECT_EQ(runs[0]["config"]["learner.batch"], "256");
  const auto piece = json_of(service_->handle(get("/api/v1/runs/metrics/0/night")));
  EXPECT_EQ(piece["lines"].size(), 2U);
  EXPECT_EQ(piece["next"], runs[0]["bytes"]);
  for (const char* path : {"/api/v1/runs/metrics/", "/api/v1/runs/metrics/0", "/api/v1/runs/metrics/x/night",
                           "/api/v1/runs/metrics/-1/night", "/api/v1/runs/metrics//night"})
    EXPECT_EQ(service_->handle(get(path)).status, 400) << path;
  for (const char* path :
       {"/api/v1/runs/metrics/0/other", "/api/v1/runs/metrics/0/../night", "/runs/secret", "/runs/../../etc/passwd"})
    EXPECT_EQ(service_->handle(get(path)).status, 404) << path;
  EXPECT_EQ(service_->handle({.method = "POST", .path = "/api/v1/runs"}).status, 405);
  EXPECT_THAT(service_->handle(get("/metrics")).body, HasSubstr("endpoint=\"runs\",status=\"200\""));
}

TEST_F(Dashboard, HasItsPageWithAPolicy) {
  for (const char* path : {"/", "/runs"}) {
    const serve::Reply reply = service_->handle(get(path));
    EXPECT_EQ(reply.status, 302) << path;
    EXPECT_THAT(reply.headers, testing::Contains(testing::Pair("Location", "/runs/")));
  }
  for (const char* path : {"/runs/", "/runs/index.html", "/runs/main.js", "/runs/uPlot.iife.min.js",
                           "/runs/notation.js", "/runs/pieces.js", "/runs/icon.svg"}) {
    const serve::Reply reply = service_->handle(get(path));
    EXPECT_EQ(reply.status, 200) << path;
    const auto policy = std::find_if(reply.headers.begin(), reply.headers.end(),
                                     [](const auto& h) { return h.first == "Content-Security-Policy"; });
    ASSERT_NE(policy, reply.headers.end());
    EXPECT_THAT(policy->second, HasSubstr("script-src 'self'")) << path;
  }
}

TEST_F(Dashboard, ServesTheBestWeightsOfRunsAndTheirSuccessors) {
  const auto networks = [&] {
    std::vector<std::string> names;
    const nlohmann::json reply = json_of(service_->handle(get("/api/v1/networks")));
    for (const auto& n : reply["networks"]) names.push_back(n["name"]);
    return names;
  };
  EXPECT_THAT(networks(), testing::Not(testing::Contains("run.night")));
  put_weights();
  // The files are looked at twice a second.
  serve::wait_until([&] { return testing::Value(networks(), testing::Contains("run.night")); });
  const std::string ask =
      R"({"position": "..../2F.A/E9../.8B3 -", "network": "run.night", "simulations": 2, "rules": "lines"})";
  EXPECT_EQ(service_->handle(serve::post("/api/v1/move", ask)).status, 200);
}

// It is no defect of the server.
TEST_F(Dashboard, SaysWhatOfARunCannotBeRead) {
  put_weights();
  const auto damaged =
      service([](const std::filesystem::path&) -> LoadedNetwork { throw std::runtime_error("damaged"); });
  const auto ask = [&](const std::string& more) {
    return damaged->handle(
        serve::post("/api/v1/move", R"({"position": "..../2F.A/E9../.8B3 -", "simulations": 2)" + more + "}"));
  };
  for (const char* rules : {"", R"(, "rules": "lines")"}) {
    const serve::Reply reply = ask(R"(, "network": "run.night")" + std::string(rules));
    EXPECT_EQ(reply.status, 409) << rules;
    EXPECT_EQ(json_of(reply)["error"]["code"], "unreadable");
    EXPECT_THAT(json_of(reply)["error"]["message"].get<std::string>(), HasSubstr("run.night: damaged"));
  }
  EXPECT_EQ(json_of(ask(""))["network"], "uniform") << "who names none is served by another";
  std::filesystem::remove(dir_ / "night/metrics.jsonl");
  std::filesystem::create_symlink("config.yaml", dir_ / "night/metrics.jsonl");
  EXPECT_EQ(damaged->handle(get("/api/v1/runs/metrics/0/night")).status, 409);
}

TEST_F(Dashboard, SaysWhereItIsWhateverItsFolderIsCalled) {
  const std::filesystem::path folder = dir_ / "{}{x}";
  EXPECT_THAT(dashboard(folder, uniform).said("http://h"),
              testing::StrEq("runs of " + folder.string() + ": http://h/runs/\n"));
}

TEST(RunNetwork, NamesAreNamesOfNetworks) {
  for (const char* run : {"night", "sweep/batch 64", "a\xC3\xA4"})
    EXPECT_TRUE(serve::is_network_name(network_name(run)));
  EXPECT_EQ(network_name("night-2.b_c"), "run.night-2.b_c");
  EXPECT_TRUE(serve::is_network_name(network_name(std::string(500, 'x'))));
  // Another one for every run, also where letters cannot be had or the end is cut off.
  std::set<std::string> names;
  for (const std::string run : {"a/b", "a-b", "a=b"}) names.insert(network_name(run));
  for (const char* seed : {"1", "2"}) names.insert(network_name(std::string(100, 'x') + seed));
  EXPECT_EQ(names.size(), 5U);
}

TEST(RunNetwork, IsLoadedWhenItIsAskedForAndAgainWhenItsFileIsAnother) {
  const TemporaryDirectory dir;
  for (const char* run : {"day", "night"}) {
    make_run(dir / run, 1);
    make_directories(dir / run / "best");
    write_file_atomic(dir / run / "best/model.safetensors", "x");
  }
  int loaded = 0;
  bool fails = true;
  RunNetworks networks(std::make_shared<Runs>(dir.path()), [&](const std::filesystem::path& path) {
    ++loaded;
    if (fails) throw std::runtime_error("damaged");
    return uniform(path);
  });
  EXPECT_EQ(networks.labels().size(), 2U);
  EXPECT_EQ(loaded, 0);
  EXPECT_THROW(networks.find("run.night"), std::runtime_error);
  fails = false;
  const auto first = networks.find("run.night");
  ASSERT_TRUE(first);
  EXPECT_EQ(networks.find("run.night"), first);
  EXPECT_EQ(loaded, 2);
  std::filesystem::last_write_time(dir / "night/best/model.safetensors",
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_NE(networks.find("run.night"), first);
  EXPECT_EQ(loaded, 3);
  EXPECT_FALSE(networks.find("run.other"));
}

// Nothing is loaded to list networks, or for those that are no run's.
TEST_F(Dashboard, OtherQuestionsLoadNoRunsNetwork) {
  put_weights();
  int loaded = 0;
  const auto counted = service(
      [&](const std::filesystem::path& path) {
        ++loaded;
        return uniform(path);
      },
      serve::some_networks());
  counted->handle(get("/api/v1/networks"));
  for (const char* more : {"", R"(, "network": "uniform")", R"(, "network": "some")"}) {
    const std::string ask = R"({"position": "..../2F.A/E9../.8B3 -", "simulations": 2)" + std::string(more) + "}";
    EXPECT_EQ(counted->handle(serve::post("/api/v1/move", ask)).status, 200) << more;
  }
  EXPECT_EQ(loaded, 0);
}

TEST_F(Dashboard, StreamsWhatChanges) {
  serve::HttpServer server(*service_, {});
  server.start();
  Client client(server.port());
  client.send(http_get("/api/v1/runs/events"));
  EXPECT_EQ(client.line(), "HTTP/1.1 200 OK");
  std::string head;
  for (std::string line = client.line(); !line.empty(); line = client.line()) head += line + "\n";
  EXPECT_THAT(head, HasSubstr("Content-Type: text/event-stream"));
  EXPECT_THAT(head, HasSubstr("Connection: close"));
  EXPECT_THAT(head, testing::Not(HasSubstr("Content-Length")));
  // The next event, without its field names; comments are skipped.
  const auto event = [&] {
    std::string line;
    while (!line.starts_with("data: ") && line != "(nothing)") line = client.line("\n");
    return line == "(nothing)" ? nlohmann::json() : nlohmann::json::parse(line.substr(6));
  };
  auto first = event();
  EXPECT_EQ(first["names"], nlohmann::json({"night"}));
  EXPECT_EQ(first["runs"][0]["last"]["iteration"], 2);
  append_file(dir_ / "night/metrics.jsonl", metrics_line(3));
  const auto second = event();
  EXPECT_EQ(second["runs"][0]["last"]["iteration"], 3);
  // HEAD asks for no stream, and whoever leaves frees the place.
  {
    Client head_only(server.port());
    head_only.send("HEAD /api/v1/runs/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(head_only.receive(true).status, 200);
    EXPECT_TRUE(head_only.at_end());
  }
  {
    Client another(server.port());
    another.send(http_get("/api/v1/runs/events"));
    EXPECT_EQ(another.line(), "HTTP/1.1 200 OK");
    EXPECT_EQ(serve::ask(server.port(), http_get("/api/v1/runs/events")).status, 503);  // the third
  }
  serve::wait_until([&] {  // the server needs a moment to see it
    Client third(server.port());
    third.send(http_get("/api/v1/runs/events"));
    return third.line() == "HTTP/1.1 200 OK";
  });
  // A server that stops ends its streams.
  server.stop();
  while (client.line("\n") != "(nothing)") {
  }
  EXPECT_TRUE(client.at_end());
}

TEST(Watching, ShowsARunThatHasNotBegun) {
  const TemporaryDirectory dir;
  const Watching watching(dir / "later", 0, uniform, "1");
  EXPECT_THAT(watching.url(), HasSubstr("http://127.0.0.1:"));
  const std::string url = watching.url();
  const int port = std::stoi(url.substr(url.find(':', 6) + 1));
  EXPECT_EQ(nlohmann::json::parse(serve::ask(port, http_get("/api/v1/runs")).body)["runs"].size(), 0U);
  // A page of another site, whose name leads here.
  std::string foreign = http_get("/api/v1/runs");
  const auto host = foreign.find("Host: ");
  ASSERT_NE(host, std::string::npos);
  foreign.replace(host, foreign.find("\r\n", host) - host, "Host: evil.example");
  EXPECT_EQ(serve::ask(port, foreign).status, 403);
  EXPECT_THROW(Watching(dir / "later", port, uniform, "1"), std::runtime_error);
}

}  // namespace
}  // namespace quarto::watch
