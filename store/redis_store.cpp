#include "store/redis_store.h"

#include <fmt/format.h>
#include <hiredis/hiredis.h>
#ifdef QUARTOZERO_HIREDIS_SSL
#include <hiredis/hiredis_ssl.h>
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "base/printable.h"
#include "base/without_sigpipe.h"
#include "store/redis_scripts.h"
#include "store/wire.h"

namespace quarto::store {

StoreError foreign_run(const std::string& id) {
  return StoreError(fmt::format(
      "the database holds another run or job that has not finished ({}); use another database (the number after "
      "the '/' of the address), or remove that run with: quartozero store URL --clear",
      printable(id, 40)));
}

namespace {

timeval duration(double seconds) {
  timeval t{};
  t.tv_sec = static_cast<time_t>(seconds);
  t.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
  return t;
}

struct FreeReply {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

StoreError unexpected() {
  return StoreError("the store gave an answer that Redis would not give; is this the address of a Redis server?");
}

// The text of a string, a status or a number.
std::string text(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_STRING || reply.type == REDIS_REPLY_STATUS) return {reply.str, std::size_t(reply.len)};
  if (reply.type == REDIS_REPLY_INTEGER) return std::to_string(reply.integer);
  throw unexpected();
}
std::span<redisReply* const> items(const redisReply& reply, std::size_t at_least = 0) {
  if (reply.type == REDIS_REPLY_NIL && at_least == 0) return {};
  if (reply.type != REDIS_REPLY_ARRAY || reply.elements < at_least) throw unexpected();
  return {reply.element, reply.elements};
}
std::uint64_t number(const redisReply& reply) {
  const auto n = parse_number(text(reply), std::uint64_t{1} << 62);
  if (!n) throw unexpected();
  return *n;
}

// What one reply may be, beside RedisLimits: hiredis has no limits of its own but a time for each read, and takes
// memory for as many elements as an array says that it has.
constexpr std::size_t kMostElements = 16 * kMostActors;
constexpr std::size_t kMostLine = std::size_t{64} << 10;
constexpr double kLeastBytesPerSecond = 8 << 10;           // beyond the time for an answer: large ones may take longer
constexpr std::size_t kReadBytes = std::size_t{16} << 20;  // of results, in one call

// For the reader of a context whose privdata is the number of elements that are left. Count is int before hiredis 1.0.
template <class Count>
void* array_within_limit(const redisReadTask* task, Count count) {
  static const auto create_array = [] {
    redisReader* reader = redisReaderCreate();
    const auto function = reader->fn->createArray;
    redisReaderFree(reader);
    return function;
  }();
  auto& left = *static_cast<std::size_t*>(task->privdata);
  if (static_cast<std::size_t>(count) > left) return nullptr;
  left -= static_cast<std::size_t>(count);
  return create_array(task, count);
}

StoreUnavailable unavailable(const std::string& said) {
  const bool full = said.find("OOM command") != std::string::npos;
  return StoreUnavailable("the store says: " + printable(said) + (full ? " (raise its maxmemory)" : ""));
}

// What an error of the server means.
[[noreturn]] void raise(std::string said) {
  if (said.starts_with("ERR ")) said.erase(0, 4);  // Redis puts it before errors of scripts
  const std::string word = said.substr(0, said.find(' '));
  if (word == "GONE") throw RunGone();
  if (word == "SUPERSEDED") throw Superseded();
  if (word == "FOREIGN") throw foreign_run(said.size() > 8 ? said.substr(8) : "");
  for (const char* soon : {"LOADING", "BUSY", "OOM", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MISCONF",
                           "NOREPLICAS", "UNKILLABLE"}) {
    if (word == soon) throw unavailable(said);
  }
  for (const char* soon : {"OOM command", "max number of clients", "MISCONF"}) {
    if (said.find(soon) != std::string::npos) throw unavailable(said);
  }
  if (word == "NOAUTH")
    throw StoreError(
        "the store asks for a password: write redis://user:password@host, or set QUARTOZERO_STORE_PASSWORD");
  if (word == "NOPERM")
    throw StoreError("the store does not let this user do that (" + printable(said) +
                     "); docs/many.md lists the permissions");
  if (word == "MOVED" || word == "ASK" || word == "CROSSSLOT")
    throw StoreError("the store is a cluster, and another node holds the run: give the address of one single server");
  throw StoreError("the store says: " + printable(said));
}

// What the server says of a command with a password: some errors repeat the command, between quotation marks.
std::string without_quotations(const std::string& said, const std::string& password) {
  const std::string kept = said.substr(0, said.find_first_of("'`\""));
  return kept.find(password) == std::string::npos ? kept : "ERR an error that repeats the password";
}

class RedisStore final : public Store {
 public:
  RedisStore(StoreUrl url, const RedisLimits& limits) : url_(std::move(url)), limits_(limits) {
    if (url_.tls && !redis_has_tls()) {
      throw StoreError(
          "this build cannot connect by TLS (rediss://): its hiredis has none. Build it with hiredis 1.0 or newer and "
          "libhiredis_ssl, or put a tunnel before the store (docs/many.md)");
    }
  }
  ~RedisStore() override { disconnect(); }
  RedisStore(const RedisStore&) = delete;
  RedisStore& operator=(const RedisStore&) = delete;

