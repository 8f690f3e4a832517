#include "serve/service.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/clock.h"
#include "base/lower.h"
#include "base/nearest.h"
#include "env/notation.h"
#include "serve/host.h"
#include "serve/kinds.h"

namespace quarto::serve {
namespace {

constexpr const char* kApi = "/api/v1";
constexpr const char* kJobs = "/api/v1/jobs/";
constexpr std::size_t kMostKindBytes = 64;

// Content security policies: https://www.w3.org/TR/CSP3/. What a reply may load and do if a browser shows it as a page:
// nothing, but for the files of --web. These use scripts, styles and WebAssembly of this server only; nothing inline.
constexpr const char* kPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
constexpr const char* kPagePolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";
constexpr const char* kPolicyHeader = "Content-Security-Policy";

Reply json_reply(int status, const Json& body) { return {status, to_text(body), "application/json", {}}; }

Reply error_reply(const RequestError& error) {
  Reply reply = json_reply(error.status(), error_body(error));
  if (error.status() == 503) reply.headers.emplace_back("Retry-After", "1");
  return reply;
}

// "application/json", with or without parameters. Browsers let a page of another site send this type only after a CORS
// preflight request.
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
                     fmt::format("the host {} is not accepted; --allow-host adds names", in_quotes(request.host)));
}

ServiceOptions with_normal_hosts(ServiceOptions options) {
  for (std::string& host : options.hosts) host = normal_host(host);
  return options;
}

// Whether the value of If-Match or If-None-Match, "*" or a list of tags, has this tag, "" for none. `weak`: weak tags
// match too, since compressing proxies weaken tags. The server's own tags have no commas.
bool names_tag(std::string_view list, std::string_view tag, bool weak) {
  while (!list.empty()) {
    const auto comma = list.find(',');
    std::string_view entry = list.substr(0, comma);
    entry.remove_prefix(std::min(entry.find_first_not_of(" \t"), entry.size()));
    entry = entry.substr(0, entry.find_last_not_of(" \t") + 1);
    if (weak && entry.starts_with("W/")) entry.remove_prefix(2);
    if (entry == "*" || (!tag.empty() && entry == tag)) return true;
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
  }
  return false;
}

// Throws 412 unless If-Match names this tag of what is there.
void require_match(const Request& request, std::string_view tag) {
  if (!request.if_match.empty() && !names_tag(request.if_match, tag, false))
    throw RequestError(412, "precondition_failed", "what is there has none of the tags in If-Match");
}

// The reply to GET and HEAD under the request's preconditions (RFC 9110, 13.2.2); nothing has a date of modification.
Reply conditional(const Request& request, Reply reply) {
  if ((request.method != "GET" && request.method != "HEAD") || reply.status != 200 || reply.stream) return reply;
  std::string tag;
  for (const auto& [name, value] : reply.headers) {
    if (name == "ETag") tag = value;
  }
  require_match(request, tag);
  if (names_tag(request.if_none_match, tag, true)) {
    reply.status = 304;
    reply.content_type.clear();
    reply.body.clear();
  }
  return reply;
}

// JSON text, because the result is stored as text.
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

Reply job_reply(const std::optional<JobSnapshot>& job, const std::string& id) {
  if (job) return {200, description(*job), "application/json", {}};
  throw RequestError(404, "unknown_job",
                     fmt::format("there is no job {}; results are kept for a limited time", in_quotes(id)), "id");
}

}  // namespace

// What a handler is called with.
struct Service::Call {
  const Request& request;
  const std::function<bool()>& abandoned;
  std::string id;  // the part of the path that stands for ID
};

// One row for each path and method. A new endpoint is a new row and a handler; GET /api/v1 lists the rows.
//   method   GET includes HEAD. A POST must have a JSON body within the limits; the handler parses it
//   path     "/a/ID" matches every path that begins with "/a/"; the rest is Call::id
//   label    in the metrics; one for all rows of a path
struct Service::Endpoint {
  std::string method, path, label;
  Reply (*handler)(Service&, const Call&);

  // The id, "" if the path has none; nullopt: this is another path.
  std::optional<std::string> match(const std::string& requested) const {
    if (!path.ends_with("/ID")) return requested == path ? std::optional<std::string>("") : std::nullopt;
    const std::size_t length = path.size() - 2;
    if (requested.compare(0, length, path, 0, length) != 0) return std::nullopt;
    return requested.substr(length);
  }
};

