#include <algorithm>
#include <tuple>

#include "base/clock.h"
#include "env/notation.h"
#include "play/choose.h"
#include "serve/kinds.h"
#include "solver/book.h"

namespace quarto::serve {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

Json text_or_null(std::optional<Value> value) { return value ? Json(to_string(*value)) : Json(); }

Json texts(const std::vector<Move>& moves) {
  Json array = Json::array();
  for (const Move m : moves) array.push_back(to_string(m));
  return array;
}

Json head(const Task& task, const Position& position) {
  return {{"position", to_string(position)},
          {"rules", to_string(position.rules())},
          {"phase", to_string(position.phase())},
          {"network", task.network->name}};
}

// Counts the positions that a search evaluates. They are fewer than its simulations: proven and terminal positions are
// not evaluated. Not thread-safe.
class Counted final : public Evaluator {
 public:
  explicit Counted(Evaluator& evaluator) : evaluator_(evaluator) {}
  std::unique_ptr<EvaluationBatch> new_batch() override {
    return std::make_unique<Batch>(evaluator_.new_batch(), evaluations_);
  }
  int evaluations() const { return evaluations_; }

 private:
  class Batch final : public EvaluationBatch {
   public:
    Batch(std::unique_ptr<EvaluationBatch> batch, int& evaluations)
        : batch_(std::move(batch)), evaluations_(evaluations) {}
    Status add(const Position& position, Evaluation& out) override {
      ++evaluations_;
      return batch_->add(position, out);
    }
    std::size_t size() const override { return batch_->size(); }
    void submit() override { batch_->submit(); }
    void compute() override { batch_->compute(); }

   private:
    std::unique_ptr<EvaluationBatch> batch_;
    int& evaluations_;
  };
  Evaluator& evaluator_;
  int evaluations_ = 0;
};

class Stopwatch {
 public:
  milliseconds elapsed() const { return std::chrono::duration_cast<milliseconds>(Clock::now() - start_); }
  double seconds() const { return rounded(seconds_since(start_)); }

 private:
  Clock::time_point start_ = Clock::now();
};

// The time limit of the whole task.
milliseconds whole_time(const Task& task) { return task.time.count() > 0 ? task.time : task.most; }

// The network of a task, counted; and what it did, for the metrics and for whoever asks how far it is.
class Thinking {
 public:
  Thinking(const Task& task, Worker& worker, JobProgress& progress)
      : worker_(worker), progress_(progress), evaluator_(*task.network->evaluator) {
    progress.simulations_wanted = task.simulations;
  }
  Evaluator& evaluator() { return evaluator_; }
  std::function<void(const Thought&)> on_progress() {
    return [this](const Thought& t) { progress_.simulations = t.simulations; };
  }
  void count(const Thought& thought) {
    progress_.simulations = thought.simulations;
    worker_.metrics().count("quartozero_simulations_total", "", thought.simulations);
    worker_.metrics().count("quartozero_evaluations_total", "", evaluator_.evaluations());
  }

 private:
  Worker& worker_;
  JobProgress& progress_;
  Counted evaluator_;
};

Thought think(const Task& task, Worker& worker, JobProgress& progress, milliseconds time) {
  Thinking thinking(task, worker, progress);
  ThinkLimits limits;
  limits.simulations = task.simulations;
  limits.time = std::max(time, milliseconds(1));
  limits.stop = &progress.stop;
  limits.on_progress = thinking.on_progress();
  Thought thought = quarto::think(thinking.evaluator(), task.positions.front(), limits, task.search);
  thinking.count(thought);
  return thought;
}

void count_nodes(Worker& worker, const SolveStats& stats) {
  worker.metrics().count("quartozero_solver_nodes_total", "", static_cast<double>(stats.nodes));
}

struct Exact {
  MoveSolution solution{};
  MoveDistances distances{};

  SolveStats stats() const {
    return {solution.stats.nodes + distances.stats.nodes, solution.stats.seconds + distances.stats.seconds};
  }
};

Exact solve(const Task& task, Worker& worker, JobProgress& progress, milliseconds time) {
  SolveLimits limits;
  limits.time = std::max(time, milliseconds(1));
  limits.stop = &progress.stop;
  Exact exact;
  exact.distances.complete = false;
  (void)worker.solver().ask(limits, [&](Solver& s, const SolveLimits& l) {
    const Position& position = task.positions.front();
    if (task.placements)
      std::tie(exact.solution, exact.distances) = solve_with_distances(s, position, l);
    else
      exact.solution = s.solve_moves(position, l);
    return true;
  });
  count_nodes(worker, exact.stats());
  return exact;
}

Json number_or_null(std::optional<int> number) { return number ? Json(*number) : Json(); }

const char* why_stopped(const Task& task, const Thought& thought) {
  if (task.simulations == 0) return nullptr;
  return thought.proven ? "proof" : thought.simulations >= task.simulations ? "simulations" : "time";
}
Json stopped_by(const Task& task, const Thought& thought) {
  const char* why = why_stopped(task, thought);
  return why ? Json(why) : Json();
}

}  // namespace