  std::string name() const override { return url_.shown(); }

  std::optional<Found> find() override {
    const Reply reply = ask({"HMGET", key(0), "id", "build", "fingerprint", "probe", "config", "phase", "kind"});
    const auto fields = items(*reply, 7);
    if (fields[0]->type == REDIS_REPLY_NIL) return std::nullopt;
    return Found{{optional_text(fields[0]), optional_text(fields[1]), optional_text(fields[2]),
                  optional_text(fields[3]), optional_text(fields[4]), kind_of(optional_text(fields[6]))},
                 value_named<RunPhase>(optional_text(fields[5])).value_or(RunPhase::stopped)};
  }

  Opened open(const RunCard& card, std::uint64_t next, bool anew) override {
    Opened opened;
    const Reply reply =
        script(scripts::kOpen, {std::to_string(epoch_), card.id, std::to_string(next), card.build, card.fingerprint,
                                card.probe, card.config, card.kind, anew ? "1" : "0"});
    const auto fields = items(*reply, 2);
    opened.empty = number(*fields[0]) != 0;
    opened.epoch = epoch_ = number(*fields[1]);
    return opened;
  }

  void publish(std::uint64_t epoch, const Terms& terms, const std::string& weights) override {
    script(scripts::kPublish, {std::to_string(epoch), std::to_string(terms.weights.version), std::to_string(terms.upto),
                               std::to_string(terms.results), weights, std::to_string(terms.weights.checksum)});
  }

  Pulse tick(std::uint64_t epoch, std::uint64_t patience, const std::string& stats) override {
    const Reply reply =
        script(scripts::kTick, {std::to_string(epoch), std::to_string(patience), std::to_string(kForgetTicks), stats});
    const auto fields = items(*reply, 12);
    Pulse pulse;
    pulse.tick = number(*fields[0]);
    pulse.phase = value_named<RunPhase>(text(*fields[1])).value_or(RunPhase::stopped);
    pulse.version = number(*fields[2]);
    pulse.upto = number(*fields[3]);
    pulse.next = number(*fields[4]);
    pulse.leased = number(*fields[5]);
    pulse.free = number(*fields[6]);
    pulse.results = number(*fields[7]);
    pulse.actors = number(*fields[8]);
    pulse.expired = number(*fields[9]);
    pulse.published = number(*fields[10]) != 0;
    pulse.inputs = number(*fields[11]);
    return pulse;
  }

  std::vector<Entry> read(std::uint64_t epoch, const std::string& after, std::size_t most) override {
    const Reply reply = script(
        scripts::kRead, {std::to_string(epoch), std::to_string(most), after.empty() ? std::string("0-0") : after,
                         std::to_string(std::max(kMostGamesBytes, kMostShareBytes)), std::to_string(kReadBytes)});
    std::vector<Entry> entries;
    for (const redisReply* entry : items(*reply)) {
      const auto parts = items(*entry, 2);
      Entry read{text(*parts[0]), "", "", ""};
      // A stranger may have written other fields, or longer ones: what is missing makes a result that is refused.
      const auto fields = items(*parts[1]);
      for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
        const std::string field = text(*fields[i]);
        if (field == "m") read.member = text(*fields[i + 1]);
        if (field == "a") read.actor = printable(text(*fields[i + 1]), kMostName);
        if (field == "d") read.bytes = text(*fields[i + 1]);
      }
      entries.push_back(std::move(read));
    }
    return entries;
  }