const std::vector<Service::Endpoint>& Service::endpoints() {
  using S = Service;
  using C = Call;
  static const std::vector<Endpoint> all = {
      {"POST", "/api/v1/move", "move", [](S& s, const C& c) { return s.compute_now(Kind::move, c); }},
      {"POST", "/api/v1/analysis", "analysis", [](S& s, const C& c) { return s.compute_now(Kind::analysis, c); }},
      {"POST", "/api/v1/play", "play", [](S& s, const C& c) { return s.play_move(c); }},
      {"POST", "/api/v1/evaluation", "evaluation", [](S& s, const C& c) { return s.compute_now(Kind::evaluation, c); }},
      {"POST", "/api/v1/jobs", "jobs", [](S& s, const C& c) { return s.post_job(c); }},
      {"GET", "/api/v1/networks", "networks", [](S& s, const C&) { return s.networks(); }},
      {"GET", "/api/v1", "index", [](S& s, const C&) { return s.index(); }},
      {"GET", "/server.json", "server", [](S& s, const C&) { return s.about_server(); }},
      {"GET", "/health", "health", [](S& s, const C&) { return s.health(); }},
      {"GET", "/metrics", "metrics", [](S& s, const C&) { return s.metrics_page(); }},
      {"GET", "/api/v1/jobs/ID", "job", [](S& s, const C& c) { return s.find_job(c); }},
      {"DELETE", "/api/v1/jobs/ID", "job", [](S& s, const C& c) { return s.cancel_job(c); }},
  };
  return all;
}

Service::Service(std::vector<ServedNetwork> networks, Site site, ServiceOptions options)
    : options_(with_normal_hosts(std::move(options))),
      site_(std::move(site)),
      catalogue_(std::move(networks), options_.more_networks) {
  metrics_.declare("quartozero_requests_total", "counter", "Replies, by endpoint and status.");
  metrics_.declare("quartozero_request_seconds", "histogram",
                   "Time from a complete request to its reply, by endpoint.");
  metrics_.declare("quartozero_jobs_total", "counter", "Computations that ended, by kind and final state.");
  metrics_.declare("quartozero_job_wait_seconds", "histogram", "Time that computations waited for a thread.");
  metrics_.declare("quartozero_queue_full_total", "counter",
                   "Requests refused because the queue was full or a thread was not free in time.");
  metrics_.declare("quartozero_queue_waiting", "gauge", "Computations that wait for a thread.");
  metrics_.declare("quartozero_queue_running", "gauge", "Computations that run.");
  metrics_.declare("quartozero_uptime_seconds", "gauge", "Time since the start.");
  declare_work_metrics(metrics_);
  metrics_.count("quartozero_queue_full_total", "", 0);  // so that the counter exists from the start
  for (int i = 0; i < options_.threads; ++i)
    workers_.push_back(std::make_unique<Worker>(options_.limits.table_mib << 20, metrics_));
  jobs_ = std::make_unique<JobQueue>(
      JobQueueOptions{.threads = options_.threads, .waiting = options_.queue, .on_end = [this](const JobSnapshot& job) {
                        metrics_.count("quartozero_jobs_total",
                                       fmt::format("kind=\"{}\",state=\"{}\"", job.kind, to_string(job.state)));
                        metrics_.observe("quartozero_job_wait_seconds", "", job.seconds_waited);
                      }});
  metrics_.gauge("quartozero_queue_waiting", [this] { return static_cast<double>(jobs_->waiting()); });
  metrics_.gauge("quartozero_queue_running", [this] { return static_cast<double>(jobs_->running()); });
  metrics_.gauge("quartozero_uptime_seconds", [this] { return seconds_since(start_); });
}

Service::~Service() { stop(); }

void Service::stop() {
  stopping_ = true;
  jobs_->stop();
}

