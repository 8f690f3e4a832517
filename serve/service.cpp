#include "serve/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/nearest.h"
#include "env/notation.h"
#include "serve/host.h"

namespace quarto::serve {
namespace {

constexpr const char* kApi = "/api/v1";
constexpr const char* kJobs = "/api/v1/jobs/";
constexpr std::size_t kMostKindBytes = 64;

Reply json_reply(int status, const Json& body) { return {status, to_text(body), "application/json", {}}; }

Reply error_reply(const RequestError& error) {
  Reply reply = json_reply(error.status(), error_body(error));
  if (error.status() == 503) reply.headers.emplace_back("Retry-After", "1");
  return reply;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

// "application/json", with parameters or without. What a page of another site can send without asking first is not.
void require_json(const Request& request) {
  std::string type = lower(request.content_type.substr(0, request.content_type.find(';')));
  type.erase(type.find_last_not_of(" \t") + 1);
  if (type == "application/json") return;
  throw RequestError(415, "unsupported_media_type",
                     request.content_type.empty() ? "the request has no Content-Type; it must be application/json"
                                                  : fmt::format("the Content-Type is {}; it must be application/json",
                                                                in_quotes(request.content_type)));
}

void require_host(const Request& request, const std::vector<std::string>& hosts) {
  if (hosts.empty() || request.host.empty()) return;
  if (std::find(hosts.begin(), hosts.end(), normal_host(request.host)) != hosts.end()) return;
  throw RequestError(403, "unknown_host",
                     fmt::format("this server does not answer to {}; start it with --allow-host if it should",
                                 in_quotes(request.host)));
}

ServiceOptions with_normal_hosts(ServiceOptions options) {
  for (std::string& host : options.hosts) host = normal_host(host);
  return options;
}

// If-None-Match: "*", or a list of tags. Weak ones (a proxy that compresses makes them) count as well. Ours have no
// commas.
bool names_tag(std::string_view list, std::string_view tag) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    std::string_view entry = list.substr(0, comma);
    entry.remove_prefix(std::min(entry.find_first_not_of(" \t"), entry.size()));
    entry = entry.substr(0, entry.find_last_not_of(" \t") + 1);
    if (entry.starts_with("W/")) entry.remove_prefix(2);
    if (entry == "*" || entry == tag) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

double rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

// As text, since that is what the result is.
std::string description(const JobSnapshot& job) {
  Json body = {{"id", job.id},
               {"kind", job.kind},
               {"state", to_string(job.state)},
               {"progress", {{"simulations", job.simulations}, {"of", job.simulations_wanted}}},
               {"seconds_waited", rounded(job.seconds_waited)},
               {"seconds_worked", rounded(job.seconds_worked)}};
  if (job.error) body["error"] = error_body(*job.error)["error"];
  std::string text = to_text(body);
  if (job.result) {
    text.resize(text.rfind('}'));
    text += ",\"result\":" + job.result->substr(0, job.result->rfind('\n')) + "}\n";
  }
  return text;
}

}  // namespace

struct Service::Endpoint {
  std::string path, method, label;
};

const std::vector<Service::Endpoint>& Service::endpoints() {
  static const std::vector<Endpoint> all = {
      {"/api/v1/move", "POST", "move"}, {"/api/v1/analysis", "POST", "analysis"},
      {"/api/v1/play", "POST", "play"}, {"/api/v1/evaluation", "POST", "evaluation"},
      {"/api/v1/jobs", "POST", "jobs"}, {"/api/v1/networks", "GET", "networks"},
      {"/api/v1", "GET", "index"},      {"/health", "GET", "health"},
      {"/metrics", "GET", "metrics"},
  };
  return all;
}

Service::Service(std::vector<ServedNetwork> networks, Site site, ServiceOptions options)
    : options_(with_normal_hosts(std::move(options))), site_(std::move(site)), catalogue_(std::move(networks)) {
  metrics_.declare("quarto_requests_total", "counter", "Replies, by endpoint and status.");
  metrics_.declare("quarto_request_seconds", "histogram", "From a whole request to its reply, by endpoint.");
  metrics_.declare("quarto_jobs_total", "counter", "Computations that ended, by kind and how.");
  metrics_.declare("quarto_job_wait_seconds", "histogram", "How long computations waited for a thread.");
  metrics_.declare("quarto_queue_full_total", "counter",
                   "Requests refused because the queue was full, or moved too slowly.");
  metrics_.declare("quarto_queue_waiting", "gauge", "Computations that wait for a thread.");
  metrics_.declare("quarto_queue_running", "gauge", "Computations that run.");
  metrics_.declare("quarto_uptime_seconds", "gauge", "Since the start.");
  declare_work_metrics(metrics_);
  metrics_.count("quarto_queue_full_total", "", 0);  // there from the start, so that a change can be seen
  for (int i = 0; i < options_.threads; ++i)
    workers_.push_back(std::make_unique<Worker>(options_.limits.table_mib << 20, metrics_));
  jobs_ = std::make_unique<JobQueue>(JobQueueOptions{
      .threads = options_.threads, .waiting = options_.queue, .on_end = [this](const JobSnapshot& job) {
        metrics_.count("quarto_jobs_total", fmt::format("kind=\"{}\",state=\"{}\"", job.kind, to_string(job.state)));
        metrics_.observe("quarto_job_wait_seconds", "", job.seconds_waited);
      }});
  metrics_.gauge("quarto_queue_waiting", [this] { return static_cast<double>(jobs_->waiting()); });
  metrics_.gauge("quarto_queue_running", [this] { return static_cast<double>(jobs_->running()); });
  metrics_.gauge("quarto_uptime_seconds",
                 [this] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); });
}