  void remove(std::uint64_t epoch, const std::vector<std::string>& ids) override { many(scripts::kRemove, epoch, ids); }

  void release(std::uint64_t epoch, const std::vector<Range>& ranges) override {
    many(scripts::kRelease, epoch, texts(ranges));
  }

  void put_inputs(std::uint64_t epoch, const std::map<std::uint64_t, std::string>& inputs) override {
    std::vector<std::string> arguments = {std::to_string(epoch)};
    std::size_t bytes = 0;
    const auto send_these = [&] {
      script(scripts::kPutInputs, arguments);
      arguments.resize(1);
      bytes = 0;
    };
    for (const auto& [number, input] : inputs) {
      arguments.push_back(std::to_string(number));
      arguments.push_back(input);
      bytes += input.size();
      if (arguments.size() > kPiece || bytes > kPieceBytes) send_these();
    }
    if (arguments.size() > 1) send_these();
  }

  void remove_inputs(std::uint64_t epoch, const std::vector<std::uint64_t>& numbers) override {
    std::vector<std::string> list;
    for (const std::uint64_t number : numbers) list.push_back(std::to_string(number));
    many(scripts::kRemoveInputs, epoch, list);
  }

  void close(std::uint64_t epoch, RunPhase phase) override {
    script(scripts::kClose, {std::to_string(epoch), std::string(name_of(phase))});
  }

  std::optional<std::string> weights(const std::string& run) override {
    const Reply reply = script(scripts::kWeights, {run});
    if (reply->type == REDIS_REPLY_NIL) return std::nullopt;
    return text(*reply);
  }

  Lease lease(const std::string& run, const WeightsId& weights, std::uint32_t games, std::uint32_t longest) override {
    const Reply reply = script(scripts::kLease, {run, std::to_string(weights.version), std::to_string(games),
                                                 std::to_string(std::clamp<std::uint32_t>(longest, 1, kMostInRange)),
                                                 std::to_string(kSpareTicks), std::to_string(weights.checksum)});
    Lease lease{notice_of(*reply), {}};
    for (const redisReply* range : items(*reply).subspan(4)) {
      // What is no range is nothing that could be played; whoever wrote it there is not asked to repair it.
      if (const auto parsed = parse_range(text(*range))) lease.ranges.push_back(*parsed);
    }
    return lease;
  }

  std::vector<std::optional<std::string>> inputs(const std::string& run,
                                                 const std::vector<std::uint64_t>& numbers) override {
    std::vector<std::string> arguments = {run};
    for (const std::uint64_t number : numbers) arguments.push_back(std::to_string(number));
    const Reply reply = script(scripts::kInputs, arguments);
    std::vector<std::optional<std::string>> found;
    for (const redisReply* input : items(*reply, numbers.size()))
      found.push_back(input->type == REDIS_REPLY_NIL ? std::nullopt : std::optional(text(*input)));
    return found;
  }

  Delivery deliver(const std::string& run, const std::string& session, const Range& range,
                   const std::string& bytes) override {
    const std::uint64_t said = number(*script(scripts::kDeliver, {run, text_of(range), bytes, session}));
    return said == 0 ? Delivery::full : said == 1 ? Delivery::taken : Delivery::finished;
  }

  Notice beat(const std::string& run, const std::string& session, const std::string& status,
              const std::vector<Range>& held) override {
    std::vector<std::string> arguments = {run, session, status, std::to_string(kMostActors)};
    const std::vector<std::string> ranges = texts(held);
    arguments.insert(arguments.end(), ranges.begin(), ranges.end());
    return notice_of(*script(scripts::kBeat, arguments));
  }

  void leave(const std::string& run, const std::string& session, const std::vector<Range>& held) override {
    std::vector<std::string> arguments = {run, session};
    const std::vector<std::string> ranges = texts(held);
    arguments.insert(arguments.end(), ranges.begin(), ranges.end());
    script(scripts::kLeave, arguments);
  }