Reply Service::finish(Reply reply, const std::string& label, double seconds) {
  metrics_.count("quartozero_requests_total", fmt::format("endpoint=\"{}\",status=\"{}\"", label, reply.status));
  metrics_.observe("quartozero_request_seconds", fmt::format("endpoint=\"{}\"", label), seconds);
  const auto set_unless_present = [&](const char* name, const char* value) {
    if (std::none_of(reply.headers.begin(), reply.headers.end(), [&](const auto& h) { return h.first == name; }))
      reply.headers.emplace_back(name, value);
  };
  reply.headers.emplace_back("X-Content-Type-Options", "nosniff");
  set_unless_present(kPolicyHeader, kPolicy);
  reply.headers.emplace_back("X-Frame-Options", "DENY");  // for browsers that do not know frame-ancestors
  reply.headers.emplace_back("Referrer-Policy", "no-referrer");
  reply.headers.emplace_back("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
  reply.headers.emplace_back("Cross-Origin-Resource-Policy",
                             options_.allow_origin.empty() ? "same-origin" : "cross-origin");
  set_unless_present("Cache-Control", "no-store");
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
    reply = conditional(request, route(request, abandoned, label));
  } catch (const RequestError& e) {
    reply = error_reply(e);
  } catch (const std::bad_alloc&) {
    reply = error_reply({503, "overloaded", "there is not enough memory; try again later"});
  } catch (const std::exception& e) {
    reply = error_reply({500, "internal", e.what()});
  }
  return finish(std::move(reply), label, seconds_since(start));
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
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  const Endpoint* endpoint = nullptr;
  std::string id, allowed;
  for (const Endpoint& e : endpoints()) {
    const auto match = e.match(request.path);
    if (!match) continue;
    label = e.label;
    allowed += (allowed.empty() ? "" : ", ") + (e.method == "GET" ? "GET, HEAD" : e.method);
    if (e.method != method) continue;
    endpoint = &e;
    id = *match;
  }
  if (const Branch* branch = allowed.empty() ? branch_of(request.path) : nullptr) {
    label = branch->label;
    if (method != "GET") return method_error(request, "GET, HEAD");
    if (request.has_query) throw RequestError(400, "unexpected_query", "this path takes no query");
    Reply reply = branch->get(request.path);
    if (branch->is_page) reply.headers.emplace_back(kPolicyHeader, kPagePolicy);
    return reply;
  }
  if (allowed.empty()) return page(request, label);
  if (!endpoint) return method_error(request, allowed);
  if (request.has_query)
    throw RequestError(400, "unexpected_query", "this path takes no query; fields go into the JSON body");
  if (method == "POST") require_small_json(request);
  return endpoint->handler(*this, {request, abandoned, id});
}

const Branch* Service::branch_of(const std::string& path) const {
  for (const Branch& b : options_.branches) {
    if (b.path.ends_with('/') ? path.starts_with(b.path) : path == b.path) return &b;
  }
  return nullptr;
}

void Service::require_small_json(const Request& request) const {
  require_json(request);
  if (request.body.size() <= options_.limits.body_bytes) return;
  throw RequestError(
      413, "body_too_large",
      fmt::format("the body has {} bytes, more than {}", request.body.size(), options_.limits.body_bytes));
}

Reply Service::page(const Request& request, std::string& label) const {
  const bool api = request.path == "/api" || request.path.starts_with("/api/");
  const Site::File* file = api ? nullptr : site_.find(request.path);
  if (!file && !(site_.empty() && request.path == "/")) {
    std::vector<std::string> paths;
    for (const Endpoint& e : endpoints()) paths.push_back(e.path);
    for (const Branch& b : options_.branches) paths.push_back(b.path);
    const std::string close = nearest(std::string_view(request.path).substr(0, 60), paths);
    throw RequestError(404, "not_found",
                       fmt::format("there is nothing at {}{}", in_quotes(request.path),
                                   close.empty() ? std::string("; GET /api/v1 lists the paths")
                                                 : fmt::format("; did you mean {}?", close)));
  }
  label = "page";
  if (request.method != "GET" && request.method != "HEAD") return method_error(request, "GET, HEAD");
  if (!file) {
    // Without a page of its own the server leads to one that a branch has.
    const auto& branches = options_.branches;
    const auto page = std::find_if(branches.begin(), branches.end(), [](const Branch& b) { return b.is_page; });
    if (page != branches.end()) return {302, "", "", {{"Location", page->path}}};
    return index();
  }
  return {200,
          file->content,
          file->type,
          {{"ETag", file->tag}, {"Cache-Control", "no-cache"}, {kPolicyHeader, kPagePolicy}}};
}

