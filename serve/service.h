// From requests to replies: endpoints, methods, jobs, the page, metrics. No sockets.
//
//     POST         /api/v1/move, /analysis, /evaluation    computes while the client waits (interactive jobs)
//     POST         /api/v1/play                            the rules; answered at once
//     POST         /api/v1/jobs                            the same computations as background jobs; replies with an id
//     GET, DELETE  /api/v1/jobs/ID                         the state of a job; cancels it
//     GET          /api/v1, /api/v1/networks               paths, limits, networks
//     GET          /server.json                            tells a page of --web that this server answers questions
//     GET          /health, /metrics                       for monitoring
//     GET          any other path                          files of the web page
//
// service.cpp has the table.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "serve/api.h"
#include "serve/jobs.h"
#include "serve/metrics.h"
#include "serve/reply.h"
#include "serve/site.h"

namespace quarto::serve {

struct Request {
  std::string method, path;  // the path is decoded and has no query
  bool has_query = false;
  std::string body{}, content_type{}, host{}, if_match{}, if_none_match{};
};

// Paths that another part answers, with GET and HEAD and without a query.
struct Branch {
  std::string path;      // of an endpoint: "/api/v1/runs"; "/runs/" stands for all paths that begin with it
  std::string label;     // in the metrics
  bool is_page = false;  // files of a page, which may load scripts and styles of this server
  // `path` is the request's. Thread-safe. Throws RequestError.
  std::function<Reply(const std::string& path)> get;
};

struct ServiceOptions {
  Limits limits{};
  int threads = 1;
  std::size_t queue = 64;  // jobs of each priority that wait for a thread
  // The host names that a Host header may have, with or without a port; empty: any name. This prevents DNS rebinding,
  // by which a web page of another site, whose name is made to resolve to 127.0.0.1, could use a server on loopback.
  std::vector<std::string> hosts{};
  std::string allow_origin{};  // the value of Access-Control-Allow-Origin; "": no such header
  std::string version{};
  std::vector<Branch> branches{};
  std::shared_ptr<NetworkSource> more_networks{};
};

// Thread-safe.
class Service {
 public:
  Service(std::vector<ServedNetwork> networks, Site site, ServiceOptions options);
  ~Service();

  // Errors become replies; throws only std::bad_alloc. `abandoned`: see JobQueue::run().
  Reply handle(const Request& request, const std::function<bool()>& abandoned = {});
  // Counts a request that could not be read or was not accepted, and returns the reply for it.
  Reply refuse(const RequestError& error);

  // Cancels all jobs and waits for the computing threads. Later computations get 503; health, metrics and pages are
  // still served.
  void stop();

  Metrics& metrics() { return metrics_; }
  JobQueue& jobs() { return *jobs_; }
  const ServiceOptions& options() const { return options_; }
  const Catalogue& catalogue() const { return catalogue_; }

 private:
  struct Call;
  struct Endpoint;
  static const std::vector<Endpoint>& endpoints();
  // Finds the endpoint and calls its handler. Sets `label` to the endpoint's name in the metrics.
  Reply route(const Request& request, const std::function<bool()>& abandoned, std::string& label);
  void require_small_json(const Request& request) const;
  Reply page(const Request& request, std::string& label) const;
  // Null if no branch has this path.
  const Branch* branch_of(const std::string& path) const;
  Reply method_error(const Request& request, const std::string& allowed) const;

  // Handlers.
  Reply compute_now(Kind kind, const Call& call);
  Reply play_move(const Call& call) const;
  Reply post_job(const Call& call);
  Reply find_job(const Call& call);
  Reply cancel_job(const Call& call);
  Reply networks() const;
  Reply index() const;
  Reply about_server() const;
  Reply health() const;
  Reply metrics_page() const;

  JobQueue::Work work_of(Task task);
  RequestError not_accepted();  // counts one that found no room
  Reply finish(Reply reply, const std::string& label, double seconds);

  const ServiceOptions options_;
  const Site site_;
  const Catalogue catalogue_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::atomic<bool> stopping_ = false;
  Metrics metrics_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unique_ptr<JobQueue> jobs_;  // last member: its threads use the others
};

}  // namespace quarto::serve