  std::optional<Overview> overview() override {
    Overview all;
    std::map<std::string, std::string> run = pairs(*ask({"HGETALL", key(0)}));
    if (run.empty()) return std::nullopt;
    const auto number_of = [&](const std::string& field) { return parse_number(run[field]).value_or(0); };
    all.card = {run["id"], run["build"], run["fingerprint"], run["probe"], run["config"], kind_of(run["kind"])};
    all.stats = run["stats"];
    Pulse& pulse = all.pulse;
    pulse.phase = value_named<RunPhase>(run["phase"]).value_or(RunPhase::stopped);
    pulse.tick = number_of("tick");
    pulse.version = number_of("version");
    pulse.upto = number_of("upto");
    pulse.next = number_of("next");
    pulse.leased = number(*ask({"ZCARD", key(3)}));
    pulse.free = number(*ask({"ZCARD", key(2)}));
    pulse.results = number(*ask({"XLEN", key(5)}));
    pulse.inputs = number(*ask({"HLEN", key(8)}));
    all.weights_bytes = number(*ask({"STRLEN", key(1)}));
    pulse.published = all.weights_bytes > 0;
    const double now = static_cast<double>(number(*items(*ask({"TIME"}), 2)[0]));
    const auto since = [&](const std::string& then) {
      return now - static_cast<double>(parse_number(then).value_or(static_cast<std::uint64_t>(now)));
    };
    all.learner_seconds = since(run["alive"]);
    all.published_seconds = since(run["published"]);
    const std::map<std::string, std::string> seen = pairs(*ask({"ZRANGE", key(6), "0", "-1", "WITHSCORES"}));
    for (auto& [session, line] : pairs(*ask({"HGETALL", key(7)}))) {
      ActorLine actor;
      actor.session = session;
      const std::size_t blank = line.find(' ');
      actor.seconds_since = since(line.substr(0, blank));
      if (blank != std::string::npos) actor.status = line.substr(blank + 1);
      if (const auto at = seen.find(session); at != seen.end()) {
        if (const auto tick = parse_number(at->second))
          actor.ticks_since = static_cast<std::int64_t>(pulse.tick - *tick);
      }
      all.actors.push_back(std::move(actor));
    }
    pulse.actors = all.actors.size();
    const std::string info = text(*ask({"INFO"}));
    const auto line_of = [&](const char* field) { return field_of(info, field); };
    all.memory_bytes = parse_number(line_of("used_memory")).value_or(0);
    all.server = "redis " + printable(line_of("redis_version"), 20);
    // What a job has in the store can be asked for again.
    if (all.card.kind == kGames && line_of("aof_enabled") == "0")
      all.advice += "appendonly is off: games that are not in a checkpoint yet are played again after a restart; ";
    if (const std::string keys = eviction_in(info); !keys.empty())
      all.advice += keys + "; ";
    else if (const std::string policy = line_of("maxmemory_policy"); !policy.empty() && policy != "noeviction")
      all.advice += "maxmemory-policy is " + printable(policy, 30) + ": set noeviction, or the run may be thrown out; ";
    if (!all.advice.empty()) all.advice.resize(all.advice.size() - 2);
    return all;
  }

  std::string eviction() override { return eviction_in(text(*ask({"INFO"}))); }

  void clear() override {
    std::vector<std::string> command = {"DEL"};
    for (int i = 0; i < kKeys; ++i) command.push_back(key(i));
    ask(command);
  }