JobQueue::Work Service::work_of(Task task) {
  return [this, task = std::move(task)](int thread, JobProgress& progress) {
    return compute(task, *workers_[static_cast<std::size_t>(thread)], progress);
  };
}

RequestError Service::not_accepted() {
  if (stopping_) return {503, "stopping", "the server is stopping"};
  metrics_.count("quartozero_queue_full_total");
  return {503, "overloaded", "too many computations wait; try again later"};
}

Reply Service::compute_now(Kind kind, const Call& call) {
  Task task = parse_task(kind, parse_body(call.request.body), catalogue_, options_.limits, Priority::interactive);
  const auto job = jobs_->run(to_string(kind), work_of(std::move(task)), call.abandoned);
  if (!job) throw not_accepted();
  if (job->error) throw *job->error;
  if (!job->result) {
    // The server is stopping, or the client has closed its side of the connection.
    throw RequestError(503, stopping_ ? "stopping" : "cancelled", "the computation was cancelled");
  }
  return {200, *job->result, "application/json", {}};
}

Reply Service::play_move(const Call& call) const { return json_reply(200, play(parse_body(call.request.body))); }

Reply Service::post_job(const Call& call) {
  const nlohmann::json body = parse_body(call.request.body);
  if (!body.is_object()) Fields(body, {});  // throws
  const auto given = body.find("kind");
  std::vector<std::string> names;
  for (const KindRow& row : kinds()) names.push_back(row.name);
  const std::string choice = fmt::format("it is one of '{}'", fmt::join(names, "', '"));
  if (given == body.end()) throw RequestError(400, "missing_field", "kind: missing; " + choice, "kind");
  if (!given->is_string()) throw RequestError(400, "invalid_value", "kind: must be a string; " + choice, "kind");
  const auto& text = given->get_ref<const std::string&>();
  const auto it = std::find(names.begin(), names.end(), text);
  if (it == names.end()) {
    const std::string close = nearest(std::string_view(text).substr(0, kMostKindBytes), names);
    throw RequestError(400, "invalid_value",
                       fmt::format("kind: {} is unknown; {}", in_quotes(text), did_you_mean_or(close, choice)), "kind");
  }
  const Kind kind = kinds()[static_cast<std::size_t>(it - names.begin())].kind;
  Task task = parse_task(kind, body, catalogue_, options_.limits, Priority::background, {"kind"});
  const auto id = jobs_->submit(Priority::background, to_string(kind), work_of(std::move(task)));
  if (!id) throw not_accepted();
  Reply reply = json_reply(202, {{"id", *id}, {"state", "queued"}, {"url", kJobs + *id}});
  reply.headers.emplace_back("Location", kJobs + *id);
  return reply;
}

Reply Service::find_job(const Call& call) { return job_reply(jobs_->find(call.id), call.id); }

Reply Service::cancel_job(const Call& call) {
  if (jobs_->find(call.id)) {
    require_match(call.request, "");
    if (names_tag(call.request.if_none_match, "", true))
      throw RequestError(412, "precondition_failed", "If-None-Match says not to, if the job is there");
  }
  return job_reply(jobs_->cancel(call.id), call.id);
}

Reply Service::networks() const {
  Json list = Json::array();
  for (const NetworkLabel& n : catalogue_.labels()) {
    Json info = Json::object();
    for (const auto& [key, value] : n.info) info[key] = value;
    list.push_back({{"name", n.name}, {"rules", to_string(n.rules)}, {"info", std::move(info)}});
  }
  return json_reply(200, {{"networks", std::move(list)}});
}

Reply Service::index() const {
  Json paths = Json::array();
  for (const Endpoint& e : endpoints()) paths.push_back(e.method + " " + e.path);
  for (const Branch& b : options_.branches) paths.push_back("GET " + b.path);
  const Limits& l = options_.limits;
  return json_reply(200, {{"name", "quartozero"},
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

Reply Service::about_server() const {
  return json_reply(200, {{"api", kApi + 1}, {"version", options_.version}, {"page", site_.find("/") != nullptr}});
}

Reply Service::health() const {
  const double uptime = seconds_since(start_);
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

Reply Service::metrics_page() const { return {200, metrics_.text(), "text/plain; version=0.0.4; charset=utf-8", {}}; }

}  // namespace quarto::serve
