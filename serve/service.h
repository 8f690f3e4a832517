// Requests to replies: which paths there are, which methods they take, what is counted. No sockets.
//
//     POST   /api/v1/move, /analysis, /evaluation    computed in the queue's short lane, while the client waits
//     POST   /api/v1/play                            the rules alone; at once
//     POST   /api/v1/jobs                            the same computations in the long lane: a number to ask for
//     GET    /api/v1/jobs/ID    DELETE too           how it stands; cancel it
//     GET    /api/v1, /api/v1/networks               what there is, and the limits
//     GET    /health, /metrics                       for whoever watches
//     GET    anything else                           the page, if one is served
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "serve/api.h"
#include "serve/jobs.h"
#include "serve/metrics.h"
#include "serve/site.h"

namespace quarto::serve {

struct Request {
  std::string method, path;  // the path decoded, without what follows a '?'
  bool has_query = false;
  std::string body{}, content_type{}, host{}, if_none_match{};
};

struct Reply {
  int status = 200;
  std::string body{}, content_type{};
  std::vector<std::pair<std::string, std::string>> headers{};
};

struct ServiceOptions {
  Limits limits{};
  int threads = 1;
  std::size_t queue = 64;  // jobs that wait, in each lane
  // What a Host header may name, with the port or without; empty: anything. A page of another site that got its name to
  // mean this machine ("DNS rebinding") could otherwise use a server that listens to this machine alone.
  std::vector<std::string> hosts{};
  std::string allow_origin{};  // for Access-Control-Allow-Origin; "": none
  std::string version{};
};

// Thread-safe.
class Service {
 public:
  Service(std::vector<ServedNetwork> networks, Site site, ServiceOptions options);
  ~Service();

  // Never throws. `abandoned` says whether the client has gone (JobQueue::run).
  Reply handle(const Request& request, const std::function<bool()>& abandoned = {});
  // For requests that were refused before they were requests: counts it, and says it in JSON.
  Reply refuse(const RequestError& error);

  // Cancels what runs and waits; from now on only health, metrics and pages are answered.
  void stop();

  Metrics& metrics() { return metrics_; }
  JobQueue& jobs() { return *jobs_; }
  const ServiceOptions& options() const { return options_; }
  const Catalogue& catalogue() const { return catalogue_; }

 private:
  struct Endpoint;
  static const std::vector<Endpoint>& endpoints();
  // `label` becomes the endpoint's name for the metrics.
  Reply route(const Request& request, const std::function<bool()>& abandoned, std::string& label);
  Reply page(const Request& request, std::string& label) const;
  Reply method_error(const Request& request, const std::string& allowed) const;

  Reply work(Kind kind, const Request& request, const std::function<bool()>& abandoned);
  Reply post_job(const Request& request);
  Reply job(const Request& request);
  Reply networks() const;
  Reply index() const;
  Reply health() const;
  JobQueue::Work work_of(Task task);
  RequestError full();
  Reply finish(Reply reply, const std::string& label, double seconds);

  const ServiceOptions options_;
  const Site site_;
  const Catalogue catalogue_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<bool> stopping_ = false;
  Metrics metrics_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<JobQueue> jobs_;  // last: its threads use the rest
};

}  // namespace quarto::serve