 private:
  static constexpr int kKeys = 9;
  static std::string key(int i) {
    static constexpr std::array<const char*, kKeys> kNames = {"run",     "weights", "free",   "leased", "given",
                                                              "results", "seen",    "actors", "inputs"};
    return std::string("{quartozero}:") + kNames[static_cast<std::size_t>(i)];
  }
  static std::string field_of(const std::string& info, const std::string& field) {
    const std::size_t at = info.find("\n" + field + ":");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + field.size() + 2;
    return info.substr(begin, info.find_first_of("\r\n", begin) - begin);
  }
  static std::string eviction_in(const std::string& info) {
    const std::string policy = field_of(info, "maxmemory_policy");
    const std::uint64_t evicted = parse_number(field_of(info, "evicted_keys")).value_or(0);
    if (evicted == 0) return "";
    return fmt::format(
        "the server has thrown out {} keys, since its maxmemory of {} bytes is full and its maxmemory-policy is {}: set "
        "noeviction, and a larger maxmemory",
        evicted, printable(field_of(info, "maxmemory"), 20), printable(policy, 30));
  }
  static std::string optional_text(const redisReply* reply) {
    return reply->type == REDIS_REPLY_NIL ? std::string() : text(*reply);
  }
  // Builds that know no other kind do not write it.
  static std::string kind_of(const std::string& said) { return said.empty() ? kGames : said; }
  static std::vector<std::string> texts(const std::vector<Range>& ranges) {
    std::vector<std::string> all;
    for (const Range& range : ranges) all.push_back(text_of(range));
    return all;
  }
  static std::map<std::string, std::string> pairs(const redisReply& reply) {
    std::map<std::string, std::string> map;
    const auto fields = items(reply);
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2) map[text(*fields[i])] = text(*fields[i + 1]);
    return map;
  }
  static Notice notice_of(const redisReply& reply) {
    const auto fields = items(reply, 4);
    return {value_named<RunPhase>(text(*fields[0])).value_or(RunPhase::stopped),
            {number(*fields[1]), static_cast<std::uint32_t>(number(*fields[3]))},
            number(*fields[2]) != 0};
  }

  // A script with a list: in pieces, since one call is not to stop the store for long.
  void many(const char* source, std::uint64_t epoch, const std::vector<std::string>& list) {
    for (std::size_t begin = 0; begin < list.size(); begin += kPiece) {
      std::vector<std::string> arguments = {std::to_string(epoch)};
      arguments.insert(arguments.end(), list.begin() + static_cast<std::ptrdiff_t>(begin),
                       list.begin() + static_cast<std::ptrdiff_t>(std::min(list.size(), begin + kPiece)));
      script(source, arguments);
    }
  }
  static constexpr std::size_t kPiece = 500, kPieceBytes = std::size_t{1} << 20;

  // By its digest; the server learns the text with the first call, and again after a restart.
  Reply script(const char* source, const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {"EVALSHA", digests_[source], std::to_string(kKeys)};
    for (int i = 0; i < kKeys; ++i) command.push_back(key(i));
    command.insert(command.end(), arguments.begin(), arguments.end());
    if (!command[1].empty()) {
      Reply reply = exchange(command);
      if (reply->type != REDIS_REPLY_ERROR) return reply;
      const std::string said(reply->str, std::size_t(reply->len));
      if (said.rfind("NOSCRIPT", 0) != 0) raise(said);
    }
    digests_[source] = command[1] = text(*ask({"SCRIPT", "LOAD", source}));
    return ask(command);
  }

  Reply ask(const std::vector<std::string>& command) {
    Reply reply = exchange(command);
    if (reply->type == REDIS_REPLY_ERROR) raise({reply->str, std::size_t(reply->len)});
    return reply;
  }

  // An answer, which may be an error of the server. Throws StoreUnavailable if there is none.
  Reply exchange(const std::vector<std::string>& command) {
    const WithoutSigpipe guard;  // hiredis 0.14 writes to its socket without MSG_NOSIGNAL
    connect();
    return send(command);
  }

