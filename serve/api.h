// What can be asked about a position, as JSON: a move, an analysis, an evaluation, and the rules' own answers. No
// sockets and no threads here.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/evaluator.h"
#include "serve/jobs.h"
#include "serve/metrics.h"
#include "serve/request.h"
#include "solver/solver.h"

namespace quarto::serve {

// A network under a name that requests choose it by.
struct ServedNetwork {
  std::string name;
  std::shared_ptr<Evaluator> evaluator{};  // thread-safe, as evaluators are
  Rules rules = Rules::lines;
  std::map<std::string, std::string> info{};  // for GET networks
};

inline constexpr const char* kNoNetwork = "uniform";  // always there, for any rules: equal priors, a draw for certain

// The networks that are served. Immutable, so thread-safe.
class Catalogue {
 public:
  // Throws std::invalid_argument: a name twice, `uniform`, or with anything but letters, digits, '.', '_' and '-'.
  explicit Catalogue(std::vector<ServedNetwork> networks);

  // In the order given, then `uniform` for either rules.
  const std::vector<ServedNetwork>& networks() const { return networks_; }
  // By name; without one the first for these rules. Null if there is none.
  const ServedNetwork* find(const std::optional<std::string>& name, std::optional<Rules> rules) const;
  std::vector<std::string> names() const;

 private:
  std::vector<ServedNetwork> networks_;
};

// What one request may ask for.
struct Limits {
  std::size_t body_bytes = std::size_t{64} << 10;
  int positions = 256;         // of an evaluation
  int simulations = 100'000;   // of a search: each takes about a third of a kilobyte while it goes on
  double seconds = 10;         // of computing, for a request that is waited for
  double job_seconds = 300;    // of computing, for a job
  std::size_t table_mib = 64;  // of the solver, for each working thread
};

enum class Kind { move, analysis, evaluation };
inline constexpr std::array<Kind, 3> kKinds = {Kind::move, Kind::analysis, Kind::evaluation};
std::string to_string(Kind kind);

// A request that has been checked: nothing in it can be wrong any more.
struct Task {
  Kind kind = Kind::move;
  std::vector<Position> positions{};  // one, or those of an evaluation; none is over
  const ServedNetwork* network = nullptr;
  int simulations = 0;                // with a time: at most so many
  std::chrono::milliseconds time{0};  // what was asked for; 0: nothing was
  std::chrono::milliseconds most{0};  // the limit, which holds in any case
  int exact_squares = 0;              // of a move
  bool exact = false;                 // of an analysis
};

// Throws RequestError. The catalogue must outlive the task. `extra` are fields that somebody else reads.
Task parse_task(Kind kind, const nlohmann::json& body, const Catalogue& catalogue, const Limits& limits, Lane lane,
                const std::vector<std::string>& extra = {});

// What a working thread has for itself. Not thread-safe.
class Worker {
 public:
  Worker(std::size_t table_bytes, Metrics& metrics) : table_bytes_(table_bytes), metrics_(metrics) {}
  Solver& solver();  // made when first needed
  Metrics& metrics() { return metrics_; }

 private:
  std::size_t table_bytes_;
  Metrics& metrics_;
  std::optional<Solver> solver_;
};

// The counters that Worker::metrics() must have: quarto_simulations_total, quarto_evaluations_total,
// quarto_solver_nodes_total.
void declare_work_metrics(Metrics& metrics);

// The answer. When progress.stop is set it comes soon, and is worth nothing.
Json compute(const Task& task, Worker& worker, JobProgress& progress);

// POST play: a position, and if a move is given the one after it: whether it is over and why, and what is legal.
// Instant. Throws RequestError.
Json play(const nlohmann::json& body);

}  // namespace quarto::serve
