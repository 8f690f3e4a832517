// The API's JSON: reading and checking requests, computing the answers. No sockets and no threads.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/network_loader.h"
#include "play/choose.h"
#include "serve/jobs.h"
#include "serve/metrics.h"
#include "serve/request.h"

namespace quarto::serve {

// A network and the name that requests use for it.
struct ServedNetwork : LoadedNetwork {
  std::string name{};
};

inline constexpr const char* kNoNetwork = "uniform";  // always served, for both rule sets: equal priors, a certain draw

using NetworkPointer = std::shared_ptr<const ServedNetwork>;

// What can be said of a network that is not loaded.
struct NetworkLabel {
  std::string name{};
  Rules rules = Rules::lines;
  std::map<std::string, std::string> info{};
};

// Networks that come and go while the server runs: the best weights of training runs. Thread-safe.
class NetworkSource {
 public:
  virtual ~NetworkSource() = default;
  // Those that seem to be usable now; nothing is loaded.
  virtual std::vector<NetworkLabel> labels() = 0;
  // Whether a network of this name could come at any time, so that no other may have it.
  virtual bool may_have(const std::string& name) const = 0;
  // Loads the network if it has to. Null if there is none of this name. Throws any std::exception if it cannot be
  // loaded.
  virtual NetworkPointer find(const std::string& name) = 0;
};

inline constexpr std::size_t kMostNameBytes = 64;
// At most kMostNameBytes letters, digits, '.', '_' and '-', and at least one; not `uniform`.
bool is_network_name(std::string_view name);

// The networks of a server. Thread-safe.
class Catalogue {
 public:
  // Throws std::invalid_argument if a name of `networks` is repeated, is none (is_network_name()), or is one that a
  // network of `more` may have. Of `more`, which may be null, networks whose names are none or are taken are left out.
  explicit Catalogue(std::vector<ServedNetwork> networks, std::shared_ptr<NetworkSource> more = {});

  // In the order given, followed by those of `more` and by `uniform` for each rule set.
  std::vector<NetworkLabel> labels() const;
  // The first network with this name and these rules; nullopt matches any. Null if there is none. Throws
  // RequestError 409 if that of this name cannot be loaded.
  NetworkPointer find(const std::optional<std::string>& name, std::optional<Rules> rules) const;
  std::vector<std::string> names() const;

 private:
  // Of `more`, without those whose names are none or are taken.
  std::vector<NetworkLabel> more_labels() const;
  std::vector<NetworkPointer> networks_, uniform_;
  std::shared_ptr<NetworkSource> more_;
};

// The largest values that one request may have.
struct Limits {
  std::size_t body_bytes = std::size_t{64} << 10;
  int positions = 256;         // of an evaluation
  int simulations = 100'000;   // of a search; each takes about a third of a kilobyte until the search ends
  double seconds = 10;         // of computation, while the client waits
  double job_seconds = 300;    // of computation, as a job
  std::size_t table_mib = 64;  // of the solver's table, for each computing thread
};

enum class Kind { move, analysis, evaluation };
std::string to_string(Kind kind);  // what differs between kinds: kinds.h

// A valid request.
struct Task {
  Kind kind = Kind::move;
  std::vector<Position> positions{};  // one, or several for an evaluation; none is terminal
  NetworkPointer network{};
  int simulations = 0;  // at most; `time` may end the search earlier
  SearchConfig search{};
  std::chrono::milliseconds time{0};  // requested; 0: the request has none
  std::chrono::milliseconds most{0};  // the server's limit
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
  std::optional<GameClock> clock{};  // move only: of the whole game
  int exact_squares = 0;             // move only
  bool sharp = false;                // move only: exact play
  bool exact = false;                // analysis only
  bool placements = false;           // with `exact`
};

// Throws RequestError. `extra` are further fields that the body may have; they are
// not read.
Task parse_task(Kind kind, const nlohmann::json& body, const Catalogue& catalogue, const Limits& limits,
                Priority priority, const std::vector<std::string>& extra = {});

// The solver and the metrics of one computing thread. Not thread-safe.
class Worker {
 public:
  Worker(std::size_t table_bytes, Metrics& metrics);
  SharedSolver& solver() { return solver_; }  // constructed at the first question
  Metrics& metrics() { return metrics_; }

 private:
  Metrics& metrics_;
  SharedSolver solver_;
};

// Declares the counters that computations use: quartozero_simulations_total, quartozero_evaluations_total,
// quartozero_solver_nodes_total.
void declare_work_metrics(Metrics& metrics);

// The answer. If progress.stop is set during the computation it returns soon, with an answer that must be discarded.
Json compute(const Task& task, Worker& worker, JobProgress& progress);

// POST play, which follows from the rules alone: plays the move, if the body has one, and describes the resulting
// position: legal moves, whether the game is over, the winner, the lines. Takes microseconds. Throws RequestError.
Json play(const nlohmann::json& body);

}  // namespace quarto::serve