  Reply send(const std::vector<std::string>& command) {
    std::vector<const char*> arguments;
    std::vector<std::size_t> lengths;
    for (const std::string& argument : command) {
      arguments.push_back(argument.data());
      lengths.push_back(argument.size());
    }
    const auto begin = std::chrono::steady_clock::now();
    std::size_t bytes = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0});  // sent and received
    const auto require = [&](bool works) {
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      const bool slow = took.count() > limits_.answer + static_cast<double>(bytes) / kLeastBytesPerSecond;
      if (works && !slow) return;
      const std::string why =
          works ? fmt::format("no whole answer in {:.0f} s", took.count()) : printable(context_->errstr);
      const bool garbage = !works && (context_->err == REDIS_ERR_PROTOCOL || context_->err == REDIS_ERR_OOM);
      disconnect();
      if (garbage) throw unexpected();
      throw StoreUnavailable(fmt::format("{} does not answer: {}", name(), why));
    };

    require(redisAppendCommandArgv(context_, static_cast<int>(command.size()), arguments.data(), lengths.data()) ==
            REDIS_OK);
    for (int done = 0; done == 0;) require(redisBufferWrite(context_, &done) == REDIS_OK);
    elements_left_ = kMostElements;
    std::size_t received = 0;
    while (true) {
      void* reply = nullptr;
      require(redisGetReplyFromReader(context_, &reply) == REDIS_OK);
      if (reply) return Reply(static_cast<redisReply*>(reply));
      const redisReader& reader = *context_->reader;
      const bool endless_line =
          reader.len - reader.pos > kMostLine &&
          std::string_view(reader.buf + reader.pos, kMostLine).find("\r\n") == std::string_view::npos;
      if (endless_line || received > limits_.bytes) {
        disconnect();
        throw unexpected();
      }
      const std::size_t before = reader.len;
      require(redisBufferRead(context_) == REDIS_OK);
      bytes += reader.len - before;
      received += reader.len - before;
    }
  }

  void connect() {
    if (context_) return;
    context_ = redisConnectWithTimeout(url_.host.c_str(), url_.port, duration(limits_.connect));
    if (!context_ || context_->err) {
      const std::string why = context_ ? printable(context_->errstr) : "no memory";
      disconnect();
      throw StoreUnavailable(fmt::format("cannot connect to {}: {}", name(), why));
    }
    redisSetTimeout(context_, duration(limits_.answer));
    functions_ = *context_->reader->fn;
    functions_.createArray = array_within_limit;
    context_->reader->fn = &functions_;
    context_->reader->privdata = &elements_left_;
    redisEnableKeepAlive(context_);
    start_tls();
    if (!url_.password.empty()) {
      std::vector<std::string> command = {"AUTH"};
      if (!url_.user.empty()) command.push_back(url_.user);
      command.push_back(url_.password);
      const Reply reply = send(command);
      if (reply->type == REDIS_REPLY_ERROR) {
        const std::string said(reply->str, std::size_t(reply->len));
        disconnect();
        for (const char* refusal :
             {"WRONGPASS", "invalid password", "without any password configured", "no password is set"}) {
          if (said.find(refusal) != std::string::npos)
            throw StoreError(fmt::format("{} refuses the user or the password", name()));
        }
        raise(without_quotations(said, url_.password));
      }
    }
    if (url_.database != 0) {
      const Reply reply = send({"SELECT", std::to_string(url_.database)});
      if (reply->type == REDIS_REPLY_ERROR) {
        const std::string said(reply->str, std::size_t(reply->len));
        disconnect();
        raise(said);
      }
    }
  }

#ifdef QUARTOZERO_HIREDIS_SSL
  void start_tls() {
    if (!url_.tls) return;
    if (!tls_) {
      redisInitOpenSSL();
      const char* authority = std::getenv("QUARTOZERO_STORE_CA");
      redisSSLContextError error = REDIS_SSL_CTX_NONE;
      tls_ = redisCreateSSLContext(authority, authority ? nullptr : "/etc/ssl/certs", nullptr, nullptr,
                                   url_.host.c_str(), &error);
      if (!tls_) {
        disconnect();
        throw StoreError(fmt::format("TLS: {} (the authority's certificate: QUARTOZERO_STORE_CA={})",
                                     redisSSLContextGetError(error), authority ? authority : ""));
      }
    }
    if (redisInitiateSSLWithContext(context_, tls_) != REDIS_OK) {
      const std::string why = printable(context_->errstr);
      disconnect();
      throw StoreUnavailable(fmt::format("no TLS with {}: {}", name(), why));
    }
  }
  redisSSLContext* tls_ = nullptr;
#else
  void start_tls() {}
#endif

  void disconnect() {
    if (context_) redisFree(context_);
    context_ = nullptr;
  }

  StoreUrl url_;
  RedisLimits limits_;
  redisContext* context_ = nullptr;
  redisReplyObjectFunctions functions_{};  // of the reader of context_
  std::size_t elements_left_ = 0;          // of arrays, in the reply that is read
  std::map<const char*, std::string> digests_;
  std::uint64_t epoch_ = 0;  // the last of open()
};

}  // namespace

std::unique_ptr<Store> make_redis_store(const StoreUrl& url, const RedisLimits& limits) {
  return std::make_unique<RedisStore>(url, limits);
}

bool redis_has_tls() {
#ifdef QUARTOZERO_HIREDIS_SSL
  return true;
#else
  return false;
#endif
}

}  // namespace quarto::store
