#include <algorithm>
#include <cmath>

#include "embed/think.h"
#include "env/canonical.h"
#include "env/notation.h"
#include "serve/api.h"
#include "solver/book.h"

namespace quarto::serve {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Six digits are more than a network's numbers mean.
double rounded(double x) { return std::round(x * 1e6) / 1e6; }

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

// Counts what a search asks of its network: fewer positions than it has simulations, since what is proven or over needs
// no opinion. For one thread.
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
  double seconds() const { return rounded(std::chrono::duration<double>(Clock::now() - start_).count()); }

 private:
  Clock::time_point start_ = Clock::now();
};

// All the time that a task has, for everything it does.
milliseconds whole_time(const Task& task) { return task.time.count() > 0 ? task.time : task.most; }

embed::Thought think(const Task& task, Worker& worker, JobProgress& progress, milliseconds time) {
  progress.simulations_wanted = task.simulations;
  embed::ThinkLimits limits;
  limits.simulations = task.simulations;
  // Without a search there is nothing to limit; and a time alone would ask for one.
  if (task.simulations > 0) limits.time = std::max(time, milliseconds(1));
  limits.stop = &progress.stop;
  limits.on_progress = [&progress](const embed::Thought& t) { progress.simulations = t.simulations; };
  Counted evaluator(*task.network->evaluator);
  embed::Thought thought = embed::think(evaluator, task.positions.front(), limits);
  progress.simulations = thought.simulations;
  worker.metrics().count("quarto_simulations_total", "", thought.simulations);
  worker.metrics().count("quarto_evaluations_total", "", evaluator.evaluations());
  return thought;
}

MoveSolution solve(const Position& position, Worker& worker, JobProgress& progress, milliseconds time) {
  SolveLimits limits;
  limits.time = std::max(time, milliseconds(1));
  limits.stop = &progress.stop;
  MoveSolution solution = worker.solver().solve_moves(position, limits);
  worker.metrics().count("quarto_solver_nodes_total", "", static_cast<double>(solution.stats.nodes));
  return solution;
}

const char* why_stopped(const Task& task, const embed::Thought& thought) {
  if (task.simulations == 0) return nullptr;
  return thought.proven ? "proof" : thought.simulations >= task.simulations ? "simulations" : "time";
}
Json stopped_by(const Task& task, const embed::Thought& thought) {
  const char* why = why_stopped(task, thought);
  return why ? Json(why) : Json();
}

Json answer_move(const Task& task, Worker& worker, JobProgress& progress) {
  const Stopwatch watch;
  const Position& position = task.positions.front();
  Json answer = head(task, position);
  const auto finish = [&](Move move) {
    answer["move"] = to_string(move);
    answer["next"] = to_string(position.after(move));
  };
  if (std::popcount(position.empty()) <= task.exact_squares) {
    // In the canonical image, so that images of a position get images of the move. If it takes too long there is half
    // of the time left for a search.
    const CanonicalForm form = canonical_form(position);
    const MoveSolution solution = solve(form.position, worker, progress, whole_time(task) / 2);
    if (const auto move = first_keeping_move(form.position, solution)) {
      finish(apply(inverse(form.symmetry, position.rules()), *move, position.rules()));
      answer["by"] = "solver";
      answer["value"] = static_cast<int>(*solution.value);
      answer["proven"] = to_string(*solution.value);
      answer["simulations"] = 0;
      answer["seconds"] = watch.seconds();
      return answer;
    }
  }
  const embed::Thought thought = think(task, worker, progress, whole_time(task) - watch.elapsed());
  finish(thought.best);
  answer["by"] = task.simulations == 0 ? "network" : "search";
  answer["value"] = rounded(thought.value);
  answer["proven"] = text_or_null(thought.proven);
  answer["line"] = texts(thought.line);
  answer["simulations"] = thought.simulations;
  answer["stopped_by"] = stopped_by(task, thought);
  answer["seconds"] = watch.seconds();
  return answer;
}

Json answer_analysis(const Task& task, Worker& worker, JobProgress& progress) {
  const Stopwatch watch;
  const Position& position = task.positions.front();
  const milliseconds time = whole_time(task);
  const embed::Thought thought = think(task, worker, progress, task.exact ? time / 2 : time);
  std::optional<MoveSolution> exact;
  if (task.exact) exact = solve(position, worker, progress, time - watch.elapsed());

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
                 {"value", m.visits > 0 || m.proven ? Json(rounded(m.value)) : Json()},
                 {"proven", text_or_null(m.proven)}};
    if (exact) {
      move["exact"] = text_or_null(exact->values[m.move.index]);
      all = all && exact->values[m.move.index].has_value();
    }
    answer["moves"].push_back(std::move(move));
  }
  if (exact) {
    answer["exact"] = {{"value", text_or_null(exact->value)},
                       {"complete", all},
                       {"nodes", exact->stats.nodes},
                       {"seconds", rounded(exact->stats.seconds)}};
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
  worker.metrics().count("quarto_evaluations_total", "", static_cast<double>(evaluations.size()));
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

}  // namespace

// One for all rules: positions under others than its book's are searched.
Solver& Worker::solver() {
  if (!solver_) solver_.emplace(SolverOptions{.table_bytes = table_bytes_, .book = Book::shipped(Rules::lines)});
  return *solver_;
}

void declare_work_metrics(Metrics& metrics) {
  metrics.declare("quarto_simulations_total", "counter", "Simulations of tree searches.");
  metrics.declare("quarto_evaluations_total", "counter",
                  "Positions that networks judged, for searches and by themselves.");
  metrics.declare("quarto_solver_nodes_total", "counter", "Boards that the exact solver searched.");
}

Json compute(const Task& task, Worker& worker, JobProgress& progress) {
  switch (task.kind) {
    case Kind::move:
      return answer_move(task, worker, progress);
    case Kind::analysis:
      return answer_analysis(task, worker, progress);
    case Kind::evaluation:
      return answer_evaluation(task, worker);
  }
  return {};
}

}  // namespace quarto::serve