Service::~Service() { stop(); }

void Service::stop() {
  stopping_ = true;
  jobs_->stop();
}

Reply Service::finish(Reply reply, const std::string& label, double seconds) {
  metrics_.count("quarto_requests_total", fmt::format("endpoint=\"{}\",status=\"{}\"", label, reply.status));
  metrics_.observe("quarto_request_seconds", fmt::format("endpoint=\"{}\"", label), seconds);
  reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (std::none_of(reply.headers.begin(), reply.headers.end(), [](auto& h) { return h.first == "Cache-Control"; }))
    reply.headers.emplace_back("Cache-Control", "no-store");
  if (!options_.allow_origin.empty()) {
    reply.headers.emplace_back("Access-Control-Allow-Origin", options_.allow_origin);
    if (options_.allow_origin != "*") reply.headers.emplace_back("Vary", "Origin");
  }
  return reply;
}

Reply Service::refuse(const RequestError& error) { return finish(error_reply(error), "refused", 0); }

Reply Service::handle(const Request& request, const std::function<bool()>& abandoned) {
  const auto start = std::chrono::steady_clock::now();
  std::string label = "none";
  Reply reply;
  try {
    reply = route(request, abandoned, label);
  } catch (const RequestError& e) {
    reply = error_reply(e);
  } catch (const std::bad_alloc&) {
    reply = error_reply({503, "overloaded", "there is not enough memory; try again later"});
  } catch (const std::exception& e) {
    reply = error_reply({500, "internal", e.what()});
  }
  return finish(std::move(reply), label,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

Reply Service::method_error(const Request& request, const std::string& allowed) const {
  if (request.method == "OPTIONS") {
    Reply reply{204, "", "", {{"Allow", allowed + ", OPTIONS"}}};
    if (!options_.allow_origin.empty()) {
      reply.headers.emplace_back("Access-Control-Allow-Methods", allowed + ", OPTIONS");
      reply.headers.emplace_back("Access-Control-Allow-Headers", "Content-Type");
      reply.headers.emplace_back("Access-Control-Max-Age", "600");
    }
    return reply;
  }
  Reply reply =
      error_reply({405, "method_not_allowed",
                   fmt::format("{} takes {}, not {}", in_quotes(request.path), allowed, in_quotes(request.method))});
  reply.headers.emplace_back("Allow", allowed + ", OPTIONS");
  return reply;
}

Reply Service::route(const Request& request, const std::function<bool()>& abandoned, std::string& label) {
  require_host(request, options_.hosts);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const auto refuse_query = [&] {
    if (request.has_query)
      throw RequestError(400, "unexpected_query", "this path takes nothing after a '?'; fields go into the JSON body");
  };
  if (request.path.starts_with(kJobs)) {
    label = "job";
    if (!reads && request.method != "DELETE") return method_error(request, "GET, HEAD, DELETE");
    refuse_query();
    return job(request);
  }
  const auto& all = endpoints();
  const auto it = std::find_if(all.begin(), all.end(), [&](const Endpoint& e) { return e.path == request.path; });
  if (it == all.end()) return page(request, label);
  label = it->label;
  if (it->method == "POST" ? request.method != "POST" : !reads)
    return method_error(request, it->method == "POST" ? "POST" : "GET, HEAD");
  refuse_query();
  if (label == "networks") return networks();
  if (label == "index") return index();
  if (label == "health") return health();
  if (label == "metrics") return {200, metrics_.text(), "text/plain; version=0.0.4; charset=utf-8", {}};

  require_json(request);
  if (request.body.size() > options_.limits.body_bytes) {
    throw RequestError(
        413, "body_too_large",
        fmt::format("the body has {} bytes, more than {}", request.body.size(), options_.limits.body_bytes));
  }
  if (label == "play") return json_reply(200, play(parse_json(request.body)));
  if (label == "jobs") return post_job(request);
  for (const Kind kind : kKinds) {
    if (label == to_string(kind)) return work(kind, request, abandoned);
  }
  throw std::logic_error("no such endpoint: " + label);
}

Reply Service::page(const Request& request, std::string& label) const {
  const bool api = request.path == "/api" || request.path.starts_with("/api/");
  const Site::File* file = api ? nullptr : site_.find(request.path);
  if (!file && !(site_.empty() && request.path == "/")) {
    std::vector<std::string> paths;
    for (const Endpoint& e : endpoints()) paths.push_back(e.path);
    const std::string close = nearest(std::string_view(request.path).substr(0, 60), paths);
    throw RequestError(404, "not_found",
                       fmt::format("there is nothing at {}{}", in_quotes(request.path),
                                   close.empty() ? std::string("; GET /api/v1 says what there is")
                                                 : fmt::format("; did you mean {}?", close)));
  }
  label = "page";
  if (request.method != "GET" && request.method != "HEAD") return method_error(request, "GET, HEAD");
  if (!file) return index();
  Reply reply{200, "", file->type, {{"ETag", file->tag}, {"Cache-Control", "no-cache"}}};
  if (names_tag(request.if_none_match, file->tag)) {
    reply.status = 304;
    reply.content_type.clear();
  } else {
    reply.body = file->content;
  }
  return reply;
}

JobQueue::Work Service::work_of(Task task) {
  return [this, task = std::move(task)](int thread, JobProgress& progress) {
    return compute(task, *workers_[static_cast<std::size_t>(thread)], progress);
  };
}

RequestError Service::full() {
  if (stopping_) return {503, "stopping", "the server is stopping"};
  metrics_.count("quarto_queue_full_total");
  return {503, "overloaded", "there is more to compute than can be; try again later"};
}

Reply Service::work(Kind kind, const Request& request, const std::function<bool()>& abandoned) {
  Task task = parse_task(kind, parse_json(request.body), catalogue_, options_.limits, Lane::wait);
  const auto job = jobs_->run(to_string(kind), work_of(std::move(task)), abandoned);
  if (!job) throw full();
  if (job->error) throw *job->error;
  if (!job->result) {
    // By the end of the server, or because the client has closed its side of the connection.
    throw RequestError(503, stopping_ ? "stopping" : "cancelled", "the computation was cancelled");
  }
  return {200, *job->result, "application/json", {}};
}

Reply Service::post_job(const Request& request) {
  const nlohmann::json body = parse_json(request.body);
  if (!body.is_object()) Fields(body, {});  // which says so
  const auto given = body.find("kind");
  std::vector<std::string> kinds;
  for (const Kind k : kKinds) kinds.push_back(to_string(k));
  const std::string choice = fmt::format("it is one of '{}', '{}' and '{}'", kinds[0], kinds[1], kinds[2]);
  if (given == body.end()) throw RequestError(400, "missing_field", "kind: missing; " + choice, "kind");
  if (!given->is_string()) throw RequestError(400, "invalid_value", "kind: must be a text; " + choice, "kind");
  const auto& text = given->get_ref<const std::string&>();
  const auto it = std::find(kinds.begin(), kinds.end(), text);
  if (it == kinds.end()) {
    const std::string close = nearest(std::string_view(text).substr(0, kMostKindBytes), kinds);
    throw RequestError(400, "invalid_value",
                       fmt::format("kind: {} is none; {}", in_quotes(text),
                                   close.empty() ? choice : fmt::format("did you mean '{}'?", close)),
                       "kind");
  }
  const Kind kind = kKinds[static_cast<std::size_t>(it - kinds.begin())];
  Task task = parse_task(kind, body, catalogue_, options_.limits, Lane::later, {"kind"});
  const auto id = jobs_->submit(Lane::later, to_string(kind), work_of(std::move(task)));
  if (!id) throw full();
  Reply reply = json_reply(202, {{"id", *id}, {"state", "queued"}, {"url", kJobs + *id}});
  reply.headers.emplace_back("Location", kJobs + *id);
  return reply;
}

Reply Service::job(const Request& request) {
  const std::string id = request.path.substr(std::string_view(kJobs).size());
  const auto job = request.method == "DELETE" ? jobs_->cancel(id) : jobs_->find(id);
  if (!job) {
    throw RequestError(404, "unknown_job",
                       fmt::format("there is no job {}; finished ones are forgotten after a while", in_quotes(id)),
                       "id");
  }
  return {200, description(*job), "application/json", {}};
}

Reply Service::networks() const {
  Json list = Json::array();
  for (const ServedNetwork& n : catalogue_.networks()) {
    Json info = Json::object();
    for (const auto& [key, value] : n.info) info[key] = value;
    list.push_back({{"name", n.name}, {"rules", to_string(n.rules)}, {"info", std::move(info)}});
  }
  return json_reply(200, {{"networks", std::move(list)}});
}

Reply Service::index() const {
  Json paths = Json::array();
  for (const Endpoint& e : endpoints()) paths.push_back(e.method + " " + e.path);
  paths.push_back(std::string("GET ") + kJobs + "ID");
  paths.push_back(std::string("DELETE ") + kJobs + "ID");
  const Limits& l = options_.limits;
  return json_reply(200, {{"name", "quarto"},
                          {"version", options_.version},
                          {"api", kApi},
                          {"paths", std::move(paths)},
                          {"limits",
                           {{"body_bytes", l.body_bytes},
                            {"positions", l.positions},
                            {"simulations", l.simulations},
                            {"seconds", l.seconds},
                            {"job_seconds", l.job_seconds},
                            {"queue", options_.queue}}}});
}

Reply Service::health() const {
  const double uptime = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  Reply reply = json_reply(stopping_ ? 503 : 200, {{"ok", !stopping_},
                                                   {"version", options_.version},
                                                   {"uptime_seconds", std::round(uptime * 10) / 10},
                                                   {"threads", options_.threads},
                                                   {"running", jobs_->running()},
                                                   {"waiting", jobs_->waiting()},
                                                   {"queue", options_.queue}});
  if (stopping_) reply.headers.emplace_back("Retry-After", "1");
  return reply;
}

}  // namespace quarto::serve
