#include "serve/connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <boost/asio/write.hpp>
#include <ctime>

#include "serve/head.h"

namespace quarto::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using std::chrono::milliseconds;

constexpr milliseconds kSlice{100};      // between two looks at the time, at the host and at a stream
constexpr milliseconds kPatience{1000};  // a full server's, with a connection that is idle or streams
constexpr milliseconds kLinger{1000};

}  // namespace

Connection::Connection(ConnectionHost& host, Socket socket, const HttpOptions& options,
                       std::shared_ptr<const void> place, std::shared_ptr<const void> alive)
    : host_(host),
      alive_(std::move(alive)),
      place_(std::move(place)),
      socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      options_(options),
      requests_left_(options.requests) {}

// For every handler. Without memory for an operation the connection ends: none may go on without its limit of time.
template <class Work>
void Connection::guard(Work work) noexcept {
  try {
    work();
  } catch (const std::exception&) {
    end();
  }
}

// Of what is begun next. Beast's own limits of time close the socket, so that no error could be sent after them.
void Connection::limit(milliseconds time) {
  over_ = false;
  since_ = Clock::now();
  deadline_ = since_ + time;
}

// One timer looks at everything, again and again: setting one for each limit would take longer than a short request. An
// operation that is over is cancelled, so that its handler can say so; if nothing came of that until the next look, the
// connection ends.
void Connection::watch() {
  timer_.expires_after(kSlice);
  timer_.async_wait([self = shared_from_this()](Error) {
    self->guard([&] {
      if (!self->socket_.is_open()) return;
      if (self->state_ == State::streaming) {
        self->stream();
      } else {
        if (self->over_) return self->end();
        const auto now = Clock::now();
        self->over_ = now >= self->deadline_ || (self->state_ != State::reply && self->host_.stopping()) ||
                      (self->state_ == State::idle && self->host_.full() && now - self->since_ > kPatience);
        Error ignored;
        if (self->over_) self->socket_.cancel(ignored);
      }
      self->watch();
    });
  });
}

void Connection::next() {
  request_.reset();
  parser_.emplace();
  parser_->header_limit(kMostHeadBytes);
  parser_->body_limit(options_.limits.body_bytes);
  state_ = State::idle;
  limit(options_.limits.idle);
  received();
}

void Connection::receive() {
  socket_.async_read_some(asio::buffer(piece_), [self = shared_from_this()](Error, std::size_t n) {
    self->guard([&] {
      self->received_.append(self->piece_.data(), n);
      if (n > 0 && (!self->over_ || self->state_ == State::idle)) {
        self->received();
      } else if (self->state_ == State::idle) {
        self->close();
      } else if (self->over_) {
        self->refuse({408, "timeout", "waited too long for the rest of the request"});
      } else {
        self->refuse({400, "bad_request", "the connection ended within the request"});
      }
    });
  });
}

void Connection::received() {
  if (state_ == State::idle) {
    // Empty lines before a request are ignored (RFC 9112, 2.2).
    received_.erase(0, received_.find_first_not_of("\r\n"));
    if (received_.empty()) return over_ ? close() : receive();
    state_ = State::request;
    limit(options_.limits.request);
  }
  try {
    Error error;
    while (!error && !received_.empty() && !parser_->is_done()) {
      const std::size_t n = parser_->put(asio::buffer(received_), error);
      if (error && error != http::error::need_more) throw parser_error(error, parser_->get(), received_);
      received_.erase(0, n);
      if (!parser_->is_header_done() || request_) continue;
      // Before the body is read: the trailers of a chunked one go into the same fields.
      request_ = checked_head(parser_->get());
      parser_->eager(true);
    }
    // Lines between chunks and after them are held here until they end.
    if (request_ && !parser_->is_done() && received_.size() > kMostHeaderBytes)
      throw RequestError(431, "headers_too_large",
                         fmt::format("a line of a chunk has more than {} bytes", kMostHeaderBytes));
  } catch (const RequestError& e) {
    return refuse(e);
  }
  if (parser_->is_done()) return answer();
  // HTTP/1.0 has no interim replies.
  if (request_ && parser_->get().erase(http::field::expect) > 0 && parser_->get().version() >= 11)
    return send("HTTP/1.1 100 Continue\r\n\r\n", &Connection::receive);
  receive();
}

void Connection::answer() {
  state_ = State::reply;
  answered_ = Clock::now();
  request_->body = std::move(parser_->get().body());
  close_ = !parser_->keep_alive() || --requests_left_ <= 0 || host_.stopping() || host_.crowded();
  const auto target = parser_->get().target();
  Reply reply = host_.answer(*request_, {target.data(), target.size()}, [this] { return client_gone(); });
  const KeepAlive keep{std::chrono::ceil<std::chrono::seconds>(options_.limits.idle).count(), options_.requests};
  const bool with_body = request_->method != "HEAD";
  close_ = close_ || reply.stream;
  std::string bytes = to_bytes(reply, std::time(nullptr), close_ ? nullptr : &keep, with_body);
  if (with_body) stream_ = std::move(reply.stream);
  send(std::move(bytes), stream_ ? &Connection::stream : close_ ? &Connection::close : &Connection::next);
}

void Connection::send(std::string bytes, void (Connection::*then)()) {
  sending_ = std::move(bytes);
  if (state_ == State::reply) limit(options_.limits.reply);
  asio::async_write(socket_, asio::buffer(sending_), [self = shared_from_this(), then](Error error, std::size_t) {
    self->guard([&] { (self.get()->*(error ? &Connection::close : then))(); });
  });
}

// Until it ends, the client leaves, the server stops, or another client needs the place.
void Connection::stream() {
  if (host_.stopping() || (host_.full() && Clock::now() - answered_ > kPatience) || client_gone()) return close();
  std::optional<std::string> piece = stream_();
  if (!piece) return close();
  if (piece->empty()) {
    state_ = State::streaming;
  } else {
    state_ = State::reply;
    send(std::move(*piece), &Connection::stream);
  }
}

// Its sending half counts: TCP does not tell the two apart. Without reading, which what it has sent ahead would hide.
bool Connection::client_gone() {
  pollfd p{socket_.native_handle(), POLLRDHUP, 0};
  return ::poll(&p, 1, 0) > 0;
}

void Connection::start(const std::optional<RequestError>& refusal) {
  guard([&] {
    watch();
    if (refusal) {
      refuse(*refusal, "(refused)");
    } else {
      next();
    }
  });
}

void Connection::refuse(const RequestError& error, const char* method) {
  state_ = State::reply;
  const bool with_body = !parser_ || parser_->get().method() != http::verb::head;
  send(to_bytes(host_.refuse(error, method), std::time(nullptr), nullptr, with_body), &Connection::close);
}

// If a socket is closed while the client still sends, TCP resets the connection and the client may never see the
// reply. So the sending half ends first, then what comes is discarded until the client closes, for a second at most.
void Connection::close() {
  state_ = State::closing;
  place_.reset();
  stream_ = nullptr;
  Error ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  limit(kLinger);
  if (host_.may_linger()) {
    linger();
  } else {
    end();
  }
}

void Connection::end() noexcept {
  Error ignored;
  socket_.close(ignored);
  alive_.reset();
}

void Connection::linger() {
  socket_.async_read_some(asio::buffer(piece_), [self = shared_from_this()](Error error, std::size_t) {
    self->guard([&] {
      if (!error && Clock::now() < self->deadline_) return self->linger();
      self->end();
    });
  });
}

}  // namespace quarto::serve
