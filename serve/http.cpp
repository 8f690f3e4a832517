#include "serve/http.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ctime>

#include "serve/pool.h"

namespace quarto::serve {
namespace {

constexpr int kBacklog = 128;
// A connection that waits for its next request may be given up after so long when others find no thread.
constexpr std::chrono::milliseconds kPatience{1000};

// One request that has been read and checked, for the library to read; and its reply, for us to send.
class RequestStream final : public httplib::Stream {
 public:
  explicit RequestStream(std::string head) : head_(std::move(head)) {}
  const std::string& reply() const { return reply_; }

  bool is_readable() const override { return at_ < head_.size(); }
  bool is_writable() const override { return true; }
  ssize_t read(char* to, size_t size) override {
    const std::size_t n = head_.copy(to, size, at_);
    at_ += n;
    return static_cast<ssize_t>(n);
  }
  ssize_t write(const char* from, size_t size) override {
    reply_.append(from, size);
    return static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return INVALID_SOCKET; }

 private:
  std::string head_, reply_;
  std::size_t at_ = 0;
};

// What the thread is at, for the library's callbacks.
struct Current {
  const WholeRequest* request = nullptr;
  Connection* connection = nullptr;
  bool reached = false;  // the service was asked, and has counted its reply
  int status = 0;
  bool complete = false;  // the library has the whole reply
};
thread_local Current current;
// The thread that accepts is to refuse the connection instead of answering it.
thread_local bool refusing = false;

// Of the replies that are not written by the library.
const char* reason(int status) {
  switch (status) {
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Payload Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Bad Request";
  }
}

std::string bare_reply(const Reply& reply) {
  std::string text = fmt::format("HTTP/1.1 {} {}\r\nConnection: close\r\nContent-Type: {}\r\nContent-Length: {}\r\n",
                                 reply.status, reason(reply.status), reply.content_type, reply.body.size());
  for (const auto& [name, value] : reply.headers) text += fmt::format("{}: {}\r\n", name, value);
  return text + "\r\n" + reply.body;
}

void log_line(std::string_view method, std::string_view target, int status, double seconds) {
  const std::string line = fmt::format("{:%FT%TZ} {} {} {} {:.1f} ms\n", fmt::gmtime(std::time(nullptr)), method,
                                       target, status, 1000 * seconds);
  std::fwrite(line.data(), 1, line.size(), stderr);  // a log that cannot be written is no reason to stop
}

}  // namespace

// Derived for what the library leaves to derived classes: how a connection is read, and the listening socket.
struct HttpServer::Impl final : httplib::Server {
  Impl(Service& s, const HttpOptions& o) : service(s), options(o), pool(static_cast<std::size_t>(options.connections)) {
    // Not SO_REUSEPORT, the library's choice: with it a second server on the same port would get half of the requests.
    set_socket_options([](socket_t sock) {
      const int yes = 1;
      ::setsockopt(sock, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_tcp_nodelay(true);
    new_task_queue = [this] { return new Tasks(*this); };
    set_keep_alive_max_count(static_cast<std::size_t>(options.requests));
    set_keep_alive_timeout(std::chrono::ceil<std::chrono::seconds>(options.limits.idle).count());
    // Everything is answered here, before the library would look for a body: that has been read already.
    set_pre_routing_handler([this](const httplib::Request& req, httplib::Response& res) {
      answer(req, res);
      return HandlerResponse::Handled;
    });
    // The library writes the length of every reply, also of those that have no body by definition (a 304's would be
    // the file's), and offers ranges, which are never sent.
    set_post_routing_handler([](const httplib::Request&, httplib::Response& res) {
      if (res.status == 204 || res.status == 304) res.headers.erase("Content-Length");
      res.headers.erase("Accept-Ranges");
    });
    if (options.port == 0) {
      port = bind_to_any_port(options.host);
    } else {
      port = bind_to_port(options.host, options.port) ? options.port : -1;
    }
    if (port < 0) {
      throw std::runtime_error(fmt::format("cannot listen on {} port {}: is the port taken, or the address not ours?",
                                           options.host, options.port));
    }
    // The library lets five wait to be accepted; the sixth would try again after a second.
    ::listen(svr_sock_, kBacklog);
    Metrics& metrics = service.metrics();
    metrics.declare("quarto_connections_total", "counter", "Connections, by what became of them.");
    metrics.declare("quarto_connections_open", "gauge", "Connections that a thread looks after.");
    metrics.gauge("quarto_connections_open", [this] { return static_cast<double>(pool.busy()); });
  }
  ~Impl() override {
    service.metrics().gauge("quarto_connections_open", {});
    if (svr_sock_ != INVALID_SOCKET) ::close(svr_sock_);  // never started
  }

  // Each accepted connection comes as a task.
  struct Tasks final : httplib::TaskQueue {
    explicit Tasks(Impl& i) : impl(i) {}
    void enqueue(std::function<void()> task) override {
      if (impl.pool.run(task)) return;
      refusing = true;
      task();
      refusing = false;
    }
    void shutdown() override {}  // stop() waits, in its order
    Impl& impl;
  };

  void answer(const httplib::Request& req, httplib::Response& res) {
    const WholeRequest& whole = *current.request;
    const Head& head = whole.head;
    current.reached = true;
    const Reply reply = service.handle({.method = req.method,
                                        .path = req.path,
                                        .has_query = head.target.find('?') != std::string::npos,
                                        .body = whole.body,
                                        .content_type = head.content_type,
                                        .host = head.host,
                                        .if_none_match = head.if_none_match},
                                       [] { return current.connection->client_gone(); });
    current.status = res.status = reply.status;
    for (const auto& [name, value] : reply.headers) res.set_header(name, value);
    if (!reply.content_type.empty()) res.set_content(reply.body, reply.content_type);
    current.complete = true;
  }

  void refuse(int sock, const RequestError& error, const char* method) noexcept {
    try {
      if (options.log) log_line(method, "", error.status(), 0);
      if (refusing) service.metrics().count("quarto_connections_total", "state=\"refused\"");
      closer.close(sock, bare_reply(service.refuse(error)));
    } catch (const std::exception&) {  // no memory
      ::close(sock);
    }
  }

  bool process_and_close_socket(socket_t sock) override {
    if (refusing) {
      refuse(sock, {503, "overloaded", "there are too many connections; try again later"}, "(refused)");
      return false;
    }
    Connection connection(sock, options.limits, [this](std::chrono::milliseconds waited) {
      return stopping || (waited > kPatience && pool.full());
    });
    try {
      service.metrics().count("quarto_connections_total", "state=\"served\"");
      int left = options.requests;
      while (!stopping) {
        std::optional<WholeRequest> request = connection.next();
        if (!request || !serve(connection, *request, --left)) break;
      }
      closer.close(sock);
    } catch (const RequestError& e) {
      refuse(sock, e, "(malformed)");
    } catch (const std::exception&) {  // no memory, at worst
      closer.close(sock);
    }
    return true;
  }

  // False: the connection is to be closed.
  bool serve(Connection& connection, WholeRequest& request, int requests_left) {
    const auto start = std::chrono::steady_clock::now();
    Head& head = request.head;
    head.close = head.close || requests_left <= 0 || stopping || pool.crowded();
    current = {&request, &connection};
    RequestStream stream(head.text());
    bool answered = false, failed = false, closed = false;
    try {
      answered = process_request(stream, head.close, closed, nullptr);
    } catch (const std::exception&) {  // no memory
      failed = true;
    }
    int status = current.status;
    const bool reached = current.reached, complete = current.complete && !failed;
    current = {};
    const RequestError no_memory(503, "overloaded", "there is not enough memory; try again later");
    if (!reached && failed) throw no_memory;
    // Something that we let through and the library does not take.
    if (!reached) throw RequestError(400, "bad_request", "the path cannot be read");
    if (!complete) status = no_memory.status();  // counted by what the service answered: once is enough
    if (options.log) {
      log_line(head.method, head.target, status,
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    if (!complete) {
      connection.send(bare_reply({status, to_text(error_body(no_memory)), "application/json", {{"Retry-After", "1"}}}));
      return false;
    }
    return connection.send(stream.reply()) && answered && !head.close;
  }

  // Until stop(). The library gives up listening when the system has no memory for one more connection, or when one is
  // aborted at the wrong moment: that must not be the end.
  void listen_on() {
    while (!stopping) {
      listen_after_bind();
      svr_sock_ = INVALID_SOCKET;  // closed in any case, says the library's source
      while (!stopping && !bind_to_port(options.host, port)) std::this_thread::sleep_for(kPatience / 10);
      ::listen(svr_sock_, kBacklog);
    }
    if (svr_sock_ != INVALID_SOCKET) ::close(svr_sock_.exchange(INVALID_SOCKET));
    listening_ended = true;
  }
  // Again and again, since the listener may be just between two times of listening.
  void stop_listening() {
    stopping = true;
    while (listener.joinable() && !listening_ended) {
      if (is_running() && svr_sock_ != INVALID_SOCKET) stop();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (listener.joinable()) listener.join();
  }

  Service& service;
  const HttpOptions options;
  std::atomic<bool> stopping = false, listening_ended = false;
  Closer closer;
  Pool pool;
  int port = -1;
  std::thread listener{};
};

HttpServer::HttpServer(Service& service, const HttpOptions& options)
    : impl_(std::make_unique<Impl>(service, options)) {}

HttpServer::~HttpServer() { stop(); }

void HttpServer::start() {
  impl_->listener = std::thread([this] { impl_->listen_on(); });
  while (!impl_->is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void HttpServer::stop() {
  impl_->stop_listening();
  impl_->service.stop();
  impl_->pool.join();
}

int HttpServer::port() const { return impl_->port; }

std::string HttpServer::url() const {
  const std::string& host = impl_->options.host;
  return fmt::format("http://{}:{}", host.find(':') == std::string::npos ? host : "[" + host + "]", impl_->port);
}

}  // namespace quarto::serve
