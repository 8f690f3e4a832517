#include "watch/dashboard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>

#include "base/file.h"
#include "base/number.h"
#include "watch/page_files.h"
#include "watch/run_networks.h"

namespace quarto::watch {
namespace {

using serve::Json;
using serve::Reply;
using serve::RequestError;

constexpr const char* kRuns = "/api/v1/runs";
constexpr const char* kMetrics = "/api/v1/runs/metrics/";
constexpr const char* kPage = "/runs/";
constexpr std::chrono::seconds kQuiet{10};  // then the stream says that it is alive
constexpr int kMostReaders = 4;             // of metrics at the same time

Json description(const Run& run) {
  Json json = {{"name", run.name},
               {"state", name_of(run.state)},
               {"problem", run.problem.empty() ? Json() : Json(run.problem)},
               {"bytes", run.metrics_bytes},
               {"updated", run.updated},
               {"network", network_name(run.name)},
               {"playable", run.playable},
               {"last", run.last},
               {"agreement", run.agreement},
               {"config", Json::object()}};
  for (const auto& [key, value] : run.config) json["config"][key] = value;
  return json;
}

Json listing(Runs& runs) {
  Json list = Json::array();
  for (const Run& run : *runs.list()) list.push_back(description(run));
  return {{"runs", std::move(list)}};
}

Reply metrics_reply(Runs& runs, const std::string& rest) {
  const auto slash = rest.find('/');
  const auto from = number_from<std::uint64_t>(rest.substr(0, slash));
  if (slash == std::string::npos || !from)
    throw RequestError(400, "invalid_value",
                       fmt::format("the path is {}BYTE/RUN, as in {}0/night", kMetrics, kMetrics));
  const std::string name = rest.substr(slash + 1);
  const auto piece = [&] {
    try {
      return runs.metrics(name, *from);
    } catch (const FileError& e) {
      throw RequestError(409, "unreadable", fmt::format("{}: {}", name, e.what()));
    }
  }();
  if (!piece) throw RequestError(404, "unknown_run", fmt::format("there is no run {}", serve::in_quotes(name)));
  return {200,
          fmt::format(R"({{"from":{},"next":{},"more":{},"damaged":{},"lines":[{}]}})"
                      "\n",
                      piece->from, piece->next, piece->more, piece->damaged, fmt::join(piece->lines, ",")),
          "application/json",
          {}};
}

// One of a bounded number of places, for as long as this lives.
class Place {
 public:
  // Throws RequestError 503, with `what`, if all are taken.
  Place(std::shared_ptr<std::atomic<int>> taken, int most, const std::string& what) : taken_(std::move(taken)) {
    int now = *taken_;
    do {
      if (now >= most) throw RequestError(503, "overloaded", what);
    } while (!taken_->compare_exchange_weak(now, now + 1));
  }
  ~Place() { --*taken_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

 private:
  const std::shared_ptr<std::atomic<int>> taken_;
};

// Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
serve::Stream events(std::shared_ptr<Runs> runs, std::shared_ptr<Place> place) {
  using Clock = std::chrono::steady_clock;
  auto said = std::make_shared<RunList>();
  auto last = std::make_shared<Clock::time_point>(Clock::now());
  return [runs, place, said, last]() -> std::optional<std::string> {
    const RunList now = runs->list();
    if (now == *said) {
      if (Clock::now() - *last < kQuiet) return "";
      *last = Clock::now();
      return ":\n\n";
    }
    *last = Clock::now();
    Json names = Json::array(), changed = Json::array();
    for (const Run& run : *now) {
      names.push_back(run.name);
      if (!*said || std::find((*said)->begin(), (*said)->end(), run) == (*said)->end())
        changed.push_back(description(run));
    }
    const bool first = !*said;
    *said = now;
    const std::string text =
        serve::to_text({{"names", std::move(names)}, {"runs", std::move(changed)}});  // one line, with its end
    return (first ? "retry: 2000\n" : "") + std::string("event: runs\ndata: ") + text + "\n";
  };
}

Reply page_reply(const std::string& path) {
  const std::string wanted = path == kPage ? "index.html" : path.substr(std::string_view(kPage).size());
  for (const EmbeddedFile& file : page_files()) {
    const auto name = file.path.substr(file.path.rfind('/') + 1);
    if (name != wanted) continue;
    const std::string_view type = name.ends_with(".html")  ? "text/html; charset=utf-8"
                                  : name.ends_with(".css") ? "text/css; charset=utf-8"
                                  : name.ends_with(".svg") ? "image/svg+xml"
                                                           : "text/javascript; charset=utf-8";
    return {200, std::string(file.content), std::string(type), {{"Cache-Control", "no-cache"}}};
  }
  throw RequestError(404, "not_found",
                     fmt::format("there is nothing at {}; the page is at {}", serve::in_quotes(path), kPage));
}

}  // namespace

serve::Additions dashboard(const std::filesystem::path& folder, NetworkLoader load, int most_streams) {
  const auto runs = std::make_shared<Runs>(folder);
  const auto streams = std::make_shared<std::atomic<int>>(0), readers = std::make_shared<std::atomic<int>>(0);
  serve::Additions additions;
  additions.networks = std::make_shared<RunNetworks>(runs, std::move(load));
  additions.branches = {
      {kRuns, "runs", false,
       [runs](const std::string&) -> Reply {
         return {200, serve::to_text(listing(*runs)), "application/json", {}};
       }},
      {"/api/v1/runs/events", "run_events", false,
       [runs, streams, most_streams](const std::string&) -> Reply {
         auto place = std::make_shared<Place>(
             streams, most_streams, fmt::format("{} pages are kept up to date already; close one", most_streams));
         return {200, "", "text/event-stream", {}, events(runs, place)};
       }},
      {kMetrics, "run_metrics", false,
       [runs, readers](const std::string& path) -> Reply {
         const Place place(readers, kMostReaders, "too many metrics are being read; try again");
         return metrics_reply(*runs, path.substr(std::string_view(kMetrics).size()));
       }},
      {"/runs", "runs_page", false,
       [](const std::string&) -> Reply {
         return {302, "", "", {{"Location", kPage}}};
       }},
      {kPage, "runs_page", true, [](const std::string& path) -> Reply { return page_reply(path); }},
  };
  additions.said = [folder](const std::string& url) {
    return fmt::format("runs of {}: {}{}\n", folder.string(), url, kPage);
  };
  return additions;
}

}  // namespace quarto::watch