Json answer_move(const Task& task, Worker& worker, JobProgress& progress) {
  const Stopwatch watch;
  const Position& position = task.positions.front();
  Thinking thinking(task, worker, progress);
  ChoiceLimits limits;
  limits.simulations = task.simulations;
  limits.time = whole_time(task);
  limits.clock = task.clock;
  if (limits.clock) {  // the wait for a thread was on the client's clock
    const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - task.arrived);
    limits.clock->left = std::max(limits.clock->left - waited, milliseconds(1));
  }
  limits.exact_squares = task.exact_squares;
  limits.sharp = task.sharp;
  limits.search = task.search;
  limits.stop = &progress.stop;
  limits.on_progress = thinking.on_progress();
  const Choice choice = choose(thinking.evaluator(), &worker.solver(), position, limits);
  if (choice.exact) count_nodes(worker, choice.exact->stats);

  Json answer = head(task, position);
  answer["move"] = to_string(choice.move);
  answer["next"] = to_string(position.after(choice.move));
  if (choice.by == ChosenBy::exact) {
    answer["by"] = "solver";
    answer["value"] = static_cast<int>(*choice.proven);
    answer["proven"] = to_string(*choice.proven);
    answer["simulations"] = 0;
  } else {
    thinking.count(*choice.thought);
    answer["by"] = to_string(choice.by);
    answer["value"] = rounded(choice.value);
    answer["proven"] = text_or_null(choice.proven);
    answer["line"] = texts(choice.thought->line);
    answer["simulations"] = choice.thought->simulations;
    answer["stopped_by"] = stopped_by(task, *choice.thought);
  }
  answer["seconds"] = watch.seconds();
  return answer;
}

Json answer_analysis(const Task& task, Worker& worker, JobProgress& progress) {
  const Stopwatch watch;
  const Position& position = task.positions.front();
  const milliseconds time = whole_time(task);
  const Thought thought = think(task, worker, progress, task.exact ? time / 2 : time);
  std::optional<Exact> exact;
  if (task.exact) exact = solve(task, worker, progress, time - watch.elapsed());

  Json answer = head(task, position);
  answer["best"] = to_string(thought.best);
  answer["value"] = rounded(thought.value);
  answer["proven"] = text_or_null(thought.proven);
  answer["line"] = texts(thought.line);
  answer["opinion"] = {{"win", rounded(thought.network.win)},
                       {"draw", rounded(thought.network.draw)},
                       {"loss", rounded(thought.network.loss)}};
  answer["moves"] = Json::array();
  bool all = true;
  for (const RootMove& m : thought.moves) {
    Json move = {{"move", to_string(m.move)},
                 {"prior", rounded(thought.network.prior[m.move.index])},
                 {"visits", m.visits},
                 {"value", m.visits > 0 || m.proven() ? Json(rounded(m.value)) : Json()},
                 {"proven", text_or_null(m.proven())},
                 {"at_least", to_string(m.bounds.low)},
                 {"at_most", to_string(m.bounds.high)}};
    if (exact) {
      const auto& value = exact->solution.values[m.move.index];
      move["exact"] = text_or_null(value);
      if (task.placements) move["placements"] = number_or_null(exact->distances.placements[m.move.index]);
      all = all && value.has_value();
    }
    answer["moves"].push_back(std::move(move));
  }
  if (exact) {
    answer["exact"] = {{"value", text_or_null(exact->solution.value)},
                       {"complete", all},
                       {"nodes", exact->stats().nodes},
                       {"seconds", rounded(exact->stats().seconds)}};
    if (task.placements) {
      answer["exact"]["placements"] = number_or_null(exact->distances.best);
      answer["exact"]["placements_complete"] = exact->distances.complete;
    }
  }
  answer["simulations"] = thought.simulations;
  answer["stopped_by"] = stopped_by(task, thought);
  answer["seconds"] = watch.seconds();
  return answer;
}

Json answer_evaluation(const Task& task, Worker& worker) {
  const Stopwatch watch;
  std::vector<Evaluation> evaluations(task.positions.size());
  evaluate(*task.network->evaluator, task.positions, evaluations);
  worker.metrics().count("quartozero_evaluations_total", "", static_cast<double>(evaluations.size()));
  Json answer = {{"network", task.network->name}, {"rules", to_string(task.network->rules)}};
  answer["evaluations"] = Json::array();
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const Position& p = task.positions[i];
    const Evaluation& e = evaluations[i];
    Json priors = Json::object();
    for (const int m : BitsOf(p.legal_moves()))
      priors[to_string(Move{p.phase(), static_cast<std::uint8_t>(m)})] = rounded(e.prior[static_cast<std::size_t>(m)]);
    answer["evaluations"].push_back({{"position", to_string(p)},
                                     {"phase", to_string(p.phase())},
                                     {"win", rounded(e.win)},
                                     {"draw", rounded(e.draw)},
                                     {"loss", rounded(e.loss)},
                                     {"value", rounded(e.value())},
                                     {"priors", std::move(priors)}});
  }
  answer["seconds"] = watch.seconds();
  return answer;
}

// One solver for all rules.
Worker::Worker(std::size_t table_bytes, Metrics& metrics)
    : metrics_(metrics), solver_({.table_bytes = table_bytes, .books = Books::shipped()}) {}

void declare_work_metrics(Metrics& metrics) {
  metrics.declare("quartozero_simulations_total", "counter", "Simulations of tree searches.");
  metrics.declare("quartozero_evaluations_total", "counter",
                  "Positions evaluated by networks, in searches and evaluations.");
  metrics.declare("quartozero_solver_nodes_total", "counter", "Nodes searched by the exact solver.");
}

}  // namespace quarto::serve
